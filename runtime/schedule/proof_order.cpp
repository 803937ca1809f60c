#include "runtime/schedule/proof_order.h"

#include <algorithm>
#include <cstdlib>

namespace kimi3::proof {
namespace {

// Clocks are joined in blocks that the compiler turns into vector instructions.
constexpr std::size_t kBlock = 16;

void take_later(Tick* into, const Tick* from) {
  std::array<Tick, kBlock> a;
  std::array<Tick, kBlock> b;
  std::copy_n(into, kBlock, a.begin());
  std::copy_n(from, kBlock, b.begin());
  for (std::size_t i = 0; i < kBlock; ++i) a[i] = std::max(a[i], b[i]);
  std::copy_n(a.begin(), kBlock, into);
}

std::size_t whole_blocks(std::size_t ticks) { return (ticks + kBlock - 1) / kBlock * kBlock; }

}  // namespace

std::uint32_t Snapshots::take(const Tick* clock, std::uint32_t readers) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(readers_.size()));
    readers_.push_back(0);
    clocks_.resize(clocks_.size() + ticks_);
  }
  const std::uint32_t name = free_.back();
  free_.pop_back();
  readers_[name] = readers;
  std::copy_n(clock, ticks_, clocks_.data() + name * ticks_);
  return name;
}

void Snapshots::join(Tick* clock, std::uint32_t name) {
  const Tick* from = clocks_.data() + name * ticks_;
  for (std::size_t block = 0; block < ticks_; block += kBlock) {
    take_later(clock + block, from + block);
  }
  if (--readers_[name] == 0) free_.push_back(name);
}

Walk::Walk(const Program& program, std::span<Memory> memories, const Reporter& reporter,
           Arena& arena)
    : program_(program),
      memories_(memories),
      reporter_(reporter),
      ticks_(whole_blocks(program.lanes.size())),
      clocks_(program.lanes.size() * ticks_, &arena),
      snapshots_(ticks_, arena),
      lanes_(program.lanes.size(), &arena),
      flags_(program.signals.size(), &arena),
      signals_(&arena),
      published_(program.nodes.size() * kProvenCalls, &arena),
      queue_(&arena),
      queued_(program.payloads.size(), &arena) {
  std::uint32_t first = 0;
  for (std::size_t flag = 0; flag < flags_.size(); ++flag) {
    flags_[flag].first = first;
    first += program.signals[flag] * kProvenCalls;
  }
  signals_.resize(first);
}

std::optional<Refusal> Walk::run() {
  for (std::uint32_t rank = 0; rank < queued_.size(); ++rank) wake(rank);
  while (!queue_.empty() && !refusal_) {
    const std::uint32_t rank = queue_.back();
    queue_.pop_back();
    queued_[rank] = 0;
    run_rank(rank);
  }
  if (refusal_) return refusal_;
  for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
    if (!finished(lane)) return deadlock(lane);
  }
  return std::nullopt;
}

void Walk::run_rank(std::uint32_t rank) {
  const auto first = static_cast<LaneId>(rank * kLanes.size());
  bool moved = true;
  while (moved) {
    moved = false;
    for (LaneId lane = first; lane < first + kLanes.size(); ++lane) {
      if (run_lane(lane)) moved = true;
      if (refusal_) return;
    }
  }
}

// As far as it comes; whether it moved at all.
bool Walk::run_lane(LaneId lane) {
  bool moved = false;
  while (!finished(lane) && ready(lane)) {
    moved = true;
    if (!execute(lane)) return true;
  }
  return moved;
}

bool Walk::open(const Gate& gate, int call) const {
  const std::uint32_t earlier_calls =
      static_cast<std::uint32_t>(call - 1) * program_.lanes[gate.lane].count;
  return lanes_[gate.lane].done > earlier_calls + gate.position;
}

bool Walk::ready(LaneId lane) const {
  const Node& node = next_node(lane);
  for (std::uint32_t i = 0; i < node.gate_count; ++i) {
    if (!open(program_.gates[node.first_gate + i], lanes_[lane].call)) return false;
  }
  if (node.step == nullptr || node.step->kind != StepKind::kWait) return true;
  return flags_[node.flag].signals > flags_[node.flag].waits;
}

void Walk::wake(std::uint32_t rank) {
  if (queued_[rank] != 0) return;
  queue_.push_back(rank);
  queued_[rank] = 1;
}

bool Walk::execute(LaneId lane) {
  LaneState& state = lanes_[lane];
  const Node& node = next_node(lane);
  const auto tick = static_cast<Tick>(++state.done);
  const Moment now{clock(lane), epoch_of(lane, tick), state.call};
  if (!take_over_clocks(node, lane, now.epoch)) return false;
  clock(lane)[lane] = tick;
  if (node.readers > 0) {
    const std::uint32_t index = program_.lanes[lane].first + state.position;
    published(index, state.call) = snapshots_.take(now.clock, node.readers);
  }
  if (!act(node, lane, now)) return false;
  if (++state.position == program_.lanes[lane].count) {
    state.position = 0;
    ++state.call;
  }
  return true;
}

// Of everything that this node waits for.
bool Walk::take_over_clocks(const Node& node, LaneId lane, Epoch epoch) {
  Tick* const ticks = clock(lane);
  for (std::uint32_t i = 0; i < node.gate_count; ++i) {
    const Gate& gate = program_.gates[node.first_gate + i];
    if (gate.ordering) snapshots_.join(ticks, published(gate.node, lanes_[lane].call));
  }
  if (node.step == nullptr || node.step->kind != StepKind::kWait) return true;
  FlagState& flag = flags_[node.flag];
  snapshots_.join(ticks, signals_[flag.first + flag.waits++]);
  if (!happened_before(flag.last_wait, ticks)) {
    refusal_ = reporter_.unordered_on_flag(flag.last_wait, epoch);
    return false;
  }
  flag.last_wait = epoch;
  return true;
}

bool Walk::act(const Node& node, LaneId lane, const Moment& now) {
  if (node.step != nullptr && node.step->kind == StepKind::kSignal) return pass_signal(node, now);
  for (Memory& memory : memories_) {
    if (act_in(memory, node, lane, now)) continue;
    refusal_ = reporter_.access(memory.finding(), now.epoch, memory.buffers());
    return false;
  }
  return true;
}

bool Walk::act_in(Memory& memory, const Node& node, LaneId lane, const Moment& now) const {
  if (node.step == nullptr) {
    const auto rank = static_cast<int>(lane / kLanes.size());
    if (lane != lane_id(rank, Lane::kCompute)) return true;
    return lanes_[lane].position == 0 ? memory.caller_writes(rank, now)
                                      : memory.caller_reads(rank, now);
  }
  switch (node.step->kind) {
    case StepKind::kSignal:
    case StepKind::kWait:
      return true;
    case StepKind::kPut:
    case StepKind::kMove:
      return memory.copy(node, now);
    case StepKind::kAdd:
      return memory.add(node, now);
  }
  std::abort();
}

bool Walk::pass_signal(const Node& node, const Moment& now) {
  FlagState& flag = flags_[node.flag];
  if (!happened_before(flag.last_signal, now.clock)) {
    refusal_ = reporter_.unordered_on_flag(flag.last_signal, now.epoch);
    return false;
  }
  flag.last_signal = now.epoch;
  const auto index = static_cast<std::uint32_t>(&node - program_.nodes.data());
  signals_[flag.first + flag.signals++] = published(index, now.call);
  wake(static_cast<std::uint32_t>(node.step->flag_rank));
  return true;
}

Refusal Walk::deadlock(LaneId lane) const {
  return reporter_.deadlock(reporter_.step(lane, lanes_[lane].position, lanes_[lane].call),
                            awaited(lane));
}

// What an unfinished lane waits for: a gate, or one of the signals that are still to come.
StepReference Walk::awaited(LaneId lane) const {
  const Node& node = next_node(lane);
  for (std::uint32_t i = 0; i < node.gate_count; ++i) {
    const Gate& gate = program_.gates[node.first_gate + i];
    if (!open(gate, lanes_[lane].call)) {
      return reporter_.step(gate.lane, gate.position, lanes_[lane].call);
    }
  }
  for (LaneId other = 0; other < lanes_.size(); ++other) {
    LaneState at = lanes_[other];
    const LaneNodes& nodes = program_.lanes[other];
    for (; at.call <= kProvenCalls; ++at.call, at.position = 0) {
      for (; at.position < nodes.count; ++at.position) {
        const Node& later = program_.nodes[nodes.first + at.position];
        if (later.step != nullptr && later.step->kind == StepKind::kSignal &&
            later.flag == node.flag) {
          return reporter_.step(other, at.position, at.call);
        }
      }
    }
  }
  std::abort();  // check_flags: there are as many signals as waits
}

}  // namespace kimi3::proof
