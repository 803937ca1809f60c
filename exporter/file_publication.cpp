#include "exporter/file_publication.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "exporter/file_calls.h"
#include "kimi3/error.h"

namespace kimi3 {

FilePublication::FilePublication(FileSystem& files, int directory, std::string shown,
                                 std::string_view name)
    : files_(files),
      shown_directory_(std::move(shown)),
      temporary_(files, Temporary::Kind::kFile, directory, shown_directory_),
      place_{directory, temporary_.name(), std::string(name),
             quoted_path(join_path(shown_directory_, name))} {}

void FilePublication::write(std::string_view text) {
  write_all(files_, file(), text, shown_file());
  checked(files_.sync(file()), "sync", shown_file());
}

void FilePublication::swap_in() {
  struct stat status {};
  const int examined = files_.status_at(place_.directory, place_.name, status);
  if (examined != -ENOENT) checked(examined, "examine", place_.shown);
  if (examined == 0 && !S_ISREG(status.st_mode)) {
    throw malformed(
        fmt::format("{} is {}, not a regular file", place_.shown, file_type_name(status.st_mode)));
  }
  done_ = kimi3::swap_in(files_, place_, /*replaces=*/examined == 0);
}

void FilePublication::sync_swap() {
  try {
    checked(files_.sync(place_.directory), "sync", quoted_path(shown_directory_));
  } catch (...) {
    undo();
    throw;
  }
}

void FilePublication::undo() { swap_back(files_, place_, done_); }

void FilePublication::settle(std::vector<std::string>& notes) {
  temporary_.keep(true);
  if (done_ == Swap::kMoved) return;
  const int removed = files_.remove(place_.directory, place_.temporary, 0);
  if (removed == 0 || removed == -ENOENT) return;
  notes.emplace_back(system_failure("remove", temporary_.shown(), -removed).what());
}

void publish_file(const std::string& path, std::string_view text, FileSystem& files) {
  const auto [parent, name] = split_path(path);
  const FileDescriptor directory = open_root(files, parent);
  std::vector<std::string> notes = remove_stale(files, directory.get(), parent);
  FilePublication publication(files, directory.get(), parent, name);
  publication.write(text);
  publication.swap_in();
  publication.sync_swap();
  publication.settle(notes);
}

}  // namespace kimi3
