// Whether the parts of a plan fit each other, and this build: what must hold before anything runs
// it.
#pragma once

#include <string>

#include "kimi3/plan.h"

namespace kimi3 {

// Pure, and cheap enough for every load. `file` is how messages name the plan. Throws kMalformed
// for a plan whose parts do not fit: an algorithm that its channel, graph mode or shape does not
// allow, an entry that names another which is not there, a size that does not follow from the
// shapes. Throws kMismatch where this build generates another schedule than the one that was
// proven.
void check_plan(const ReductionPlan& plan, const std::string& file);

// A ring runs in prefill graphs alone. Throws kMalformed, its message after "WHERE: ", for another
// graph: at export, at load and, in case a plan came another way, at the reduction itself.
void require_prefill(const PlannedGraph& graph, const std::string& where);

}  // namespace kimi3
