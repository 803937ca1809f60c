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

// Whether `name` in `directory` is still the file that was opened as `opened`.
bool still_named(FileSystem& files, int directory, const std::string& name, int opened,
                 const std::string& shown) {
  struct stat here {};
  struct stat there {};
  checked(files.status(opened, here), "examine", shown);
  const int examined = files.status_at(directory, name, there);
  if (examined == -ENOENT) return false;
  checked(examined, "examine", shown);
  return same_file(here, there);
}

// The next run may be another user's, who may do less here: what cannot be removed is no failure.
void remove_if_stale(FileSystem& files, int directory, const std::string& name,
                     const std::string& shown_directory) {
  const std::string shown = quoted_path(join_path(shown_directory, name));
  const int opened = files.open(directory, name, O_RDONLY);
  if (opened == -ENOENT || opened == -ELOOP) return;
  const FileDescriptor owner(static_cast<int>(checked(opened, "open", shown)));
  const int locked = files.lock(owner.get());
  if (locked == -EWOULDBLOCK) return;
  checked(locked, "lock", shown);
  // Its owner may have published it just before the lock came free.
  if (!still_named(files, directory, name, owner.get(), shown)) return;
  remove_tree(files, directory, name, shown_directory);
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

Temporary::Temporary(FileSystem& files, Kind kind, int parent, std::string shown_parent)
    : files_(files), kind_(kind), parent_(parent), shown_parent_(std::move(shown_parent)) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name_ = temporary_name();
    FileDescriptor made = make();
    if (made && take(std::move(made))) return;
  }
  throw system_failure("create", shown(), EEXIST);
}

// Nothing where the name is taken, or where another run took it for stale already.
FileDescriptor Temporary::make() {
  const bool file = kind_ == Kind::kFile;
  const int made = file ? files_.create(parent_, name_) : files_.make_directory(parent_, name_);
  if (made == -EEXIST) return {};
  checked(made, "create", shown());
  if (file) return FileDescriptor(made);
  const int opened = files_.open(parent_, name_, O_RDONLY | O_DIRECTORY);
  if (opened >= 0) return FileDescriptor(opened);
  if (opened == -ENOENT) return {};
  files_.remove(parent_, name_, AT_REMOVEDIR);
  throw system_failure("open", shown(), -opened);
}

// Between its making and its locking, another run may have taken it for stale.
bool Temporary::take(FileDescriptor made) {
  try {
    const int locked = files_.lock(made.get());
    if (locked == -EWOULDBLOCK) return false;
    checked(locked, "lock", shown());
    if (!still_named(files_, parent_, name_, made.get(), shown())) return false;
  } catch (...) {
    files_.remove(parent_, name_, kind_ == Kind::kFile ? 0 : AT_REMOVEDIR);
    throw;
  }
  descriptor_ = std::move(made);
  return true;
}

Temporary::~Temporary() {
  if (!descriptor_ || kept_) return;
  try {
    remove_tree(files_, parent_, name_, shown_parent_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next run removes it
  }
}

std::string Temporary::path() const { return join_path(shown_parent_, name_); }
std::string Temporary::shown() const { return quoted_path(path()); }

void remove_tree(FileSystem& files, int directory, const std::string& name,
                 const std::string& shown_directory) {
  remove_beneath(files, directory, name, quoted_path(join_path(shown_directory, name)),
                 kMaxRemovalDepth);
}

std::vector<std::string> remove_stale(FileSystem& files, int directory, const std::string& shown) {
  std::vector<std::string> names;
  checked(files.list(directory,
                     [&](std::string name, unsigned char type) {
                       const bool ours = type == DT_REG || type == DT_DIR || type == DT_UNKNOWN;
                       if (ours && is_temporary_name(name)) names.push_back(std::move(name));
                     }),
          "list", quoted_path(shown));
  std::sort(names.begin(), names.end());
  std::vector<std::string> notes;
  for (const std::string& name : names) {
    try {
      remove_if_stale(files, directory, name, shown);
    } catch (const Error& error) {
      notes.push_back(fmt::format("a temporary that a crash left stays: {}", error.what()));
    }
  }
  return notes;
}

}  // namespace kimi3
