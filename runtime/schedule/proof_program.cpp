#include "runtime/schedule/proof_program.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace kimi3::proof {

// Buffers: every slot of every rank, then every rank's payload.
std::uint32_t buffer_of_region(const Schedule& schedule, const Region& region) {
  const auto slots = static_cast<std::uint32_t>(schedule.slot_bytes.size());
  const auto rank = static_cast<std::uint32_t>(region.rank);
  if (region.space == Space::kSlot) return rank * slots + static_cast<std::uint32_t>(region.slot);
  return static_cast<std::uint32_t>(schedule.world) * slots + rank;
}

namespace {

template <typename Visit>
void for_each_region(const Schedule& schedule, Visit visit) {
  for (const RankProgram& program : schedule.ranks) {
    for (const std::vector<Step>& lane : program.lanes) {
      for (const Step& step : lane) {
        if (step.operand_count == 0) continue;
        visit(step.dst);
        for (const Region& operand : program.operands_of(step)) visit(operand);
      }
    }
  }
}

// Where the buffers are cut: each buffer's cuts in one array, rising.
class Cuts {
 public:
  Cuts(const Schedule& schedule, std::span<const Cut> extra, Arena& arena)
      : schedule_(schedule), starts_(&arena), ends_(&arena), bytes_(&arena) {
    const std::size_t slots = schedule.slot_bytes.size();
    starts_.assign(static_cast<std::size_t>(schedule.world) * (slots + 1) + 1, 0);
    collect(extra, [&](std::uint32_t buffer, std::int64_t) { ++starts_[buffer + 1]; });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    ends_.assign(starts_.begin(), starts_.end() - 1);
    bytes_.resize(starts_.back());
    collect(extra, [&](std::uint32_t buffer, std::int64_t at) { bytes_[ends_[buffer]++] = at; });
    for (std::size_t buffer = 0; buffer < ends_.size(); ++buffer) {
      const auto begin = bytes_.begin() + starts_[buffer];
      const auto end = bytes_.begin() + ends_[buffer];
      std::sort(begin, end);
      ends_[buffer] = static_cast<std::uint32_t>(std::unique(begin, end) - bytes_.begin());
    }
  }

  std::size_t buffers() const { return ends_.size(); }
  std::span<const std::int64_t> of(std::size_t buffer) const {
    return std::span(bytes_).subspan(starts_[buffer], ends_[buffer] - starts_[buffer]);
  }

 private:
  template <typename Add>
  void collect(std::span<const Cut> extra, Add add) const {
    for_each_region(schedule_, [&](const Region& region) {
      if (region.count == 0) return;
      const std::uint32_t buffer = buffer_of_region(schedule_, region);
      add(buffer, region.byte_offset());
      add(buffer, region.byte_offset() + region.byte_count());
    });
    const std::int64_t shards = declared_shards(schedule_);
    const auto world = static_cast<std::uint32_t>(schedule_.world);
    const auto slots = static_cast<std::uint32_t>(schedule_.slot_bytes.size());
    const std::int64_t shard = schedule_.elements / shards * element_bytes(Element::kBf16);
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      for (std::int64_t at = 0; at <= shards; ++at) add(world * slots + rank, at * shard);
    }
    for (const Cut& cut : extra) add(cut.buffer, cut.byte);
  }

  const Schedule& schedule_;
  Array<std::uint32_t> starts_;
  Array<std::uint32_t> ends_;
  Array<std::int64_t> bytes_;
};

class Compiler {
 public:
  Compiler(const Schedule& schedule, std::span<const Cut> cuts, Arena& arena)
      : schedule_(schedule), cuts_(schedule, cuts, arena), program_(arena) {}

  Program compile() {
    reserve();
    number_cells();
    program_.signals.assign(flag_number(schedule_, schedule_.world, 0), 0);
    for (int rank = 0; rank < schedule_.world; ++rank) {
      const RankProgram& ranked = schedule_.ranks[static_cast<std::size_t>(rank)];
      for (const Lane lane : kLanes) append_lane(ranked, lane);
      append_gates(ranked, rank);
    }
    return std::move(program_);
  }

 private:
  // In an arena, what grows leaves its former places behind.
  void reserve() {
    std::size_t steps = 0;
    std::size_t operands = 0;
    std::size_t edges = 0;
    for (const RankProgram& ranked : schedule_.ranks) {
      for (const std::vector<Step>& lane : ranked.lanes) steps += lane.size();
      operands += ranked.operands.size();
      edges += ranked.edges.size();
    }
    const std::size_t lanes = schedule_.ranks.size() * kLanes.size();
    program_.lanes.reserve(lanes);
    program_.nodes.reserve(steps + 2 * lanes);
    program_.runs.reserve(steps + operands);
    program_.gates.reserve(edges);
  }

  void number_cells() {
    for (std::size_t buffer = 0; buffer < cuts_.buffers(); ++buffer) {
      program_.buffer_cells.push_back(static_cast<std::uint32_t>(program_.cell_begins.size()));
      const std::span<const std::int64_t> cuts = cuts_.of(buffer);
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        program_.cell_begins.push_back(cuts[i]);
        program_.cell_bytes.push_back(cuts[i + 1] - cuts[i]);
      }
    }
    const auto cells = static_cast<std::uint32_t>(program_.cell_begins.size());
    const auto world = static_cast<std::size_t>(schedule_.world);
    program_.buffer_cells.push_back(cells);
    program_.slot_buffers = static_cast<std::uint32_t>(world * schedule_.slot_bytes.size());
    program_.slot_cells = program_.buffer_cells[program_.slot_buffers];
    program_.payload_cells = cells - program_.slot_cells;
    for (std::size_t rank = 0; rank < world; ++rank) {
      program_.payloads.push_back(run_of({.space = Space::kInput,
                                          .rank = static_cast<std::int16_t>(rank),
                                          .count = schedule_.elements}));
    }
  }

  CellRun run_of(const Region& region) const {
    if (region.count == 0) return {.space = region.space, .element = region.element};
    const std::uint32_t buffer = buffer_of_region(schedule_, region);
    const std::span<const std::int64_t> cuts = cuts_.of(buffer);
    const std::int64_t end = region.byte_offset() + region.byte_count();
    const auto first = std::lower_bound(cuts.begin(), cuts.end(), region.byte_offset());
    const auto last = first[1] == end ? first + 1 : std::lower_bound(first, cuts.end(), end);
    return {program_.buffer_cells[buffer] + static_cast<std::uint32_t>(first - cuts.begin()),
            static_cast<std::uint32_t>(last - first), region.space, region.element};
  }

  void append_lane(const RankProgram& ranked, Lane lane) {
    const auto first = static_cast<std::uint32_t>(program_.nodes.size());
    program_.nodes.emplace_back();
    for (const Step& step : ranked.lane(lane)) append_step(ranked, step);
    program_.nodes.emplace_back();
    program_.lanes.push_back({first, static_cast<std::uint32_t>(program_.nodes.size()) - first});
  }

  void append_step(const RankProgram& ranked, const Step& step) {
    Node& node = program_.nodes.emplace_back();
    node.step = &step;
    switch (step.kind) {
      case StepKind::kSignal:
      case StepKind::kWait:
        node.flag = static_cast<std::uint32_t>(flag_number(schedule_, step.flag_rank, step.flag));
        if (step.kind == StepKind::kWait) return;
        node.readers = 1;
        ++program_.signals[node.flag];
        return;
      case StepKind::kPut:
      case StepKind::kAdd:
      case StepKind::kMove:
        node.first_run = static_cast<std::uint32_t>(program_.runs.size());
        program_.runs.push_back(run_of(step.dst));
        for (const Region& operand : ranked.operands_of(step)) {
          program_.runs.push_back(run_of(operand));
        }
        return;
    }
    std::abort();
  }

  // The gates of a node lie together: counted first, then put in their places.
  void append_gates(const RankProgram& ranked, int rank) {
    const auto node_at = [&](Lane lane, std::int32_t index) {
      return program_.lanes[lane_id(rank, lane)].first + static_cast<std::uint32_t>(index + 1);
    };
    for (const Edge& edge : ranked.edges) {
      ++program_.nodes[node_at(edge.to_lane, edge.to)].gate_count;
      if (!edge.structural) ++program_.nodes[node_at(edge.from_lane, edge.from)].readers;
    }
    auto next = static_cast<std::uint32_t>(program_.gates.size());
    const std::uint32_t first_node = program_.lanes[lane_id(rank, kLanes.front())].first;
    for (std::uint32_t node = first_node; node < program_.nodes.size(); ++node) {
      program_.nodes[node].first_gate = next;
      next += program_.nodes[node].gate_count;
      program_.nodes[node].gate_count = 0;
    }
    program_.gates.resize(next);
    for (const Edge& edge : ranked.edges) {
      Node& to = program_.nodes[node_at(edge.to_lane, edge.to)];
      program_.gates[to.first_gate + to.gate_count++] = {
          lane_id(rank, edge.from_lane), static_cast<std::uint32_t>(edge.from + 1),
          node_at(edge.from_lane, edge.from), !edge.structural};
    }
  }

  const Schedule& schedule_;
  Cuts cuts_;
  Program program_;
};

}  // namespace

std::uint32_t Program::buffer_of(std::uint32_t cell) const {
  const auto after = std::upper_bound(buffer_cells.begin(), buffer_cells.end(), cell);
  return static_cast<std::uint32_t>(after - buffer_cells.begin()) - 1;
}

Program compile(const Schedule& schedule, std::span<const Cut> cuts, Arena& arena) {
  return Compiler(schedule, cuts, arena).compile();
}

std::int64_t declared_shards(const Schedule& schedule) {
  switch (schedule.arithmetic) {
    case Arithmetic::kBackendDefined:
    case Arithmetic::kFp32RankOrder:
      return 1;
    case Arithmetic::kBf16HopSum:
    case Arithmetic::kFp32OwnerPacket:
      return schedule.world;
  }
  std::abort();
}

}  // namespace kimi3::proof
