// Which all-reduce a graph gets: pure functions, with the names of the change that introduced them.
#pragma once

#include <cstdint>
#include <string>

#include "kimi3/vocabulary.h"

namespace kimi3 {

// The ring is measured and qualified at this world size alone.
inline constexpr std::int64_t kRingWorldSize = 8;

// The rows from which prefill graphs ring, or 0 where the switch is inert: `requested`, if the
// world has 8 ranks and 0 < requested <= chunk.
std::int64_t prefill_reduction_rows(std::int64_t requested, std::int64_t world_size,
                                    std::int64_t chunk);

// Why prefill_reduction_rows answers 0 for a request above 0; empty where it does not.
std::string inert_reason(std::int64_t requested, std::int64_t world_size, std::int64_t chunk);

// The algorithm of a graph of `rows` rows. Decode, verify and draft graphs are `regular`, always;
// prefill graphs ring from `ring_rows` on (never where it is 0), and are two-shot below.
Algorithm reduction_runtime(Mode mode, std::int64_t rows, std::int64_t ring_rows);

// The same decision in words, for the plan's `reason`.
std::string reduction_reason(Mode mode, std::int64_t rows, std::int64_t ring_rows);

// Pieces of a ring whose shards have `shard_elements` BF16 elements: 2 where that is legal and
// leaves pieces of 512 KiB or more, else 1.
int default_pieces(std::int64_t shard_elements);

}  // namespace kimi3
