// What can be wrong with a file of a package.
#pragma once

#include <string>
#include <string_view>

namespace kimi3 {

enum class ProblemKind {
  kMissing,      // listed, not there
  kExtra,        // there, not listed
  kChanged,      // another content than listed
  kWrongSize,    // another size than listed
  kRefusedType,  // a symbolic link, a FIFO, an empty directory, a name that no artifact may have
  kUnreadable,   // it could not be checked
};

// "missing", "extra", "changed", "wrong size", "refused type", "unreadable".
std::string_view to_string(ProblemKind kind);

struct Problem {
  ProblemKind kind{};
  std::string path;
  std::string detail;  // "12 bytes, not 14"; may be empty
};

}  // namespace kimi3
