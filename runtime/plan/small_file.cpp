#include "runtime/plan/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "kimi3/error.h"
#include "runtime/plan/beneath.h"
#include "runtime/plan/byte_source.h"

namespace kimi3 {
std::string read_small_file(const std::string& path, std::size_t max_bytes) {
  // Opening a FIFO that nobody writes to would wait for ever without O_NONBLOCK, which means
  // nothing to a regular file.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw system_failure("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw system_failure("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw malformed_at({path, 0, 0},
                       fmt::format("is {}, not a file", file_type_name(status.st_mode)));
  }
  return read_small_file(file.get(), path, max_bytes);
}

std::string read_small_file(int descriptor, const std::string& shown, std::size_t max_bytes) {
  // The size may change while the file is read, so what counts is what was read: one byte more than
  // allowed shows that there is too much.
  std::string content(max_bytes + 1, '\0');
  const ByteSource source = read_from(descriptor, shown);
  std::size_t size = 0;
  while (size < content.size()) {
    const std::size_t count = source(std::span(content).subspan(size));
    if (count == 0) break;
    size += count;
  }
  if (size > max_bytes) {
    throw malformed_at({shown, 0, 0}, fmt::format("larger than {} bytes", max_bytes));
  }
  content.resize(size);
  return content;
}

}  // namespace kimi3
