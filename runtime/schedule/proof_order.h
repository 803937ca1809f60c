// One walk through all calls of all lanes, in an order that their gates and flags allow, with the
// clock of each lane: what happened before what in every such order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/schedule/proof.h"
#include "runtime/schedule/proof_memory.h"
#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/proof_report.h"

namespace kimi3::proof {

// The clocks that later nodes take over. Each is freed by its last reader, so that few are alive at
// a time, and those in the cache.
class Snapshots {
 public:
  Snapshots(std::size_t ticks, Arena& arena)
      : ticks_(ticks), clocks_(&arena), readers_(&arena), free_(&arena) {}

  std::uint32_t take(const Tick* clock, std::uint32_t readers);
  // Advances `clock` to all that the snapshot has seen.
  void join(Tick* clock, std::uint32_t name);

 private:
  std::size_t ticks_;
  Array<Tick> clocks_;
  Array<std::uint32_t> readers_;
  Array<std::uint32_t> free_;
};

class Walk {
 public:
  // The memories see every node, in the order of the walk.
  Walk(const Program& program, std::span<Memory> memories, const Reporter& reporter, Arena& arena);

  // Nothing: every node ran, and no memory objected.
  std::optional<Refusal> run();

 private:
  struct LaneState {
    int call = 1;
    std::uint32_t position = 0;  // the next node's, in its call
    std::uint32_t done = 0;      // nodes, over all calls
  };
  struct FlagState {
    std::uint32_t first = 0;  // of its signals in signals_
    std::uint32_t signals = 0;
    std::uint32_t waits = 0;
    Epoch last_signal = 0;
    Epoch last_wait = 0;
  };

  bool finished(LaneId lane) const { return lanes_[lane].call > kProvenCalls; }
  const Node& next_node(LaneId lane) const {
    return program_.nodes[program_.lanes[lane].first + lanes_[lane].position];
  }
  Tick* clock(LaneId lane) { return clocks_.data() + lane * ticks_; }
  std::uint32_t& published(std::uint32_t node, int call) {
    return published_[static_cast<std::size_t>(call - 1) * program_.nodes.size() + node];
  }

  void run_rank(std::uint32_t rank);
  bool run_lane(LaneId lane);
  bool open(const Gate& gate, int call) const;
  bool ready(LaneId lane) const;
  bool execute(LaneId lane);
  bool take_over_clocks(const Node& node, LaneId lane, Epoch epoch);
  bool act(const Node& node, LaneId lane, const Moment& now);
  bool act_in(Memory& memory, const Node& node, LaneId lane, const Moment& now) const;
  bool pass_signal(const Node& node, const Moment& now);
  void wake(std::uint32_t rank);
  Refusal deadlock(LaneId lane) const;
  StepReference awaited(LaneId lane) const;

  const Program& program_;
  std::span<Memory> memories_;
  const Reporter& reporter_;
  std::size_t ticks_;
  Array<Tick> clocks_;
  Snapshots snapshots_;
  Array<LaneState> lanes_;
  Array<FlagState> flags_;
  Array<std::uint32_t> signals_;    // snapshots of the signals, by flag
  Array<std::uint32_t> published_;  // snapshots of the nodes, by call
  Array<std::uint32_t> queue_;      // ranks that may be able to go on
  Array<std::uint8_t> queued_;
  std::optional<Refusal> refusal_;
};

}  // namespace kimi3::proof
