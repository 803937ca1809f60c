#include "runtime/schedule/proof.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "runtime/schedule/geometry.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

// Two ranks, two shards of 8 elements. Of each rank:
//   copy     0 put input -> slot 0 of the peer    1 put output -> slot 1 of the peer
//   flag     0 signal                             1 signal
//   compute  0 wait  1 add input, slot 0 -> output  2 wait  3 move slot 1 -> output
Schedule two_shot() {
  return make_schedule({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 2, 1, 16, {}});
}

Schedule ring(Arithmetic arithmetic, int world) {
  return make_schedule({Algorithm::kDmaRing, arithmetic, world, 1, 8 * world, {}});
}

Step& step(Schedule& schedule, std::size_t rank, Lane lane, std::size_t index) {
  return schedule.ranks[rank].lane(lane)[index];
}

Region& operand(Schedule& schedule, std::size_t rank, Lane lane, std::size_t index,
                std::int32_t number) {
  const std::int32_t at = step(schedule, rank, lane, index).first_operand + number;
  return schedule.ranks[rank].operands[static_cast<std::size_t>(at)];
}

std::string refusal_of(const Schedule& schedule) {
  const ProofResult result = prove(schedule);
  return result.proven() ? "proven" : result.refusal->message;
}

TEST(Proof, CountsStepsAndPairs) {
  const ProofResult result = prove(two_shot());
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.steps, 16);
  EXPECT_EQ(result.ordered_pairs, 256);
}

TEST(Proof, ProverProvesARequestOnce) {
  Prover prover;
  const ScheduleRequest request{Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 4, 2, 64, {}};
  const ProofResult& first = prover.prove(request);
  EXPECT_TRUE(first.proven());
  EXPECT_EQ(&prover.prove(request), &first);
}

TEST(ProofOfMemory, RegionsLieInTheirBuffers) {
  Schedule schedule = two_shot();
  step(schedule, 0, Lane::kCopy, 0).dst.offset = 8;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) writes 8 elements from 8 on of slot 0 of "
            "rank 1, which has 8");
  step(schedule, 0, Lane::kCopy, 0).dst.offset = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) writes 8 elements from 9223372036854775807 "
            "on of slot 0 of rank 1, which has 8");
  step(schedule, 0, Lane::kCopy, 0).dst.slot = 2;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) writes slot 2, and there are 2");
  step(schedule, 0, Lane::kCopy, 0).dst.rank = 2;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) writes memory of rank 2");
}

TEST(ProofOfMemory, SlotsAreAsLargeAsWhatIsPutIntoThem) {
  Schedule schedule = two_shot();
  schedule.slot_bytes[1] -= 2;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 1, call 1) writes 8 elements from 0 on of slot 1 of "
            "rank 1, which has 7");
}

TEST(ProofOfMemory, VectorsAreAligned) {
  Schedule schedule = two_shot();
  operand(schedule, 0, Lane::kCompute, 1, 0).offset = 4;
  EXPECT_EQ(refusal_of(schedule),
            "memory: add (rank 0, compute step 1, call 1) reads bytes 8..24 of the input of rank "
            "0, which do not start on 16 bytes");
}

TEST(ProofOfMemory, OnlyTheEndOfThePayloadIsNoWholeVector) {
  EXPECT_EQ(
      refusal_of(make_schedule({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 2, 1, 13, {}})),
      "proven");
  Schedule schedule = two_shot();
  step(schedule, 0, Lane::kCopy, 0).dst.count = 7;
  operand(schedule, 0, Lane::kCopy, 0, 0).count = 7;
  operand(schedule, 0, Lane::kCopy, 0, 0).offset = 0;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) writes bytes 0..14 of slot 0 of rank 1, "
            "which are no whole vectors of 16 bytes");
}

TEST(ProofOfMemory, InputsAreNotWritten) {
  Schedule schedule = two_shot();
  step(schedule, 1, Lane::kCompute, 3).dst.space = Space::kInput;
  EXPECT_EQ(refusal_of(schedule), "memory: move (rank 1, compute step 3, call 1) writes an input");
}

TEST(ProofOfMemory, OperandsFitTheStep) {
  Schedule schedule = two_shot();
  operand(schedule, 0, Lane::kCompute, 1, 1).count = 0;
  EXPECT_EQ(refusal_of(schedule),
            "memory: add (rank 0, compute step 1, call 1) has 0 elements for 8");
  schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 1).operand_count = 5;
  EXPECT_EQ(refusal_of(schedule),
            "memory: add (rank 0, compute step 1, call 1) has operands that are not there");
  schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 3).operand_count = 0;
  EXPECT_EQ(refusal_of(schedule),
            "memory: move (rank 0, compute step 3, call 1) does not have one source");
  schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 1).operand_count = 0;
  EXPECT_EQ(refusal_of(schedule),
            "memory: add (rank 0, compute step 1, call 1) has nothing to add");
  schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 0).operand_count = 1;
  EXPECT_EQ(refusal_of(schedule), "memory: wait (rank 0, compute step 0, call 1) has operands");
  schedule = two_shot();
  operand(schedule, 0, Lane::kCopy, 0, 0).element = Element::kFp32;
  operand(schedule, 0, Lane::kCopy, 0, 0).offset = 0;
  EXPECT_EQ(refusal_of(schedule),
            "memory: put (rank 0, copy step 0, call 1) copies BF16 to FP32 or FP32 to BF16");
}

// The output may be the input, and then this add would overwrite what it still has to read.
TEST(ProofOfMemory, NothingIsOverwrittenWhileItIsRead) {
  Schedule schedule =
      make_schedule({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 2, 1, 32, {}});
  step(schedule, 0, Lane::kCompute, 1).dst.offset = 8;
  EXPECT_EQ(refusal_of(schedule),
            "memory: add (rank 0, compute step 1, call 1) reads bytes 0..32 of the input of rank 0 "
            "and writes bytes 16..48 of the output of rank 0, which overlap in part");
}

TEST(ProofOfMemory, FlagsExist) {
  Schedule schedule = two_shot();
  step(schedule, 0, Lane::kFlag, 1).flag = 2;
  EXPECT_EQ(refusal_of(schedule),
            "memory: signal (rank 0, flag step 1, call 1) is on flag 2, and there are 2");
  step(schedule, 0, Lane::kFlag, 1).flag_rank = -1;
  EXPECT_EQ(refusal_of(schedule),
            "memory: signal (rank 0, flag step 1, call 1) is on a flag of no rank: -1");
  schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 0).flag_rank = 1;
  EXPECT_EQ(refusal_of(schedule),
            "memory: wait (rank 0, compute step 0, call 1) is on a flag of rank 1");
}

TEST(ProofOfMemory, EdgesExist) {
  Schedule schedule = two_shot();
  schedule.ranks[1].edges[0].to = 3;
  EXPECT_EQ(refusal_of(schedule), "memory: rank 1 has an edge to copy step 3, and there are 2");
  schedule.ranks[1].edges[0].from = -2;
  EXPECT_EQ(refusal_of(schedule),
            "memory: rank 1 has an edge from compute step -2, and there are 4");
}

TEST(ProofOfMemory, TheWholeFitsTogether) {
  Schedule schedule = two_shot();
  schedule.world = 3;
  EXPECT_EQ(refusal_of(schedule), "memory: 2 programs for 3 ranks");
  schedule.world = 65;
  EXPECT_EQ(refusal_of(schedule), "memory: the world is 65, and not 2 to 64");
  schedule = two_shot();
  schedule.arithmetic = Arithmetic::kBackendDefined;
  EXPECT_EQ(refusal_of(schedule), "memory: no arithmetic is declared");
  schedule = two_shot();
  schedule.elements = 0;
  EXPECT_EQ(refusal_of(schedule), "memory: a payload of 0 elements, and not 1 to 281474976710656");
  schedule = two_shot();
  schedule.flags = -1;
  EXPECT_EQ(refusal_of(schedule), "memory: -1 flags, and not 0 to 4096");
  schedule = two_shot();
  schedule.slot_bytes[0] = -16;
  EXPECT_EQ(refusal_of(schedule), "memory: a slot of -16 bytes");
  schedule = ring(Arithmetic::kBf16HopSum, 2);
  schedule.order = {1, 1};
  EXPECT_EQ(refusal_of(schedule), "memory: the order is no order of the ranks");
  schedule = ring(Arithmetic::kBf16HopSum, 2);
  schedule.elements = 17;
  EXPECT_EQ(refusal_of(schedule), "memory: 17 elements cannot be cut into 2 equal shards");
}

TEST(ProofOfMemory, LanesAreShortEnoughForTheClocks) {
  Schedule schedule = two_shot();
  std::vector<Step>& steps = schedule.ranks[0].lane(Lane::kFlag);
  steps.resize(10921, steps[0]);
  EXPECT_EQ(refusal_of(schedule),
            "memory: rank 0 has 10921 steps on its flag lane; the proof reads 10920");
}

TEST(ProofOfProgress, EverySignalHasAWait) {
  Schedule schedule = two_shot();
  step(schedule, 0, Lane::kFlag, 1).flag = 1;
  EXPECT_EQ(refusal_of(schedule),
            "progress: flag 0 of rank 1 has 1 signals and 2 waits in a call; see wait (rank 1, "
            "compute step 2, call 1)");
}

TEST(ProofOfProgress, NoLaneWaitsForEver) {
  Schedule schedule = two_shot();
  schedule.ranks[0].edges.push_back({Lane::kCompute, 1, Lane::kCopy, 0, false});
  EXPECT_EQ(refusal_of(schedule), "proven");
  schedule.ranks[1].edges.push_back({Lane::kCompute, 1, Lane::kCopy, 0, false});
  EXPECT_EQ(refusal_of(schedule),
            "progress: put (rank 0, copy step 0, call 1) waits for ever for add (rank 0, compute "
            "step 1, call 1)");
}

// What capture needs may hold a lane back, and for ever.
TEST(ProofOfProgress, StructuralEdgesCanBlock) {
  Schedule schedule = two_shot();
  schedule.ranks[0].edges.push_back({Lane::kFlag, 0, Lane::kCopy, 0, true});
  EXPECT_EQ(refusal_of(schedule),
            "progress: put (rank 0, copy step 0, call 1) waits for ever for signal (rank 0, flag "
            "step 0, call 1)");
}

TEST(ProofOfProgress, SignalsOfAFlagAreOrdered) {
  Schedule schedule =
      make_schedule({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 3, 1, 24, {}});
  for (RankProgram& program : schedule.ranks) {
    for (const Lane lane : kLanes) {
      for (Step& at : program.lane(lane)) {
        if (at.flag >= 0) at.flag = 0;
      }
    }
  }
  EXPECT_EQ(refusal_of(schedule),
            "progress: nothing orders signal (rank 2, flag step 0, call 1) and signal (rank 1, "
            "flag step 1, call 1), both on flag 0 of rank 0");
}

TEST(ProofOfRaces, NamesBothStepsAndTheirBytes) {
  Schedule schedule = two_shot();
  std::erase_if(schedule.ranks[1].edges,
                [](const Edge& edge) { return edge.to_lane == Lane::kFlag && edge.to == 0; });
  const ProofResult result = prove(schedule);
  ASSERT_FALSE(result.proven());
  EXPECT_EQ(result.refusal->message,
            "races: nothing orders put (rank 1, copy step 0, call 1), which writes bytes 0..16 of "
            "slot 0 of rank 0, and add (rank 0, compute step 1, call 1), which reads bytes 0..16 "
            "of slot 0 of rank 0");
  EXPECT_EQ(result.refusal->property, Property::kRaces);
  EXPECT_EQ(result.refusal->buffers, std::nullopt);
  const Region slot{Space::kSlot, Element::kBf16, 0, 0, 0, 8};
  EXPECT_EQ(result.refusal->first, (StepReference{1, Lane::kCopy, 0, 1, StepKind::kPut, slot}));
  EXPECT_EQ(result.refusal->second, (StepReference{0, Lane::kCompute, 1, 1, StepKind::kAdd, slot}));
}

TEST(ProofOfRaces, TheCallerMayOverwriteWhatIsBeingSentInPlace) {
  Schedule schedule = two_shot();
  std::erase_if(schedule.ranks[0].edges, [](const Edge& edge) {
    return edge.from_lane == Lane::kCopy && edge.to_lane == Lane::kCompute;
  });
  EXPECT_EQ(refusal_of(schedule),
            "races: nothing orders put (rank 0, copy step 1, call 1), which reads bytes 0..16 of "
            "the output of rank 0, and the caller's write (rank 0, start of compute, call 2), "
            "which writes bytes 0..16 of the input of rank 0 (caller's buffers: in place)");
  EXPECT_EQ(prove(schedule).refusal->buffers, CallerBuffers::kInPlace);
}

TEST(ProofOfRaces, StructuralEdgesOrderNothing) {
  Schedule schedule = two_shot();
  for (Edge& edge : schedule.ranks[0].edges) edge.structural = true;
  EXPECT_EQ(refusal_of(schedule),
            "races: nothing orders the caller's write (rank 0, start of compute, call 1), which "
            "writes bytes 16..32 of the input of rank 0, and put (rank 0, copy step 0, call 1), "
            "which reads bytes 16..32 of the input of rank 0 (caller's buffers: one pair)");
}

TEST(ProofOfValues, DroppedDoubledAndReordered) {
  Schedule schedule = two_shot();
  step(schedule, 0, Lane::kCompute, 1).operand_count = 1;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): the input of rank 1 is dropped; see add (rank 0, compute step 1, "
            "call 1) (caller's buffers: one pair)");
  schedule = two_shot();
  operand(schedule, 0, Lane::kCompute, 1, 1) = operand(schedule, 0, Lane::kCompute, 1, 0);
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): the input of rank 0 is added twice; see add (rank 0, compute step "
            "1, call 1) (caller's buffers: one pair)");
  schedule = two_shot();
  std::swap(operand(schedule, 1, Lane::kCompute, 1, 0), operand(schedule, 1, Lane::kCompute, 1, 1));
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 16..32 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): the input of rank 1 is added where that of rank 0 is due; see add "
            "(rank 1, compute step 1, call 1) (caller's buffers: one pair)");
}

TEST(ProofOfValues, RoundedWhereItIsDeclared) {
  Schedule schedule = ring(Arithmetic::kBf16HopSum, 3);
  schedule.arithmetic = Arithmetic::kFp32OwnerPacket;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 2, at the caller's read (rank 2, end of "
            "compute, call 1): the sum is rounded after rank 1; see add (rank 1, compute step 1, "
            "call 1) (caller's buffers: one pair)");
  schedule = ring(Arithmetic::kFp32OwnerPacket, 3);
  schedule.arithmetic = Arithmetic::kBf16HopSum;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 2, at the caller's read (rank 2, end of "
            "compute, call 1): the sum is not rounded after rank 1; see add (rank 2, compute step "
            "3, call 1) (caller's buffers: one pair)");
}

TEST(ProofOfValues, ReadAsWhatItIs) {
  Schedule schedule = two_shot();
  schedule.slot_bytes[0] *= 2;
  operand(schedule, 0, Lane::kCompute, 1, 1).element = Element::kFp32;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): an add takes BF16 for FP32 or FP32 for BF16; see add (rank 0, "
            "compute step 1, call 1) (caller's buffers: one pair)");
}

TEST(ProofOfValues, ElementByElement) {
  Schedule schedule = two_shot();
  operand(schedule, 0, Lane::kCompute, 1, 0).offset = 8;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): different elements are added to each other; see add (rank 0, "
            "compute step 1, call 1) (caller's buffers: one pair)");
  schedule = two_shot();
  schedule.ranks[0].edges.push_back({Lane::kCompute, 3, Lane::kCopy, 1, false});
  operand(schedule, 0, Lane::kCopy, 1, 0).offset = 8;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): the sum is that of the elements from 8 on; see move (rank 1, "
            "compute step 3, call 1) (caller's buffers: one pair)");
}

TEST(ProofOfValues, WrittenBeforeTheyAreRead) {
  Schedule schedule = two_shot();
  operand(schedule, 0, Lane::kCompute, 1, 0).space = Space::kOutput;
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 0..16 of the output of rank 1, at the caller's read (rank 1, end of "
            "compute, call 1): no step has written what they hold; see move (rank 1, compute step "
            "3, call 1) (caller's buffers: one pair)");
}

// What a backend that owns all ranks may make of a two-shot: no slots, no copies of the input; each
// rank reads its peers' memory, between three rounds of signals.
Schedule direct_two_shot(int rounds) {
  Schedule schedule = two_shot();
  schedule.slot_bytes.clear();
  for (int rank = 0; rank < 2; ++rank) {
    const int peer = 1 - rank;
    RankProgram& program = schedule.ranks[static_cast<std::size_t>(rank)];
    program = {};
    ProgramBuilder build(program, rank);
    const auto shard = [](Space space, int holder, int index) {
      return Region{space, Element::kBf16, static_cast<std::int16_t>(holder), 0, 8 * index, 8};
    };
    const auto meet = [&] {
      build.signal(Lane::kCompute, peer, rank);
      build.wait(peer);
    };
    meet();
    build.add(shard(Space::kOutput, rank, rank),
              std::array{shard(Space::kInput, 0, rank), shard(Space::kInput, 1, rank)});
    if (rounds > 1) meet();
    build.move(shard(Space::kOutput, peer, peer), shard(Space::kOutput, rank, peer));
    if (rounds > 2) meet();
  }
  return schedule;
}

// Rank 0 adds, and sends both shards, whose terms differ, as one region through one slot.
Schedule served_by_rank_0() {
  Schedule schedule = ring(Arithmetic::kBf16HopSum, 2);
  schedule.slot_bytes = {32};
  const auto bytes = [](Space space, int holder, int shard, int shards) {
    return Region{space, Element::kBf16, static_cast<std::int16_t>(holder),
                  0,     8 * shard,      8 * shards};
  };
  for (RankProgram& program : schedule.ranks) program = {};
  ProgramBuilder server(schedule.ranks[0], 0);
  server.wait(0);
  for (int shard = 0; shard < 2; ++shard) {
    server.add(bytes(Space::kOutput, 0, shard, 1),
               std::array{bytes(Space::kInput, shard, shard, 1),
                          bytes(Space::kInput, 1 - shard, shard, 1)});
  }
  server.move(bytes(Space::kOutput, 0, 0, 2), bytes(Space::kSlot, 1, 0, 2));
  server.signal(Lane::kCompute, 1, 0);
  ProgramBuilder client(schedule.ranks[1], 1);
  client.signal(Lane::kCompute, 0, 0);
  client.wait(0);
  client.move(bytes(Space::kSlot, 1, 0, 2), bytes(Space::kOutput, 1, 0, 2));
  return schedule;
}

TEST(ProofOfRewritten, TermsAreToldApartWhereNoRegionEnds) {
  Schedule schedule = served_by_rank_0();
  EXPECT_EQ(refusal_of(schedule), "proven");
  std::swap(operand(schedule, 0, Lane::kCompute, 2, 0), operand(schedule, 0, Lane::kCompute, 2, 1));
  EXPECT_EQ(refusal_of(schedule),
            "values: bytes 16..32 of the output of rank 0, at the caller's read (rank 0, end of "
            "compute, call 1): the input of rank 0 is added where that of rank 1 is due; see add "
            "(rank 0, compute step 2, call 1) (caller's buffers: one pair)");
}

TEST(ProofOfRewritten, RanksMayReadEachOthersMemory) {
  EXPECT_EQ(refusal_of(direct_two_shot(3)), "proven");
  EXPECT_EQ(refusal_of(direct_two_shot(2)),
            "races: nothing orders the caller's write (rank 1, start of compute, call 2), which "
            "writes bytes 16..32 of the input of rank 1, and move (rank 0, compute step 5, call "
            "1), which reads bytes 16..32 of the output of rank 1 (caller's buffers: in place)");
  EXPECT_EQ(refusal_of(direct_two_shot(1)),
            "values: bytes 16..32 of the output of rank 0, at the caller's read (rank 0, end of "
            "compute, call 1): no step has written what they hold; see move (rank 0, compute step "
            "3, call 1) (caller's buffers: one pair)");
}

}  // namespace
}  // namespace kimi3
