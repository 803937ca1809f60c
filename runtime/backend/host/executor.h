// The host backend in one process that owns every rank: what a schedule comes to, strip by strip,
// on the cores that there are.
#pragma once

#include <cstdint>
#include <span>

#include "kimi3/bfloat16.h"
#include "runtime/backend/host/sum_plan.h"
#include "runtime/backend/host/worker_pool.h"

namespace kimi3::host {

// The cores that this process may run on, one at least.
int available_cores();

class Executor {
 public:
  // `workers` threads in all, 0 for one a core, shared by `channels` channels. Throws kMachine
  // where a thread cannot be started.
  Executor(int workers, int channels);

  // Reduces inputs[r] of every rank r into outputs[r], all of one size that the schedule of `sums`
  // exists for. outputs[r] may be inputs[r]; no other two of them may overlap where one is an
  // output. One call at a time on a channel; any number on different ones.
  void reduce(int channel, const SumPlan& sums, std::span<const std::span<const bfloat16>> inputs,
              std::span<const std::span<bfloat16>> outputs);

 private:
  WorkerPool pool_;
};

}  // namespace kimi3::host
