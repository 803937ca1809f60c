#include "runtime/schedule/rewrite.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "kimi3/error.h"
#include "runtime/schedule/geometry.h"

namespace kimi3 {
namespace {

using Index = std::size_t;

// What a region holds: a rank's input, or a sum of other values.
struct Value {
  Region region;  // of an input: where it is; of a sum: its element and count
  std::vector<Index> operands;
  int readers = 0;

  bool is_sum() const { return !operands.empty(); }
};

std::string describe(const Region& region) {
  const std::string slot = region.space == Space::kSlot ? fmt::format(" {}", region.slot) : "";
  return fmt::format("{}{} of rank {}, elements {} to {}", to_string(region.space), slot,
                     region.rank, region.offset, region.offset + region.count);
}

// Follows values through a schedule's copies: what every region holds, step by step.
class ValueFlow {
 public:
  explicit ValueFlow(const Schedule& schedule) {
    for (const StepPlace& place : linearise(schedule)) {
      const RankProgram& program = schedule.ranks[static_cast<Index>(place.rank)];
      follow(program, program.lane(place.lane)[static_cast<Index>(place.index)]);
    }
    collect_results();
  }

  struct Result {
    Region output;
    Index value;
  };
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Result>& results() const { return results_; }

 private:
  // A byte range in one memory of one rank, named by where it starts.
  using Memory = std::tuple<Space, std::int16_t, std::int32_t>;
  struct Held {
    Region region;
    Index value;
  };

  static Memory memory_of(const Region& region) {
    return {region.space, region.rank, region.space == Space::kSlot ? region.slot : 0};
  }

  void follow(const RankProgram& program, const Step& step) {
    if (step.operand_count == 0 || step.dst.count == 0) return;
    const std::span<const Region> operands = program.operands_of(step);
    if (step.kind != StepKind::kAdd) return write(step.dst, read(operands.front()));
    Value sum{.region = step.dst};
    for (const Region& operand : operands) sum.operands.push_back(read(operand));
    values_.push_back(std::move(sum));
    write(step.dst, values_.size() - 1);
  }

  Index read(const Region& region) {
    auto& memory = memories_[memory_of(region)];
    const auto found = memory.find(region.byte_offset());
    if (found != memory.end() && found->second.region == region) return found->second.value;
    if (region.space != Space::kInput) {
      throw malformed(fmt::format("the schedule reads what no step wrote: {}", describe(region)));
    }
    values_.push_back({.region = region});
    memory.insert_or_assign(region.byte_offset(), Held{region, values_.size() - 1});
    return values_.size() - 1;
  }

  void write(const Region& region, Index value) {
    auto& memory = memories_[memory_of(region)];
    const std::int64_t begin = region.byte_offset();
    const std::int64_t end = begin + region.byte_count();
    auto at = memory.lower_bound(begin);
    if (at != memory.begin() && end_of(std::prev(at)->second.region) > begin) --at;
    while (at != memory.end() && at->first < end) at = memory.erase(at);
    memory.insert_or_assign(begin, Held{region, value});
  }

  static std::int64_t end_of(const Region& region) {
    return region.byte_offset() + region.byte_count();
  }

  void collect_results() {
    for (const auto& [memory, held_by_offset] : memories_) {
      if (std::get<Space>(memory) != Space::kOutput) continue;
      for (const auto& [offset, held] : held_by_offset) {
        results_.push_back({held.region, held.value});
      }
    }
  }

  std::vector<Value> values_;  // a sum comes after what it adds
  std::map<Memory, std::map<std::int64_t, Held>> memories_;
  std::vector<Result> results_;
};

// Which values are still read by something that leads to an output.
void count_readers(std::vector<Value>& values, const std::vector<ValueFlow::Result>& results) {
  for (const auto& result : results) ++values[result.value].readers;
  for (Index i = values.size(); i-- > 0;) {
    if (values[i].readers == 0) continue;
    for (const Index operand : values[i].operands) ++values[operand].readers;
  }
}

// A sum in FP32 that one add reads first becomes the beginning of that add.
void join_unrounded_sums(std::vector<Value>& values) {
  for (Value& value : values) {
    if (!value.is_sum() || value.readers == 0) continue;
    Value& first = values[value.operands.front()];
    if (!first.is_sum() || first.region.element != Element::kFp32 || first.readers > 1) continue;
    std::vector<Index> joined = std::move(first.operands);
    joined.insert(joined.end(), value.operands.begin() + 1, value.operands.end());
    value.operands = std::move(joined);
    first = {};
  }
}

// Writes the values that are left as one straight line on rank 0.
class OneLine {
 public:
  OneLine(const Schedule& original, const std::vector<Value>& values)
      : values_(values), slots_(values.size(), -1) {
    schedule_ = original;
    schedule_.slot_bytes.clear();
    schedule_.flags = original.world;  // on rank 0, flag r: rank r has entered; elsewhere, 0: done
    schedule_.ranks.assign(static_cast<Index>(original.world), {});
  }

  Schedule write(const std::vector<ValueFlow::Result>& results) && {
    ProgramBuilder line(schedule_.ranks[0], 0);
    for (int rank = 1; rank < schedule_.world; ++rank) line.wait(rank);
    for (Index i = 0; i < values_.size(); ++i) {
      if (values_[i].is_sum() && values_[i].readers > 0) add(line, i);
    }
    for (const auto& result : results) line.move(place_of(result.value), result.output);
    for (int rank = 1; rank < schedule_.world; ++rank) {
      line.signal(Lane::kCompute, rank, 0);
      ProgramBuilder peer(schedule_.ranks[static_cast<Index>(rank)], rank);
      peer.signal(Lane::kCompute, 0, rank);
      peer.wait(0);
    }
    return std::move(schedule_);
  }

 private:
  void add(ProgramBuilder& line, Index sum) {
    std::vector<Region> sources;
    for (const Index operand : values_[sum].operands) sources.push_back(place_of(operand));
    slots_[sum] = slot_for(values_[sum]);
    line.add(place_of(sum), sources);
  }

  // A partial that is read once makes room for the sum that reads it.
  std::int32_t slot_for(const Value& sum) {
    const Index first = sum.operands.front();
    if (values_[first].is_sum() && values_[first].readers == 1 &&
        values_[first].region.element == sum.region.element) {
      return slots_[first];
    }
    schedule_.slot_bytes.push_back(sum.region.byte_count());
    return static_cast<std::int32_t>(schedule_.slot_bytes.size()) - 1;
  }

  Region place_of(Index value) const {
    const Region& region = values_[value].region;
    if (!values_[value].is_sum()) return region;
    return {Space::kSlot, region.element, 0, slots_[value], 0, region.count};
  }

  const std::vector<Value>& values_;
  std::vector<std::int32_t> slots_;  // by value: where a sum lies
  Schedule schedule_;
};

}  // namespace

Schedule rewrite_for_one_process(const Schedule& schedule) {
  const ValueFlow flow(schedule);
  std::vector<Value> values = flow.values();
  count_readers(values, flow.results());
  join_unrounded_sums(values);
  return OneLine(schedule, values).write(flow.results());
}

}  // namespace kimi3
