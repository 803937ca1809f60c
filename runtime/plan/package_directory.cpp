#include "runtime/plan/package_directory.h"

#include <utility>

#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"
#include "runtime/plan/small_file.h"
#include "runtime/plan/yaml_reader.h"

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
  return read_small_file(file.get(), plan_path(), kMaxYamlBytes);
}

}  // namespace kimi3
