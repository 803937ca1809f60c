// How far a reduction is from the exact sum, and from another result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kimi3/bfloat16.h"

namespace kimi3 {

// The RMS error of `result` over the RMS error of one rounding: of the sum of the ranks' inputs in
// FP64, and of that sum rounded to BF16 once. 1 for 0/0; nothing where only one rounding has no
// error. Elements whose sum, or its rounding, is not finite do not count. `threads` as in
// fill_test_data; the ratio does not depend on them.
std::optional<double> rms_ratio(std::span<const std::span<const bfloat16>> inputs,
                                std::span<const bfloat16> result, int threads = 0);

// How many elements differ in any bit. Both of one size.
std::int64_t count_wrong(std::span<const bfloat16> result, std::span<const bfloat16> expected);

}  // namespace kimi3
