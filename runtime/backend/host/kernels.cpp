// Compiled once for every vector target; Highway includes this file again for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/backend/host/kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/backend/host/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace kimi3::host::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

static_assert(std::endian::native == std::endian::little, "the halves of a pair are told apart so");

// A line of a cache, and what is summed before it is stored to the first destination: reads and
// writes overlap only where they alternate at this grain.
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kBlock = kLineBytes / sizeof(bfloat16);
// How many elements ahead of the reads the caches are told; half a page hides the memory's latency.
constexpr std::size_t kPrefetch = 1024;

// What is less than a line, before the first whole one and after the last.
template <Rounding kRounding>
void sum_rest(const SumStrip& strip, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    float sum = to_float(strip.sources[0][i]);
    for (const bfloat16* source : strip.sources.subspan(1)) {
      sum += to_float(source[i]);
      if (kRounding == Rounding::kEvery) sum = to_float(round_to_bfloat16(sum));
    }
    const bfloat16 rounded = round_to_bfloat16(sum);
    for (bfloat16* destination : strip.destinations) destination[i] = rounded;
  }
}

#if HWY_TARGET == HWY_SCALAR  // one lane, which cannot hold a pair

template <Rounding kRounding, bool kStream>
void sum_lines(const SumStrip& strip, std::size_t begin, std::size_t end) {
  sum_rest<kRounding>(strip, begin, end);
}

#else

// One lane of 32 bits is a pair of BF16. As an FP32 number each of them is its 16 bits above 16
// zeros: so a pair is two sums, one of the lower halves and one of the upper, without a shuffle.
using D32 = hn::CappedTag<std::uint32_t, kLineBytes / sizeof(std::uint32_t)>;
using DF = hn::Rebind<float, D32>;
using D16 = hn::Repartition<std::uint16_t, D32>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;

struct Pair {
  VF low;
  VF high;
};

HWY_INLINE const std::uint16_t* words(const bfloat16* data) { return &data->bits; }
HWY_INLINE std::uint16_t* words(bfloat16* data) { return &data->bits; }

HWY_INLINE V32 upper_half() { return hn::Set(D32(), 0xFFFF0000U); }

HWY_INLINE Pair load_pair(const bfloat16* source) {
  const V32 both = hn::BitCast(D32(), hn::LoadU(D16(), words(source)));
  return {hn::BitCast(DF(), hn::ShiftLeft<16>(both)),
          hn::BitCast(DF(), hn::And(both, upper_half()))};
}

// The BF16 nearest to each FP32 number, ties to even, in the upper half; below it is what is left
// of the carry. Every NaN becomes 0x7FFF. Not the AVX-512 conversion, which flushes subnormals.
HWY_INLINE V32 round_in_place(VF value) {
  const D32 d;
  const V32 bits = hn::BitCast(d, value);
  const V32 odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  const V32 rounded = hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7FFFU)));
  const auto nan = hn::RebindMask(d, hn::IsNaN(value));
  return hn::IfThenElse(nan, hn::Set(d, 0x7FFF0000U), rounded);
}

HWY_INLINE VF round_to_float(VF value) {
  return hn::BitCast(DF(), hn::And(round_in_place(value), upper_half()));
}

HWY_INLINE void store_pair(Pair sum, std::uint16_t* line) {
  const V32 low = hn::ShiftRight<16>(round_in_place(sum.low));
  const V32 high = hn::And(round_in_place(sum.high), upper_half());
  hn::Store(hn::BitCast(D16(), hn::Or(low, high)), D16(), line);
}

template <Rounding kRounding>
HWY_INLINE void sum_line(const SumStrip& strip, std::size_t at, std::uint16_t* line) {
  const std::size_t lanes = hn::Lanes(D16());
  for (std::size_t i = 0; i < kBlock; i += lanes) {
    Pair sum = load_pair(strip.sources[0] + at + i);
    for (std::size_t s = 1; s < strip.sources.size(); ++s) {
      const Pair own = load_pair(strip.sources[s] + at + i);
      sum.low = hn::Add(sum.low, own.low);
      sum.high = hn::Add(sum.high, own.high);
      if (kRounding == Rounding::kEvery && s + 1 < strip.sources.size()) {
        sum.low = round_to_float(sum.low);
        sum.high = round_to_float(sum.high);
      }
    }
    store_pair(sum, line + i);
  }
}

template <bool kStream>
HWY_INLINE void copy_line(const std::uint16_t* line, bfloat16* destination) {
  const D16 d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < kBlock; i += lanes) {
    if constexpr (kStream) {
      hn::Stream(hn::Load(d, line + i), d, words(destination) + i);
    } else {
      hn::StoreU(hn::Load(d, line + i), d, words(destination) + i);
    }
  }
}

template <Rounding kRounding, bool kStream>
void sum_lines(const SumStrip& strip, std::size_t begin, std::size_t end) {
  HWY_ALIGN std::uint16_t line[kBlock];
  for (std::size_t at = begin; at < end; at += kBlock) {
    const std::size_t ahead = std::min(at + kPrefetch, end - 1);
    for (const bfloat16* source : strip.sources) hwy::Prefetch(source + ahead);
    sum_line<kRounding>(strip, at, line);
    for (bfloat16* destination : strip.destinations) copy_line<kStream>(line, destination + at);
  }
}

#endif

HWY_INLINE std::size_t misalignment(const bfloat16* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kLineBytes;
}

template <Rounding kRounding>
void sum_rounded(const SumStrip& strip) {
  const auto count = static_cast<std::size_t>(strip.count);
  const std::size_t offset = misalignment(strip.destinations.front());
  const bool alike = std::all_of(strip.destinations.begin(), strip.destinations.end(),
                                 [&](bfloat16* data) { return misalignment(data) == offset; });
  const std::size_t head = std::min(count, (kLineBytes - offset) % kLineBytes / sizeof(bfloat16));
  const std::size_t lines_end = head + (count - head) / kBlock * kBlock;
  sum_rest<kRounding>(strip, 0, head);
  if (strip.stream && alike) {
    sum_lines<kRounding, true>(strip, head, lines_end);
    hwy::FlushStream();
  } else {
    sum_lines<kRounding, false>(strip, head, lines_end);
  }
  sum_rest<kRounding>(strip, lines_end, count);
}

void sum(const SumStrip& strip) {
  switch (strip.rounding) {
    case Rounding::kOnce:
      return sum_rounded<Rounding::kOnce>(strip);
    case Rounding::kEvery:
      return sum_rounded<Rounding::kEvery>(strip);
  }
}

}  // namespace kimi3::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kimi3::host {

HWY_EXPORT(sum);
void sum_strip(const SumStrip& strip) { HWY_DYNAMIC_DISPATCH(sum)(strip); }

}  // namespace kimi3::host
#endif
