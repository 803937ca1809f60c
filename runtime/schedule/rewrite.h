// Rewriting a schedule before it runs: pure functions from schedules to schedules.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

// One step of a schedule, by name.
struct StepPlace {
  std::int32_t rank = 0;
  Lane lane{};
  std::int32_t index = 0;
};

// Every step of one call, in an order that the lanes, the edges and the flags allow; the same for
// equal schedules. Throws kMalformed where there is none, naming a step that can never start.
std::vector<StepPlace> linearise(const Schedule& schedule);

// The same reduction for a process that owns every rank, as one straight line: rank 0 waits until
// every rank has entered the call, adds up what its peers hold where it lies, moves each result to
// every output, and lets the ranks leave.
//
// Copies are elided by following each value to where it was made: a put into a slot that is read
// once, a partial sum that waits in an output, the hops of the all-gather. A sum that travels in
// FP32 joins the add that reads it, in order, so that no FP32 is stored. What remains are adds from
// inputs into slots of rank 0, in their old order and with their old roundings, and after them the
// moves to the outputs: where a caller works in place, everything is read before any is written.
//
// Throws kMalformed for a schedule that deadlocks or reads what no step has written.
Schedule rewrite_for_one_process(const Schedule& schedule);

}  // namespace kimi3
