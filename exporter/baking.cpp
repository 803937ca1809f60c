#include "exporter/baking.h"

#include <fmt/format.h>

#include "exporter/planning.h"
#include "kimi3/error.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/proof.h"

namespace kimi3 {

void require_proven(const ReductionPlan& plan) {
  for (const PlanShape& shape : distinct_shapes(plan)) {
    const ProofResult result = prove(make_schedule(shape.request));
    if (result.proven()) continue;
    throw mismatch(
        fmt::format("graph {}, site {}: schedule {} is not proven: {}", shape.graph->id,
                    shape.reduction->site, shape.reduction->schedule, result.refusal->message),
        "this is a fault of kimi3-export, not of the variant: nothing was written");
  }
}

ReductionPlan proven_plan(const Variant& variant, const PreparationConfig& config) {
  ReductionPlan plan = plan_reductions(variant, config, /*identity=*/{});
  require_proven(plan);
  return plan;
}

}  // namespace kimi3
