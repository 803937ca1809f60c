#include "runtime/numeric/oracle.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

using Payload = std::vector<bfloat16>;

Payload payload(std::initializer_list<float> values) {
  Payload result;
  for (const float value : values) result.push_back(round_to_bfloat16(value));
  return result;
}

Payload bits(std::initializer_list<std::uint16_t> values) {
  Payload result;
  for (const std::uint16_t value : values) result.push_back({value});
  return result;
}

Payload reduce(Arithmetic arithmetic, const std::vector<Payload>& ranks,
               const std::vector<int>& order = {}) {
  const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
  Payload output(ranks.empty() ? 0 : ranks.front().size());
  reduce_oracle(arithmetic, inputs, output, order);
  return output;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    return error.what();
  }
  return "no error";
}

// 256 + 1 is a tie in BF16, whose spacing there is 2: hops lose each 1, FP32 loses none.
TEST(Oracle, HopsRoundEachTimeAndTheOthersOnce) {
  const std::vector<Payload> ranks{payload({256, 256, 256}), payload({1, 1, 1}),
                                   payload({1, 1, 1})};
  EXPECT_EQ(reduce(Arithmetic::kFp32RankOrder, ranks), payload({258, 258, 258}));
  EXPECT_EQ(reduce(Arithmetic::kFp32OwnerPacket, ranks), payload({258, 258, 258}));
  // Shard 0 starts at rank 0: (256 + 1) + 1. Shard 1 at rank 1: (1 + 1) + 256. Shard 2 at rank 2:
  // (1 + 256) + 1.
  EXPECT_EQ(reduce(Arithmetic::kBf16HopSum, ranks), payload({256, 258, 256}));
}

TEST(Oracle, TheRingFollowsItsOrder) {
  const std::vector<Payload> ranks{payload({256, 256, 256}), payload({1, 1, 1}),
                                   payload({1, 1, 1})};
  EXPECT_EQ(reduce(Arithmetic::kBf16HopSum, ranks, {1, 2, 0}), payload({258, 256, 256}));
}

// In FP32, 2^24 + 1 is a tie that falls back: where the large values come first, the small one is
// lost.
TEST(Oracle, Fp32OrderDecides) {
  const float large = 16'777'216.0F;
  const std::vector<Payload> ranks{payload({large, large, large}), payload({1, 1, 1}),
                                   payload({-large, -large, -large})};
  EXPECT_EQ(reduce(Arithmetic::kFp32RankOrder, ranks), payload({0, 0, 0}));
  // Shard 1: (1 - 2^24) + 2^24; shard 2: (-2^24 + 2^24) + 1.
  EXPECT_EQ(reduce(Arithmetic::kFp32OwnerPacket, ranks), payload({0, 1, 1}));
}

TEST(Oracle, KeepsInfinitiesSubnormalsAndTheSignOfZero) {
  const std::vector<Payload> ranks{bits({0x7F80, 0x7F80, 0x0001, 0x8000, 0x8000, 0x7F7F}),
                                   bits({0x3F80, 0xFF80, 0x0001, 0x8000, 0x0000, 0x7F7F})};
  const Payload expected = bits({0x7F80, 0x7FFF, 0x0002, 0x8000, 0x0000, 0x7F80});
  EXPECT_EQ(reduce(Arithmetic::kFp32RankOrder, ranks), expected);
  EXPECT_EQ(reduce(Arithmetic::kBf16HopSum, ranks), expected);
  EXPECT_EQ(reduce(Arithmetic::kFp32OwnerPacket, ranks), expected);
}

TEST(Oracle, MayReduceIntoAnInput) {
  std::vector<Payload> ranks{payload({1, 2, 3, 4}), payload({10, 20, 30, 40})};
  const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
  reduce_oracle(Arithmetic::kBf16HopSum, inputs, ranks[1]);
  EXPECT_EQ(ranks[1], payload({11, 22, 33, 44}));
}

TEST(Oracle, RefusesWhatItHasNoAnswerFor) {
  const std::vector<Payload> two{payload({1, 2, 3}), payload({1, 2, 3})};
  EXPECT_EQ(message_of([&] { reduce(Arithmetic::kBackendDefined, two); }),
            "backend_defined has no oracle");
  EXPECT_EQ(message_of([&] { reduce(Arithmetic::kBf16HopSum, two); }),
            "3 elements do not divide into 2 shards");
  EXPECT_EQ(message_of([&] { reduce(Arithmetic::kFp32RankOrder, {}); }),
            "a reduction needs the input of one rank at least");
  EXPECT_EQ(message_of([&] {
              reduce(Arithmetic::kFp32RankOrder, {payload({1, 2}), payload({1})});
            }),
            "the input of rank 1 has 1 elements, the output 2");
  EXPECT_EQ(message_of([&] {
              reduce(Arithmetic::kBf16HopSum, {payload({1, 2}), payload({1, 2})}, {0, 0});
            }),
            "the ring's order does not name each of 2 ranks once");
}

}  // namespace
}  // namespace kimi3
