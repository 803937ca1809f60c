// Opening what lies beneath a directory, and nothing else: no symbolic link is followed and no path
// leaves the directory, whatever happens to it meanwhile.
#pragma once

#include <string>
#include <string_view>

#include "runtime/plan/file_descriptor.h"

namespace kimi3 {

// How a path is walked; the results are the same.
enum class Resolution {
  kKernel,      // openat2 with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
  kStepByStep,  // openat with O_NOFOLLOW for every component: older kernels, and sandboxes
};

// kKernel where this system permits openat2, else kStepByStep; asked once.
Resolution supported_resolution();

// A system call's result: a descriptor, or the negative error number. `flags` are openat's;
// O_CLOEXEC, O_NOCTTY and O_NONBLOCK (so that a FIFO cannot hang) are added. -ELOOP for
// a symbolic link anywhere, -EXDEV for a path that is absolute or has '..'.
int open_beneath(int directory, std::string_view path, int flags, unsigned mode = 0,
                 Resolution resolution = supported_resolution());

// A directory as the user named it: links in `path` are the user's own and are followed. Throws
// kMalformed where it does not exist or is something else, kMachine where it cannot be opened.
FileDescriptor open_directory(const std::string& path);

// The regular file `path` beneath `directory`, for reading. `shown` is what messages call it.
// Throws kMalformed for one that is missing, is a symbolic link or is not a regular file.
FileDescriptor open_regular_file(int directory, std::string_view path, const std::string& shown);

// "a directory", "a symbolic link", "a FIFO": the word for the type in a st_mode.
std::string_view file_type_name(unsigned mode);

// DIRECTORY/NAME.
std::string join_path(std::string_view directory, std::string_view name);

// A path for messages, in quotes and whole.
std::string quoted_path(std::string_view path);

}  // namespace kimi3
