// Random shapes, run in random legal orders on real memory, give the oracles' bits; and whatever is
// done to a schedule, the proof and the explorer agree on it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kimi3/bfloat16.h"
#include "runtime/numeric/oracle.h"
#include "runtime/schedule/proof.h"
#include "runtime/schedule/schedule.h"
#include "tests/property/explorer.h"
#include "tests/property/explorer_model.h"

namespace kimi3 {
namespace {

using explorer::Buffers;
using explorer::Event;
using explorer::Model;
using explorer::Span;

// Runs a model's events one at a time, each time one that is drawn among those that may be next.
// Every two bytes of all memory are a word.
class RandomRun {
 public:
  RandomRun(const Schedule& schedule, const Model& model, std::uint32_t seed)
      : schedule_(schedule),
        model_(model),
        random_(seed),
        memory_(model.memory_size(), kPoison),
        done_(model.lanes().size()),
        signals_(model.flags()),
        waits_(model.flags()) {}

  // Whether every output of every call had the oracle's bits.
  bool run() {
    for (std::vector<std::size_t> lanes = enabled(); !lanes.empty(); lanes = enabled()) {
      std::uniform_int_distribution<std::size_t> draw(0, lanes.size() - 1);
      const std::size_t lane = lanes[draw(random_)];
      if (!execute(model_.lanes()[lane][done_[lane]])) return false;
      ++done_[lane];
    }
    for (std::size_t lane = 0; lane < done_.size(); ++lane) {
      if (done_[lane] != model_.lanes()[lane].size()) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint16_t kPoison = 0x5A5A;

  std::vector<std::size_t> enabled() const {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = 0; lane < done_.size(); ++lane) {
      if (done_[lane] == model_.lanes()[lane].size()) continue;
      const Event& event = model_.lanes()[lane][done_[lane]];
      bool open = !event.waits || signals_[*event.waits] > waits_[*event.waits];
      for (const explorer::Gate& gate : event.gates) {
        open = open && done_[gate.lane] >= gate.events;
      }
      if (open) lanes.push_back(lane);
    }
    return lanes;
  }

  bool execute(const Event& event) {
    if (event.signals) ++signals_[*event.signals];
    if (event.waits) ++waits_[*event.waits];
    if (event.step == nullptr) return act_for_caller(event);
    if (event.step->kind == StepKind::kAdd) {
      add(event);
    } else if (!event.reads.empty()) {
      std::copy(at(event.reads[0].begin), at(event.reads[0].end), at(event.write.begin));
    }
    return true;
  }

  // Draws the input; compares the output. All ranks' inputs of a call are drawn before any output.
  bool act_for_caller(const Event& event) {
    if (event.write.begin != event.write.end) {
      std::vector<bfloat16>& input = inputs(event.call)[static_cast<std::size_t>(event.rank)];
      std::uniform_int_distribution<std::uint32_t> bits(0, 0xFFFF);
      for (bfloat16& value : input) value.bits = static_cast<std::uint16_t>(bits(random_));
      std::transform(input.begin(), input.end(), at(event.write.begin),
                     [](bfloat16 value) { return value.bits; });
    }
    if (event.reads.empty()) return true;
    const std::vector<std::vector<bfloat16>>& given = inputs(event.call);
    const std::vector<std::span<const bfloat16>> views(given.begin(), given.end());
    std::vector<bfloat16> sums(views[0].size());
    reduce_oracle(schedule_.arithmetic, views, sums, schedule_.order);
    return std::equal(sums.begin(), sums.end(), at(event.reads[0].begin),
                      [](bfloat16 sum, std::uint16_t bits) { return sum.bits == bits; });
  }

  std::vector<std::vector<bfloat16>>& inputs(int call) {
    while (inputs_.size() <= static_cast<std::size_t>(call)) {
      inputs_.emplace_back(static_cast<std::size_t>(schedule_.world),
                           std::vector<bfloat16>(static_cast<std::size_t>(schedule_.elements)));
    }
    return inputs_[static_cast<std::size_t>(call)];
  }

  void add(const Event& event) {
    const Element to = event.step->dst.element;
    for (std::size_t i = 0; i < static_cast<std::size_t>(event.step->dst.count); ++i) {
      float sum = load(event.elements[0], event.reads[0], i);
      for (std::size_t operand = 1; operand < event.reads.size(); ++operand) {
        sum += load(event.elements[operand], event.reads[operand], i);
      }
      if (to == Element::kBf16) {
        *at(event.write.begin + i) = round_to_bfloat16(sum).bits;
      } else {
        const auto bits = std::bit_cast<std::uint32_t>(sum);
        *at(event.write.begin + 2 * i) = static_cast<std::uint16_t>(bits);
        *at(event.write.begin + 2 * i + 1) = static_cast<std::uint16_t>(bits >> 16U);
      }
    }
  }

  float load(Element element, const Span& span, std::size_t i) {
    if (element == Element::kBf16) return to_float(bfloat16{*at(span.begin + i)});
    const std::uint32_t low = *at(span.begin + 2 * i);
    const std::uint32_t high = *at(span.begin + 2 * i + 1);
    return std::bit_cast<float>(high << 16U | low);
  }

  std::vector<std::uint16_t>::iterator at(std::size_t word) {
    return memory_.begin() + static_cast<std::ptrdiff_t>(word);
  }

  const Schedule& schedule_;
  const Model& model_;
  std::mt19937 random_;
  std::vector<std::uint16_t> memory_;
  std::vector<std::size_t> done_;
  std::vector<std::size_t> signals_;
  std::vector<std::size_t> waits_;
  std::vector<std::vector<std::vector<bfloat16>>> inputs_;  // by call and rank
};

std::vector<int> any_order(int world) {
  std::vector<int> order(static_cast<std::size_t>(world));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  return order;
}

ScheduleRequest any_request(int max_world, int max_pieces) {
  ScheduleRequest request;
  request.world = *rc::gen::inRange(2, max_world + 1);
  request.arithmetic = *rc::gen::element(Arithmetic::kFp32RankOrder, Arithmetic::kBf16HopSum,
                                         Arithmetic::kFp32OwnerPacket);
  request.order = any_order(request.world);
  if (request.arithmetic == Arithmetic::kFp32RankOrder) {
    request.algorithm = Algorithm::kTwoShot;
    request.elements = *rc::gen::inRange(1, 20 * request.world);
    return request;
  }
  request.algorithm = Algorithm::kDmaRing;
  request.pieces = *rc::gen::inRange(1, max_pieces + 1);
  request.elements = std::int64_t{8} * request.world * request.pieces * *rc::gen::inRange(1, 4);
  return request;
}

RC_GTEST_PROP(ScheduleProperty, AnyLegalOrderGivesTheOraclesBits, ()) {
  const Schedule schedule = make_schedule(any_request(10, kMaxPieces));
  const auto buffers = *rc::gen::element(Buffers::kOnePair, Buffers::kTwoPairs, Buffers::kInPlace);
  const Model model(schedule, buffers, /*hold_back=*/false);
  RC_ASSERT(model.fault().empty());
  RC_ASSERT(RandomRun(schedule, model, *rc::gen::arbitrary<std::uint32_t>()).run());
}

// A few changes, most of which break a schedule and some of which do not.
class Edits {
 public:
  explicit Edits(Schedule& schedule) : schedule_(schedule) {}

  void apply_one() {
    switch (below(7)) {
      case 0:
        return delete_edge();
      case 1:
        return add_edge();
      case 2:
        return swap_neighbours();
      case 3:
        return change_flag();
      case 4:
        return move_edge();
      default:
        return change_region();
    }
  }

 private:
  std::size_t below(std::size_t end) { return *rc::gen::inRange<std::size_t>(0, end); }
  RankProgram& any_rank() { return schedule_.ranks[below(schedule_.ranks.size())]; }
  Lane any_lane() { return kLanes[below(kLanes.size())]; }
  std::int32_t any_index(const RankProgram& program, Lane lane) {
    return static_cast<std::int32_t>(below(program.lane(lane).size()));
  }

  void delete_edge() {
    std::vector<Edge>& edges = any_rank().edges;
    if (edges.empty()) return;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(below(edges.size())));
  }

  void add_edge() {
    RankProgram& program = any_rank();
    const Lane from = any_lane();
    const Lane to = any_lane();
    program.edges.push_back(
        {from, any_index(program, from), to, any_index(program, to), below(8) == 0});
  }

  void move_edge() {
    RankProgram& program = any_rank();
    if (program.edges.empty()) return;
    Edge& edge = program.edges[below(program.edges.size())];
    if (below(2) == 0 && edge.from > 0) --edge.from;
    if (edge.to > 0) --edge.to;
  }

  void swap_neighbours() {
    RankProgram& program = any_rank();
    std::vector<Step>& steps = program.lane(any_lane());
    if (steps.size() < 2) return;
    const std::size_t first = below(steps.size() - 1);
    std::swap(steps[first], steps[first + 1]);
  }

  void change_flag() {
    std::vector<Step>& steps = any_rank().lane(any_lane());
    if (steps.empty()) return;
    Step& step = steps[below(steps.size())];
    if (step.flag < 0) return;
    step.flag = static_cast<std::int32_t>(below(static_cast<std::size_t>(schedule_.flags)));
    if (step.kind == StepKind::kSignal && below(2) == 0) {
      step.flag_rank = static_cast<std::int32_t>(below(schedule_.ranks.size()));
    }
  }

  void change_region() {
    std::vector<Region>& operands = any_rank().operands;
    Region& region = operands[below(operands.size())];
    switch (below(4)) {
      case 0:
        region.rank = static_cast<std::int16_t>(below(schedule_.ranks.size()));
        return;
      case 1:
        if (region.space == Space::kSlot) {
          region.slot = static_cast<std::int32_t>(below(schedule_.slot_bytes.size()));
        } else {
          region.space = region.space == Space::kInput ? Space::kOutput : Space::kInput;
        }
        return;
      case 2:
        region.offset += 8;
        return;
      default:
        region.offset = std::max<std::int64_t>(0, region.offset - 8);
        return;
    }
  }

  Schedule& schedule_;
};

Schedule any_edited_schedule(int max_world, int max_pieces) {
  ScheduleRequest request = any_request(max_world, max_pieces);
  request.elements = std::int64_t{8} * request.world * request.pieces;
  Schedule schedule = make_schedule(request);
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) Edits(schedule).apply_one();
  return schedule;
}

RC_GTEST_PROP(ScheduleProperty, ProofAndExplorerAgreeOnWhateverIsDone, ()) {
  const Schedule schedule = any_edited_schedule(4, 2);
  const ProofResult proof = prove(schedule);
  const Exploration exploration = explore(schedule, Interleavings::kReduced);
  RC_LOG() << "proof: " << (proof.proven() ? "proven" : proof.refusal->message)
           << "\nexplorer: " << exploration.fault << "\n";
  RC_TAG(proof.proven() ? "proven"
                        : fmt::format("refused for {}", to_string(proof.refusal->property)));
  RC_ASSERT(proof.proven() == exploration.correct());
}

RC_GTEST_PROP(ScheduleProperty, ReductionLosesNothingOfWhateverIsDone, ()) {
  const Schedule schedule = any_edited_schedule(2, 1);
  RC_ASSERT(explore(schedule, Interleavings::kAll).correct() ==
            explore(schedule, Interleavings::kReduced).correct());
}

// A number that a field of a schedule should not hold, or should.
std::int64_t any_number() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return *rc::gen::element<std::int64_t>(0, 1, -1, 3, 8, 16, 4096, 1 << 20, kMost / 4, kMost / 2,
                                         kMost - 7, kMost, -kMost - 1);
}

template <typename Field>
void scramble(Field& field) {
  if (*rc::gen::inRange(0, 12) == 0) field = static_cast<Field>(any_number());
}

RC_GTEST_PROP(ScheduleProperty, ProofNeverThrowsWhateverTheNumbers, ()) {
  Schedule schedule = make_schedule(any_request(4, 2));
  scramble(schedule.elements);
  scramble(schedule.flags);
  scramble(schedule.slot_bytes[*rc::gen::inRange<std::size_t>(0, schedule.slot_bytes.size())]);
  RankProgram& program = schedule.ranks[*rc::gen::inRange<std::size_t>(0, schedule.ranks.size())];
  std::vector<Step>& steps = program.lane(*rc::gen::elementOf(kLanes));
  Step& step = steps[*rc::gen::inRange<std::size_t>(0, steps.size())];
  scramble(step.flag);
  scramble(step.flag_rank);
  scramble(step.first_operand);
  scramble(step.operand_count);
  for (Region* region : {&step.dst, &program.operands.front(), &program.operands.back()}) {
    scramble(region->rank);
    scramble(region->slot);
    scramble(region->offset);
    scramble(region->count);
  }
  scramble(program.edges.front().from);
  scramble(program.edges.front().to);
  const ProofResult result = prove(schedule);
  RC_TAG(result.proven() ? "proven" : std::string(to_string(result.refusal->property)));
}

}  // namespace
}  // namespace kimi3
