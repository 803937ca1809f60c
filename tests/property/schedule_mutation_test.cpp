// The test of the proof: schedules that are wrong in one place must be refused, and by the
// explorer, which knows nothing of the proof, as well.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/schedule/proof.h"
#include "runtime/schedule/schedule.h"
#include "tests/property/explorer.h"
#include "tests/property/mutations.h"

namespace kimi3 {
namespace {

struct Shape {
  Arithmetic arithmetic{};
  int world = 0;
  int pieces = 1;
};

Schedule schedule_of(const Shape& shape) {
  const bool ring = shape.arithmetic != Arithmetic::kFp32RankOrder;
  return make_schedule({ring ? Algorithm::kDmaRing : Algorithm::kTwoShot,
                        shape.arithmetic,
                        shape.world,
                        shape.pieces,
                        std::int64_t{8} * shape.world * shape.pieces,
                        {}});
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (int world = 2; world <= 4; ++world) {
    all.push_back({Arithmetic::kFp32RankOrder, world, 1});
    for (int pieces = 1; pieces <= 3; ++pieces) {
      all.push_back({Arithmetic::kBf16HopSum, world, pieces});
      all.push_back({Arithmetic::kFp32OwnerPacket, world, pieces});
    }
  }
  return all;
}

std::string name_of(const Shape& shape) {
  return fmt::format("{}_world{}_pieces{}", to_string(shape.arithmetic), shape.world, shape.pieces);
}

class ScheduleMutation : public ::testing::TestWithParam<Shape> {};

TEST_P(ScheduleMutation, ProofAndExplorerRefuse) {
  const Shape& shape = GetParam();
  const Schedule schedule = schedule_of(shape);
  for (const Mutation mutation : kMutations) {
    int refused = 0;
    int mutants = 0;
    for_each_mutant(schedule, mutation, [&](const Schedule& mutant, const std::string& where) {
      const ProofResult proof = prove(mutant);
      const Exploration exploration = explore(mutant, Interleavings::kReduced);
      ++mutants;
      refused += proof.proven() ? 0 : 1;
      EXPECT_EQ(proof.proven(), exploration.correct())
          << to_string(mutation) << ": " << where
          << "\nproof: " << (proof.proven() ? "proven" : proof.refusal->message)
          << "\nexplorer: " << (exploration.correct() ? "correct" : exploration.fault);
      if (shape.world >= 3) {
        EXPECT_FALSE(proof.proven()) << to_string(mutation) << ": " << where;
      }
    });
    fmt::print("{} {}: refused {} of {}\n", name_of(shape), to_string(mutation), refused, mutants);
  }
}

// The reduction of the explorer is an argument; here it is held against all interleavings.
TEST(ScheduleExplorer, ReductionLosesNothing) {
  for (const Arithmetic arithmetic :
       {Arithmetic::kFp32RankOrder, Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket}) {
    const Schedule schedule = schedule_of({arithmetic, 2, 1});
    EXPECT_EQ(explore(schedule, Interleavings::kAll).fault, "");
    for (const Mutation mutation : kMutations) {
      for_each_mutant(schedule, mutation, [&](const Schedule& mutant, const std::string& where) {
        EXPECT_EQ(explore(mutant, Interleavings::kAll).correct(),
                  explore(mutant, Interleavings::kReduced).correct())
            << to_string(arithmetic) << " " << to_string(mutation) << ": " << where;
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllShapes, ScheduleMutation, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return name_of(shape.param); });

}  // namespace
}  // namespace kimi3
