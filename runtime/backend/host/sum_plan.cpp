#include "runtime/backend/host/sum_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "kimi3/error.h"
#include "runtime/schedule/rewrite.h"

namespace kimi3::host {
namespace {

[[noreturn]] void refuse(std::string_view why) {
  throw malformed(fmt::format("the host cannot sum this schedule in one pass: {}", why));
}

// Reads the adds and moves of rank 0's compute lane, one after another.
class LineReader {
 public:
  explicit LineReader(const Schedule& line) : line_(line) {}

  std::vector<Sum> read() {
    const RankProgram& program = line_.ranks.front();
    for (const Step& step : program.lane(Lane::kCompute)) {
      if (step.kind == StepKind::kAdd) add(step.dst, program.operands_of(step));
      if (step.kind == StepKind::kMove) deliver(program.operands_of(step).front(), step.dst);
    }
    std::vector<Sum> sums;
    for (auto& [begin, delivery] : delivered_) {
      if (std::find(delivery.to.begin(), delivery.to.end(), false) != delivery.to.end()) {
        refuse(fmt::format("the sum of elements {} on does not reach every rank", begin));
      }
      sums.push_back(std::move(delivery.sum));
    }
    check_complete(sums);
    return sums;
  }

 private:
  struct Delivery {
    Sum sum;
    std::vector<bool> to;  // by rank
  };

  void add(const Region& dst, std::span<const Region> operands) {
    Sum sum = begin_sum(operands.front());
    for (const Region& operand : operands.subspan(1)) append(sum, operand);
    const bool first = operands.front().space == Space::kInput;
    // With two ranks the one rounding is both the first and the last.
    if (operands.size() == 2 && line_.world > 2) {
      if (!first && sum.rounding != Rounding::kEvery) refuse("some adds are rounded, some are not");
      sum.rounding = Rounding::kEvery;
    } else if (!first) {
      refuse("a rounded sum is continued by an add of more than one input");
    }
    if (dst.space != Space::kSlot || dst.element != Element::kBf16) refuse("a sum is not rounded");
    partials_[dst.slot] = std::move(sum);
  }

  Sum begin_sum(const Region& operand) {
    if (operand.space == Space::kSlot) return partials_.at(operand.slot);
    Sum sum{.begin = operand.offset, .count = operand.count};
    append(sum, operand);
    return sum;
  }

  static void append(Sum& sum, const Region& operand) {
    if (operand.space != Space::kInput) refuse("a sum adds another sum after its first operand");
    if (operand.offset != sum.begin || operand.count != sum.count) {
      refuse("a sum adds different elements");
    }
    sum.path.push_back(operand.rank);
  }

  void deliver(const Region& source, const Region& output) {
    if (source.space != Space::kSlot) refuse("an input is copied to an output");
    const Sum& sum = partials_.at(source.slot);
    if (output.offset != sum.begin || output.count != sum.count) {
      refuse("a sum is delivered to other elements than it adds");
    }
    auto [at, fresh] = delivered_.try_emplace(output.offset);
    if (fresh) at->second = {sum, std::vector<bool>(static_cast<std::size_t>(line_.world))};
    if (at->second.sum != sum) refuse("ranks are given different sums");
    at->second.to[static_cast<std::size_t>(output.rank)] = true;
  }

  void check_complete(const std::vector<Sum>& sums) const {
    std::int64_t end = 0;
    for (const Sum& sum : sums) {
      if (sum.begin != end) refuse(fmt::format("elements {} on are not summed once", end));
      end += sum.count;
    }
    if (end != line_.elements) refuse(fmt::format("elements {} on are not summed once", end));
  }

  const Schedule& line_;
  std::map<std::int32_t, Sum> partials_;  // by slot
  std::map<std::int64_t, Delivery> delivered_;
};

constexpr std::int64_t kUnit = 8;  // elements of a sum in the smallest shape: one aligned vector

std::int64_t unit_payload(int world, int pieces) { return kUnit * world * pieces; }

}  // namespace

std::vector<Sum> read_sums(const Schedule& line) { return LineReader(line).read(); }

SumPlan::SumPlan(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces,
                 std::vector<int> order)
    : algorithm_(algorithm), world_(world) {
  sums_ = read_sums(rewrite_for_one_process(make_schedule({.algorithm = algorithm,
                                                           .arithmetic = arithmetic,
                                                           .world = world,
                                                           .pieces = pieces,
                                                           .elements = unit_payload(world, pieces),
                                                           .order = std::move(order)})));
}

std::int64_t SumPlan::sum_elements(std::int64_t elements) const {
  if (algorithm_ != Algorithm::kDmaRing) return two_shot_shard_elements(elements, world_);
  return elements / size();
}

}  // namespace kimi3::host
