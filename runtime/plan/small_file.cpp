#include "runtime/plan/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kimi3/error.h"
#include "runtime/plan/file_descriptor.h"

namespace kimi3 {
namespace {

void require_regular(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  // A socket cannot be opened, so a device is what is left.
  const char* const kind = S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a FIFO" : "a device";
  throw malformed_at({path, 0, 0}, fmt::format("is {}, not a file", kind));
}

}  // namespace

std::string read_small_file(const std::string& path, std::size_t max_bytes) {
  // Opening a FIFO that nobody writes to would wait for ever without O_NONBLOCK, which means
  // nothing to a regular file.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw system_failure("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw system_failure("read", path, errno);
  require_regular(path, status.st_mode);

  // The size may change while the file is read, so what counts is what was read.
  std::string content(max_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t n = ::read(file.get(), content.data() + size, content.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_failure("read", path, errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > max_bytes) {
    throw malformed_at({path, 0, 0}, fmt::format("larger than {} bytes", max_bytes));
  }
  content.resize(size);
  return content;
}

}  // namespace kimi3
