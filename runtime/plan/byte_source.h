// Bytes in order, from wherever they are.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace kimi3 {

// Fills the span from its start with the next bytes and returns how many; 0 at the end, only there.
using ByteSource = std::function<std::size_t(std::span<char>)>;

// The bytes of an open file, from where it stands. Throws kMachine, naming `shown`.
ByteSource read_from(int descriptor, const std::string& shown);

}  // namespace kimi3
