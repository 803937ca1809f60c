#include "runtime/schedule/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "kimi3/error.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

constexpr std::string_view kHint = "plans are not edited by hand: bake it again";

std::string_view channel_of(Algorithm algorithm) {
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

bool arithmetic_of_algorithm(Algorithm algorithm, Arithmetic arithmetic) {
  switch (algorithm) {
    case Algorithm::kRegular:
      return arithmetic == Arithmetic::kBackendDefined;
    case Algorithm::kTwoShot:
      return arithmetic == Arithmetic::kFp32RankOrder;
    case Algorithm::kDmaRing:
      return arithmetic == Arithmetic::kBf16HopSum || arithmetic == Arithmetic::kFp32OwnerPacket;
  }
  std::abort();
}

bool mode_allows(Mode mode, Algorithm algorithm) {
  return (mode == Mode::kPrefill) == (algorithm != Algorithm::kRegular);
}

class PlanCheck {
 public:
  PlanCheck(const ReductionPlan& plan, const std::string& file) : plan_(plan), file_(file) {}

  void run() const {
    for (const PlannedChannel& channel : plan_.channels) check_channel(channel);
    std::set<std::string_view> ids;
    std::set<std::pair<std::string_view, std::int64_t>> kinds;
    for (const PlannedSchedule& schedule : plan_.schedules) {
      if (!ids.insert(schedule.id).second) refuse("schedule {} is listed twice", schedule.id);
      if (!kinds.insert({schedule.channel, schedule.pieces}).second) {
        refuse("schedule {} is another name of one that is listed", schedule.id);
      }
      check_schedule(schedule);
    }
    check_order_of_graphs();
    for (const PlannedGraph& graph : plan_.graphs) check_graph(graph);
    for (const PlannedChannel& channel : plan_.channels) check_size(channel);
  }

 private:
  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> form, Arguments&&... values) const {
    throw malformed(
        fmt::format("{}: {}", file_, fmt::format(form, std::forward<Arguments>(values)...)),
        std::string(kHint));
  }

  void check_channel(const PlannedChannel& channel) const {
    if (channel.name != channel_of(channel.algorithm)) {
      refuse("channel {} cannot be {}", channel.name, to_string(channel.algorithm));
    }
    if (!arithmetic_of_algorithm(channel.algorithm, channel.arithmetic)) {
      refuse("channel {}: {} has no arithmetic {}", channel.name, to_string(channel.algorithm),
             to_string(channel.arithmetic));
    }
    if (channel.wire_mode.has_value() != (channel.algorithm == Algorithm::kDmaRing)) {
      refuse("channel {}: a ring, and nothing else, has a wire_mode", channel.name);
    }
  }

  void check_schedule(const PlannedSchedule& schedule) const {
    const PlannedChannel* channel = find_channel(plan_, schedule.channel);
    if (channel == nullptr) {
      refuse("schedule {} is of channel {}, which is not there", schedule.id, schedule.channel);
    }
    if (channel->algorithm != Algorithm::kDmaRing && schedule.pieces != 1) {
      refuse("schedule {} has {} pieces, but only a ring has pieces", schedule.id, schedule.pieces);
    }
    const std::string generated =
        schedule_digest(channel->algorithm, scheduled_arithmetic(channel->arithmetic),
                        static_cast<int>(plan_.world_size), static_cast<int>(schedule.pieces));
    if (schedule.digest == generated) return;
    throw mismatch(fmt::format("{}: schedule {} was proven as {}, this build generates {}", file_,
                               schedule.id, schedule.digest, generated),
                   "bake the package again with the release that runs it");
  }

  void check_order_of_graphs() const {
    const auto ascending = [](const PlannedGraph& left, const PlannedGraph& right) {
      return std::pair(left.mode, left.rows) < std::pair(right.mode, right.rows);
    };
    for (std::size_t i = 1; i < plan_.graphs.size(); ++i) {
      if (!ascending(plan_.graphs[i - 1], plan_.graphs[i])) {
        refuse("graph {} does not belong after {}", plan_.graphs[i].id, plan_.graphs[i - 1].id);
      }
    }
  }

  void check_graph(const PlannedGraph& graph) const {
    if (graph.id != fmt::format("{}-{}", to_string(graph.mode), graph.rows)) {
      refuse("graph {} is of mode {} with {} rows", graph.id, to_string(graph.mode), graph.rows);
    }
    const PlannedChannel* channel = find_channel(plan_, graph.channel);
    if (channel == nullptr) {
      refuse("graph {} uses channel {}, which is not there", graph.id, graph.channel);
    }
    if (!mode_allows(graph.mode, channel->algorithm)) {
      refuse("graph {}: a {} graph never uses {}", graph.id, to_string(graph.mode),
             to_string(channel->algorithm));
    }
    std::set<std::string_view> sites;
    for (const PlannedReduction& reduction : graph.reductions) {
      if (!sites.insert(reduction.site).second) {
        refuse("graph {} lists site {} twice", graph.id, reduction.site);
      }
      check_reduction(graph, *channel, reduction);
    }
  }

  void check_reduction(const PlannedGraph& graph, const PlannedChannel& channel,
                       const PlannedReduction& reduction) const {
    const auto where = fmt::format("graph {}, site {}", graph.id, reduction.site);
    if (reduction.cols > kMaxElements / graph.rows) {
      refuse("{}: {} x {} is more than {} elements", where, graph.rows, reduction.cols,
             kMaxElements);
    }
    const PlannedSchedule* schedule = find_schedule(plan_, reduction.schedule);
    if (schedule == nullptr) {
      refuse("{}: schedule {} is not there", where, reduction.schedule);
    }
    if (schedule->channel != channel.name) {
      refuse("{}: schedule {} is of channel {}, not {}", where, schedule->id, schedule->channel,
             channel.name);
    }
    if (channel.algorithm != Algorithm::kDmaRing) return;
    const std::int64_t elements = graph.rows * reduction.cols;
    const int world = static_cast<int>(plan_.world_size);
    if (!ring_eligible(elements, world) ||
        !pieces_legal(elements / world, static_cast<int>(schedule->pieces))) {
      refuse("{}: the ring cannot shard {} x {} in {} pieces", where, graph.rows, reduction.cols,
             schedule->pieces);
    }
  }

  void check_size(const PlannedChannel& channel) const {
    std::int64_t max_rows = 0;
    for (const PlannedGraph& graph : plan_.graphs) {
      if (graph.channel == channel.name) max_rows = std::max(max_rows, graph.rows);
    }
    if (channel.max_rows != max_rows) {
      refuse("channel {} has max_rows {}, its largest graph {}", channel.name, channel.max_rows,
             max_rows);
    }
    const std::int64_t bytes = channel_bytes_per_rank(plan_, channel);
    if (channel.bytes_per_rank != bytes) {
      refuse("channel {} has bytes_per_rank {}, its largest shape takes {}", channel.name,
             channel.bytes_per_rank, bytes);
    }
  }

  const ReductionPlan& plan_;
  const std::string& file_;
};

}  // namespace

void require_prefill(const PlannedGraph& graph, const std::string& where) {
  if (mode_allows(graph.mode, Algorithm::kDmaRing)) return;
  throw malformed(fmt::format("{}: a {} graph never uses {}", where, to_string(graph.mode),
                              to_string(Algorithm::kDmaRing)));
}

void check_plan(const ReductionPlan& plan, const std::string& file) { PlanCheck(plan, file).run(); }

}  // namespace kimi3
