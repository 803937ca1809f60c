// Everything that lies beneath a directory, in the order that a manifest has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/problem.h"
#include "runtime/plan/beneath.h"

namespace kimi3 {

struct WalkOptions {
  // The directory is a package: its manifest, its overlay plan and temporaries that a crash left
  // are passed over. Elsewhere their names are refused.
  bool package = false;
  // Names in one directory that differ only in the case of ASCII letters are refused.
  bool refuse_case_collisions = false;
};

struct WalkItem {
  std::string path;
  std::int64_t size = 0;
  // For what is no artifact: kRefusedType or kUnreadable, and why ("'a/b' is a FIFO").
  std::optional<Problem> problem;
};

// Yields regular files, and what is refused, in ascending order of the paths' bytes. It follows no
// symbolic link, and holds the names of the directories that it is in, not of all.
class ArtifactWalk {
 public:
  // `shown` is what messages call the directory; `root` stays open while the walk lasts. Throws
  // kMachine where it cannot be read.
  ArtifactWalk(FileSystem& files, int root, std::string shown, WalkOptions options);

  bool next(WalkItem& item);

 private:
  struct Level {
    FileDescriptor owner;  // of `directory`, but for the root's
    int directory = -1;
    std::size_t path_size = 0;         // of the directory's path, its last '/' included
    std::vector<std::string> names;    // descending; those of directories end in '/'
    std::set<std::string> collisions;  // folded names that more than one has
  };

  // 0, or a negative error number.
  int enter(FileDescriptor owner, int directory);
  // What `name` in the innermost directory is; false where there is nothing to yield.
  bool visit(std::string_view name, WalkItem& item);
  bool visit_directory(const std::string& name, WalkItem& item);
  bool passed_over(std::string_view name, unsigned mode) const;
  // Makes `item` the current path, refused.
  bool refuse(WalkItem& item, ProblemKind kind, std::string_view what) const;
  bool refuse_call(WalkItem& item, std::string_view action, int error_number) const;

  FileSystem& files_;
  std::string shown_;
  WalkOptions options_;
  std::vector<Level> levels_;
  std::string path_;
};

// For writers: as ArtifactWalk::next, but throws the problem, as kMalformed or kMachine.
bool next_artifact(ArtifactWalk& walk, WalkItem& item);

}  // namespace kimi3
