// Publishing a file under a name, at once: it is written beside its target under a temporary name,
// synced, and swapped in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/swap.h"
#include "exporter/temporary.h"

namespace kimi3 {

class FilePublication {
 public:
  // Makes the temporary in an open directory, which messages call `shown`.
  FilePublication(FileSystem& files, int directory, std::string shown, std::string_view name);

  // What to write to before the swap, and what messages call it.
  int file() const { return temporary_.descriptor(); }
  std::string shown_file() const { return temporary_.shown(); }
  void write(std::string_view text);

  // Gives the file its name; what was written must have been synced. Throws kMalformed where the
  // name is taken by something else than a regular file, kMachine where it cannot be done.
  void swap_in();
  // Syncs the directory; undoes the swap where that fails, and throws kMachine.
  void sync_swap();
  void undo();
  // Removes what had the name before; adds a line to `notes` where that cannot be done.
  void settle(std::vector<std::string>& notes);

 private:
  FileSystem& files_;
  std::string shown_directory_;
  Temporary temporary_;
  SwapPlace place_;
  Swap done_{};
};

// Writes `text` to the file that `path` names, which is then the old one or the new one. Throws as
// above; nothing is left behind.
void publish_file(const std::string& path, std::string_view text,
                  FileSystem& files = real_file_system());

}  // namespace kimi3
