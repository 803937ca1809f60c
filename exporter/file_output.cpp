#include "exporter/file_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

#include "exporter/file_calls.h"
#include "exporter/temporary.h"
#include "kimi3/error.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

void require_replaceable(FileSystem& files, int directory, const std::string& name,
                         const std::string& shown) {
  struct stat status {};
  const int examined = files.status_at(directory, name, status);
  if (examined == -ENOENT) return;
  checked(examined, "examine", shown);
  if (!S_ISREG(status.st_mode)) {
    throw malformed(fmt::format("{} is {}, not a regular file", shown,
                                file_type_name(status.st_mode)));
  }
}

}  // namespace

void write_result_file(const std::string& path, std::string_view text, FileSystem& files) {
  const std::filesystem::path target(path);
  const std::string name = target.filename().string();
  const std::string shown = quoted_path(path);
  if (name.empty() || name == "." || name == "..") {
    throw malformed(fmt::format("{} names no file", shown));
  }
  const std::string parent = target.has_parent_path() ? target.parent_path().string() : ".";
  const FileDescriptor directory = open_root(files, parent);
  require_replaceable(files, directory.get(), name, shown);
  TemporaryFile temporary(files, directory.get(), parent);
  write_all(files, temporary.file(), text, shown);
  checked(files.sync(temporary.file()), "sync", shown);
  checked(files.rename(directory.get(), temporary.name(), directory.get(), name, 0), "rename to",
          shown);
  temporary.keep();
  checked(files.sync(directory.get()), "sync", quoted_path(parent));
}

}  // namespace kimi3
