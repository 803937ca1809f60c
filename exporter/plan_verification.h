// Whether the plan in a package is the one that this build would bake for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/plan/manifest.h"
#include "runtime/plan/package_directory.h"

namespace kimi3 {

struct PlanVerification {
  std::string digest;                 // as the plan states it; empty where it cannot be read
  std::vector<std::string> findings;  // a sentence each; empty if the plan holds
};

// Checks form, digest, identity, schedule digests, `expected_digest` if there is one, and that the
// plan follows from the manifest's variant and the plan's own switches by the selection rules.
// Findings are collected, not thrown: verify lists everything at once.
PlanVerification verify_plan(const PackageDirectory& package, const ManifestSummary& manifest,
                             const std::optional<std::string>& expected_digest);

}  // namespace kimi3
