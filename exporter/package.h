// Writing packages: export_package makes one, replace_plan bakes another plan into one. Whatever
// fails or is interrupted, nothing is left behind and a package that was there is as it was; after
// a crash at any instant the package is the old one or the new one, and the next call cleans up.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exporter/file_system.h"
#include "exporter/package_lock.h"
#include "exporter/run_control.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

struct ExportRequest {
  std::string artifacts;  // a directory
  // The package to make; empty makes the artifact directory itself the package (--in-place). An
  // existing one is replaced only if it is a package that holds nothing but what it lists.
  std::string out;
  // Refuses names that differ only in the case of ASCII letters.
  bool refuse_case_collisions = false;
};

// Gives the text of the overlay plan for a package. What it throws ends the operation.
using PlanText = std::function<std::string(const ManifestSummary&)>;

struct WriteResult {
  ManifestSummary manifest;
  // What the user should know besides, one line each: a temporary that could not be removed.
  std::vector<std::string> notes;
};

// Copies and hashes the artifacts, asks `plan_text` for the plan of the resulting identity and
// publishes the package. `variant` goes into the manifest as it is. Throws kMalformed for artifacts
// or a target that it refuses, by name; kMachine where a system call fails, naming it and the path,
// and where an artifact changes while it is read.
WriteResult export_package(const ExportRequest& request, const nlohmann::json& variant,
                           const PlanText& plan_text, const RunControl& control = {},
                           FileSystem& files = real_file_system());

// Replaces reduction_plan.yaml of the package, under its lock. Two at once end as one or the
// other, and readers see the old plan or the new.
WriteResult replace_plan(const std::string& package, const PlanText& plan_text,
                         const RunControl& control = {}, FileSystem& files = real_file_system());

}  // namespace kimi3
