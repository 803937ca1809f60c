#include "runtime/schedule/proof_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/schedule/proof_wording.h"

namespace kimi3::proof {

StepReference Reporter::step(LaneId lane, std::uint32_t position, int call) const {
  const auto rank = static_cast<int>(lane / kLanes.size());
  const Node& node = program_.nodes[program_.lanes[lane].first + position];
  StepReference reference{
      rank, kLanes[lane % kLanes.size()], static_cast<std::int32_t>(position) - 1, call, {}, {}};
  if (node.step != nullptr) reference.kind = node.step->kind;
  return reference;
}

StepReference Reporter::step(Epoch epoch) const {
  const LaneId lane = lane_of(epoch);
  const std::uint32_t node = static_cast<std::uint32_t>(tick_of(epoch)) - 1;
  const std::uint32_t count = program_.lanes[lane].count;
  return step(lane, node % count, static_cast<int>(node / count) + 1);
}

Refusal Reporter::deadlock(const StepReference& blocked, const StepReference& awaited) const {
  return refusal(Property::kProgress,
                 fmt::format("{} waits for ever for {}", describe(blocked), describe(awaited)),
                 blocked, awaited);
}

Refusal Reporter::unordered_on_flag(Epoch earlier, Epoch later) const {
  const StepReference first = step(earlier);
  const StepReference second = step(later);
  const Node& node = program_.nodes[program_.lanes[lane_of(later)].first +
                                    static_cast<std::uint32_t>(second.index + 1)];
  return refusal(
      Property::kProgress,
      fmt::format("nothing orders {} and {}, both on flag {} of rank {}", describe(first),
                  describe(second), node.step->flag, node.step->flag_rank),
      first, second);
}

Refusal Reporter::access(const Finding& finding, Epoch later, CallerBuffers buffers) const {
  // A slot is where it is, wherever the caller's buffers are.
  const bool slot = finding.cell < program_.slot_cells;
  const auto where = slot ? std::nullopt : std::optional(buffers);
  return finding.property == Property::kRaces ? race(finding, later, where)
                                              : wrong_value(finding, later, where);
}

Refusal Reporter::race(const Finding& finding, Epoch later,
                       std::optional<CallerBuffers> buffers) const {
  StepReference first = step(finding.earlier);
  StepReference second = step(later);
  first.region = accessed(first, finding.cell, finding.earlier_writes);
  second.region = accessed(second, finding.cell, finding.later_writes);
  return refusal(Property::kRaces,
                 fmt::format("nothing orders {}, which {} {}, and {}, which {} {}", describe(first),
                             finding.earlier_writes ? "writes" : "reads", describe(*first.region),
                             describe(second), finding.later_writes ? "writes" : "reads",
                             describe(*second.region)),
                 first, second, buffers);
}

Refusal Reporter::wrong_value(const Finding& finding, Epoch reader,
                              std::optional<CallerBuffers> buffers) const {
  StepReference read = step(reader);
  read.region = cell_region(Space::kOutput, finding.cell);
  std::string text =
      fmt::format("{}, at {}: {}", describe(*read.region), describe(read), difference(finding));
  if (finding.earlier == 0) return refusal(Property::kValues, text, read, {}, buffers);
  const StepReference cause = step(finding.earlier);
  text += fmt::format("; see {}", describe(cause));
  return refusal(Property::kValues, text, cause, read, buffers);
}

std::string Reporter::difference(const Finding& finding) const {
  const Content& content = finding.content;
  if (content.term != finding.declared) return terms_.difference(content.term, finding.declared);
  if (content.element != Element::kBf16) return "the sum is left in FP32";
  return fmt::format("the sum is that of the elements from {} on",
                     content.position / element_bytes(content.element));
}

bool Reporter::covers(const Region& region, std::uint32_t cell) const {
  const std::uint32_t buffer = program_.buffer_of(cell);
  const std::int64_t byte = program_.cell_begins[cell];
  return buffer_of_region(schedule_, region) == buffer && region.byte_offset() <= byte &&
         byte < region.byte_offset() + region.byte_count();
}

Region Reporter::cell_region(Space space, std::uint32_t cell) const {
  const std::int64_t bytes = element_bytes(Element::kBf16);
  return {space,
          Element::kBf16,
          static_cast<std::int16_t>(program_.buffer_of(cell) - program_.slot_buffers),
          0,
          program_.cell_begins[cell] / bytes,
          program_.cell_bytes[cell] / bytes};
}

// Which of the step's regions the cell is in; the caller's is the cell alone.
Region Reporter::accessed(const StepReference& step, std::uint32_t cell, bool written) const {
  if (!step.kind) {
    return cell_region(step.index == Edge::kEntry ? Space::kInput : Space::kOutput, cell);
  }
  const RankProgram& program = schedule_.ranks[static_cast<std::size_t>(step.rank)];
  const Step& at = program.lane(step.lane)[static_cast<std::size_t>(step.index)];
  if (written) return at.dst;
  const std::span<const Region> operands = program.operands_of(at);
  return *std::find_if(operands.begin(), operands.end(),
                       [&](const Region& operand) { return covers(operand, cell); });
}

}  // namespace kimi3::proof
