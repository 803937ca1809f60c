// From a package to Reducers: what load() checks before anything is started, in pure functions, and
// the start.
#pragma once

#include <optional>
#include <string>

#include "kimi3/plan.h"
#include "kimi3/runtime.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

// Throws kMismatch where the package is another than the expected one, kMalformed for an
// expectation that is no identity. `file` is how messages name the manifest.
void check_identity(const ManifestSummary& manifest, const std::optional<std::string>& expected,
                    const std::string& file);

// Whether the plan is this package's: kMismatch where it was baked for another one, or differs from
// the manifest's variant in name, world size or element type. `file` is how messages name the plan.
// Whether its parts fit each other is check_plan's to say.
void check_plan_belongs(const ReductionPlan& plan, const ManifestSummary& manifest,
                        const std::string& file);

// A Runtime for a plan that check_plan has passed. Throws kMalformed for options out of range,
// kMachine where a thread cannot be started.
Runtime start_runtime(ReductionPlan plan, const LoadOptions& options);

}  // namespace kimi3
