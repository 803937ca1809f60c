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

// A new file with a temporary name in a directory, removed when this goes out of scope unless it
// was kept.
class TemporaryFile {
 public:
  TemporaryFile(FileSystem& files, int directory, std::string shown_directory);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }
  int file() const { return file_.get(); }
  std::string shown() const;
  void keep() { kept_ = true; }

 private:
  FileSystem& files_;
  int directory_;
  std::string shown_directory_;
  std::string name_;
  FileDescriptor file_;
  bool kept_ = false;
};

// The same for a directory with everything in it. It is locked while this exists, so that others
// know it from one that a crash left behind.
class TemporaryDirectory {
 public:
  TemporaryDirectory(FileSystem& files, int parent, std::string shown_parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& name() const { return name_; }
  int directory() const { return directory_.get(); }
  std::string shown() const;
  // While it is kept, what has the name is not removed.
  void keep(bool kept) { kept_ = kept; }
  void unlock() { directory_.reset(); }

 private:
  bool create();

  FileSystem& files_;
  int parent_;
  std::string shown_parent_;
  std::string name_;
  FileDescriptor directory_;
  bool kept_ = false;
};

// Removes `name` in `directory` and everything beneath it.
void remove_tree(FileSystem& files, int directory, const std::string& name,
                 const std::string& shown_directory);

// Removes the temporary directories in `parent` that nobody has locked. Returns a line for each
// that could not be removed.
std::vector<std::string> remove_stale_directories(FileSystem& files, int parent,
                                                  const std::string& shown);

// Removes the temporary files in a package; for whoever has the package locked.
std::vector<std::string> remove_stale_files(FileSystem& files, int package,
                                            const std::string& shown);

}  // namespace kimi3
