#include "exporter/baking.h"

#include <fmt/format.h>

#include "exporter/planning.h"
#include "kimi3/error.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/proof.h"

namespace kimi3 {

void require_proven(const ReductionPlan& plan) {
  Prover prover;
  for (const PlannedGraph& graph : plan.graphs) {
    for (const PlannedReduction& reduction : graph.reductions) {
      const ProofResult& result = prover.prove(schedule_request(plan, graph, reduction));
      if (result.proven()) continue;
      throw mismatch(fmt::format("graph {}, site {}: schedule {} is not proven: {}", graph.id,
                                 reduction.site, reduction.schedule, result.refusal->message),
                     "this is a fault of kimi3-export, not of the variant: nothing was written");
    }
  }
}

ReductionPlan proven_plan(const Variant& variant, const PreparationConfig& config) {
  ReductionPlan plan = plan_reductions(variant, config, /*identity=*/{});
  require_proven(plan);
  return plan;
}

}  // namespace kimi3
