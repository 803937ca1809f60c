// Temporaries: what is being written has a name of its own until it is whole. A crash leaves it
// behind; whoever comes next to the same directory removes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/file_system.h"
#include "runtime/plan/beneath.h"

namespace kimi3 {

// A new random one; is_temporary_name knows it.
std::string temporary_name();
bool is_temporary_name(std::string_view name);

// A new file or directory with a temporary name, removed with everything in it when this goes out
// of scope. It is locked while this exists, so that others know it from one that a crash left
// behind.
class Temporary {
 public:
  enum class Kind { kFile, kDirectory };

  // `shown_parent` is what messages call the directory that it is made in.
  Temporary(FileSystem& files, Kind kind, int parent, std::string shown_parent);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_.get(); }
  std::string path() const;   // for messages about what is beneath it
  std::string shown() const;  // the path in quotes

  // While it is kept, what has the name is not removed.
  void keep(bool kept) { kept_ = kept; }
  void unlock() { descriptor_.reset(); }

 private:
  FileDescriptor make();
  bool take(FileDescriptor made);

  FileSystem& files_;
  Kind kind_;
  int parent_;
  std::string shown_parent_;
  std::string name_;
  FileDescriptor descriptor_;
  bool kept_ = false;
};

// Removes `name` in `directory` and everything beneath it.
void remove_tree(FileSystem& files, int directory, const std::string& name,
                 const std::string& shown_directory);

// Removes the temporaries in `directory` that nobody has locked. Returns a line for each that could
// not be removed.
std::vector<std::string> remove_stale(FileSystem& files, int directory, const std::string& shown);

}  // namespace kimi3
