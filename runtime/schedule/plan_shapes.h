// What a plan's entries mean in schedules: the shapes it runs and the memory they take.
#pragma once

#include <cstdint>
#include <vector>

#include "kimi3/plan.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {

// The arithmetic that a channel's schedules are generated with: fp32_rank_order for one that is
// backend_defined, since its stand-in is the two-shot; any other arithmetic as it is.
Arithmetic scheduled_arithmetic(Arithmetic arithmetic);

// The plan's entries by name; null where there is none.
const PlannedChannel* find_channel(const ReductionPlan& plan, std::string_view name);
const PlannedSchedule* find_schedule(const ReductionPlan& plan, std::string_view id);
const PlannedGraph* find_graph(const ReductionPlan& plan, std::string_view id);

// What make_schedule takes for one reduction of a graph; the plan has been checked.
ScheduleRequest schedule_request(const ReductionPlan& plan, const PlannedGraph& graph,
                                 const PlannedReduction& reduction);

// A shape that the plan runs, with the first graph and reduction that do; both point into the plan.
struct PlanShape {
  ScheduleRequest request;
  const PlannedGraph* graph = nullptr;
  const PlannedReduction* reduction = nullptr;
};

// Every shape once for each schedule that it is run with, in the order of the plan's graphs.
std::vector<PlanShape> distinct_shapes(const ReductionPlan& plan);

// What the channel takes on each rank: the slab of its largest shape; 0 where no graph of it
// reduces.
std::int64_t channel_bytes_per_rank(const ReductionPlan& plan, const PlannedChannel& channel);

}  // namespace kimi3
