#include "exporter/swap.h"

#include <fmt/format.h>
#include <linux/fs.h>

#include <cerrno>

#include "exporter/file_calls.h"
#include "kimi3/error.h"

namespace kimi3 {
namespace {

void rename(FileSystem& files, const SwapPlace& place, const std::string& from,
            const std::string& to, unsigned flags) {
  const int renamed = files.rename(place.directory, from, place.directory, to, flags);
  if (renamed == -EINVAL || renamed == -ENOSYS || renamed == -EOPNOTSUPP) {
    throw machine_failure(
        fmt::format("cannot publish {}: the file system has no {}", place.shown,
                    flags == RENAME_EXCHANGE ? "RENAME_EXCHANGE" : "RENAME_NOREPLACE"),
        "make the package on another file system (ext4, XFS, Btrfs, tmpfs) and copy it");
  }
  if (renamed == -EEXIST) {
    throw machine_failure(fmt::format("{} appeared while it was being made", place.shown));
  }
  if (renamed == -ENOENT && flags == RENAME_EXCHANGE) {
    throw machine_failure(fmt::format("{} disappeared while it was being replaced", place.shown));
  }
  checked(renamed, "rename to", place.shown);
}

}  // namespace

Swap swap_in(FileSystem& files, const SwapPlace& place, bool replaces) {
  rename(files, place, place.temporary, place.name, replaces ? RENAME_EXCHANGE : RENAME_NOREPLACE);
  return replaces ? Swap::kExchanged : Swap::kMoved;
}

void swap_back(FileSystem& files, const SwapPlace& place, Swap done) {
  switch (done) {
    case Swap::kMoved:
      rename(files, place, place.name, place.temporary, RENAME_NOREPLACE);
      return;
    case Swap::kExchanged:
      rename(files, place, place.temporary, place.name, RENAME_EXCHANGE);
      return;
  }
}

}  // namespace kimi3
