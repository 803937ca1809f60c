// From a prepared variant to its plan, and to the shapes that must be proven before it is baked.
#pragma once

#include <string>

#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/plan.h"

namespace kimi3 {

// Pure. The plan of `variant` for the package with this identity; its digest is write_plan's to
// compute. Throws kMalformed, naming graph, site and shape, where the switch selects the ring for a
// shape that it cannot shard.
ReductionPlan plan_reductions(const Variant& variant, const PreparationConfig& config,
                              std::string identity);

}  // namespace kimi3
