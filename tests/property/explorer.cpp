// The reduction. A step never disables another: flags only grow, and what an edge waits for stays
// done. So what the other lanes can do while one lane is held at an enabled step s is one set of
// steps, in whatever order they are taken. If one of these conflicts with s, there is an execution
// that stops just before it, with both enabled: a race, and the search ends. If none does, every
// execution from here can be turned, by exchanging neighbours that do not conflict, into one that
// starts with s and ends in the same state: {s} is a persistent set (Godefroid), and exploring s
// alone loses no state at which a lane is stuck, no final value and, since exchanging keeps the
// order of all conflicting steps, no race. Two signals on one flag conflict, and so do two waits on
// one, as which pairs with which depends on their order. kAll assumes none of this.
#include "tests/property/explorer.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/property/explorer_model.h"

namespace kimi3 {
namespace explorer {
namespace {

// Values by number: an element of an input, or the sum or the rounding of values.
class Values {
 public:
  static constexpr std::uint32_t kGarbage = 0;

  std::uint32_t input(int rank, int call, std::size_t element) {
    const int source = rank * kCalls + call;
    return number(1, static_cast<std::uint64_t>(source), element);
  }
  std::uint32_t sum(std::uint32_t left, std::uint32_t right) {
    return left == kGarbage || right == kGarbage ? kGarbage : number(2, left, right);
  }
  std::uint32_t rounded(std::uint32_t value) {
    return value == kGarbage ? kGarbage : number(3, value, 0);
  }

 private:
  std::uint32_t number(std::uint64_t kind, std::uint64_t left, std::uint64_t right) {
    const std::uint64_t key = kind << 62U | left << 31U | right;
    return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size()) + 1).first->second;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// What lies in two bytes: all of a BF16 value, or one half of an FP32 one.
enum Part : std::uint32_t { kWhole, kLow, kHigh };
constexpr std::uint32_t holding(std::uint32_t value, Part part) { return value << 2U | part; }
constexpr std::uint32_t value_in(std::uint32_t held) { return held >> 2U; }

// What decides who can go on: by lane, how many events are done; by flag, how many signals and
// waits.
struct Control {
  explicit Control(const Model& model)
      : done(model.lanes().size()), signals(model.flags()), waits(model.flags()) {}

  std::vector<std::uint32_t> done;
  std::vector<std::uint32_t> signals;
  std::vector<std::uint32_t> waits;
};

struct State {
  explicit State(const Model& model)
      : control(model), memory(model.memory_size(), holding(Values::kGarbage, kWhole)) {}

  // Of all of it. That two of some 2^20 states share one of 2^64 hashes is out of the question.
  std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (const auto* words : {&control.done, &control.signals, &control.waits, &memory}) {
      for (const std::uint32_t word : *words) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32U;
      }
    }
    return hash;
  }

  Control control;
  std::vector<std::uint32_t> memory;
};

class Search {
 public:
  Search(const Schedule& schedule, const Model& model) : schedule_(schedule), model_(model) {}

  Exploration run(Interleavings which) {
    result_.fault = model_.fault();
    std::vector<State> open{State(model_)};
    std::unordered_set<std::uint64_t> known;
    while (!open.empty() && result_.correct()) {
      State state = std::move(open.back());
      open.pop_back();
      if (which == Interleavings::kAll && !known.insert(state.hash()).second) continue;
      ++result_.states;
      const std::vector<std::size_t> lanes = enabled_lanes(state.control);
      if (lanes.empty()) {
        check_end(state.control);
      } else if (which == Interleavings::kAll) {
        expand_all(state, lanes, open);
      } else {
        expand_one(std::move(state), lanes.front(), open);
      }
    }
    return result_;
  }

  // Whether all lanes come to their ends, in some order and hence in any.
  bool finishes() {
    Control control(model_);
    std::vector<std::size_t> lanes = enabled_lanes(control);
    for (; !lanes.empty(); lanes = enabled_lanes(control)) advance(control, lanes.front());
    check_end(control);
    return result_.correct();
  }

 private:
  bool done(const Control& control, std::size_t lane) const {
    return control.done[lane] == model_.lanes()[lane].size();
  }
  const Event& next(const Control& control, std::size_t lane) const {
    return model_.lanes()[lane][control.done[lane]];
  }

  bool enabled(const Control& control, std::size_t lane) const {
    if (done(control, lane)) return false;
    const Event& event = next(control, lane);
    for (const Gate& gate : event.gates) {
      if (control.done[gate.lane] < gate.events) return false;
    }
    return !event.waits || control.signals[*event.waits] > control.waits[*event.waits];
  }
  std::vector<std::size_t> enabled_lanes(const Control& control) const {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = 0; lane < model_.lanes().size(); ++lane) {
      if (enabled(control, lane)) lanes.push_back(lane);
    }
    return lanes;
  }
  void advance(Control& control, std::size_t lane) const {
    const Event& event = next(control, lane);
    if (event.signals) ++control.signals[*event.signals];
    if (event.waits) ++control.waits[*event.waits];
    ++control.done[lane];
  }

  void expand_all(const State& state, const std::vector<std::size_t>& lanes,
                  std::vector<State>& open) {
    for (const std::size_t lane : lanes) {
      for (const std::size_t other : lanes) {
        if (lane < other) check_race(next(state.control, lane), next(state.control, other));
      }
      open.push_back(state);
      execute(open.back(), lane);
    }
  }

  void expand_one(State state, std::size_t held, std::vector<State>& open) {
    const Event& step = next(state.control, held);
    Control others = state.control;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t lane = 0; lane < model_.lanes().size(); ++lane) {
        for (; lane != held && enabled(others, lane); moved = true) {
          check_race(step, next(others, lane));
          advance(others, lane);
        }
      }
    }
    execute(state, held);
    open.push_back(std::move(state));
  }

  void execute(State& state, std::size_t lane) {
    const Event& event = next(state.control, lane);
    advance(state.control, lane);
    if (event.step == nullptr) {
      if (event.write.begin < event.write.end) write_input(event, state.memory);
      if (!event.reads.empty()) check_output(event, state.memory);
    } else if (event.step->kind == StepKind::kAdd) {
      add(event, state.memory);
    } else if (!event.reads.empty()) {
      for (std::size_t i = 0; event.write.begin + i < event.write.end; ++i) {
        state.memory[event.write.begin + i] = state.memory[event.reads[0].begin + i];
      }
    }
  }

  void write_input(const Event& event, std::vector<std::uint32_t>& memory) {
    for (std::size_t at = event.write.begin; at < event.write.end; ++at) {
      memory[at] = holding(values_.input(event.rank, event.call, at - event.write.begin), kWhole);
    }
  }

  static std::uint32_t load(const std::vector<std::uint32_t>& memory, Element element,
                            std::size_t at) {
    const std::uint32_t value = value_in(memory[at]);
    const bool whole = element == Element::kBf16 ? memory[at] == holding(value, kWhole)
                                                 : memory[at] == holding(value, kLow) &&
                                                       memory[at + 1] == holding(value, kHigh);
    return whole ? value : Values::kGarbage;
  }
  static void store(std::vector<std::uint32_t>& memory, Element element, std::size_t at,
                    std::uint32_t value) {
    memory[at] = holding(value, element == Element::kBf16 ? kWhole : kLow);
    if (element == Element::kFp32) memory[at + 1] = holding(value, kHigh);
  }

  void add(const Event& event, std::vector<std::uint32_t>& memory) {
    const Region& dst = event.step->dst;
    const auto units = [](Element element) {
      return static_cast<std::size_t>(element_bytes(element) / 2);
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(dst.count); ++i) {
      std::uint32_t sum = Values::kGarbage;
      for (std::size_t operand = 0; operand < event.reads.size(); ++operand) {
        const Element element = event.elements[operand];
        const std::uint32_t value =
            load(memory, element, event.reads[operand].begin + i * units(element));
        sum = operand == 0 ? value : values_.sum(sum, value);
      }
      if (dst.element == Element::kBf16) sum = values_.rounded(sum);
      store(memory, dst.element, event.write.begin + i * units(dst.element), sum);
    }
  }

  // The specification, said a second time: element by element.
  std::uint32_t declared(std::size_t element, int call) {
    const auto elements = static_cast<std::size_t>(schedule_.elements);
    const auto world = static_cast<std::size_t>(schedule_.world);
    const bool by_rank = schedule_.arithmetic == Arithmetic::kFp32RankOrder;
    const bool each_hop = schedule_.arithmetic == Arithmetic::kBf16HopSum;
    std::uint32_t sum = Values::kGarbage;
    for (std::size_t hop = 0; hop < world; ++hop) {
      const int rank = by_rank ? static_cast<int>(hop)
                               : schedule_.order[(element * world / elements + hop) % world];
      const std::uint32_t input = values_.input(rank, call, element);
      sum = hop == 0 ? input : values_.sum(sum, input);
      if (hop > 0 && each_hop) sum = values_.rounded(sum);
    }
    return each_hop ? sum : values_.rounded(sum);
  }

  void check_output(const Event& event, const std::vector<std::uint32_t>& memory) {
    const Span& output = event.reads[0];
    for (std::size_t at = output.begin; at < output.end; ++at) {
      const std::size_t element = at - output.begin;
      if (memory[at] != holding(declared(element, event.call), kWhole)) {
        return fail(fmt::format("element {} is wrong at {}", element, event.name()));
      }
    }
  }

  void check_race(const Event& a, const Event& b) {
    if (conflict(a, b)) fail(fmt::format("{} races with {}", a.name(), b.name()));
  }

  void check_end(const Control& control) {
    for (std::size_t lane = 0; lane < model_.lanes().size(); ++lane) {
      if (!done(control, lane)) return fail(next(control, lane).name() + " waits for ever");
    }
    if (control.signals != control.waits) fail("a signal is left over");
  }

  void fail(std::string fault) {
    if (result_.correct()) result_.fault = std::move(fault);
  }

  const Schedule& schedule_;
  const Model& model_;
  Values values_;
  Exploration result_;
};

}  // namespace
}  // namespace explorer

Exploration explore(const Schedule& schedule, Interleavings which) {
  using explorer::Buffers;
  Exploration result;
  for (const Buffers buffers : {Buffers::kOnePair, Buffers::kTwoPairs, Buffers::kInPlace}) {
    const explorer::Model model(schedule, buffers, false);
    const Exploration found = explorer::Search(schedule, model).run(which);
    result.states += found.states;
    result.fault = found.fault;
    if (!result.correct()) return result;
  }
  const explorer::Model held_back(schedule, Buffers::kOnePair, true);
  if (!explorer::Search(schedule, held_back).finishes()) result.fault = "structural edges block";
  return result;
}

}  // namespace kimi3
