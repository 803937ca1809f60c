#include "tests/property/mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace kimi3 {
namespace {

using Visit = std::function<void(const Schedule&, const std::string&)>;

struct Place {
  std::size_t rank = 0;
  Lane lane{};
  std::size_t index = 0;
};

std::string describe(const Place& place) {
  return fmt::format("rank {} {} step {}", place.rank, to_string(place.lane), place.index);
}

Step& step_at(Schedule& schedule, const Place& place) {
  return schedule.ranks[place.rank].lane(place.lane)[place.index];
}

// Every step of a kind, in the order of the programs.
std::vector<Place> places_of(const Schedule& schedule, StepKind kind) {
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Lane lane : kLanes) {
      const std::vector<Step>& steps = schedule.ranks[rank].lane(lane);
      for (std::size_t index = 0; index < steps.size(); ++index) {
        if (steps[index].kind == kind) places.push_back({rank, lane, index});
      }
    }
  }
  return places;
}

// Edges from or to the step go with it.
void delete_step(Schedule& schedule, const Place& place) {
  RankProgram& program = schedule.ranks[place.rank];
  std::vector<Step>& steps = program.lane(place.lane);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place.index));
  const auto gone = static_cast<std::int32_t>(place.index);
  std::erase_if(program.edges, [&](const Edge& edge) {
    return (edge.from_lane == place.lane && edge.from == gone) ||
           (edge.to_lane == place.lane && edge.to == gone);
  });
  for (Edge& edge : program.edges) {
    if (edge.from_lane == place.lane && edge.from > gone) --edge.from;
    if (edge.to_lane == place.lane && edge.to > gone) --edge.to;
  }
}

void delete_edges(const Schedule& schedule, const Visit& visit) {
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < schedule.ranks[rank].edges.size(); ++i) {
      const Edge& edge = schedule.ranks[rank].edges[i];
      if (edge.structural) continue;
      Schedule mutant = schedule;
      std::vector<Edge>& edges = mutant.ranks[rank].edges;
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
      visit(mutant, fmt::format("rank {} edge {} {} -> {} {}", rank, to_string(edge.from_lane),
                                edge.from, to_string(edge.to_lane), edge.to));
    }
  }
}

void delete_each(const Schedule& schedule, StepKind kind, const Visit& visit) {
  for (const Place& place : places_of(schedule, kind)) {
    Schedule mutant = schedule;
    delete_step(mutant, place);
    visit(mutant, describe(place));
  }
}

// The signals of a generated schedule come, flag by flag, from one lane: the k-th of a call is for
// the k-th wait.
std::vector<std::pair<Place, Place>> signals_with_waits(const Schedule& schedule) {
  std::map<std::pair<int, int>, std::vector<Place>> waits;
  for (const Place& place : places_of(schedule, StepKind::kWait)) {
    const Step& step = schedule.ranks[place.rank].lane(place.lane)[place.index];
    waits[{step.flag_rank, step.flag}].push_back(place);
  }
  std::map<std::pair<int, int>, std::size_t> seen;
  std::vector<std::pair<Place, Place>> pairs;
  for (const Place& place : places_of(schedule, StepKind::kSignal)) {
    const Step& step = schedule.ranks[place.rank].lane(place.lane)[place.index];
    const std::pair flag{step.flag_rank, step.flag};
    pairs.emplace_back(place, waits.at(flag).at(seen[flag]++));
  }
  return pairs;
}

// The later of two steps of one lane goes first: the other keeps its index.
void delete_pair(Schedule& schedule, Place signal, Place wait) {
  if (signal.rank == wait.rank && signal.lane == wait.lane && signal.index > wait.index) {
    std::swap(signal, wait);
  }
  delete_step(schedule, wait);
  delete_step(schedule, signal);
}

void delete_signals_with_waits(const Schedule& schedule, const Visit& visit) {
  for (const auto& [signal, wait] : signals_with_waits(schedule)) {
    Schedule mutant = schedule;
    delete_pair(mutant, signal, wait);
    visit(mutant, describe(signal) + " with " + describe(wait));
  }
}

// Only the ring ends with a handshake, a signal on the compute lane; all ranks drop theirs.
void delete_last_handshake(const Schedule& schedule, const Visit& visit) {
  Schedule mutant = schedule;
  for (RankProgram& program : mutant.ranks) {
    const auto rank = static_cast<std::size_t>(&program - mutant.ranks.data());
    for (std::size_t index = program.lane(Lane::kCompute).size(); index-- > 0;) {
      if (program.lane(Lane::kCompute)[index].kind != StepKind::kSignal) continue;
      delete_pair(mutant, {rank, Lane::kCompute, index}, {rank, Lane::kCompute, index + 1});
      break;
    }
  }
  if (schedule.algorithm == Algorithm::kDmaRing) visit(mutant, "all ranks");
}

void swap_adds(const Schedule& schedule, const Visit& visit) {
  const std::vector<Place> adds = places_of(schedule, StepKind::kAdd);
  for (std::size_t i = 0; i + 1 < adds.size(); ++i) {
    if (adds[i].rank != adds[i + 1].rank) continue;
    Schedule mutant = schedule;
    std::swap(step_at(mutant, adds[i]), step_at(mutant, adds[i + 1]));
    visit(mutant, describe(adds[i]) + " with " + describe(adds[i + 1]));
  }
}

void swap_operands(const Schedule& schedule, const Visit& visit) {
  for (const Place& place : places_of(schedule, StepKind::kAdd)) {
    Schedule mutant = schedule;
    const Step& step = step_at(mutant, place);
    const auto first = mutant.ranks[place.rank].operands.begin() + step.first_operand;
    for (auto operand = first; operand + 1 < first + step.operand_count; ++operand) {
      std::iter_swap(operand, operand + 1);
      visit(mutant, fmt::format("{} operand {}", describe(place), operand - first));
      std::iter_swap(operand, operand + 1);
    }
  }
}

void shift_regions(const Schedule& schedule, std::int64_t least_bytes, const Visit& visit) {
  Schedule mutant = schedule;
  const auto shift = [&](Region& region, const std::string& where) {
    const std::int64_t by = std::max<std::int64_t>(1, least_bytes / element_bytes(region.element));
    region.offset += by;
    visit(mutant, where);
    region.offset -= by;
  };
  for (const StepKind kind : {StepKind::kPut, StepKind::kAdd, StepKind::kMove}) {
    for (const Place& place : places_of(schedule, kind)) {
      Step& step = step_at(mutant, place);
      shift(step.dst, describe(place) + " dst");
      const auto first = static_cast<std::size_t>(step.first_operand);
      for (std::size_t i = 0; i < static_cast<std::size_t>(step.operand_count); ++i) {
        shift(mutant.ranks[place.rank].operands[first + i],
              fmt::format("{} operand {}", describe(place), i));
      }
    }
  }
}

void shrink_slots(const Schedule& schedule, const Visit& visit) {
  for (std::size_t slot = 0; slot < schedule.slot_bytes.size(); ++slot) {
    Schedule mutant = schedule;
    mutant.slot_bytes[slot] -= 16;
    visit(mutant, fmt::format("slot {}", slot));
  }
}

// A sender fills the slots of a receiver in turn. Where a put comes to a slot again, or could have,
// it takes the one after instead, which was used more recently; who reads it there follows.
void reuse_slots_early(const Schedule& schedule, const Visit& visit) {
  using Stream = std::tuple<std::size_t, std::int16_t, std::int64_t>;  // sender, receiver, piece
  std::map<Stream, std::vector<Place>> streams;
  for (const Place& place : places_of(schedule, StepKind::kPut)) {
    const Step& put = schedule.ranks[place.rank].lane(place.lane)[place.index];
    streams[{place.rank, put.dst.rank, put.dst.offset}].push_back(place);
  }
  for (const auto& [stream, puts] : streams) {
    std::set<int> slots;
    Schedule mutant = schedule;
    for (const Place& place : puts) slots.insert(step_at(mutant, place).dst.slot);
    for (std::size_t k = slots.size() - 1; k < puts.size(); ++k) {
      mutant = schedule;
      Region& landing = step_at(mutant, puts[k]).dst;
      const Region before = landing;
      landing.slot = step_at(mutant, puts[k + 1 - slots.size()]).dst.slot;
      RankProgram& receiver = mutant.ranks[static_cast<std::size_t>(before.rank)];
      const auto reader = std::find(receiver.operands.rbegin(), receiver.operands.rend(), before);
      if (reader == receiver.operands.rend()) std::abort();
      reader->slot = landing.slot;
      visit(mutant, fmt::format("{} slot {} for {}", describe(puts[k]), landing.slot, before.slot));
    }
  }
}

}  // namespace

std::string_view to_string(Mutation mutation) {
  switch (mutation) {
    case Mutation::kDeleteEdge:
      return "delete an edge";
    case Mutation::kDeleteSignalAndWait:
      return "delete a signal with its wait";
    case Mutation::kDeleteSignal:
      return "delete a signal";
    case Mutation::kDeleteWait:
      return "delete a wait";
    case Mutation::kDeleteLastHandshake:
      return "delete the last handshake";
    case Mutation::kSwapAdds:
      return "swap neighbouring adds";
    case Mutation::kSwapOperands:
      return "swap neighbouring operands";
    case Mutation::kShiftElement:
      return "shift an offset by an element";
    case Mutation::kShiftVector:
      return "shift an offset by a vector";
    case Mutation::kShrinkSlot:
      return "shrink a slot";
    case Mutation::kReuseSlotEarly:
      return "re-use a slot one put early";
  }
  std::abort();
}

void for_each_mutant(const Schedule& schedule, Mutation mutation, const Visit& visit) {
  switch (mutation) {
    case Mutation::kDeleteEdge:
      return delete_edges(schedule, visit);
    case Mutation::kDeleteSignalAndWait:
      return delete_signals_with_waits(schedule, visit);
    case Mutation::kDeleteSignal:
      return delete_each(schedule, StepKind::kSignal, visit);
    case Mutation::kDeleteWait:
      return delete_each(schedule, StepKind::kWait, visit);
    case Mutation::kDeleteLastHandshake:
      return delete_last_handshake(schedule, visit);
    case Mutation::kSwapAdds:
      return swap_adds(schedule, visit);
    case Mutation::kSwapOperands:
      return swap_operands(schedule, visit);
    case Mutation::kShiftElement:
      return shift_regions(schedule, 0, visit);
    case Mutation::kShiftVector:
      return shift_regions(schedule, 16, visit);
    case Mutation::kShrinkSlot:
      return shrink_slots(schedule, visit);
    case Mutation::kReuseSlotEarly:
      return reuse_slots_early(schedule, visit);
  }
  std::abort();
}

}  // namespace kimi3
