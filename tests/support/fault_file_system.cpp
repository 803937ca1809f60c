#include "tests/support/fault_file_system.h"

#include <regex>
#include <utility>

#include "runtime/plan/beneath.h"

namespace kimi3::test {

std::vector<Call> FaultFileSystem::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

int FaultFileSystem::before(const std::string& name, const std::string& path) {
  static const std::regex kTemporary(R"(\.kimi3-export\.[0-9a-f]{16})");
  Call call{name, std::regex_replace(path, kTemporary, ".kimi3-export.*")};
  {
    const std::lock_guard lock(mutex_);
    call.occurrence = ++counts_[name + " " + call.path];
    calls_.push_back(call);
  }
  return hook_ ? hook_(call) : 0;
}

std::string FaultFileSystem::path_of(int file) const {
  const std::lock_guard lock(mutex_);
  const auto found = paths_.find(file);
  return found == paths_.end() ? "?" : found->second;
}

std::string FaultFileSystem::path_beneath(int directory, std::string_view name) const {
  return join_path(path_of(directory), name);
}

int FaultFileSystem::opened(int descriptor, const std::string& path) {
  if (descriptor >= 0) {
    const std::lock_guard lock(mutex_);
    paths_[descriptor] = path;
  }
  return descriptor;
}

int FaultFileSystem::open_root(const std::string& path) {
  if (const int fault = before("open_root", path)) return fault;
  return opened(real_file_system().open_root(path), path);
}

int FaultFileSystem::open(int directory, std::string_view name, int flags) {
  const std::string path = path_beneath(directory, name);
  if (const int fault = before("open", path)) return fault;
  return opened(real_file_system().open(directory, name, flags), path);
}

int FaultFileSystem::create(int directory, std::string_view name) {
  const std::string path = path_beneath(directory, name);
  if (const int fault = before("create", path)) return fault;
  return opened(real_file_system().create(directory, name), path);
}

int FaultFileSystem::make_directory(int directory, const std::string& name) {
  if (const int fault = before("make_directory", path_beneath(directory, name))) return fault;
  return real_file_system().make_directory(directory, name);
}

int FaultFileSystem::list(int directory,
                          const std::function<void(std::string, unsigned char)>& entry) {
  if (const int fault = before("list", path_of(directory))) return fault;
  return real_file_system().list(directory, entry);
}

int FaultFileSystem::status(int file, struct stat& out) {
  if (const int fault = before("status", path_of(file))) return fault;
  return real_file_system().status(file, out);
}

int FaultFileSystem::status_at(int directory, const std::string& name, struct stat& out) {
  if (const int fault = before("status_at", path_beneath(directory, name))) return fault;
  return real_file_system().status_at(directory, name, out);
}

std::int64_t FaultFileSystem::read(int file, std::span<char> bytes) {
  if (const int fault = before("read", path_of(file))) return fault;
  return real_file_system().read(file, bytes);
}

std::int64_t FaultFileSystem::write(int file, std::span<const char> bytes) {
  if (const int fault = before("write", path_of(file))) return fault;
  return real_file_system().write(file, bytes);
}

int FaultFileSystem::clone(int from, int to) {
  if (const int fault = before("clone", path_of(to))) return fault;
  return real_file_system().clone(from, to);
}

int FaultFileSystem::sync(int file) { return before("sync", path_of(file)); }
int FaultFileSystem::sync_all(int file) { return before("sync_all", path_of(file)); }

int FaultFileSystem::lock(int directory) {
  if (const int fault = before("lock", path_of(directory))) return fault;
  return real_file_system().lock(directory);
}

int FaultFileSystem::rename(int from_directory, const std::string& from, int to_directory,
                            const std::string& to, unsigned flags) {
  if (const int fault = before("rename", path_beneath(to_directory, to))) return fault;
  return real_file_system().rename(from_directory, from, to_directory, to, flags);
}

int FaultFileSystem::remove(int directory, const std::string& name, int flags) {
  if (const int fault = before("remove", path_beneath(directory, name))) return fault;
  return real_file_system().remove(directory, name, flags);
}

}  // namespace kimi3::test
