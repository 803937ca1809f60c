#include "runtime/schedule/proof.h"

#include <memory_resource>

#include "runtime/schedule/proof_memory.h"
#include "runtime/schedule/proof_order.h"
#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/proof_references.h"
#include "runtime/schedule/proof_report.h"
#include "runtime/schedule/proof_values.h"

namespace kimi3 {
namespace proof {
namespace {

// A value that is cut where no region ends is followed by cutting there and walking again. Right
// schedules need none; each cut that a wrong one needs follows from one before.
constexpr int kMaxWalks = 16;

// What a walk takes, generously: 120 bytes a step for large worlds, more for small ones.
constexpr std::size_t kArenaBytes = std::size_t{16} << 10U;
constexpr std::size_t kArenaBytesPerStep = 192;

std::int64_t count_steps(const Schedule& schedule) {
  std::size_t steps = 0;
  for (const RankProgram& program : schedule.ranks) {
    for (const std::vector<Step>& lane : program.lanes) steps += lane.size();
  }
  return static_cast<std::int64_t>(steps);
}

// One walk; adds to `cuts` where cells must be cut before values can be judged.
ProofResult walk(const Schedule& schedule, std::vector<Cut>& cuts) {
  // In one piece: where fresh pages are dear, walking over many costs more than the walk.
  std::pmr::monotonic_buffer_resource arena(
      kArenaBytes + kArenaBytesPerStep * static_cast<std::size_t>(count_steps(schedule)));
  const Program program = compile(schedule, cuts, arena);
  Terms terms(schedule.world, kProvenCalls, arena);
  const Specification specification(schedule, terms, arena);
  Array<Memory> memories(&arena);
  memories.reserve(kCallerBuffers.size());
  for (const CallerBuffers buffers : kCallerBuffers) {
    memories.emplace_back(program, terms, specification, buffers, arena);
  }
  ProofResult result;
  result.refusal = Walk(program, memories, Reporter(schedule, program, terms), arena).run();
  for (const Memory& memory : memories) {
    result.ordered_pairs += memory.ordered_pairs();
    cuts.insert(cuts.end(), memory.cuts().begin(), memory.cuts().end());
  }
  return result;
}

}  // namespace
}  // namespace proof

ProofResult prove(const Schedule& schedule) {
  ProofResult result;
  result.refusal = proof::check_memory(schedule);
  if (!result.refusal) result.refusal = proof::check_flags(schedule);
  if (result.refusal) return result;
  std::vector<proof::Cut> cuts;
  for (int walks = 0; walks < proof::kMaxWalks; ++walks) {
    const std::size_t known = cuts.size();
    result = proof::walk(schedule, cuts);
    const bool judged = !result.refusal || result.refusal->property != Property::kValues;
    if (judged || cuts.size() == known) break;
  }
  result.steps = proof::count_steps(schedule);
  return result;
}

const ProofResult& Prover::prove(const ScheduleRequest& request) {
  const Key key{request.algorithm, request.arithmetic, request.world,
                request.pieces,    request.elements,   request.order};
  const auto known = results_.find(key);
  if (known != results_.end()) return known->second;
  return results_.emplace(key, kimi3::prove(make_schedule(request))).first->second;
}

}  // namespace kimi3
