// Turns what the walk and the memories find into refusals that name steps.
#pragma once

#include <optional>
#include <string>

#include "runtime/schedule/proof.h"
#include "runtime/schedule/proof_memory.h"
#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/proof_values.h"

namespace kimi3::proof {

class Reporter {
 public:
  Reporter(const Schedule& schedule, const Program& program, const Terms& terms)
      : schedule_(schedule), program_(program), terms_(terms) {}

  StepReference step(LaneId lane, std::uint32_t position, int call) const;
  StepReference step(Epoch epoch) const;

  Refusal deadlock(const StepReference& blocked, const StepReference& awaited) const;
  // Two signals of a flag, or two waits.
  Refusal unordered_on_flag(Epoch earlier, Epoch later) const;
  Refusal access(const Finding& finding, Epoch later, CallerBuffers buffers) const;

 private:
  Region cell_region(Space space, std::uint32_t cell) const;
  Region accessed(const StepReference& step, std::uint32_t cell, bool written) const;
  bool covers(const Region& region, std::uint32_t cell) const;
  Refusal race(const Finding& finding, Epoch later, std::optional<CallerBuffers> buffers) const;
  Refusal wrong_value(const Finding& finding, Epoch reader,
                      std::optional<CallerBuffers> buffers) const;
  std::string difference(const Finding& finding) const;

  const Schedule& schedule_;
  const Program& program_;
  const Terms& terms_;
};

}  // namespace kimi3::proof
