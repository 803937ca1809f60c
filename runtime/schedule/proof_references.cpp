#include "runtime/schedule/proof_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/proof_wording.h"

namespace kimi3::proof {
namespace {

constexpr std::int64_t kVectorBytes = 16;

bool in_range(std::int64_t value, std::int64_t end) { return value >= 0 && value < end; }

bool is_order(const std::vector<int>& order, int world) {
  std::vector<bool> seen(static_cast<std::size_t>(world), false);
  for (const int rank : order) {
    if (!in_range(rank, world) || seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return order.size() == seen.size();
}

// What is wrong with the schedule as a whole; empty: nothing.
std::string fault_of_shape(const Schedule& schedule) {
  if (schedule.world < kMinWorld || schedule.world > kMaxWorld) {
    return fmt::format("the world is {}, and not {} to {}", schedule.world, kMinWorld, kMaxWorld);
  }
  if (schedule.ranks.size() != static_cast<std::size_t>(schedule.world)) {
    return fmt::format("{} programs for {} ranks", schedule.ranks.size(), schedule.world);
  }
  if (schedule.elements < 1 || schedule.elements > kMaxElements) {
    return fmt::format("a payload of {} elements, and not 1 to {}", schedule.elements,
                       kMaxElements);
  }
  if (!in_range(schedule.flags, kMaxFlags + 1)) {
    return fmt::format("{} flags, and not 0 to {}", schedule.flags, kMaxFlags);
  }
  for (const std::int64_t bytes : schedule.slot_bytes) {
    if (bytes < 0) return fmt::format("a slot of {} bytes", bytes);
  }
  switch (schedule.arithmetic) {
    case Arithmetic::kBackendDefined:
      return "no arithmetic is declared";
    case Arithmetic::kFp32RankOrder:
      return {};
    case Arithmetic::kBf16HopSum:
    case Arithmetic::kFp32OwnerPacket:
      if (!is_order(schedule.order, schedule.world)) return "the order is no order of the ranks";
      if (schedule.elements % schedule.world == 0) return {};
      return fmt::format("{} elements cannot be cut into {} equal shards", schedule.elements,
                         schedule.world);
  }
  std::abort();
}

std::int64_t payload_bytes(const Schedule& schedule) {
  return schedule.elements * element_bytes(Element::kBf16);
}

// What is wrong with a region, as the end of a sentence that says who reads or writes it.
std::string fault_of_region(const Schedule& schedule, const Region& region) {
  if (!in_range(region.rank, schedule.world)) return fmt::format("memory of rank {}", region.rank);
  const auto slots = static_cast<std::int64_t>(schedule.slot_bytes.size());
  if (region.space == Space::kSlot && !in_range(region.slot, slots)) {
    return fmt::format("slot {}, and there are {}", region.slot, slots);
  }
  const std::int64_t bytes = region.space == Space::kSlot
                                 ? schedule.slot_bytes[static_cast<std::size_t>(region.slot)]
                                 : payload_bytes(schedule);
  const std::int64_t elements = bytes / element_bytes(region.element);
  if (region.offset < 0 || region.count < 0 || region.offset > elements ||
      region.count > elements - region.offset) {
    return fmt::format("{} elements from {} on of {}, which has {}", region.count, region.offset,
                       describe_buffer(region), elements);
  }
  if (region.count > 0 && region.byte_offset() % kVectorBytes != 0) {
    return fmt::format("{}, which do not start on {} bytes", describe(region), kVectorBytes);
  }
  return {};
}

// A rank's output may be its input.
bool same_buffer(const Region& a, const Region& b) {
  if (a.rank != b.rank) return false;
  if (a.space == Space::kSlot || b.space == Space::kSlot) {
    return a.space == b.space && a.slot == b.slot;
  }
  return true;
}

bool overlap_in_part(const Region& a, const Region& b) {
  if (!same_buffer(a, b)) return false;
  const std::int64_t a_end = a.byte_offset() + a.byte_count();
  const std::int64_t b_end = b.byte_offset() + b.byte_count();
  if (a.byte_offset() >= b_end || b.byte_offset() >= a_end) return false;
  return a.byte_offset() != b.byte_offset() || a_end != b_end;
}

// Only what ends the payload, or is a copy of its end, may be other than whole vectors.
bool ends_payload(const Schedule& schedule, const Region& region) {
  return region.space != Space::kSlot && region.offset + region.count == schedule.elements &&
         region.element == Element::kBf16;
}

std::string fault_of_transfer(const Schedule& schedule, const Step& step,
                              std::span<const Region> operands) {
  if (step.dst.space == Space::kInput) return "writes an input";
  if (const std::string fault = fault_of_region(schedule, step.dst); !fault.empty()) {
    return "writes " + fault;
  }
  bool ragged = step.dst.byte_count() % kVectorBytes != 0;
  bool tail = ends_payload(schedule, step.dst);
  for (const Region& operand : operands) {
    if (const std::string fault = fault_of_region(schedule, operand); !fault.empty()) {
      return "reads " + fault;
    }
    if (operand.count != step.dst.count) {
      return fmt::format("has {} elements for {}", operand.count, step.dst.count);
    }
    if (step.kind != StepKind::kAdd && operand.element != step.dst.element) {
      return "copies BF16 to FP32 or FP32 to BF16";
    }
    if (overlap_in_part(operand, step.dst)) {
      return fmt::format("reads {} and writes {}, which overlap in part", describe(operand),
                         describe(step.dst));
    }
    ragged = ragged || operand.byte_count() % kVectorBytes != 0;
    tail = tail || ends_payload(schedule, operand);
  }
  if (!ragged || tail) return {};
  return fmt::format("writes {}, which are no whole vectors of {} bytes", describe(step.dst),
                     kVectorBytes);
}

std::string fault_of_flag(const Schedule& schedule, int rank, const Step& step) {
  if (step.operand_count != 0) return "has operands";
  if (!in_range(step.flag_rank, schedule.world)) {
    return fmt::format("is on a flag of no rank: {}", step.flag_rank);
  }
  if (!in_range(step.flag, schedule.flags)) {
    return fmt::format("is on flag {}, and there are {}", step.flag, schedule.flags);
  }
  if (step.kind == StepKind::kWait && step.flag_rank != rank) {
    return fmt::format("is on a flag of rank {}", step.flag_rank);
  }
  return {};
}

std::string fault_of_step(const Schedule& schedule, int rank, const Step& step) {
  const RankProgram& program = schedule.ranks[static_cast<std::size_t>(rank)];
  const auto operands = static_cast<std::int64_t>(program.operands.size());
  if (step.operand_count < 0 || step.first_operand < 0 ||
      std::int64_t{step.first_operand} + step.operand_count > operands) {
    return "has operands that are not there";
  }
  switch (step.kind) {
    case StepKind::kSignal:
    case StepKind::kWait:
      return fault_of_flag(schedule, rank, step);
    case StepKind::kAdd:
      if (step.operand_count < 1) return "has nothing to add";
      return fault_of_transfer(schedule, step, program.operands_of(step));
    case StepKind::kPut:
    case StepKind::kMove:
      if (step.operand_count != 1) return "does not have one source";
      return fault_of_transfer(schedule, step, program.operands_of(step));
  }
  return "is of no kind";
}

std::string fault_of_edge(const RankProgram& program, const Edge& edge) {
  for (const Lane lane : {edge.from_lane, edge.to_lane}) {
    if (static_cast<std::size_t>(lane) >= kLanes.size()) return "has an edge of no lane";
  }
  const auto from_steps = static_cast<std::int64_t>(program.lane(edge.from_lane).size());
  const auto to_steps = static_cast<std::int64_t>(program.lane(edge.to_lane).size());
  if (edge.from != Edge::kEntry && !in_range(edge.from, from_steps)) {
    return fmt::format("has an edge from {} step {}, and there are {}", to_string(edge.from_lane),
                       edge.from, from_steps);
  }
  if (!in_range(edge.to, to_steps + 1)) {
    return fmt::format("has an edge to {} step {}, and there are {}", to_string(edge.to_lane),
                       edge.to, to_steps);
  }
  return {};
}

std::optional<Refusal> check_rank(const Schedule& schedule, int rank) {
  const RankProgram& program = schedule.ranks[static_cast<std::size_t>(rank)];
  for (const Lane lane : kLanes) {
    const std::vector<Step>& steps = program.lane(lane);
    if (steps.size() > kMaxLaneSteps) {
      return refusal(Property::kMemory,
                     fmt::format("rank {} has {} steps on its {} lane; the proof reads {}", rank,
                                 steps.size(), to_string(lane), kMaxLaneSteps));
    }
    for (std::size_t index = 0; index < steps.size(); ++index) {
      const std::string fault = fault_of_step(schedule, rank, steps[index]);
      if (fault.empty()) continue;
      StepReference at{rank, lane, static_cast<std::int32_t>(index), 1, steps[index].kind, {}};
      if (steps[index].operand_count > 0) at.region = steps[index].dst;
      return refusal(Property::kMemory, fmt::format("{} {}", describe(at), fault), at);
    }
  }
  for (const Edge& edge : program.edges) {
    if (const std::string fault = fault_of_edge(program, edge); !fault.empty()) {
      return refusal(Property::kMemory, fmt::format("rank {} {}", rank, fault));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_memory(const Schedule& schedule) {
  if (const std::string fault = fault_of_shape(schedule); !fault.empty()) {
    return refusal(Property::kMemory, fault);
  }
  for (int rank = 0; rank < schedule.world; ++rank) {
    if (auto refused = check_rank(schedule, rank)) return refused;
  }
  return std::nullopt;
}

std::optional<Refusal> check_flags(const Schedule& schedule) {
  struct Uses {
    int signals = 0;
    int waits = 0;
    std::optional<StepReference> last;
  };
  std::vector<Uses> flags(flag_number(schedule, schedule.world, 0));
  for (int rank = 0; rank < schedule.world; ++rank) {
    for (const Lane lane : kLanes) {
      std::int32_t index = 0;
      for (const Step& step : schedule.ranks[static_cast<std::size_t>(rank)].lane(lane)) {
        const std::int32_t at = index++;
        if (step.kind != StepKind::kSignal && step.kind != StepKind::kWait) continue;
        Uses& uses = flags[flag_number(schedule, step.flag_rank, step.flag)];
        ++(step.kind == StepKind::kSignal ? uses.signals : uses.waits);
        uses.last = {rank, lane, at, 1, step.kind, {}};
      }
    }
  }
  for (std::size_t flag = 0; flag < flags.size(); ++flag) {
    const Uses& uses = flags[flag];
    if (uses.signals == uses.waits) continue;
    const auto per_rank = static_cast<std::size_t>(schedule.flags);
    return refusal(Property::kProgress,
                   fmt::format("flag {} of rank {} has {} signals and {} waits in a call; see {}",
                               flag % per_rank, flag / per_rank, uses.signals, uses.waits,
                               describe(*uses.last)),
                   uses.last);
  }
  return std::nullopt;
}

}  // namespace kimi3::proof
