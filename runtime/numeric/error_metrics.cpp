#include "runtime/numeric/error_metrics.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "runtime/numeric/blocks.h"

namespace kimi3 {
namespace {

// Sums of squares.
struct Errors {
  double result = 0;
  double one_rounding = 0;
};

double square(double value) { return value * value; }

Errors errors_of(std::span<const std::span<const bfloat16>> inputs,
                 std::span<const bfloat16> result, std::size_t begin, std::size_t end) {
  Errors errors;
  for (std::size_t i = begin; i < end; ++i) {
    double exact = 0;
    for (const auto& input : inputs) exact += static_cast<double>(to_float(input[i]));
    const double rounded = to_float(round_to_bfloat16(static_cast<float>(exact)));
    if (!std::isfinite(rounded)) continue;
    errors.result += square(static_cast<double>(to_float(result[i])) - exact);
    errors.one_rounding += square(rounded - exact);
  }
  return errors;
}

}  // namespace

std::optional<double> rms_ratio(std::span<const std::span<const bfloat16>> inputs,
                                std::span<const bfloat16> result, int threads) {
  std::vector<Errors> blocks(static_cast<std::size_t>(block_count(result.size())));
  for_each_block(result.size(), threads,
                 [&](std::int64_t block, std::size_t begin, std::size_t end) {
                   blocks[static_cast<std::size_t>(block)] = errors_of(inputs, result, begin, end);
                 });
  Errors total;
  for (const Errors& block : blocks) {
    total.result += block.result;
    total.one_rounding += block.one_rounding;
  }
  if (total.one_rounding == 0) return total.result == 0 ? std::optional(1.0) : std::nullopt;
  return std::sqrt(total.result / total.one_rounding);
}

std::int64_t count_wrong(std::span<const bfloat16> result, std::span<const bfloat16> expected) {
  return std::transform_reduce(
      result.begin(), result.end(), expected.begin(), std::int64_t{0}, std::plus<>(),
      [](bfloat16 a, bfloat16 b) { return a == b ? std::int64_t{0} : std::int64_t{1}; });
}

}  // namespace kimi3
