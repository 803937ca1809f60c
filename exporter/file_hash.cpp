#include "exporter/file_hash.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "kimi3/error.h"
#include "runtime/plan/sha256.h"

namespace kimi3 {
namespace {

// Hashed while it is still in the cache of the core that read it.
constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;
// How far ahead of the hash the kernel is asked to read.
constexpr std::int64_t kReadAheadBytes = std::int64_t{16} * 1024 * 1024;

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Error changed(const std::string& shown) {
  return machine_failure(fmt::format("{} changed while it was read", shown),
                         "run again when nothing writes to it");
}

// Calls `take` with each block of a file of `size` bytes, in order.
template <typename Take>
void for_each_block(FileSystem& files, int file, std::int64_t size, const std::string& shown,
                    HashProgress& progress, const Take& take) {
  static thread_local const std::unique_ptr<char[]> block(new char[kBlockBytes]);
  if (size > kReadAheadBytes) ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::int64_t done = 0;
  std::int64_t asked = static_cast<std::int64_t>(kBlockBytes);  // the first block is read at once
  for (;;) {
    if (progress.abort.load(std::memory_order_relaxed)) throw machine_failure("stopped");
    if (asked - done < kReadAheadBytes / 2 && asked < size) {
      ::posix_fadvise(file, asked, kReadAheadBytes, POSIX_FADV_WILLNEED);
      asked += kReadAheadBytes;
    }
    const auto count = checked(files.read(file, {block.get(), kBlockBytes}), "read", shown);
    done += count;
    // Before the rest of a file that grows without end.
    if (done > size) throw changed(shown);
    if (count == 0) break;
    take(std::string_view(block.get(), static_cast<std::size_t>(count)));
    progress.bytes.fetch_add(count, std::memory_order_relaxed);
  }
  if (done != size) throw changed(shown);
}

void require_unchanged(FileSystem& files, const OpenedFile& source, const std::string& shown) {
  struct stat now {};
  checked(files.status(source.file.get(), now), "examine", shown);
  const struct stat& before = source.status;
  if (now.st_size != before.st_size || !same_time(now.st_mtim, before.st_mtim) ||
      !same_time(now.st_ctim, before.st_ctim)) {
    throw changed(shown);
  }
}

}  // namespace

std::string hash_file(FileSystem& files, const OpenedFile& source, const std::string& shown,
                      HashProgress& progress) {
  Sha256 hash;
  for_each_block(files, source.file.get(), source.status.st_size, shown, progress,
                 [&](std::string_view block) { hash.update(block); });
  require_unchanged(files, source, shown);
  return hash.finish();
}

std::string copy_and_hash_file(FileSystem& files, const OpenedFile& source,
                               const std::string& shown, int target,
                               const std::string& shown_target, HashProgress& progress) {
  Sha256 hash;
  const std::int64_t size = source.status.st_size;
  if (files.clone(source.file.get(), target) == 0) {
    // What is in the package is hashed: later changes of the source are not in it.
    for_each_block(files, target, size, shown_target, progress,
                   [&](std::string_view block) { hash.update(block); });
  } else {
    for_each_block(files, source.file.get(), size, shown, progress, [&](std::string_view block) {
      hash.update(block);
      write_all(files, target, block, shown_target);
    });
  }
  require_unchanged(files, source, shown);
  return hash.finish();
}

}  // namespace kimi3
