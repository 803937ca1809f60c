#include "exporter/inspection.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "exporter/text_table.h"
#include "kimi3/error.h"
#include "runtime/plan/text.h"
#include "runtime/schedule/plan_shapes.h"

namespace kimi3 {
namespace {

std::string megabytes(double bytes) { return fmt::format("{:.2f}", bytes / 1e6); }
std::string megabytes(std::int64_t bytes) { return megabytes(static_cast<double>(bytes)); }

// What rank 0 puts to its peers in all calls of a reduction in one run of its graph; the ranks of a
// ring all put the same. In floating point: calls times bytes may pass 64 bits.
double wire_bytes(const ReductionPlan& plan, const PlannedGraph& graph,
                  const PlannedReduction& reduction) {
  const Schedule schedule = make_schedule(schedule_request(plan, graph, reduction));
  std::int64_t bytes = 0;
  for (const Step& step : schedule.ranks.front().lane(Lane::kCopy)) bytes += step.dst.byte_count();
  return static_cast<double>(bytes) * static_cast<double>(reduction.calls);
}

std::string describe_ring(const ReductionPlan& plan) {
  const PlannedChannel* ring = find_channel(plan, "prefill_ring");
  if (ring != nullptr) {
    return fmt::format("prefill graphs of {} rows or more, {}", plan.ring_rows,
                       to_string(ring->arithmetic));
  }
  return plan.ring_rows > 0 ? "on, but no graph is large enough" : "off";
}

std::string header(const ReductionPlan& plan) {
  return fmt::format(
      "package   {}\nplan      {}\nvariant   {}, world size {}, {}\n"
      "switches  prefill_dma_rows {}, prefill_dma_bf16 {}\nring      {}\n",
      plan.package, plan.digest, plan.variant, plan.world_size, to_string(plan.dtype),
      plan.switches.prefill_dma_rows, plan.switches.prefill_dma_bf16, describe_ring(plan));
}

std::string channel_table(const ReductionPlan& plan) {
  TextTable table({{"channel"},
                   {"algorithm"},
                   {"arithmetic"},
                   {"max rows", Align::kRight},
                   {"MB/rank", Align::kRight}});
  for (const PlannedChannel& channel : plan.channels) {
    table.add_row({channel.name, std::string(to_string(channel.algorithm)),
                   std::string(to_string(channel.arithmetic)), std::to_string(channel.max_rows),
                   megabytes(channel.bytes_per_rank)});
  }
  return table.render();
}

std::string graph_table(const ReductionPlan& plan) {
  TextTable table({{"graph"},
                   {"rows", Align::kRight},
                   {"channel"},
                   {"algorithm"},
                   {"arithmetic"},
                   {"pieces"},
                   {"reductions", Align::kRight},
                   {"wire MB/rank", Align::kRight},
                   {"reason"}});
  for (const PlannedGraph& graph : plan.graphs) {
    const PlannedChannel& channel = *find_channel(plan, graph.channel);
    std::vector<std::int64_t> pieces;
    std::int64_t calls = 0;
    double wire = 0;
    for (const PlannedReduction& reduction : graph.reductions) {
      pieces.push_back(find_schedule(plan, reduction.schedule)->pieces);
      calls += reduction.calls;
      wire += wire_bytes(plan, graph, reduction);
    }
    table.add_row({graph.id, std::to_string(graph.rows), channel.name,
                   std::string(to_string(channel.algorithm)),
                   std::string(to_string(channel.arithmetic)),
                   fmt::format("{}", fmt::join(pieces, ",")), std::to_string(calls),
                   megabytes(wire), graph.reason});
  }
  return table.render();
}

std::string reduction_table(const ReductionPlan& plan, const PlannedGraph& graph) {
  TextTable table({{"site"},
                   {"rows", Align::kRight},
                   {"cols", Align::kRight},
                   {"calls", Align::kRight},
                   {"schedule"},
                   {"pieces", Align::kRight},
                   {"wire MB/rank", Align::kRight}});
  for (const PlannedReduction& reduction : graph.reductions) {
    table.add_row({reduction.site, std::to_string(graph.rows), std::to_string(reduction.cols),
                   std::to_string(reduction.calls), reduction.schedule,
                   std::to_string(find_schedule(plan, reduction.schedule)->pieces),
                   megabytes(wire_bytes(plan, graph, reduction))});
  }
  return table.render();
}

std::string one_graph(const ReductionPlan& plan, const PlannedGraph& graph) {
  const PlannedChannel& channel = *find_channel(plan, graph.channel);
  return fmt::format(
      "graph       {}\nchannel     {}, {} MB on each rank\nalgorithm   {}\narithmetic  {}\n"
      "reason      {}\n\n{}",
      graph.id, channel.name, megabytes(channel.bytes_per_rank), to_string(channel.algorithm),
      to_string(channel.arithmetic), graph.reason, reduction_table(plan, graph));
}

}  // namespace

const PlannedGraph& require_graph(const ReductionPlan& plan, const std::string& id) {
  if (const PlannedGraph* graph = find_graph(plan, id)) return *graph;
  std::vector<std::string_view> ids;
  for (const PlannedGraph& graph : plan.graphs) ids.push_back(graph.id);
  const auto nearest = nearest_name(id, ids, 2);
  throw malformed(fmt::format("the plan has no graph {}", quoted(id)),
                  nearest ? fmt::format("did you mean {}?", *nearest)
                          : std::string("kimi3-export inspect lists the graphs"));
}

std::string inspect_text(const ReductionPlan& plan, const std::string& only_graph) {
  if (!only_graph.empty()) return one_graph(plan, require_graph(plan, only_graph));
  std::string text = header(plan) + '\n' + channel_table(plan) + '\n' + graph_table(plan);
  for (const std::string& note : plan.notes) text += fmt::format("\nnote: {}\n", note);
  return text;
}

}  // namespace kimi3
