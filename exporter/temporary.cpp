#include "exporter/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "exporter/file_calls.h"
#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"

namespace kimi3 {
namespace {

constexpr std::size_t kDigits = 16;
constexpr int kAttempts = 100;  // to find a name that is free, and stays it
// Packages are no deeper; what is was not made by this program.
constexpr int kMaxRemovalDepth = static_cast<int>(kMaxPathDepth) + 1;

void remove_beneath(FileSystem& files, int directory, const std::string& name,
                    const std::string& shown, int depth_left);

void remove_contents(FileSystem& files, int directory, const std::string& shown, int depth_left) {
  if (depth_left == 0) throw machine_failure(fmt::format("cannot remove {}: too deep", shown));
  std::vector<std::string> names;
  checked(files.list(directory,
                     [&](std::string name, unsigned char) { names.push_back(std::move(name)); }),
          "list", shown);
  for (const std::string& name : names) remove_beneath(files, directory, name, shown, depth_left);
}

void remove_beneath(FileSystem& files, int directory, const std::string& name,
                    const std::string& shown, int depth_left) {
  const int removed = files.remove(directory, name, 0);
  // Linux says EISDIR for a directory.
  if (removed != -EISDIR) {
    checked(removed, "remove", shown);
    return;
  }
  {
    const FileDescriptor child = open_subdirectory(files, directory, name, shown);
    remove_contents(files, child.get(), shown, depth_left - 1);
  }
  checked(files.remove(directory, name, AT_REMOVEDIR), "remove", shown);
}

std::vector<std::string> temporary_names(FileSystem& files, int directory, bool directories,
                                         const std::string& shown) {
  std::vector<std::string> names;
  checked(files.list(directory,
                     [&](std::string name, unsigned char type) {
                       const bool right_type =
                           type == DT_UNKNOWN || (type == DT_DIR) == directories;
                       if (right_type && is_temporary_name(name)) names.push_back(std::move(name));
                     }),
          "list", shown);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string temporary_name() {
  std::random_device random;
  return fmt::format("{}.{:08x}{:08x}", kTemporaryPrefix, random(), random());
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix)) return false;
  name.remove_prefix(kTemporaryPrefix.size());
  return name.size() == kDigits + 1 && name[0] == '.' &&
         name.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

TemporaryFile::TemporaryFile(FileSystem& files, int directory, std::string shown_directory)
    : files_(files), directory_(directory), shown_directory_(std::move(shown_directory)) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name_ = temporary_name();
    const int created = files_.create(directory_, name_);
    if (created == -EEXIST) continue;
    file_ = FileDescriptor(static_cast<int>(checked(created, "create", shown())));
    return;
  }
  throw system_failure("create", shown(), EEXIST);
}

TemporaryFile::~TemporaryFile() {
  // A failure leaves it to the next run.
  if (file_ && !kept_) files_.remove(directory_, name_, 0);
}

std::string TemporaryFile::shown() const { return quoted_path(join_path(shown_directory_, name_)); }

TemporaryDirectory::TemporaryDirectory(FileSystem& files, int parent, std::string shown_parent)
    : files_(files), parent_(parent), shown_parent_(std::move(shown_parent)) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name_ = temporary_name();
    const int made = files_.make_directory(parent_, name_);
    if (made == -EEXIST) continue;
    checked(made, "create", shown());
    try {
      if (create()) return;
    } catch (...) {
      files_.remove(parent_, name_, AT_REMOVEDIR);
      throw;
    }
  }
  throw system_failure("create", shown(), EEXIST);
}

// Between its making and its locking, another run may have taken it for stale and removed it.
bool TemporaryDirectory::create() {
  const int opened = files_.open(parent_, name_, O_RDONLY | O_DIRECTORY);
  if (opened == -ENOENT) return false;
  FileDescriptor directory(static_cast<int>(checked(opened, "open", shown())));
  const int locked = files_.lock(directory.get());
  if (locked == -EWOULDBLOCK) return false;
  checked(locked, "lock", shown());
  struct stat here {};
  struct stat there {};
  checked(files_.status(directory.get(), here), "examine", shown());
  const int examined = files_.status_at(parent_, name_, there);
  if (examined == -ENOENT || (examined == 0 && !same_file(here, there))) return false;
  checked(examined, "examine", shown());
  directory_ = std::move(directory);
  return true;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!directory_ || kept_) return;
  try {
    remove_tree(files_, parent_, name_, shown_parent_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next run removes it
  }
}

std::string TemporaryDirectory::shown() const {
  return quoted_path(join_path(shown_parent_, name_));
}

void remove_tree(FileSystem& files, int directory, const std::string& name,
                 const std::string& shown_directory) {
  remove_beneath(files, directory, name, quoted_path(join_path(shown_directory, name)),
                 kMaxRemovalDepth);
}

std::vector<std::string> remove_stale_directories(FileSystem& files, int parent,
                                                  const std::string& shown) {
  std::vector<std::string> notes;
  for (const std::string& name :
       temporary_names(files, parent, /*directories=*/true, quoted_path(shown))) {
    const int opened = files.open(parent, name, O_RDONLY | O_DIRECTORY);
    if (opened == -ENOENT || opened == -ENOTDIR || opened == -ELOOP) continue;
    try {
      const std::string shown_name = quoted_path(join_path(shown, name));
      const FileDescriptor directory(static_cast<int>(checked(opened, "open", shown_name)));
      const int locked = files.lock(directory.get());
      if (locked == -EWOULDBLOCK) continue;
      checked(locked, "lock", shown_name);
      // Its owner may have published it just before the lock came free.
      struct stat here {};
      struct stat there {};
      checked(files.status(directory.get(), here), "examine", shown_name);
      const int examined = files.status_at(parent, name, there);
      if (examined == -ENOENT || (examined == 0 && !same_file(here, there))) continue;
      checked(examined, "examine", shown_name);
      remove_tree(files, parent, name, shown);
    } catch (const Error& error) {
      notes.push_back(fmt::format("a temporary that a crash left stays: {}", error.what()));
    }
  }
  return notes;
}

std::vector<std::string> remove_stale_files(FileSystem& files, int package,
                                            const std::string& shown) {
  std::vector<std::string> notes;
  for (const std::string& name :
       temporary_names(files, package, /*directories=*/false, quoted_path(shown))) {
    const int removed = files.remove(package, name, 0);
    if (removed == 0 || removed == -ENOENT) continue;
    const Error error = system_failure("remove", quoted_path(join_path(shown, name)), -removed);
    notes.push_back(fmt::format("a temporary that a crash left stays: {}", error.what()));
  }
  return notes;
}

}  // namespace kimi3
