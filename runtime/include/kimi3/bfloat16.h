// BF16 and its conversions, the one place where a sum is rounded: shared by the oracles, the host
// backend and device code.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__CUDACC__)
#define KIMI3_HOST_DEVICE __host__ __device__
#else
#define KIMI3_HOST_DEVICE
#endif

namespace kimi3 {

// The upper half of an IEEE 754 binary32.
struct bfloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(const bfloat16&, const bfloat16&) = default;
};
static_assert(sizeof(bfloat16) == 2);

// Exact.
KIMI3_HOST_DEVICE inline float to_float(bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

// To nearest, ties to even. Every NaN becomes 0x7FFF; infinities, subnormals and -0 stay, and what
// is too large for BF16 becomes infinity.
KIMI3_HOST_DEVICE inline bfloat16 round_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kInfinity = 0x7F800000U;
  if ((bits & 0x7FFFFFFFU) > kInfinity) return {0x7FFFU};
  // Half of the last kept bit, less one unless that bit is odd: carries exactly when it should.
  const std::uint32_t rounding = 0x7FFFU + ((bits >> 16U) & 1U);
  return {static_cast<std::uint16_t>((bits + rounding) >> 16U)};
}

}  // namespace kimi3
