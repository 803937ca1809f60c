#include "exporter/inventory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "exporter/file_calls.h"
#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"

namespace kimi3 {

ManifestSummary read_package_manifest(FileSystem& files, int package, const std::string& shown,
                                      const EntryCallback& entry) {
  const std::string path = join_path(shown, kManifestName);
  struct stat status {};
  const int examined = files.status_at(package, std::string(kManifestName), status);
  if (examined == -ENOENT) {
    throw malformed(
        fmt::format("{} is no package: it has no {}", quoted_path(shown), kManifestName));
  }
  checked(examined, "examine", quoted_path(path));
  const OpenedFile manifest = open_file(files, package, kManifestName, quoted_path(path));
  return read_manifest(path, source_of(files, manifest.file.get(), quoted_path(path)), entry);
}

ManifestSummary take_inventory(FileSystem& files, int package, const std::string& shown,
                               const InventoryVisitor& visit) {
  ArtifactWalk walk(files, package, shown, {.package = true});
  WalkItem item;
  bool more = walk.next(item);
  ManifestSummary summary =
      read_package_manifest(files, package, shown, [&](const ManifestEntry& entry) {
        while (more && item.path < entry.path) {
          visit(nullptr, &item);
          more = walk.next(item);
        }
        const bool there = more && item.path == entry.path;
        visit(&entry, there ? &item : nullptr);
        if (there) more = walk.next(item);
      });
  for (; more; more = walk.next(item)) visit(nullptr, &item);
  return summary;
}

void require_own_package(FileSystem& files, int package, const std::string& shown) {
  const auto refuse = [&](std::string_view why) {
    return malformed(
        fmt::format("{} exists and {}", quoted_path(shown), why),
        "only a package that holds nothing else is replaced; remove it or name another "
        "directory");
  };
  try {
    take_inventory(files, package, shown, [&](const ManifestEntry* entry, const WalkItem* item) {
      if (item == nullptr) return;
      if (item->problem)
        throw refuse(fmt::format("may not be replaced: {}", item->problem->detail));
      if (entry != nullptr) return;
      throw refuse(
          fmt::format("holds {}, which its manifest does not list", quoted_path(item->path)));
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kMalformed || !error.hint().empty()) throw;
    throw refuse(fmt::format("may not be replaced: {}", error.what()));
  }
}

}  // namespace kimi3
