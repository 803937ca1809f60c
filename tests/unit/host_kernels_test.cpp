#include <gmock/gmock.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/backend/host/kernels.h"
#include "runtime/numeric/oracle.h"

namespace kimi3::host {
namespace {

using Payload = std::vector<bfloat16>;

// Dispatches to one vector target; afterwards to the machine's best again.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { choose(target); }
  ~OnlyTarget() { choose(0); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// Those that this machine has and that the kernels are compiled for.
std::vector<std::int64_t> targets_of_this_machine() { return hwy::SupportedAndGeneratedTargets(); }

class HostKernels : public ::testing::TestWithParam<std::int64_t> {
 protected:
  // Any bits at all, every special value among them often.
  static Payload any_bits(std::size_t count, std::mt19937& engine) {
    const Payload specials{{0x0000}, {0x8000}, {0x0001}, {0x807F}, {0x7F7F},
                           {0x7F80}, {0xFF80}, {0x7FC0}, {0xFFFF}};
    Payload payload(count);
    for (bfloat16& value : payload) {
      const auto draw = engine();
      value = draw % 8 == 0 ? specials[draw / 8 % specials.size()]
                            : bfloat16{static_cast<std::uint16_t>(draw >> 16U)};
    }
    return payload;
  }

  static Payload expected_sum(const std::vector<Payload>& sources, Rounding rounding) {
    Payload expected(sources.front().size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      float sum = to_float(sources[0][i]);
      for (std::size_t s = 1; s < sources.size(); ++s) {
        sum += to_float(sources[s][i]);
        if (rounding == Rounding::kEvery) sum = to_float(round_to_bfloat16(sum));
      }
      expected[i] = round_to_bfloat16(sum);
    }
    return expected;
  }

  // The sum of `count` elements that start `shift` elements into their buffers, on every
  // destination; what lies around them stays.
  static void check(std::size_t world, std::size_t count, std::size_t shift, Rounding rounding,
                    bool stream, std::mt19937& engine) {
    constexpr std::size_t kMargin = 64;
    constexpr bfloat16 kUntouched{0xABCD};
    std::vector<Payload> sources;
    std::vector<Payload> results(world, Payload(count + shift + kMargin, kUntouched));
    std::vector<const bfloat16*> from;
    std::vector<bfloat16*> to;
    for (std::size_t r = 0; r < world; ++r) sources.push_back(any_bits(count, engine));
    for (const Payload& source : sources) from.push_back(source.data());
    for (Payload& result : results) to.push_back(result.data() + shift);
    sum_strip({from, to, static_cast<std::int64_t>(count), rounding, stream});
    Payload expected(shift, kUntouched);
    const Payload sum = expected_sum(sources, rounding);
    expected.insert(expected.end(), sum.begin(), sum.end());
    expected.resize(expected.size() + kMargin, kUntouched);
    for (const Payload& result : results) {
      ASSERT_EQ(result, expected) << "world " << world << " count " << count << " shift " << shift
                                  << (stream ? " streamed" : "");
    }
  }
};

TEST_P(HostKernels, EqualScalarCodeAtEveryLengthAndAlignment) {
  const OnlyTarget only(GetParam());
  std::mt19937 engine(1);
  for (const Rounding rounding : {Rounding::kOnce, Rounding::kEvery}) {
    for (const bool stream : {false, true}) {
      for (const std::size_t world : {2U, 3U, 8U}) {
        for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 1000U, 4099U}) {
          for (const std::size_t shift : {0U, 1U, 8U, 31U}) {
            check(world, count, shift, rounding, stream, engine);
          }
        }
      }
    }
  }
}

// Each pair of a pattern and a partner, at both ends of a pair of lanes.
TEST_P(HostKernels, EqualScalarCodeForEveryPattern) {
  const OnlyTarget only(GetParam());
  for (const bfloat16 partner :
       Payload{{0x0000}, {0x8000}, {0x0001}, {0x3F80}, {0x3F81}, {0x7F7F}, {0xFF80}}) {
    std::vector<Payload> sources(3);
    for (std::uint32_t bits = 0; bits < 65'536; ++bits) {
      sources[bits % 3].push_back({static_cast<std::uint16_t>(bits)});
      sources[(bits + 1) % 3].push_back(partner);
      sources[(bits + 2) % 3].push_back({static_cast<std::uint16_t>(bits * 40'503U)});
    }
    for (const Rounding rounding : {Rounding::kOnce, Rounding::kEvery}) {
      Payload result(sources[0].size());
      bfloat16* const to = result.data();
      const std::vector<const bfloat16*> from{sources[0].data(), sources[1].data(),
                                              sources[2].data()};
      sum_strip({from, {&to, 1}, static_cast<std::int64_t>(result.size()), rounding, false});
      ASSERT_EQ(result, expected_sum(sources, rounding)) << partner.bits;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, HostKernels, ::testing::ValuesIn(targets_of_this_machine()),
                         [](const auto& target) {
                           return std::string(hwy::TargetName(target.param));
                         });

}  // namespace
}  // namespace kimi3::host
