// The calls of a FileSystem with their failures as exceptions that name call and path.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/file_system.h"
#include "runtime/plan/beneath.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

// A non-negative result; throws kMachine, "cannot ACTION PATH: …", for another. `path` is shown as
// it is: quote it first.
std::int64_t checked(std::int64_t result, std::string_view action, std::string_view path);

// A path that names something to be made: the directory that it is in, and the name. Throws
// kMalformed for one that ends in no name.
std::pair<std::string, std::string> split_path(std::string_view path);

// As open_directory in runtime/plan/beneath.h.
FileDescriptor open_root(FileSystem& files, const std::string& path);

// The regular file `path` beneath `directory`, opened for reading, and its status. Throws
// kMalformed where it is something else, kMachine where it is not there or cannot be opened.
struct OpenedFile {
  FileDescriptor file;
  struct stat status {};
};
OpenedFile open_file(FileSystem& files, int directory, std::string_view path,
                     const std::string& shown);

// The directory `path` beneath `directory`; "." is the directory itself.
FileDescriptor open_subdirectory(FileSystem& files, int directory, std::string_view path,
                                 const std::string& shown);

// Whether both are one and the same file.
bool same_file(const struct stat& a, const struct stat& b);

void write_all(FileSystem& files, int file, std::string_view bytes, const std::string& shown);

// Syncs everything from an open directory down.
void sync_tree(FileSystem& files, int directory, const std::string& path);

// The bytes of an open file, for read_manifest.
ByteSource source_of(FileSystem& files, int file, const std::string& shown);

}  // namespace kimi3
