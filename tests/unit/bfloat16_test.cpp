#include "kimi3/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kimi3 {
namespace {

constexpr std::uint32_t kPatterns = 65'536;

bfloat16 pattern(std::uint32_t bits) { return {static_cast<std::uint16_t>(bits)}; }
float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Bfloat16, EveryPatternSurvivesTheWayThereAndBack) {
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float value = to_float(pattern(bits));
    const std::uint32_t expected = std::isnan(value) ? 0x7FFFU : bits;
    ASSERT_EQ(round_to_bfloat16(value).bits, expected) << bits;
  }
}

// Between each two neighbours: below the middle goes down, above it up, the middle to the even one.
TEST(Bfloat16, RoundsToNearestEvenBetweenAllNeighbours) {
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    const std::uint32_t below = bits << 16U;
    if ((bits & 0x7FFFU) >= 0x7F80U) continue;  // infinities and NaN have no neighbour above
    const auto up = static_cast<std::uint16_t>(bits + 1);
    const auto even = static_cast<std::uint16_t>((bits & 1U) != 0 ? up : bits);
    ASSERT_EQ(round_to_bfloat16(from_bits(below | 0x0001U)).bits, bits);
    ASSERT_EQ(round_to_bfloat16(from_bits(below | 0x7FFFU)).bits, bits);
    ASSERT_EQ(round_to_bfloat16(from_bits(below | 0x8000U)).bits, even);
    ASSERT_EQ(round_to_bfloat16(from_bits(below | 0x8001U)).bits, up);
    ASSERT_EQ(round_to_bfloat16(from_bits(below | 0xFFFFU)).bits, up);
  }
}

TEST(Bfloat16, EveryNanBecomesOne) {
  for (const std::uint32_t bits : {0x7F800001U, 0x7FC00000U, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU,
                                   0xFFC00000U, 0x7F80FFFFU}) {
    EXPECT_EQ(round_to_bfloat16(from_bits(bits)).bits, 0x7FFFU) << bits;
  }
}

TEST(Bfloat16, WhatIsTooLargeBecomesInfinity) {
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(round_to_bfloat16(largest).bits, 0x7F80U);
  EXPECT_EQ(round_to_bfloat16(-largest).bits, 0xFF80U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x7F7F7FFFU)).bits, 0x7F7FU);  // just below the last tie
  EXPECT_EQ(round_to_bfloat16(from_bits(0x7F7F8000U)).bits, 0x7F80U);  // that tie: even is infinity
}

TEST(Bfloat16, SubnormalsAndTheSignOfZeroStay) {
  EXPECT_EQ(round_to_bfloat16(-0.0F).bits, 0x8000U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x00010000U)).bits, 0x0001U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x80010000U)).bits, 0x8001U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x00008001U)).bits, 0x0001U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x00008000U)).bits, 0x0000U);
  EXPECT_EQ(round_to_bfloat16(from_bits(0x007FFFFFU)).bits, 0x0080U);  // the least normal number
}

}  // namespace
}  // namespace kimi3
