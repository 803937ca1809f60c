// Schedules that are wrong in one place.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

enum class Mutation {
  kDeleteEdge,           // each edge that orders
  kDeleteSignalAndWait,  // each signal with the wait that it is for
  kDeleteSignal,
  kDeleteWait,
  kDeleteLastHandshake,  // of all ranks: each one's last signal on the compute lane, and its wait
  kSwapAdds,             // each add with the next one of its rank
  kSwapOperands,         // each operand of an add with the next one
  kShiftElement,         // each region by one element
  kShiftVector,          // each region by 16 bytes
  kShrinkSlot,           // each slot by 16 bytes
  kReuseSlotEarly,       // each piece that is put into a slot which was used before, one put early
};
inline constexpr std::array kMutations{
    Mutation::kDeleteEdge,   Mutation::kDeleteSignalAndWait, Mutation::kDeleteSignal,
    Mutation::kDeleteWait,   Mutation::kDeleteLastHandshake, Mutation::kSwapAdds,
    Mutation::kSwapOperands, Mutation::kShiftElement,        Mutation::kShiftVector,
    Mutation::kShrinkSlot,   Mutation::kReuseSlotEarly};

std::string_view to_string(Mutation mutation);

// Calls `visit` with each mutant of a generated schedule, and with where it differs.
void for_each_mutant(const Schedule& schedule, Mutation mutation,
                     const std::function<void(const Schedule&, const std::string&)>& visit);

}  // namespace kimi3
