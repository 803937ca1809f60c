#include "exporter/publication.h"

#include <fmt/format.h>

#include <cerrno>
#include <tuple>

#include "exporter/file_calls.h"
#include "exporter/inventory.h"
#include "exporter/package_lock.h"
#include "kimi3/error.h"

namespace kimi3 {
Publication::Publication(FileSystem& files, const std::string& target, int source,
                         const RunControl& control)
    : files_(files), control_(control), target_(target) {
  std::tie(parent_path_, name_) = split_path(target);
  parent_ = open_root(files_, parent_path_);
  require_outside(source);
  examine_target();
  notes_ = remove_stale(files_, parent_.get(), parent_path_);
  temporary_.emplace(files_, Temporary::Kind::kDirectory, parent_.get(), parent_path_);
}

// Else the walk of the source would meet what is being written.
void Publication::require_outside(int source) const {
  struct stat inside {};
  struct stat above {};
  struct stat source_status {};
  checked(files_.status(source, source_status), "examine", "the artifacts");
  checked(files_.status(parent_.get(), inside), "examine", quoted_path(parent_path_));
  std::string path = parent_path_;
  for (;;) {
    if (same_file(inside, source_status)) {
      throw malformed(fmt::format("{} lies within the artifacts", quoted_path(target_)),
                      "name a directory outside, or give --in-place");
    }
    path = join_path(path, "..");
    const FileDescriptor directory = open_root(files_, path);
    checked(files_.status(directory.get(), above), "examine", quoted_path(path));
    if (same_file(above, inside)) return;  // the root is its own parent
    inside = above;
  }
}

void Publication::examine_target() {
  struct stat status {};
  const int examined = files_.status_at(parent_.get(), name_, status);
  if (examined == -ENOENT) return;
  checked(examined, "examine", quoted_path(target_));
  if (!S_ISDIR(status.st_mode)) {
    throw malformed(fmt::format("{} exists and is {}, not a package", quoted_path(target_),
                                file_type_name(status.st_mode)));
  }
  replaced_ = open_subdirectory(files_, parent_.get(), name_, quoted_path(target_));
  require_own_package(files_, replaced_.get(), target_);
}

void Publication::require_same_target(int named_directory, const std::string& name) const {
  struct stat expected {};
  struct stat found {};
  checked(files_.status(replaced_.get(), expected), "examine", quoted_path(target_));
  checked(files_.status_at(named_directory, name, found), "examine", quoted_path(target_));
  if (!same_file(expected, found)) {
    throw machine_failure(
        fmt::format("{} was replaced by another writer meanwhile", quoted_path(target_)));
  }
}

void Publication::publish() {
  sync_tree(files_, directory(), path());
  if (replaced_) {
    take_lock(files_, replaced_.get(), target_, control_);
    require_same_target(parent_.get(), name_);
    require_own_package(files_, replaced_.get(), target_);
  }
  check_stop(control_);
  swap_and_sync({parent_.get(), temporary_->name(), name_, quoted_path(target_)});
  temporary_->unlock();
  if (!replaced_) return;
  try {
    remove_tree(files_, parent_.get(), temporary_->name(), parent_path_);
  } catch (const Error& error) {
    notes_.push_back(fmt::format("the package that was replaced stays: {}", error.what()));
  }
}

void Publication::swap_and_sync(const SwapPlace& place) {
  const Swap done = swap_in(files_, place, static_cast<bool>(replaced_));
  // From here on the temporary name may be that of the package which is replaced.
  temporary_->keep(true);
  try {
    // Whoever renames without the lock may have come between: that is not ours to remove.
    if (replaced_) require_same_target(place.directory, place.temporary);
    checked(files_.sync(place.directory), "sync", quoted_path(parent_path_));
  } catch (...) {
    swap_back(files_, place, done);
    temporary_->keep(false);
    throw;
  }
}

}  // namespace kimi3
