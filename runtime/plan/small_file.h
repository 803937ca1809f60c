// Reading a file that the user named, which ought to be a small regular one and may be anything.
#pragma once

#include <cstddef>
#include <string>

namespace kimi3 {

// The content of the regular file `path`. Never blocks and never reads more than max_bytes + 1
// bytes. Throws kMalformed for a larger file and for what is not a regular file (a directory, a
// FIFO, a device), kMachine where the system refuses: a missing file, no permission, an I/O error.
std::string read_small_file(const std::string& path, std::size_t max_bytes);

// The same for an open regular file, from where it stands; `shown` is what messages call it.
std::string read_small_file(int descriptor, const std::string& shown, std::size_t max_bytes);

}  // namespace kimi3
