#include "runtime/schedule/proof_wording.h"

#include <fmt/format.h>

#include <cstdlib>

namespace kimi3 {

std::string_view to_string(Property property) {
  switch (property) {
    case Property::kMemory:
      return "memory";
    case Property::kProgress:
      return "progress";
    case Property::kRaces:
      return "races";
    case Property::kValues:
      return "values";
  }
  std::abort();
}

std::string_view to_string(CallerBuffers buffers) {
  switch (buffers) {
    case CallerBuffers::kOnePair:
      return "one pair";
    case CallerBuffers::kTwoPairs:
      return "two pairs in turn";
    case CallerBuffers::kInPlace:
      return "in place";
  }
  std::abort();
}

namespace proof {

std::string describe(const StepReference& step) {
  if (step.kind) {
    return fmt::format("{} (rank {}, {} step {}, call {})", to_string(*step.kind), step.rank,
                       to_string(step.lane), step.index, step.call);
  }
  const bool entry = step.index == Edge::kEntry;
  const std::string_view what = step.lane != Lane::kCompute ? "the call"
                                : entry                     ? "the caller's write"
                                                            : "the caller's read";
  return fmt::format("{} (rank {}, {} of {}, call {})", what, step.rank, entry ? "start" : "end",
                     to_string(step.lane), step.call);
}

std::string describe_buffer(const Region& region) {
  if (region.space == Space::kSlot) {
    return fmt::format("slot {} of rank {}", region.slot, region.rank);
  }
  return fmt::format("the {} of rank {}", to_string(region.space), region.rank);
}

std::string describe(const Region& region) {
  return fmt::format("bytes {}..{} of {}", region.byte_offset(),
                     region.byte_offset() + region.byte_count(), describe_buffer(region));
}

Refusal refusal(Property property, std::string_view message,
                const std::optional<StepReference>& first,
                const std::optional<StepReference>& second, std::optional<CallerBuffers> buffers) {
  std::string text = fmt::format("{}: {}", to_string(property), message);
  if (buffers) text += fmt::format(" (caller's buffers: {})", to_string(*buffers));
  return {property, buffers, first, second, std::move(text)};
}

}  // namespace proof
}  // namespace kimi3
