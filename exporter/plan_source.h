// The plan that the user named: a package, or a plan's file.
#pragma once

#include <optional>
#include <string>

#include "kimi3/plan.h"
#include "runtime/plan/manifest.h"

namespace kimi3 {

struct PlanSource {
  ReductionPlan plan;
  std::string text;                         // the file's bytes
  std::string file;                         // as messages name it
  std::optional<ManifestSummary> manifest;  // of a package
};

// Reads and checks the plan of a package (a directory) or of a plan's file. Throws what the readers
// throw, and kMismatch for a plan that was baked for another package than the one it lies in.
PlanSource read_plan_source(const std::string& path);

}  // namespace kimi3
