// Publishing a directory under a name, at once: it is made beside its target under a temporary
// name, synced, and swapped in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/run_control.h"
#include "exporter/swap.h"
#include "exporter/temporary.h"
#include "runtime/plan/beneath.h"

namespace kimi3 {

class Publication {
 public:
  // Removes stale temporaries beside the target and makes the new, empty directory. Throws
  // kMalformed for a target that may not be replaced, or that lies within `source`, the open
  // directory that is read from.
  Publication(FileSystem& files, const std::string& target, int source, const RunControl& control);

  // Where to write; and what messages call it.
  int directory() const { return temporary_->descriptor(); }
  std::string path() const { return temporary_->path(); }

  // Syncs what was written, gives it its name and removes what it replaces. Throws kMachine, after
  // undoing it, where a step fails.
  void publish();

  // What could not be removed.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void examine_target();
  void require_outside(int source) const;
  void require_same_target(int named_directory, const std::string& name) const;
  void swap_and_sync(const SwapPlace& place);

  FileSystem& files_;
  const RunControl& control_;
  std::string target_;
  std::string parent_path_;
  std::string name_;
  FileDescriptor parent_;
  FileDescriptor replaced_;  // the package that has the name; none for a new name
  std::optional<Temporary> temporary_;
  std::vector<std::string> notes_;
};

}  // namespace kimi3
