#include "exporter/plan_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "kimi3/error.h"
#include "runtime/plan/package_directory.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/plan/small_file.h"
#include "runtime/plan/yaml_reader.h"
#include "runtime/schedule/plan_check.h"

namespace kimi3 {

PlanSource read_plan_source(const std::string& path) {
  PlanSource source;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    const PackageDirectory package(path);
    source.manifest = package.read_manifest();
    source.text = package.read_plan();
    source.file = package.plan_path();
  } else {
    source.text = read_small_file(path, kMaxYamlBytes);
    source.file = path;
  }
  source.plan = read_plan(source.text, source.file);
  check_plan(source.plan, source.file);
  if (source.manifest && source.plan.package != source.manifest->identity) {
    throw mismatch(fmt::format("{}: the plan was baked for {}, the package is {}", source.file,
                               source.plan.package, source.manifest->identity),
                   "bake it again: kimi3-export bake PACKAGE");
  }
  return source;
}

}  // namespace kimi3
