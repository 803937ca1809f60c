// A package on disk, opened for reading: everything in it is reached beneath one directory handle.
#pragma once

#include <string>

#include "runtime/plan/beneath.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

class PackageDirectory {
 public:
  // Throws kMalformed where `path` is no directory, kMachine where it cannot be opened.
  explicit PackageDirectory(std::string path);

  const std::string& path() const { return path_; }
  int descriptor() const { return directory_.get(); }
  std::string manifest_path() const;  // for messages
  std::string plan_path() const;

  // Reads manifest.json from its start; throws as read_manifest does, and kMalformed where the
  // package has none.
  ManifestSummary read_manifest(const EntryCallback& entry = {}) const;

  // The bytes of reduction_plan.yaml. Throws kMalformed for one that is missing, no regular file,
  // or longer than kMaxYamlBytes.
  std::string read_plan() const;

 private:
  std::string path_;
  FileDescriptor directory_;
};

}  // namespace kimi3
