#include "exporter/file_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <vector>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

void sync_directories(FileSystem& files, int directory, const std::string& path) {
  std::vector<std::string> names;
  checked(files.list(directory,
                     [&](std::string name, unsigned char type) {
                       if (type == DT_DIR || type == DT_UNKNOWN) names.push_back(std::move(name));
                     }),
          "list", quoted_path(path));
  for (const std::string& name : names) {
    const std::string child_path = join_path(path, name);
    const int opened = files.open(directory, name, O_RDONLY | O_DIRECTORY);
    if (opened == -ENOTDIR) continue;  // its type was not known: a file
    const FileDescriptor child(static_cast<int>(checked(opened, "open", quoted_path(child_path))));
    sync_directories(files, child.get(), child_path);
  }
  checked(files.sync(directory), "sync", quoted_path(path));
}

}  // namespace

std::int64_t checked(std::int64_t result, std::string_view action, std::string_view path) {
  if (result < 0) throw system_failure(action, path, static_cast<int>(-result));
  return result;
}

std::pair<std::string, std::string> split_path(std::string_view path) {
  std::string_view rest = path;
  while (rest.size() > 1 && rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = rest.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? rest : rest.substr(slash + 1);
  if (name.empty() || name == "." || name == ".." || path.find('\0') != std::string_view::npos) {
    throw malformed(fmt::format("{} does not name anything to write", quoted_path(path)));
  }
  if (slash == std::string_view::npos) return {".", std::string(name)};
  return {std::string(rest.substr(0, slash == 0 ? 1 : slash)), std::string(name)};
}

FileDescriptor open_root(FileSystem& files, const std::string& path) {
  const bool has_nul = path.find('\0') != std::string::npos;
  const int opened = has_nul ? -ENOENT : files.open_root(path);
  if (opened == -ENOENT) throw malformed(fmt::format("{}: no such directory", quoted_path(path)));
  if (opened == -ENOTDIR) throw malformed(fmt::format("{}: not a directory", quoted_path(path)));
  return FileDescriptor(static_cast<int>(checked(opened, "open", quoted_path(path))));
}

OpenedFile open_file(FileSystem& files, int directory, std::string_view path,
                     const std::string& shown) {
  const int opened = files.open(directory, path, O_RDONLY);
  if (opened == -ELOOP) throw malformed(fmt::format("{} is a symbolic link", shown));
  if (opened == -ENXIO) throw malformed(fmt::format("{} is not a regular file", shown));
  OpenedFile result;
  result.file = FileDescriptor(static_cast<int>(checked(opened, "open", shown)));
  checked(files.status(result.file.get(), result.status), "examine", shown);
  if (!S_ISREG(result.status.st_mode)) {
    throw malformed(fmt::format("{} is {}", shown, file_type_name(result.status.st_mode)));
  }
  return result;
}

FileDescriptor open_subdirectory(FileSystem& files, int directory, std::string_view path,
                                 const std::string& shown) {
  return FileDescriptor(static_cast<int>(
      checked(files.open(directory, path, O_RDONLY | O_DIRECTORY), "open", shown)));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void write_all(FileSystem& files, int file, std::string_view bytes, const std::string& shown) {
  while (!bytes.empty()) {
    const std::int64_t count = checked(files.write(file, bytes), "write", shown);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void sync_tree(FileSystem& files, int directory, const std::string& path) {
  // Synced one by one, a hundred thousand small files take minutes: each makes the disk flush.
  checked(files.sync_all(directory), "sync", quoted_path(path));
  sync_directories(files, directory, path);
}

ByteSource source_of(FileSystem& files, int file, const std::string& shown) {
  return [&files, file, shown](std::span<char> bytes) {
    return static_cast<std::size_t>(checked(files.read(file, bytes), "read", shown));
  };
}

}  // namespace kimi3
