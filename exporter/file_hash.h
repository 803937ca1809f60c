// Hashing one file in one pass, and copying it in the same pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "exporter/file_calls.h"
#include "exporter/file_system.h"

namespace kimi3 {

// What those who hash on several threads share.
struct HashProgress {
  std::atomic<std::int64_t> bytes = 0;  // hashed so far
  std::atomic<bool> abort = false;      // makes every hash end with kMachine within a block
};

// The SHA-256 of an open file, as 64 hexadecimal digits. Throws kMachine where a read fails, and
// where the file's size or times are not at the end what they were when it was opened.
std::string hash_file(FileSystem& files, const OpenedFile& source, const std::string& shown,
                      HashProgress& progress);

// The same, and `target`, a new file, gets the content: as shared blocks where the file system has
// them, else written as it is hashed.
std::string copy_and_hash_file(FileSystem& files, const OpenedFile& source,
                               const std::string& shown, int target,
                               const std::string& shown_target, HashProgress& progress);

}  // namespace kimi3
