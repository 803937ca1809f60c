// The tests of the change that introduced the switches, by their names: capacity selection, the
// threshold and its neighbours, the world gate, the chunk gate.
#include "exporter/selection.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace kimi3 {
namespace {

TEST(PrefillReductionRows, ReturnsTheRequestWithinTheChunkAtWorldEight) {
  EXPECT_EQ(prefill_reduction_rows(1, 8, 3072), 1);
  EXPECT_EQ(prefill_reduction_rows(3071, 8, 3072), 3071);
  EXPECT_EQ(prefill_reduction_rows(3072, 8, 3072), 3072);
}

TEST(PrefillReductionRows, ChunkGate) {
  EXPECT_EQ(prefill_reduction_rows(3073, 8, 3072), 0);
  EXPECT_EQ(prefill_reduction_rows(std::numeric_limits<std::int64_t>::max(), 8, 3072), 0);
  EXPECT_EQ(inert_reason(3073, 8, 3072), "it is above the prefill chunk of 3072");
}

TEST(PrefillReductionRows, WorldEightGate) {
  for (std::int64_t world = 2; world <= 64; ++world) {
    EXPECT_EQ(prefill_reduction_rows(3072, world, 3072), world == 8 ? 3072 : 0) << world;
  }
  EXPECT_EQ(inert_reason(3072, 4, 3072), "the ring needs world size 8, this variant has 4");
}

TEST(PrefillReductionRows, OffIsNotInert) {
  EXPECT_EQ(prefill_reduction_rows(0, 8, 3072), 0);
  EXPECT_EQ(inert_reason(0, 4, 3072), "");
  EXPECT_EQ(inert_reason(3072, 8, 3072), "");
}

TEST(ReductionRuntime, ThresholdAndBothNeighbours) {
  EXPECT_EQ(reduction_runtime(Mode::kPrefill, 3071, 3072), Algorithm::kTwoShot);
  EXPECT_EQ(reduction_runtime(Mode::kPrefill, 3072, 3072), Algorithm::kDmaRing);
  EXPECT_EQ(reduction_runtime(Mode::kPrefill, 3073, 3072), Algorithm::kDmaRing);
  EXPECT_EQ(reduction_reason(Mode::kPrefill, 3071, 3072), "3071 rows < 3072");
  EXPECT_EQ(reduction_reason(Mode::kPrefill, 3072, 3072), "3072 rows >= 3072");
}

TEST(ReductionRuntime, PrefillIsTwoShotWhileTheRingIsInert) {
  EXPECT_EQ(reduction_runtime(Mode::kPrefill, 3072, 0), Algorithm::kTwoShot);
  EXPECT_EQ(reduction_reason(Mode::kPrefill, 3072, 0), "the ring is off");
}

TEST(ReductionRuntime, DecodeVerifyAndDraftNeverRing) {
  for (const Mode mode : {Mode::kDecode, Mode::kVerify, Mode::kDraft}) {
    for (const std::int64_t rows : {1, 64, 3072}) {
      EXPECT_EQ(reduction_runtime(mode, rows, 1), Algorithm::kRegular);
      EXPECT_EQ(reduction_runtime(mode, rows, 0), Algorithm::kRegular);
    }
  }
  EXPECT_EQ(reduction_reason(Mode::kVerify, 64, 1), "verify never rings");
}

// A piece of a split shard has 512 KiB or more: 524,288 elements of BF16 a shard.
TEST(DefaultPieces, TwoFromOneMebibyteAShard) {
  EXPECT_EQ(default_pieces(524'288), 2);
  EXPECT_EQ(default_pieces(524'288 - 16), 1);
  EXPECT_EQ(default_pieces(524'288 + 8), 1) << "half of it is no whole vector";
  EXPECT_EQ(default_pieces(std::int64_t{3072} * 7168 / 8), 2);
  EXPECT_EQ(default_pieces(std::int64_t{3072} * 3584 / 8), 2);
  EXPECT_EQ(default_pieces(std::int64_t{1024} * 3584 / 8), 1);
}

}  // namespace
}  // namespace kimi3
