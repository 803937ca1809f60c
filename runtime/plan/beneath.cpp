#include "runtime/plan/beneath.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

// openat2 refuses with O_PATH what has no meaning there.
int all_flags(int flags) {
  return flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NOCTTY | O_NONBLOCK);
}

int result_of(int returned) { return returned < 0 ? -errno : returned; }

int open_by_kernel(int directory, const std::string& path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(all_flags(flags));
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;  // else it must be 0
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: a rename raced with the walk; the kernel asks its caller to try again.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const long opened = ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EAGAIN && errno != EINTR)) {
      return result_of(static_cast<int>(opened));
    }
  }
  return -EAGAIN;
}

// openat says ENOTDIR for a symbolic link where a directory is asked for; openat2 says ELOOP.
int open_component(int directory, const std::string& name, int flags, unsigned mode) {
  const int opened =
      result_of(::openat(directory, name.c_str(), all_flags(flags) | O_NOFOLLOW, mode));
  if (opened != -ENOTDIR) return opened;
  struct stat status {};
  const bool link = ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISLNK(status.st_mode);
  return link ? -ELOOP : opened;
}

int open_step_by_step(int directory, std::string_view path, int flags, unsigned mode) {
  if (path.empty()) return -ENOENT;
  if (path.front() == '/') return -EXDEV;
  FileDescriptor holder;
  int at = directory;
  for (std::size_t start = 0;;) {
    const std::size_t end = path.find('/', start);
    const std::string name(path.substr(start, end - start));
    if (name == "..") return -EXDEV;
    const bool last = end == std::string_view::npos;
    const int opened = last ? open_component(at, name, flags, mode)
                            : open_component(at, name, O_PATH | O_DIRECTORY, 0);
    if (last || opened < 0) return opened;
    holder = FileDescriptor(opened);
    at = opened;
    start = end + 1;
  }
}

}  // namespace

void FileDescriptor::reset() noexcept {
  // Nothing to do about a failure: what must reach the disk was synced before.
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Resolution supported_resolution() {
  static const Resolution kSupported = [] {
    const FileDescriptor probe(open_by_kernel(AT_FDCWD, ".", O_PATH | O_DIRECTORY, 0));
    return probe ? Resolution::kKernel : Resolution::kStepByStep;
  }();
  return kSupported;
}

int open_beneath(int directory, std::string_view path, int flags, unsigned mode,
                 Resolution resolution) {
  // A system call would end the path at the NUL.
  if (path.find('\0') != std::string_view::npos) return -EINVAL;
  switch (resolution) {
    case Resolution::kKernel:
      return open_by_kernel(directory, std::string(path), flags, mode);
    case Resolution::kStepByStep:
      return open_step_by_step(directory, path, flags, mode);
  }
  return -EINVAL;
}

FileDescriptor open_directory(const std::string& path) {
  const bool has_nul = path.find('\0') != std::string::npos;
  const int opened =
      has_nul ? -EINVAL : result_of(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened == -ENOENT) throw malformed(fmt::format("{}: no such directory", quoted_path(path)));
  if (opened == -ENOTDIR) throw malformed(fmt::format("{}: not a directory", quoted_path(path)));
  if (opened < 0) throw system_failure("open", quoted_path(path), -opened);
  return FileDescriptor(opened);
}

FileDescriptor open_regular_file(int directory, std::string_view path, const std::string& shown) {
  const int opened = open_beneath(directory, path, O_RDONLY);
  if (opened == -ENOENT) throw malformed(fmt::format("{}: no such file", shown));
  if (opened == -ELOOP) throw malformed(fmt::format("{}: is a symbolic link", shown));
  // What opening a socket gives.
  if (opened == -ENXIO) throw malformed(fmt::format("{}: is not a regular file", shown));
  if (opened < 0) throw system_failure("open", shown, -opened);
  FileDescriptor file(opened);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw system_failure("examine", shown, errno);
  if (!S_ISREG(status.st_mode)) {
    throw malformed(fmt::format("{}: is {}", shown, file_type_name(status.st_mode)));
  }
  return file;
}

std::string_view file_type_name(unsigned mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a character device";
  return "a file of an unknown type";
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string joined(directory);
  if (!joined.empty() && joined.back() != '/') joined += '/';
  return joined.append(name);
}

std::string quoted_path(std::string_view path) { return quoted(path, kMaxPathBytes); }

}  // namespace kimi3
