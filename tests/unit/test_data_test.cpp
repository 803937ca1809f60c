#include "runtime/numeric/test_data.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "kimi3/vocabulary.h"
#include "runtime/numeric/error_metrics.h"
#include "runtime/numeric/oracle.h"

namespace kimi3 {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

using Payloads = std::vector<std::vector<bfloat16>>;

Payloads make(DataKind kind, std::size_t world, std::size_t elements, std::uint64_t seed = 1,
              int threads = 2) {
  Payloads ranks(world, std::vector<bfloat16>(elements));
  const std::vector<std::span<bfloat16>> spans(ranks.begin(), ranks.end());
  fill_test_data(kind, seed, spans, threads);
  return ranks;
}

std::optional<double> ratio(Arithmetic arithmetic, const Payloads& ranks) {
  const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
  std::vector<bfloat16> result(ranks.front().size());
  reduce_oracle(arithmetic, inputs, result);
  return rms_ratio(inputs, result);
}

TEST(TestData, KindsAreSpeltAsOnTheCommandLine) {
  EXPECT_EQ(parse_word(kDataKinds, "random"), DataKind::kRandom);
  EXPECT_EQ(parse_word(kDataKinds, "heavy-tailed"), DataKind::kHeavyTailed);
  EXPECT_EQ(parse_word(kDataKinds, "cancelling"), DataKind::kCancelling);
  EXPECT_EQ(parse_word(kDataKinds, "integer"), DataKind::kInteger);
}

TEST(TestData, DependsOnTheSeedAloneNotOnTheThreads) {
  for (const DataKind kind : kDataKinds) {
    const Payloads one = make(kind, 3, 200'000, 7, 1);
    EXPECT_EQ(one, make(kind, 3, 200'000, 7, 3)) << to_string(kind);
    EXPECT_NE(one, make(kind, 3, 200'000, 8, 1)) << to_string(kind);
    EXPECT_NE(one[0], one[1]) << to_string(kind);
  }
}

// Written down so that a machine or a library that makes other data is seen.
TEST(TestData, IsTheSameOnEveryMachine) {
  const auto first_bits = [](DataKind kind) {
    std::vector<std::uint16_t> bits;
    for (const auto& rank : make(kind, 2, 2, 42)) {
      for (const bfloat16 value : rank) bits.push_back(value.bits);
    }
    return bits;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(first_bits(DataKind::kRandom), ElementsAre(48900, 15577, 16079, 48939));
  EXPECT_THAT(first_bits(DataKind::kHeavyTailed), ElementsAre(49034, 16300, 16073, 48721));
  EXPECT_THAT(first_bits(DataKind::kCancelling), ElementsAre(48900, 15577, 16173, 48790));
  EXPECT_THAT(first_bits(DataKind::kInteger), ElementsAre(16916, 49910, 49816, 16976));
}

// The figures that are published for these data at world 8.
TEST(ErrorMetrics, HopSumsHaveTheKnownErrors) {
  const std::size_t elements = std::size_t{1} << 20U;
  const auto hops = [&](DataKind kind) {
    return ratio(Arithmetic::kBf16HopSum, make(kind, 8, elements));
  };
  EXPECT_THAT(hops(DataKind::kRandom), Optional(DoubleNear(2.22, 0.015)));
  EXPECT_THAT(hops(DataKind::kHeavyTailed), Optional(DoubleNear(2.17, 0.03)));
  EXPECT_THAT(hops(DataKind::kCancelling), Optional(DoubleNear(11.5, 0.1)));
  EXPECT_EQ(hops(DataKind::kInteger), 1.0);
}

TEST(ErrorMetrics, SumsInFp32AreOneRounding) {
  for (const DataKind kind : kDataKinds) {
    const Payloads ranks = make(kind, 8, std::size_t{1} << 18U);
    for (const auto arithmetic : {Arithmetic::kFp32RankOrder, Arithmetic::kFp32OwnerPacket}) {
      EXPECT_THAT(ratio(arithmetic, ranks), Optional(DoubleNear(1.0, 1e-4))) << to_string(kind);
    }
  }
}

TEST(ErrorMetrics, ZeroOverZeroIsOneAndAnErrorOverZeroIsNothing) {
  const std::vector<bfloat16> one{round_to_bfloat16(1.0F)};
  const std::vector<std::span<const bfloat16>> inputs{one, one};
  EXPECT_EQ(rms_ratio(inputs, std::vector{round_to_bfloat16(2.0F)}), 1.0);
  EXPECT_EQ(rms_ratio(inputs, std::vector{round_to_bfloat16(3.0F)}), std::nullopt);
}

TEST(ErrorMetrics, CountsElementsThatDifferInAnyBit) {
  const std::vector<bfloat16> zeros{{0x0000}, {0x8000}, {0x7FFF}, {0x3F80}};
  const std::vector<bfloat16> others{{0x8000}, {0x8000}, {0x7FC0}, {0x3F80}};
  EXPECT_EQ(count_wrong(zeros, zeros), 0);
  EXPECT_EQ(count_wrong(zeros, others), 2);
}

}  // namespace
}  // namespace kimi3
