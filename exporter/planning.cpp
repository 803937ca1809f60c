#include "exporter/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "exporter/selection.h"
#include "kimi3/error.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

// The channel, its arithmetic and the ids of its schedules follow from the algorithm.
std::string channel_name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRegular:
      return "regular";
    case Algorithm::kTwoShot:
      return "prefill";
    case Algorithm::kDmaRing:
      return "prefill_ring";
  }
  std::abort();
}

std::string schedule_id(Algorithm algorithm, int pieces) {
  switch (algorithm) {
    case Algorithm::kRegular:
      return "regular";
    case Algorithm::kTwoShot:
      return "two-shot";
    case Algorithm::kDmaRing:
      return fmt::format("ring-p{}", pieces);
  }
  std::abort();
}

bool contains(const std::vector<Mode>& modes, Mode mode) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

class Planner {
 public:
  Planner(const Variant& variant, const PreparationConfig& config)
      : variant_(variant), config_(config) {}

  ReductionPlan plan(std::string identity) {
    plan_.package = std::move(identity);
    plan_.variant = variant_.name;
    plan_.world_size = variant_.world_size;
    plan_.dtype = variant_.model.dtype;
    plan_.switches = config_.switches;
    plan_.ring_rows = config_.prefill_dma_ring_rows;
    plan_.notes = config_.plan_notes;
    for (const Mode mode : kModes) {
      for (const std::int64_t rows : capacities(variant_, mode)) add_graph(mode, rows);
    }
    add_channels();
    add_ring_notes();
    return std::move(plan_);
  }

 private:
  void add_graph(Mode mode, std::int64_t rows) {
    const Algorithm algorithm = reduction_runtime(mode, rows, plan_.ring_rows);
    PlannedGraph graph{.id = fmt::format("{}-{}", to_string(mode), rows),
                       .mode = mode,
                       .rows = rows,
                       .channel = channel_name(algorithm),
                       .reason = reduction_reason(mode, rows, plan_.ring_rows)};
    for (const ReductionSite& reduction : variant_.reductions) {
      if (!contains(reduction.modes, mode)) continue;
      const int pieces = algorithm == Algorithm::kDmaRing ? ring_pieces(graph, reduction) : 1;
      graph.reductions.push_back({reduction.site, reduction.cols,
                                  reduction.per_layer * variant_.model.layers,
                                  schedule_for(algorithm, pieces)});
    }
    plan_.graphs.push_back(std::move(graph));
  }

  int ring_pieces(const PlannedGraph& graph, const ReductionSite& reduction) const {
    const std::int64_t elements = graph.rows * reduction.cols;
    const int world = static_cast<int>(variant_.world_size);
    if (ring_eligible(elements, world)) return default_pieces(elements / world);
    throw malformed(
        fmt::format("graph {}, site {}: the ring cannot shard {} x {}: {} elements are not "
                    "divisible by {}",
                    graph.id, reduction.site, graph.rows, reduction.cols, elements, 8 * world),
        fmt::format("raise {} above {} rows, or set it to 0", kRowsSwitch, graph.rows));
  }

  Arithmetic arithmetic_of(Algorithm algorithm) const {
    switch (algorithm) {
      case Algorithm::kRegular:
        return Arithmetic::kBackendDefined;
      case Algorithm::kTwoShot:
        return Arithmetic::kFp32RankOrder;
      case Algorithm::kDmaRing:
        return config_.prefill_dma_ring_bf16 ? Arithmetic::kBf16HopSum
                                             : Arithmetic::kFp32OwnerPacket;
    }
    std::abort();
  }

  // The id of the schedule, which is listed once for all shapes that share it.
  std::string schedule_for(Algorithm algorithm, int pieces) {
    std::string id = schedule_id(algorithm, pieces);
    const auto same = [&](const PlannedSchedule& schedule) { return schedule.id == id; };
    if (std::none_of(plan_.schedules.begin(), plan_.schedules.end(), same)) {
      plan_.schedules.push_back(
          {id, channel_name(algorithm), pieces,
           schedule_digest(algorithm, scheduled_arithmetic(arithmetic_of(algorithm)),
                           static_cast<int>(plan_.world_size), pieces)});
    }
    return id;
  }

  // One channel for each algorithm that a graph uses, as large as the largest of those graphs.
  void add_channels() {
    for (const Algorithm algorithm : kAlgorithms) {
      PlannedChannel channel{.name = channel_name(algorithm),
                             .algorithm = algorithm,
                             .arithmetic = arithmetic_of(algorithm)};
      if (algorithm == Algorithm::kDmaRing) channel.wire_mode = "off";
      for (const PlannedGraph& graph : plan_.graphs) {
        if (graph.channel == channel.name)
          channel.max_rows = std::max(channel.max_rows, graph.rows);
      }
      if (channel.max_rows == 0) continue;
      plan_.channels.push_back(std::move(channel));
    }
    for (PlannedChannel& channel : plan_.channels) {
      channel.bytes_per_rank = channel_bytes_per_rank(plan_, channel);
    }
  }

  void add_ring_notes() {
    const bool rings = std::any_of(
        plan_.channels.begin(), plan_.channels.end(),
        [](const PlannedChannel& channel) { return channel.algorithm == Algorithm::kDmaRing; });
    if (rings) return;
    if (plan_.ring_rows > 0) {
      plan_.notes.push_back(
          fmt::format("no graph rings: no prefill capacity reaches {} rows", plan_.ring_rows));
    }
    if (plan_.switches.prefill_dma_bf16) {
      plan_.notes.emplace_back("prefill_dma_bf16 has no effect: no graph rings");
    }
  }

  const Variant& variant_;
  const PreparationConfig& config_;
  ReductionPlan plan_;
};

}  // namespace

ReductionPlan plan_reductions(const Variant& variant, const PreparationConfig& config,
                              std::string identity) {
  return Planner(variant, config).plan(std::move(identity));
}

}  // namespace kimi3
