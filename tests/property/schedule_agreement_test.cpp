// Whatever is done to a schedule, the proof and the explorer agree on it.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "runtime/schedule/proof.h"
#include "tests/property/explorer.h"
#include "tests/property/schedule_generators.h"

namespace kimi3 {
namespace {

constexpr int kSchedulesACase = 20;  // the reduced walk is quick, all interleavings are not

RC_GTEST_PROP(ScheduleAgreement, ProofAndExplorerAgreeOnWhateverIsDone, ()) {
  for (int i = 0; i < kSchedulesACase; ++i) {
    const Schedule schedule = any_edited_schedule(4, 2);
    const ProofResult proof = prove(schedule);
    const Exploration exploration = explore(schedule, Interleavings::kReduced);
    RC_LOG() << "proof: " << (proof.proven() ? "proven" : proof.refusal->message)
             << "\nexplorer: " << exploration.fault << "\n";
    RC_ASSERT(proof.proven() == exploration.correct());
  }
}

RC_GTEST_PROP(ScheduleAgreement, ReductionLosesNothingOfWhateverIsDone, ()) {
  const Schedule schedule = any_edited_schedule(2, 1);
  RC_ASSERT(explore(schedule, Interleavings::kAll).correct() ==
            explore(schedule, Interleavings::kReduced).correct());
}

}  // namespace
}  // namespace kimi3
