// Putting something new in the place of a name, at once and so that it can be undone.
#pragma once

#include <string>

#include "exporter/file_system.h"

namespace kimi3 {

// Where a swap takes place: `temporary` and `name` are names in one directory.
struct SwapPlace {
  int directory = -1;
  std::string temporary;
  std::string name;
  std::string shown;  // what messages call `name`, quoted
};

enum class Swap {
  kMoved,      // there was nothing; the temporary has the name now (RENAME_NOREPLACE)
  kExchanged,  // the temporary has the name, and what had it has the temporary's (RENAME_EXCHANGE)
};

// Throws kMachine where there is something although `replaces` is false, or nothing although it is
// true, and where the file system can do neither.
Swap swap_in(FileSystem& files, const SwapPlace& place, bool replaces);

// Back to how it was; for when what should have followed failed. A failure is thrown as kMachine.
void swap_back(FileSystem& files, const SwapPlace& place, Swap done);

}  // namespace kimi3
