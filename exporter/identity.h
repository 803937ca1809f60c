// Whether a package on disk is what its manifest says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/problem.h"
#include "exporter/run_control.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

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
  bool unreadable = false;         // some part could not be checked: exit status 3, not 1
  std::int64_t files_sound = 0;    // found as the manifest lists them
  std::int64_t bytes_hashed = 0;

  bool ok() const {
    return !identity_differs && problem_count == 0 && files_sound == manifest.files;
  }
};

// A report names this many problems; it counts the others.
inline constexpr std::size_t kMaxProblems = 10000;

// Checks every file of `package` against its manifest; that the overlay plan is there, too, but not
// what it says. Throws kMalformed for a manifest that is none, has no files or is missing, and for
// an expected identity that is no digest; kMachine where the package itself cannot be read.
VerifyReport verify_package(const std::string& package, const VerifyOptions& options,
                            const RunControl& control = {}, FileSystem& files = real_file_system());

}  // namespace kimi3
