// Whether a package on disk is what its manifest says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/run_control.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

enum class ProblemKind {
  kMissing,      // listed, not there
  kExtra,        // there, not listed
  kChanged,      // another content than listed
  kWrongSize,    // another size than listed
  kRefusedType,  // a symbolic link, a FIFO, a directory without files: nothing a package may hold
  kUnreadable,   // it could not be checked
};

// "missing", "extra", "changed", "wrong size", "refused type", "unreadable".
std::string_view to_string(ProblemKind kind);

struct Problem {
  ProblemKind kind{};
  std::string path;
  std::string detail;  // "12 bytes, not 14"; may be empty
};

struct VerifyOptions {
  // Sizes and names only; no artifact is opened.
  bool quick = false;
  // The identity that it must have, "sha256:…".
  std::optional<std::string> expected_identity;
};

struct VerifyReport {
  ManifestSummary manifest;
  bool identity_differs = false;
  std::vector<Problem> problems;   // by path, then kind; no more than kMaxProblems
  std::int64_t problem_count = 0;  // of all that there are
  std::int64_t files_checked = 0;
  std::int64_t bytes_hashed = 0;
  bool ok() const { return !identity_differs && problem_count == 0; }
  bool unreadable() const;  // some part could not be checked: exit status 3, not 1
};

// A report names this many problems; it counts the others.
inline constexpr std::size_t kMaxProblems = 10000;

// Checks every file of `package` against its manifest; that the overlay plan is there, too, but not
// what it says. Throws kMalformed for a manifest that is none, has no files or is missing, and for
// an expected identity that is no digest; kMachine where the package itself cannot be read.
VerifyReport verify_package(const std::string& package, const VerifyOptions& options,
                            const RunControl& control = {},
                            FileSystem& file_system = real_file_system());

}  // namespace kimi3
