// The words of a plan, as types; each prints and parses as it is spelt in the files.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace kimi3 {

// What a captured execution graph is for.
enum class Mode { kPrefill, kDecode, kVerify, kDraft };

enum class Algorithm {
  kRegular,  // the server's ordinary collective
  kTwoShot,  // exact: every shard is summed once, by its owner, in rank order
  kDmaRing,  // copy-engine ring: reduce-scatter, then all-gather
};

// How a sum is rounded; docs/arithmetic.md has the formulas.
enum class Arithmetic { kBackendDefined, kFp32RankOrder, kBf16HopSum, kFp32OwnerPacket };

enum class DType { kBfloat16 };

inline constexpr std::array kModes{Mode::kPrefill, Mode::kDecode, Mode::kVerify, Mode::kDraft};
inline constexpr std::array kAlgorithms{Algorithm::kRegular, Algorithm::kTwoShot,
                                        Algorithm::kDmaRing};
inline constexpr std::array kArithmetics{Arithmetic::kBackendDefined, Arithmetic::kFp32RankOrder,
                                         Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket};
inline constexpr std::array kDTypes{DType::kBfloat16};

std::string_view to_string(Mode mode);
std::string_view to_string(Algorithm algorithm);
std::string_view to_string(Arithmetic arithmetic);
std::string_view to_string(DType dtype);

// The value of `values` that is spelt `text`: parse_word(kModes, "decode").
template <typename Values>
std::optional<typename Values::value_type> parse_word(const Values& values, std::string_view text) {
  for (const auto value : values) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace kimi3
