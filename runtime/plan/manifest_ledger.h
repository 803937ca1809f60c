// The rules for a manifest's entries, and their totals: what its writer and its reader share.
#pragma once

#include <optional>
#include <string>

#include "runtime/plan/artifact_path.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

class ManifestLedger {
 public:
  // Takes the next entry; says what is wrong with it, if anything is.
  std::optional<std::string> enter(const ManifestEntry& entry);

  std::int64_t files() const { return files_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  PathSequence paths_;
  std::int64_t files_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace kimi3
