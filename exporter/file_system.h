// The system calls that make and check packages, one virtual function each, so that tests can let
// any of them fail or be the last one before a crash.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace kimi3 {

// As the system calls that they are named after, except that a failure is returned as the negative
// error number. Names are relative to a directory's descriptor; nothing follows symbolic links but
// open_root. Safe to call from several threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // A directory as the user named it.
  virtual int open_root(const std::string& path) = 0;
  // See open_beneath in runtime/plan/beneath.h.
  virtual int open(int directory, std::string_view path, int flags) = 0;
  // A new, empty file for writing; -EEXIST where the name is taken.
  virtual int create(int directory, std::string_view path) = 0;
  virtual int make_directory(int directory, const std::string& name) = 0;

  // Calls `entry` for what is in a directory besides '.' and '..', in any order. The type is one of
  // DT_*, DT_UNKNOWN where the file system does not tell.
  virtual int list(int directory,
                   const std::function<void(std::string name, unsigned char type)>& entry) = 0;
  virtual int status(int file, struct stat& out) = 0;
  virtual int status_at(int directory, const std::string& name, struct stat& out) = 0;

  virtual std::int64_t read(int file, std::span<char> bytes) = 0;
  virtual std::int64_t write(int file, std::span<const char> bytes) = 0;
  // Makes `to` share the blocks of `from` (FICLONE).
  virtual int clone(int from, int to) = 0;
  virtual int sync(int file) = 0;
  // syncfs: all of the file system that `file` is on.
  virtual int sync_all(int file) = 0;
  // Takes an exclusive flock without waiting; -EWOULDBLOCK where another holds one.
  virtual int lock(int directory) = 0;

  // renameat2, with RENAME_* in `flags`.
  virtual int rename(int from_directory, const std::string& from, int to_directory,
                     const std::string& to, unsigned flags) = 0;
  // unlinkat, with AT_REMOVEDIR or 0 in `flags`.
  virtual int remove(int directory, const std::string& name, int flags) = 0;
};

FileSystem& real_file_system();

}  // namespace kimi3
