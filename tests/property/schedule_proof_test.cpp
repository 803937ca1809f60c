// What is generated is proven: every world to 10, every legal number of pieces, any order of ranks,
// payloads that leave shards short or empty.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/schedule/proof.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

constexpr int kMaxTestedWorld = 10;

void expect_proven(const ScheduleRequest& request) {
  const ProofResult result = prove(make_schedule(request));
  EXPECT_TRUE(result.proven()) << fmt::format(
      "{} {} world {} pieces {} elements {} order {}: {}", to_string(request.algorithm),
      to_string(request.arithmetic), request.world, request.pieces, request.elements,
      fmt::join(request.order, ","), result.proven() ? "" : result.refusal->message);
  EXPECT_GT(result.ordered_pairs, 0);
}

std::vector<int> random_order(int world, std::mt19937& random) {
  std::vector<int> order(static_cast<std::size_t>(world));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

class RingProof : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(RingProof, EveryWorldAndEveryPieces) {
  for (int world = 2; world <= kMaxTestedWorld; ++world) {
    for (int pieces = 1; pieces <= kMaxPieces; ++pieces) {
      const std::int64_t smallest = std::int64_t{8} * world * pieces;
      expect_proven({Algorithm::kDmaRing, GetParam(), world, pieces, smallest, {}});
      expect_proven({Algorithm::kDmaRing, GetParam(), world, pieces, smallest * 385, {}});
    }
  }
}

TEST_P(RingProof, AnyOrderOfRanks) {
  std::mt19937 random(7);
  for (int world = 2; world <= kMaxTestedWorld; ++world) {
    for (int pieces = 1; pieces <= kMaxPieces; ++pieces) {
      expect_proven({Algorithm::kDmaRing, GetParam(), world, pieces,
                     std::int64_t{8} * world * pieces, random_order(world, random)});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothArithmetics, RingProof,
                         ::testing::Values(Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket),
                         [](const auto& arithmetic) {
                           return std::string(to_string(arithmetic.param));
                         });

TEST(TwoShotProof, EveryWorldAndRaggedPayloads) {
  for (int world = 2; world <= kMaxTestedWorld; ++world) {
    for (const std::int64_t elements :
         {std::int64_t{1}, std::int64_t{world - 1}, std::int64_t{8}, std::int64_t{8} * world - 1,
          std::int64_t{8} * world, std::int64_t{8} * world + 1, std::int64_t{255} * 3585,
          std::int64_t{3072} * 7168}) {
      expect_proven({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, world, 1, elements, {}});
    }
  }
}

TEST(TwoShotProof, TheStandInForTheRegularCollective) {
  expect_proven(
      {Algorithm::kRegular, Arithmetic::kFp32RankOrder, 8, 1, std::int64_t{64} * 7168, {}});
}

TEST(LargeWorldProof, SixtyFourRanks) {
  constexpr std::int64_t kElements = std::int64_t{8} * 64 * 2;
  expect_proven({Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 64, 2, kElements, {}});
  expect_proven({Algorithm::kDmaRing, Arithmetic::kFp32OwnerPacket, 64, 2, kElements, {}});
  expect_proven({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 64, 1, kElements, {}});
}

}  // namespace
}  // namespace kimi3
