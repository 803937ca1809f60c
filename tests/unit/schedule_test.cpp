#include "runtime/schedule/schedule.h"

#include <gmock/gmock.h>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

using ::testing::HasSubstr;

ScheduleRequest ring(Arithmetic arithmetic, int world, int pieces, std::int64_t elements) {
  return {Algorithm::kDmaRing, arithmetic, world, pieces, elements, {}};
}

std::string message_of(const ScheduleRequest& request) {
  try {
    make_schedule(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    return error.what();
  }
  return "no error";
}

TEST(Schedule, RingHasTwoTimesWorldMinusOneStepsAPiece) {
  for (int world = 2; world <= 10; ++world) {
    const Schedule schedule = make_schedule(ring(Arithmetic::kBf16HopSum, world, 2, 64 * world));
    for (const RankProgram& program : schedule.ranks) {
      EXPECT_EQ(program.lane(Lane::kCopy).size(), 2U * 2U * static_cast<unsigned>(world - 1));
    }
  }
}

// The published slab is 0.19 GiB: two times as many slots, and none of them shared.
TEST(Schedule, RingSlabOfTheLargestExampleShape) {
  const std::int64_t elements = std::int64_t{3072} * 7168;
  const auto bytes = [&](Arithmetic arithmetic) {
    return slab_layout(make_schedule(ring(arithmetic, 8, 2, elements))).bytes;
  };
  EXPECT_EQ(bytes(Arithmetic::kBf16HopSum), 44'040'192 + 2 * 128);
  EXPECT_EQ(bytes(Arithmetic::kFp32OwnerPacket), 88'080'384 + 2 * 128);
}

TEST(Schedule, RefusesAPayloadThatTheRingCannotShard) {
  EXPECT_EQ(message_of(ring(Arithmetic::kBf16HopSum, 8, 1, 3071 * 3585)),
            "no schedule for dma_ring bf16_hop_sum of 11009535 elements over 8 ranks in 1 pieces: "
            "the payload is not divisible by 64");
}

TEST(Schedule, RefusesIllegalPieces) {
  EXPECT_THAT(message_of(ring(Arithmetic::kBf16HopSum, 8, 2, 64)), HasSubstr("cannot be cut so"));
  EXPECT_THAT(message_of(ring(Arithmetic::kBf16HopSum, 8, 9, 64 * 9)),
              HasSubstr("cannot be cut so"));
  EXPECT_THAT(message_of(ring(Arithmetic::kBf16HopSum, 8, 0, 64)), HasSubstr("cannot be cut so"));
}

TEST(Schedule, DigestIsSharedByShapesAndDiffersByPiecesArithmeticAndWorld) {
  const auto digest = [](Arithmetic arithmetic, int world, int pieces) {
    return schedule_digest(Algorithm::kDmaRing, arithmetic, world, pieces);
  };
  const std::string base = digest(Arithmetic::kBf16HopSum, 8, 2);
  EXPECT_NE(base, digest(Arithmetic::kBf16HopSum, 8, 1));
  EXPECT_NE(base, digest(Arithmetic::kFp32OwnerPacket, 8, 2));
  EXPECT_NE(base, digest(Arithmetic::kBf16HopSum, 7, 2));
}

}  // namespace
}  // namespace kimi3
