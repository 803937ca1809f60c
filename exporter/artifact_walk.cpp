#include "exporter/artifact_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "exporter/temporary.h"
#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"

namespace kimi3 {
namespace {

// Of names in descending order: the folded forms that more than one of them has.
std::set<std::string> find_collisions(const std::vector<std::string>& names) {
  std::vector<std::string> folded;
  for (const std::string& name : names) {
    folded.push_back(fold_ascii_case(name.ends_with('/') ? name.substr(0, name.size() - 1) : name));
  }
  std::sort(folded.begin(), folded.end());
  std::set<std::string> repeated;
  for (std::size_t i = 1; i < folded.size(); ++i) {
    if (folded[i] == folded[i - 1]) repeated.insert(folded[i]);
  }
  return repeated;
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::kMissing:
      return "missing";
    case ProblemKind::kExtra:
      return "extra";
    case ProblemKind::kChanged:
      return "changed";
    case ProblemKind::kWrongSize:
      return "wrong size";
    case ProblemKind::kRefusedType:
      return "refused type";
    case ProblemKind::kUnreadable:
      return "unreadable";
  }
  return {};
}

ArtifactWalk::ArtifactWalk(FileSystem& files, int root, std::string shown, WalkOptions options)
    : files_(files), shown_(std::move(shown)), options_(options) {
  const int result = enter({}, root);
  if (result < 0) throw system_failure("list", quoted_path(shown_), -result);
}

bool ArtifactWalk::next(WalkItem& item) {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    path_.resize(level.path_size);
    if (level.names.empty()) {
      levels_.pop_back();
      continue;
    }
    const std::string name = std::move(level.names.back());
    level.names.pop_back();
    if (visit(name, item)) return true;
  }
  return false;
}

int ArtifactWalk::enter(FileDescriptor owner, int directory) {
  Level level;
  int failure = 0;
  const int listed = files_.list(directory, [&](std::string name, unsigned char type) {
    if (type == DT_UNKNOWN) {
      struct stat status {};
      const int examined = files_.status_at(directory, name, status);
      if (examined < 0) failure = examined;
      if (S_ISDIR(status.st_mode)) type = DT_DIR;
    }
    // So that names sort as the paths beneath them do.
    if (type == DT_DIR) name += '/';
    level.names.push_back(std::move(name));
  });
  if (listed < 0 || failure < 0) return std::min(listed, failure);
  std::sort(level.names.begin(), level.names.end(), std::greater<>());
  if (options_.refuse_case_collisions) level.collisions = find_collisions(level.names);
  level.owner = std::move(owner);
  level.directory = directory;
  level.path_size = path_.size();
  levels_.push_back(std::move(level));
  return 0;
}

bool ArtifactWalk::visit(std::string_view listed, WalkItem& item) {
  const bool directory = listed.ends_with('/');
  const std::string name(listed.substr(0, listed.size() - (directory ? 1 : 0)));
  path_ += name;
  struct stat status {};
  const int examined = files_.status_at(levels_.back().directory, name, status);
  if (examined < 0) return refuse_call(item, "examine", -examined);
  if (passed_over(name, status.st_mode)) return false;
  if (const auto fault = artifact_path_fault(path_)) {
    return refuse(item, ProblemKind::kRefusedType, *fault);
  }
  if (levels_.back().collisions.contains(fold_ascii_case(name))) {
    return refuse(item, ProblemKind::kRefusedType, "differs from another name only in case");
  }
  if (directory != S_ISDIR(status.st_mode)) {
    return refuse(item, ProblemKind::kUnreadable, "changed while it was read");
  }
  if (directory) return visit_directory(name, item);
  if (!S_ISREG(status.st_mode)) {
    return refuse(item, ProblemKind::kRefusedType,
                  fmt::format("is {}", file_type_name(status.st_mode)));
  }
  item = {path_, status.st_size, {}};
  return true;
}

bool ArtifactWalk::visit_directory(const std::string& name, WalkItem& item) {
  const int opened = files_.open(levels_.back().directory, name, O_RDONLY | O_DIRECTORY);
  if (opened == -ELOOP || opened == -ENOTDIR) {
    return refuse(item, ProblemKind::kUnreadable, "changed while it was read");
  }
  if (opened < 0) return refuse_call(item, "open", -opened);
  FileDescriptor child(opened);
  path_ += '/';
  const int entered = enter(std::move(child), opened);
  if (entered == 0 && !levels_.back().names.empty()) return false;
  path_.pop_back();
  if (entered < 0) return refuse_call(item, "list", -entered);
  levels_.pop_back();
  return refuse(item, ProblemKind::kRefusedType, "is an empty directory");
}

bool ArtifactWalk::passed_over(std::string_view name, unsigned mode) const {
  if (!options_.package || levels_.size() > 1 || !S_ISREG(mode)) return false;
  return name == kManifestName || name == kPlanName || is_temporary_name(name);
}

bool ArtifactWalk::refuse(WalkItem& item, ProblemKind kind, std::string_view what) const {
  const std::string shown = quoted_path(join_path(shown_, path_));
  item = {path_, 0, Problem{kind, path_, fmt::format("{} {}", shown, what)}};
  return true;
}

bool ArtifactWalk::refuse_call(WalkItem& item, std::string_view action, int error_number) const {
  const Error error = system_failure(action, quoted_path(join_path(shown_, path_)), error_number);
  item = {path_, 0, Problem{ProblemKind::kUnreadable, path_, error.what()}};
  return true;
}

bool next_artifact(ArtifactWalk& walk, WalkItem& item) {
  if (!walk.next(item)) return false;
  if (!item.problem) return true;
  if (item.problem->kind == ProblemKind::kUnreadable) throw machine_failure(item.problem->detail);
  throw malformed(item.problem->detail);
}

}  // namespace kimi3
