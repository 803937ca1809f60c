#include "exporter/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "runtime/plan/beneath.h"

namespace kimi3 {
namespace {

constexpr unsigned kFileMode = 0666;       // less the umask
constexpr unsigned kDirectoryMode = 0777;  // likewise

// Repeats a system call that a signal interrupted.
template <typename Call>
auto call(const Call& function) {
  for (;;) {
    const auto result = function();
    if (result >= 0) return result;
    if (errno != EINTR) return static_cast<decltype(result)>(-errno);
  }
}

class RealFileSystem : public FileSystem {
 public:
  int open_root(const std::string& path) override {
    return call([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  }

  int open(int directory, std::string_view path, int flags) override {
    return open_beneath(directory, path, flags);
  }

  int create(int directory, std::string_view path) override {
    return open_beneath(directory, path, O_RDWR | O_CREAT | O_EXCL, kFileMode);
  }

  int make_directory(int directory, const std::string& name) override {
    return call([&] { return ::mkdirat(directory, name.c_str(), kDirectoryMode); });
  }

  int list(int directory, const std::function<void(std::string, unsigned char)>& entry) override {
    // A description of its own, so that the position in the directory is, too.
    const int opened =
        call([&] { return ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (opened < 0) return opened;
    FileDescriptor owner(opened);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(owner.get()), ::closedir);
    if (stream == nullptr) return -errno;
    owner.release();
    for (;;) {
      errno = 0;
      const dirent* found = ::readdir(stream.get());
      if (found == nullptr) return -errno;
      const std::string_view name = found->d_name;
      if (name != "." && name != "..") entry(std::string(name), found->d_type);
    }
  }

  int status(int file, struct stat& out) override {
    return call([&] { return ::fstat(file, &out); });
  }

  int status_at(int directory, const std::string& name, struct stat& out) override {
    return call([&] { return ::fstatat(directory, name.c_str(), &out, AT_SYMLINK_NOFOLLOW); });
  }

  std::int64_t read(int file, std::span<char> bytes) override {
    return call([&] { return ::read(file, bytes.data(), bytes.size()); });
  }

  std::int64_t write(int file, std::span<const char> bytes) override {
    return call([&] { return ::write(file, bytes.data(), bytes.size()); });
  }

  int clone(int from, int to) override {
    return call([&] { return ::ioctl(to, FICLONE, from); });
  }

  int sync(int file) override {
    return call([&] { return ::fsync(file); });
  }

  int sync_all(int file) override {
    return call([&] { return ::syncfs(file); });
  }

  int lock(int directory) override {
    return call([&] { return ::flock(directory, LOCK_EX | LOCK_NB); });
  }

  int rename(int from_directory, const std::string& from, int to_directory, const std::string& to,
             unsigned flags) override {
    return call(
        [&] { return ::renameat2(from_directory, from.c_str(), to_directory, to.c_str(), flags); });
  }

  int remove(int directory, const std::string& name, int flags) override {
    return call([&] { return ::unlinkat(directory, name.c_str(), flags); });
  }
};

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem files;
  return files;
}

}  // namespace kimi3
