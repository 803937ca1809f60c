#include "runtime/plan/byte_source.h"

#include <unistd.h>

#include <cerrno>

#include "kimi3/error.h"

namespace kimi3 {

ByteSource read_from(int descriptor, const std::string& shown) {
  return [descriptor, shown](std::span<char> bytes) {
    for (;;) {
      const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw system_failure("read", shown, errno);
    }
  };
}

}  // namespace kimi3
