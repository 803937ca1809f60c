// From a variant and its environment to the plan that goes into the package: planned, and proven.
#pragma once

#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/plan.h"

namespace kimi3 {

// Plans, and proves every schedule that the plan runs; `package` of the result is empty, since a
// package's identity is known only once its files have been hashed. Throws kMalformed where
// planning does, and kMismatch, naming graph, site and the two steps, for a schedule that is not
// proven.
ReductionPlan proven_plan(const Variant& variant, const PreparationConfig& config);

// Throws kMismatch for a plan that runs an unproven schedule.
void require_proven(const ReductionPlan& plan);

}  // namespace kimi3
