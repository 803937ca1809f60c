// The order of a schedule's steps, found by running its lanes, edges and flags without its data.
#include <fmt/format.h>

#include <array>

#include "kimi3/error.h"
#include "runtime/schedule/rewrite.h"

namespace kimi3 {
namespace {

using Index = std::size_t;

class Lineariser {
 public:
  explicit Lineariser(const Schedule& schedule)
      : schedule_(schedule),
        ranks_(schedule.ranks.size()),
        raised_(schedule.ranks.size() * static_cast<Index>(schedule.flags)),
        consumed_(raised_.size()) {
    for (Index rank = 0; rank < ranks_.size(); ++rank) prepare(rank);
  }

  std::vector<StepPlace> run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (Index rank = 0; rank < ranks_.size(); ++rank) {
        for (const Lane lane : kLanes) progress |= advance(rank, lane);
      }
    }
    check_complete();
    return std::move(order_);
  }

 private:
  struct LaneState {
    Index next = 0;
    std::vector<std::vector<const Edge*>> before;  // by step: the edges that it waits for
  };
  struct RankState {
    std::array<LaneState, kLanes.size()> lanes;
  };

  LaneState& state(Index rank, Lane lane) { return ranks_[rank].lanes[static_cast<Index>(lane)]; }
  const RankProgram& program(Index rank) const { return schedule_.ranks[rank]; }
  Index flag_of(const Step& step) const {
    return static_cast<Index>(step.flag_rank) * static_cast<Index>(schedule_.flags) +
           static_cast<Index>(step.flag);
  }

  void prepare(Index rank) {
    // The end of a lane is a place that an edge may name: nothing starts there.
    for (const Lane lane : kLanes) {
      state(rank, lane).before.resize(program(rank).lane(lane).size() + 1);
    }
    for (const Edge& edge : program(rank).edges) {
      if (edge.from == Edge::kEntry) continue;
      state(rank, edge.to_lane).before[static_cast<Index>(edge.to)].push_back(&edge);
    }
  }

  bool ready(Index rank, Lane lane, const Step& step) {
    for (const Edge* edge : state(rank, lane).before[state(rank, lane).next]) {
      if (state(rank, edge->from_lane).next <= static_cast<Index>(edge->from)) return false;
    }
    return step.kind != StepKind::kWait || raised_[flag_of(step)] > consumed_[flag_of(step)];
  }

  // Runs `lane` as far as it goes; whether it went any way at all.
  bool advance(Index rank, Lane lane) {
    const std::vector<Step>& steps = program(rank).lane(lane);
    LaneState& lane_state = state(rank, lane);
    const Index first = lane_state.next;
    while (lane_state.next < steps.size() && ready(rank, lane, steps[lane_state.next])) {
      const Step& step = steps[lane_state.next];
      if (step.kind == StepKind::kSignal) ++raised_[flag_of(step)];
      if (step.kind == StepKind::kWait) ++consumed_[flag_of(step)];
      order_.push_back(
          {static_cast<std::int32_t>(rank), lane, static_cast<std::int32_t>(lane_state.next)});
      ++lane_state.next;
    }
    return lane_state.next > first;
  }

  void check_complete() {
    for (Index rank = 0; rank < ranks_.size(); ++rank) {
      for (const Lane lane : kLanes) {
        const Index next = state(rank, lane).next;
        if (next == program(rank).lane(lane).size()) continue;
        throw malformed(fmt::format(
            "the schedule deadlocks: step {} of rank {}'s {} lane, a {}, "
            "can never start",
            next, rank, to_string(lane), to_string(program(rank).lane(lane)[next].kind)));
      }
    }
  }

  const Schedule& schedule_;
  std::vector<RankState> ranks_;
  std::vector<std::int64_t> raised_;
  std::vector<std::int64_t> consumed_;
  std::vector<StepPlace> order_;
};

}  // namespace

std::vector<StepPlace> linearise(const Schedule& schedule) { return Lineariser(schedule).run(); }

}  // namespace kimi3
