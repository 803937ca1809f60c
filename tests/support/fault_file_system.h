// A file system whose every call can be watched, made to fail, or be the last one.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "exporter/file_system.h"

namespace kimi3::test {

// One call as "NAME PATH", temporary names shown as .kimi3-export.*, and which of several such it
// is. Unlike a running number, it does not depend on how threads interleave.
struct Call {
  std::string name;  // as the function is called: "open", "rename"
  std::string path;
  int occurrence = 1;

  std::string text() const { return name + " " + path + " #" + std::to_string(occurrence); }
};

class FaultFileSystem : public FileSystem {
 public:
  // Called before each call; a negative error number is what the call returns then, and 0 lets it
  // happen.
  using Hook = std::function<int(const Call&)>;

  explicit FaultFileSystem(Hook hook = {}) : hook_(std::move(hook)) {}

  // In the order in which they came.
  std::vector<Call> calls() const;

  int open_root(const std::string& path) override;
  int open(int directory, std::string_view path, int flags) override;
  int create(int directory, std::string_view path) override;
  int make_directory(int directory, const std::string& name) override;
  int list(int directory, const std::function<void(std::string, unsigned char)>& entry) override;
  int status(int file, struct stat& out) override;
  int status_at(int directory, const std::string& name, struct stat& out) override;
  std::int64_t read(int file, std::span<char> bytes) override;
  std::int64_t write(int file, std::span<const char> bytes) override;
  int clone(int from, int to) override;
  // These only count: the tests do not pull the plug, and a disk is slow.
  int sync(int file) override;
  int sync_all(int file) override;
  int lock(int directory) override;
  int rename(int from_directory, const std::string& from, int to_directory, const std::string& to,
             unsigned flags) override;
  int remove(int directory, const std::string& name, int flags) override;

 private:
  int before(const std::string& name, const std::string& path);
  std::string path_of(int file) const;
  std::string path_beneath(int directory, std::string_view name) const;
  // Remembers the path of what was opened.
  int opened(int descriptor, const std::string& path);

  Hook hook_;
  mutable std::mutex mutex_;
  std::map<int, std::string> paths_;
  std::map<std::string, int> counts_;
  std::vector<Call> calls_;
};

}  // namespace kimi3::test
