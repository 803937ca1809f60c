// Work on long payloads, block by block on a few threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kimi3 {

// Calls body(block, begin, end) once for each block of [0, elements); blocks are the same for every
// number of threads, 0 being one a core. An exception of the body is thrown again here.
void for_each_block(std::size_t elements, int threads,
                    const std::function<void(std::int64_t, std::size_t, std::size_t)>& body);

// How many blocks that makes.
std::int64_t block_count(std::size_t elements);

}  // namespace kimi3
