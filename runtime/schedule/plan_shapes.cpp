#include "runtime/schedule/plan_shapes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace kimi3 {
namespace {

template <typename Entry>
const Entry* find_by(const std::vector<Entry>& entries, std::string Entry::*key,
                     std::string_view value) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.*key == value; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

Arithmetic scheduled_arithmetic(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kBackendDefined ? Arithmetic::kFp32RankOrder : arithmetic;
}

const PlannedChannel* find_channel(const ReductionPlan& plan, std::string_view name) {
  return find_by(plan.channels, &PlannedChannel::name, name);
}

const PlannedSchedule* find_schedule(const ReductionPlan& plan, std::string_view id) {
  return find_by(plan.schedules, &PlannedSchedule::id, id);
}

const PlannedGraph* find_graph(const ReductionPlan& plan, std::string_view id) {
  return find_by(plan.graphs, &PlannedGraph::id, id);
}

ScheduleRequest schedule_request(const ReductionPlan& plan, const PlannedGraph& graph,
                                 const PlannedReduction& reduction) {
  const PlannedChannel& channel = *find_channel(plan, graph.channel);
  return {.algorithm = channel.algorithm,
          .arithmetic = scheduled_arithmetic(channel.arithmetic),
          .world = static_cast<int>(plan.world_size),
          .pieces = static_cast<int>(find_schedule(plan, reduction.schedule)->pieces),
          .elements = graph.rows * reduction.cols,
          .order = {}};
}

std::vector<PlanShape> distinct_shapes(const ReductionPlan& plan) {
  std::vector<PlanShape> shapes;
  std::set<std::pair<std::string_view, std::int64_t>> seen;
  for (const PlannedGraph& graph : plan.graphs) {
    for (const PlannedReduction& reduction : graph.reductions) {
      if (!seen.insert({reduction.schedule, graph.rows * reduction.cols}).second) continue;
      shapes.push_back({schedule_request(plan, graph, reduction), &graph, &reduction});
    }
  }
  return shapes;
}

std::int64_t channel_bytes_per_rank(const ReductionPlan& plan, const PlannedChannel& channel) {
  std::optional<ScheduleRequest> largest;
  for (const PlannedGraph& graph : plan.graphs) {
    if (graph.channel != channel.name) continue;
    for (const PlannedReduction& reduction : graph.reductions) {
      ScheduleRequest request = schedule_request(plan, graph, reduction);
      if (!largest || request.elements > largest->elements) largest = std::move(request);
    }
  }
  return largest ? slab_layout(make_schedule(*largest)).bytes : 0;
}

}  // namespace kimi3
