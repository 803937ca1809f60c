// The vector code of the host backend, chosen at run time for the machine's best target.
#pragma once

#include <cstdint>
#include <span>

#include "kimi3/bfloat16.h"

namespace kimi3::host {

enum class Rounding {
  kOnce,   // the whole sum in FP32, rounded at its end
  kEvery,  // after every add
};

// destination[i] = sources[0][i] + sources[1][i] + …, left to right in FP32, for every destination
// and 0 <= i < count. A destination may be one of the sources, exactly.
struct SumStrip {
  std::span<const bfloat16* const> sources;  // two at least
  std::span<bfloat16* const> destinations;
  std::int64_t count = 0;
  Rounding rounding{};
  // Write past the caches, where the destinations are aligned alike; visible to other threads after
  // the next release operation of this one, as any store.
  bool stream = false;
};

void sum_strip(const SumStrip& strip);

}  // namespace kimi3::host
