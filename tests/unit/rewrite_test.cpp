#include "runtime/schedule/rewrite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kimi3/error.h"
#include "runtime/schedule/proof.h"

namespace kimi3 {
namespace {

Schedule make(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces,
              std::int64_t elements) {
  return make_schedule({algorithm, arithmetic, world, pieces, elements, {}});
}

std::int64_t count_steps(const Schedule& schedule, StepKind kind) {
  std::int64_t count = 0;
  for (const RankProgram& program : schedule.ranks) {
    for (const Lane lane : kLanes) {
      count += std::count_if(program.lane(lane).begin(), program.lane(lane).end(),
                             [&](const Step& step) { return step.kind == kind; });
    }
  }
  return count;
}

TEST(Linearise, HasEveryStepOnceAndKeepsEveryEdge) {
  const Schedule schedule = make(Algorithm::kDmaRing, Arithmetic::kFp32OwnerPacket, 4, 2, 256);
  const std::vector<StepPlace> order = linearise(schedule);
  std::map<std::tuple<int, Lane, int>, std::size_t> position;
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[{order[i].rank, order[i].lane, order[i].index}] = i;
  }
  std::size_t steps = 0;
  for (int rank = 0; rank < schedule.world; ++rank) {
    const RankProgram& program = schedule.ranks[static_cast<std::size_t>(rank)];
    for (const Lane lane : kLanes) {
      steps += program.lane(lane).size();
      for (int i = 1; i < static_cast<int>(program.lane(lane).size()); ++i) {
        EXPECT_LT(position.at({rank, lane, i - 1}), position.at({rank, lane, i}));
      }
    }
    for (const Edge& edge : program.edges) {
      const bool ends = edge.to == static_cast<int>(program.lane(edge.to_lane).size());
      if (edge.from == Edge::kEntry || ends) continue;
      EXPECT_LT(position.at({rank, edge.from_lane, edge.from}),
                position.at({rank, edge.to_lane, edge.to}));
    }
  }
  EXPECT_EQ(position.size(), steps);
}

TEST(Linearise, NamesTheStepThatCanNeverStart) {
  Schedule schedule = make(Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 2, 1, 64);
  std::vector<Step>& lane = schedule.ranks[1].lane(Lane::kFlag);
  lane.erase(lane.begin() + 1);
  std::vector<Edge>& edges = schedule.ranks[1].edges;
  edges.erase(std::remove_if(edges.begin(), edges.end(),
                             [](const Edge& e) { return e.to_lane == Lane::kFlag && e.to == 1; }),
              edges.end());
  try {
    linearise(schedule);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "the schedule deadlocks: step 2 of rank 0's compute lane, a wait, can never start");
  }
}

// Seven hops of eight shards of two pieces stay seven adds each, one after another in one slot.
TEST(Rewrite, ARingOfHopsKeepsItsAddsAndNoCopy) {
  const Schedule line =
      rewrite_for_one_process(make(Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 8, 2, 8 * 2 * 64));
  EXPECT_EQ(count_steps(line, StepKind::kPut), 0);
  EXPECT_EQ(count_steps(line, StepKind::kAdd), 8 * 2 * 7);
  EXPECT_EQ(count_steps(line, StepKind::kMove), 8 * 2 * 8);
  EXPECT_EQ(line.slot_bytes, std::vector<std::int64_t>(16, 64 * 2));
}

// FP32 partials are joined: one add of eight inputs for each piece, in the order of the ring.
TEST(Rewrite, ARingOfPacketsBecomesOneAddAPiece) {
  const Schedule line = rewrite_for_one_process(
      make(Algorithm::kDmaRing, Arithmetic::kFp32OwnerPacket, 8, 2, 8 * 2 * 64));
  EXPECT_EQ(count_steps(line, StepKind::kAdd), 8 * 2);
  const RankProgram& program = line.ranks[0];
  for (const Step& step : program.lane(Lane::kCompute)) {
    if (step.kind != StepKind::kAdd) continue;
    const auto sources = program.operands_of(step);
    ASSERT_EQ(sources.size(), 8U);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::int64_t shard = sources[i].offset / 128;
      EXPECT_EQ(sources[i].space, Space::kInput);
      EXPECT_EQ(sources[i].rank, (shard + static_cast<std::int64_t>(i)) % 8);
    }
  }
}

TEST(Rewrite, EveryRankEntersBeforeTheFirstAddAndLeavesAfterTheLastMove) {
  const Schedule line =
      rewrite_for_one_process(make(Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 3, 1, 255));
  const auto& steps = line.ranks[0].lane(Lane::kCompute);
  std::vector<StepKind> kinds;
  for (const Step& step : steps) kinds.push_back(step.kind);
  using enum StepKind;
  EXPECT_EQ(kinds, (std::vector{kWait, kWait, kAdd, kAdd, kAdd, kMove, kMove, kMove, kMove, kMove,
                                kMove, kMove, kMove, kMove, kSignal, kSignal}));
  for (std::size_t rank = 1; rank < 3; ++rank) {
    const auto& peer = line.ranks[rank].lane(Lane::kCompute);
    ASSERT_EQ(peer.size(), 2U);
    EXPECT_EQ(peer[0].kind, kSignal);
    EXPECT_EQ(peer[1].kind, kWait);
  }
}

TEST(Rewrite, IsIdempotentInWhatItAddsUp) {
  for (const Arithmetic arithmetic : {Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket}) {
    const Schedule once =
        rewrite_for_one_process(make(Algorithm::kDmaRing, arithmetic, 5, 3, 5 * 3 * 8));
    const Schedule twice = rewrite_for_one_process(once);
    EXPECT_EQ(once.ranks[0].lanes, twice.ranks[0].lanes);
    EXPECT_EQ(once.ranks[0].operands, twice.ranks[0].operands);
  }
}

std::string proof_of(const Schedule& schedule) {
  const ProofResult result = prove(schedule);
  return result.proven() ? "proven" : result.refusal->message;
}

// What is run passes the proof that what is baked passes.
TEST(Rewrite, IsProvenForEveryWorldAndEveryLegalPieces) {
  for (int world = 2; world <= 10; ++world) {
    for (int pieces = 1; pieces <= kMaxPieces; ++pieces) {
      for (const auto arithmetic : {Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket}) {
        EXPECT_EQ(proof_of(rewrite_for_one_process(
                      make(Algorithm::kDmaRing, arithmetic, world, pieces, world * pieces * 8))),
                  "proven")
            << to_string(arithmetic) << " world " << world << " pieces " << pieces;
      }
    }
    for (const std::int64_t elements : {1, world - 1, world * 8, 255 * 35}) {
      EXPECT_EQ(proof_of(rewrite_for_one_process(
                    make(Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, world, 1, elements))),
                "proven")
          << "two_shot world " << world << " elements " << elements;
    }
  }
}

TEST(Rewrite, IsProvenForOtherOrdersOfTheRing) {
  std::vector<int> order{3, 0, 5, 1, 4, 2};
  do {
    EXPECT_EQ(proof_of(rewrite_for_one_process(make_schedule(
                  {Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 6, 1, 6 * 8, order}))),
              "proven");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Rewrite, RefusesAScheduleThatReadsWhatNothingWrote) {
  Schedule schedule = make(Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 2, 1, 64);
  schedule.ranks[0].operands[2].slot = 1;  // of the add: where only the result will come
  std::string message;
  try {
    rewrite_for_one_process(schedule);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "the schedule reads what no step wrote: slot 1 of rank 0, elements 0 to 32");
}

}  // namespace
}  // namespace kimi3
