#include "tests/property/explorer_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace kimi3::explorer {
namespace {

constexpr int kPayloads = 4;  // of a rank: two inputs and two outputs at most

template <typename Integer>
std::size_t unsigned_of(Integer value) {
  return static_cast<std::size_t>(value);
}

std::size_t lane_number(int rank, Lane lane) {
  return unsigned_of(rank) * kLanes.size() + unsigned_of(lane);
}

// Of all ranks' flags.
std::size_t flag_number(const Schedule& schedule, int rank, int flag) {
  return unsigned_of(rank) * unsigned_of(schedule.flags) + unsigned_of(flag);
}

bool any_meets(const std::vector<Span>& reads, const Span& write) {
  return std::any_of(reads.begin(), reads.end(),
                     [&](const Span& read) { return read.meets(write); });
}

}  // namespace

std::string Event::name() const {
  return fmt::format("rank {} {} step {} of call {}", rank, to_string(lane), index, call + 1);
}

bool conflict(const Event& a, const Event& b) {
  if (a.signals && a.signals == b.signals) return true;
  if (a.waits && a.waits == b.waits) return true;
  return a.write.meets(b.write) || any_meets(a.reads, b.write) || any_meets(b.reads, a.write);
}

Model::Model(const Schedule& schedule, Buffers buffers, bool hold_back)
    : schedule_(schedule), buffers_(buffers) {
  for (int rank = 0; rank < schedule.world; ++rank) {
    for (const Lane lane : kLanes) {
      lanes_.emplace_back();
      for (int call = 0; call < kCalls; ++call) append_call(rank, lane, call);
    }
    for (const Edge& edge : schedule.ranks[unsigned_of(rank)].edges) {
      if (hold_back || !edge.structural) append_edge(rank, edge);
    }
  }
}

std::size_t Model::flags() const { return flag_number(schedule_, schedule_.world, 0); }

std::size_t Model::memory_size() const { return unsigned_of(schedule_.world) * rank_size(); }

std::size_t Model::rank_size() const {
  std::int64_t bytes = std::int64_t{kPayloads} * 2 * schedule_.elements;
  for (const std::int64_t slot : schedule_.slot_bytes) bytes += slot;
  return unsigned_of(bytes / 2);
}

std::size_t Model::buffer_begin(const Region& region, int call) const {
  std::size_t begin = unsigned_of(region.rank) * rank_size();
  if (region.space == Space::kSlot) {
    begin += unsigned_of(kPayloads * schedule_.elements);
    for (std::size_t slot = 0; slot < unsigned_of(region.slot); ++slot) {
      begin += unsigned_of(schedule_.slot_bytes[slot] / 2);
    }
    return begin;
  }
  const int pair = buffers_ == Buffers::kTwoPairs ? call % 2 : 0;
  const int side = region.space == Space::kOutput && buffers_ != Buffers::kInPlace ? 1 : 0;
  return begin + unsigned_of(2 * pair + side) * unsigned_of(schedule_.elements);
}

Span Model::span_of(const Region& region, int call) const {
  const std::size_t begin = buffer_begin(region, call) + unsigned_of(region.byte_offset() / 2);
  return {begin, begin + unsigned_of(region.byte_count() / 2)};
}

void Model::check_inside(const Region& region, const Event& event) {
  const std::int64_t bytes = region.space == Space::kSlot
                                 ? schedule_.slot_bytes[unsigned_of(region.slot)]
                                 : 2 * schedule_.elements;
  const bool inside = region.offset >= 0 && region.count >= 0 &&
                      region.byte_offset() + region.byte_count() <= bytes;
  if (!inside && fault_.empty()) fault_ = event.name() + " leaves its buffer";
}

void Model::append_call(int rank, Lane lane, int call) {
  const RankProgram& program = schedule_.ranks[unsigned_of(rank)];
  const auto steps = static_cast<std::int32_t>(program.lane(lane).size());
  const Region payload{.space = Space::kOutput,
                       .rank = static_cast<std::int16_t>(rank),
                       .count = schedule_.elements};
  Event start{.rank = rank, .lane = lane, .index = Edge::kEntry, .call = call};
  Event end{.rank = rank, .lane = lane, .index = steps, .call = call};
  if (lane == Lane::kCompute) {
    Region input = payload;
    input.space = Space::kInput;
    start.write = span_of(input, call);
    end.reads.push_back(span_of(payload, call));
  }
  lanes_.back().push_back(std::move(start));
  for (std::int32_t index = 0; index < steps; ++index) {
    lanes_.back().push_back(step_event(rank, lane, index, call));
  }
  lanes_.back().push_back(std::move(end));
}

Event Model::step_event(int rank, Lane lane, std::int32_t index, int call) {
  const RankProgram& program = schedule_.ranks[unsigned_of(rank)];
  const Step& step = program.lane(lane)[unsigned_of(index)];
  Event event{.rank = rank, .lane = lane, .index = index, .call = call, .step = &step};
  const std::size_t flag = flag_number(schedule_, step.flag_rank, step.flag);
  if (step.kind == StepKind::kSignal) event.signals = flag;
  if (step.kind == StepKind::kWait) event.waits = flag;
  if (step.operand_count == 0) return event;
  check_inside(step.dst, event);
  event.write = span_of(step.dst, call);
  for (const Region& operand : program.operands_of(step)) {
    check_inside(operand, event);
    event.elements.push_back(operand.element);
    event.reads.push_back(span_of(operand, call));
    // Nothing says in which order a step takes its elements.
    const Span& read = event.reads.back();
    if (read.meets(event.write) && read != event.write && fault_.empty()) {
      fault_ = event.name() + " overwrites what it reads";
    }
  }
  return event;
}

void Model::append_edge(int rank, const Edge& edge) {
  const RankProgram& program = schedule_.ranks[unsigned_of(rank)];
  for (std::size_t call = 0; call < kCalls; ++call) {
    const std::size_t from = call * (program.lane(edge.from_lane).size() + 2);
    const std::size_t to = call * (program.lane(edge.to_lane).size() + 2);
    lanes_[lane_number(rank, edge.to_lane)][to + unsigned_of(edge.to + 1)].gates.push_back(
        {lane_number(rank, edge.from_lane), from + unsigned_of(edge.from + 2)});
  }
}

}  // namespace kimi3::explorer
