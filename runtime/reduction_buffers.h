// Whether a caller's buffers are what a reduction needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kimi3/bfloat16.h"

namespace kimi3 {

// What a reduction needs: `rows` x `cols` elements on each of `world` ranks.
struct BufferShape {
  int world = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

// Throws kMalformed, its message after "WHERE: ", for another number of inputs or outputs, one of
// another size, and an output that shares a byte with another buffer without being, exactly, its
// own rank's input.
void check_buffers(const BufferShape& shape, std::span<const std::span<const bfloat16>> inputs,
                   std::span<const std::span<bfloat16>> outputs, const std::string& where);

}  // namespace kimi3
