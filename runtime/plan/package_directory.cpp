#include "runtime/plan/package_directory.h"

#include <fmt/format.h>

#include <utility>

#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"

namespace kimi3 {

PackageDirectory::PackageDirectory(std::string path)
    : path_(std::move(path)), directory_(open_directory(path_)) {}

std::string PackageDirectory::manifest_path() const { return join_path(path_, kManifestName); }
std::string PackageDirectory::plan_path() const { return join_path(path_, kPlanName); }

ManifestSummary PackageDirectory::read_manifest(const EntryCallback& entry) const {
  const FileDescriptor file = open_regular_file(descriptor(), kManifestName, manifest_path());
  return kimi3::read_manifest(manifest_path(), read_from(file.get(), manifest_path()), entry);
}

std::string PackageDirectory::read_plan() const {
  const FileDescriptor file = open_regular_file(descriptor(), kPlanName, plan_path());
  const ByteSource source = read_from(file.get(), plan_path());
  // One byte more than a plan may have, so that a longer one shows.
  std::string text(kMaxPlanBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t count = source(std::span(text).subspan(size));
    if (count == 0) break;
    size += count;
  }
  if (size > kMaxPlanBytes) {
    throw malformed(fmt::format("{}: more than {} bytes", plan_path(), kMaxPlanBytes));
  }
  text.resize(size);
  return text;
}

}  // namespace kimi3
