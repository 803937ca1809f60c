// What can be said of a schedule step by step: that it refers to nothing that is not there.
#pragma once

#include <optional>

#include "runtime/schedule/proof.h"

namespace kimi3::proof {

// That every index, region and operand list fits: what all later parts of the proof rely on.
std::optional<Refusal> check_memory(const Schedule& schedule);

// That a call signals each flag as often as it waits for it.
std::optional<Refusal> check_flags(const Schedule& schedule);

// A lane's clock counts the steps of all calls, and a start and an end of each, in a Tick.
inline constexpr std::size_t kMaxLaneSteps = 32767 / kProvenCalls - 2;
inline constexpr int kMaxFlags = 4096;  // of a rank

}  // namespace kimi3::proof
