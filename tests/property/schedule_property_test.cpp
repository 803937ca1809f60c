// Random shapes, run in random legal orders on real memory, give the oracles' bits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <random>
#include <vector>

#include "kimi3/bfloat16.h"
#include "runtime/numeric/oracle.h"
#include "runtime/schedule/proof.h"
#include "runtime/schedule/schedule.h"
#include "tests/property/explorer_model.h"
#include "tests/property/schedule_generators.h"

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

RC_GTEST_PROP(ScheduleProperty, AnyLegalOrderGivesTheOraclesBits, ()) {
  const Schedule schedule = make_schedule(any_request(10, kMaxPieces));
  const auto buffers = *rc::gen::element(Buffers::kOnePair, Buffers::kTwoPairs, Buffers::kInPlace);
  const Model model(schedule, buffers, /*hold_back=*/false);
  RC_ASSERT(model.fault().empty());
  RC_ASSERT(RandomRun(schedule, model, *rc::gen::arbitrary<std::uint32_t>()).run());
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
