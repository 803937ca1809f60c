#include "exporter/package_lock.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "exporter/file_calls.h"
#include "kimi3/error.h"

namespace kimi3 {
namespace {

constexpr auto kPause = std::chrono::milliseconds(5);

}  // namespace

void take_lock(FileSystem& files, int directory, const std::string& shown,
               const RunControl& control) {
  const auto deadline = std::chrono::steady_clock::now() + control.lock_limit;
  for (;;) {
    check_stop(control);
    const int locked = files.lock(directory);
    if (locked != -EWOULDBLOCK) {
      checked(locked, "lock", quoted_path(shown));
      return;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      throw machine_failure(fmt::format("{} stays locked by another writer", quoted_path(shown)),
                            "run again when it is done");
    }
    std::this_thread::sleep_for(kPause);
  }
}

FileDescriptor open_locked(FileSystem& files, const std::string& path, const RunControl& control) {
  for (;;) {
    FileDescriptor directory = open_root(files, path);
    take_lock(files, directory.get(), path, control);
    const FileDescriptor named = open_root(files, path);
    struct stat locked {};
    struct stat now {};
    checked(files.status(directory.get(), locked), "examine", quoted_path(path));
    checked(files.status(named.get(), now), "examine", quoted_path(path));
    if (same_file(locked, now)) return directory;
  }
}

}  // namespace kimi3
