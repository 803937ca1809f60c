// A package's manifest beside what lies in its directory, path by path.
#pragma once

#include <functional>
#include <string>

#include "exporter/artifact_walk.h"
#include "exporter/file_system.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

// Called in ascending order of paths, with what both have, with what only the manifest lists (no
// item) and with what is only there (no entry).
using InventoryVisitor = std::function<void(const ManifestEntry* entry, const WalkItem* item)>;

// Walks the open directory `package` along its manifest.json. Throws kMalformed for a manifest that
// is missing or malformed, kMachine where it or the directory cannot be read.
ManifestSummary take_inventory(FileSystem& files, int package, const std::string& shown,
                               const InventoryVisitor& visit);

// The manifest alone.
ManifestSummary read_package_manifest(FileSystem& files, int package, const std::string& shown,
                                      const EntryCallback& entry = {});

// Throws kMalformed, naming why, unless the directory is a package that holds nothing but what its
// manifest lists: only such a one may be replaced. Files that it lists may be missing.
void require_own_package(FileSystem& files, int package, const std::string& shown);

}  // namespace kimi3
