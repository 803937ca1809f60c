// The oracles: what each arithmetic means, to the bit, in plain scalar code. They know nothing of
// schedules, slots or threads; every backend equals them.
#pragma once

#include <span>

#include "kimi3/bfloat16.h"
#include "kimi3/vocabulary.h"

namespace kimi3 {

// Reduces one payload of `output.size()` elements, held by inputs.size() ranks, into `output`,
// which may be one of the inputs.
//
//   fp32_rank_order    ranks 0, 1, …, N-1 added in FP32 from rank 0's value on; one rounding
//   bf16_hop_sum       shard c starts at position c of the ring and travels c+1, …, c+N-1; at each
//                      hop it becomes bf16(partial + own): N-1 roundings
//   fp32_owner_packet  the same path, in FP32; one rounding at its end
//
// Shard c is elements [c, c+1) * output.size() / N, and order[p] is the rank at position p of the
// ring; empty means 0, 1, …, N-1. fp32_rank_order has neither shards nor a ring and ignores both.
//
// Throws kMalformed for backend_defined, which has no oracle; for no inputs, or inputs of another
// size than the output; for an order that does not name each rank once; and, on a ring, for a
// payload that does not divide into N shards.
void reduce_oracle(Arithmetic arithmetic, std::span<const std::span<const bfloat16>> inputs,
                   std::span<bfloat16> output, std::span<const int> order = {});

}  // namespace kimi3
