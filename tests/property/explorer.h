// Walks the interleavings of a schedule, state by state: the witness that the proof is checked
// against. It shares nothing with the proof but the data structure, and holds no cleverness that
// the proof holds: memory is an array with a value for every two bytes, two accesses race when both
// could be the next, and sums are spelt out element by element.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

enum class Interleavings {
  kAll,      // every one; small schedules only
  kReduced,  // one of each class that cannot be told apart; see explorer.cpp
};

struct Exploration {
  std::string fault;  // the first that was found; empty: the schedule is right
  std::int64_t states = 0;

  bool correct() const { return fault.empty(); }
};

// Three back-to-back calls, with one pair of caller buffers, two pairs in turn, and in place. The
// schedule's indices must be in range, its offsets and counts need not.
Exploration explore(const Schedule& schedule, Interleavings which);

}  // namespace kimi3
