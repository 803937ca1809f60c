// Payloads to try a reduction on, as docs/arithmetic.md defines them: the same on every machine,
// for every number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "kimi3/bfloat16.h"

namespace kimi3 {

enum class DataKind {
  kRandom,       // N(0, 1)
  kHeavyTailed,  // Student's t with 3 degrees of freedom
  kCancelling,   // all ranks but the last N(0, 1), the last minus their sum plus 0.4 N(0, 1)
  kInteger,      // whole numbers up to 256 / N in size, whose sums are exact in BF16
};
inline constexpr std::array kDataKinds{DataKind::kRandom, DataKind::kHeavyTailed,
                                       DataKind::kCancelling, DataKind::kInteger};

// "random", "heavy-tailed", "cancelling", "integer"; parse_word reads them back.
std::string_view to_string(DataKind kind);

// Fills the payload of every rank, all of one size, with `kind`, each value rounded to BF16. On
// `threads` threads, 0 for one a core; they change nothing but the time.
void fill_test_data(DataKind kind, std::uint64_t seed, std::span<const std::span<bfloat16>> ranks,
                    int threads = 0);

}  // namespace kimi3
