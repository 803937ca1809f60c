#include "runtime/numeric/test_data.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "runtime/numeric/blocks.h"

namespace kimi3 {
namespace {

using Engine = boost::random::mt19937_64;
// Boost's distributions are its code, the same everywhere; each standard library has its own.
using Normal = boost::random::normal_distribution<double>;

constexpr int kLargestExactSum = 256;  // up to here BF16 has every whole number
constexpr double kResidue = 0.4;       // what is left of cancelling data, in standard deviations

// The finaliser of SplitMix64, a bijection that spreads every bit over all.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

Engine engine_for(std::uint64_t seed, std::size_t rank, std::int64_t block) {
  return Engine(mix(mix(mix(seed) + rank) + static_cast<std::uint64_t>(block)));
}

double student_t3(Engine& engine, Normal& normal) {
  const double z = normal(engine);
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double value = normal(engine);
    squares += value * value;
  }
  return z / std::sqrt(squares / 3.0);
}

// One block of one rank's values; `sums` are those of the ranks before it, for cancelling data.
class BlockFiller {
 public:
  BlockFiller(DataKind kind, std::size_t world, std::size_t rank, Engine engine)
      : kind_(kind),
        last_(rank + 1 == world),
        engine_(engine),
        integer_(-kLargestExactSum / static_cast<int>(world),
                 kLargestExactSum / static_cast<int>(world)) {}

  void fill(std::span<bfloat16> values, std::span<double> sums) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = next(sums[i]);
      sums[i] += value;
      values[i] = round_to_bfloat16(static_cast<float>(value));
    }
  }

 private:
  double next(double sum_before) {
    switch (kind_) {
      case DataKind::kRandom:
        return normal_(engine_);
      case DataKind::kHeavyTailed:
        return student_t3(engine_, normal_);
      case DataKind::kCancelling:
        return last_ ? kResidue * normal_(engine_) - sum_before : normal_(engine_);
      case DataKind::kInteger:
        return integer_(engine_);
    }
    std::abort();
  }

  DataKind kind_;
  bool last_;
  Engine engine_;
  Normal normal_;
  boost::random::uniform_int_distribution<int> integer_;
};

}  // namespace

std::string_view to_string(DataKind kind) {
  switch (kind) {
    case DataKind::kRandom:
      return "random";
    case DataKind::kHeavyTailed:
      return "heavy-tailed";
    case DataKind::kCancelling:
      return "cancelling";
    case DataKind::kInteger:
      return "integer";
  }
  std::abort();
}

void fill_test_data(DataKind kind, std::uint64_t seed, std::span<const std::span<bfloat16>> ranks,
                    int threads) {
  const std::size_t elements = ranks.empty() ? 0 : ranks.front().size();
  for_each_block(elements, threads, [&](std::int64_t block, std::size_t begin, std::size_t end) {
    std::vector<double> sums(end - begin);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      BlockFiller(kind, ranks.size(), rank, engine_for(seed, rank, block))
          .fill(ranks[rank].subspan(begin, end - begin), sums);
    }
  });
}

}  // namespace kimi3
