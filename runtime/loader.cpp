#include "runtime/loader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/plan/package_directory.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"
#include "runtime/schedule/plan_check.h"

namespace kimi3 {
namespace {

constexpr std::string_view kBakeAgain = "bake it again: kimi3-export bake PACKAGE";

// The value at `path` of the variant as text, "nothing" where there is none.
std::string variant_text(const nlohmann::json& variant, const std::string& path) {
  const nlohmann::json::json_pointer pointer(path);
  if (!variant.contains(pointer)) return "nothing";
  const nlohmann::json& value = variant.at(pointer);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

void check_identity(const ManifestSummary& manifest, const std::optional<std::string>& expected,
                    const std::string& file) {
  if (!expected) return;
  if (!is_digest(*expected)) {
    throw malformed(
        fmt::format("the expected identity is {}, not 'sha256:' and 64 hexadecimal "
                    "digits",
                    kimi3::quoted(*expected)));
  }
  if (manifest.identity == *expected) return;
  throw mismatch(fmt::format("{}: the package is {}, not {}", file, manifest.identity, *expected));
}

void check_plan_belongs(const ReductionPlan& plan, const ManifestSummary& manifest,
                        const std::string& file) {
  if (plan.package != manifest.identity) {
    throw mismatch(fmt::format("{}: the plan was baked for {}, the package is {}", file,
                               plan.package, manifest.identity),
                   std::string(kBakeAgain));
  }
  const nlohmann::json variant = variant_of(manifest);
  const auto require_equal = [&](std::string_view what, const std::string& planned,
                                 const std::string& path) {
    const std::string packaged = variant_text(variant, path);
    if (planned == packaged) return;
    throw mismatch(fmt::format("{}: the plan has {} {}, the package's variant {}", file, what,
                               kimi3::quoted(planned), kimi3::quoted(packaged)),
                   std::string(kBakeAgain));
  };
  require_equal("variant", plan.variant, "/name");
  require_equal("world_size", std::to_string(plan.world_size), "/world_size");
  require_equal("dtype", std::string(to_string(plan.dtype)), "/model/dtype");
}

Runtime Runtime::load(const std::string& package, const LoadOptions& options) {
  const PackageDirectory directory(package);
  const ManifestSummary manifest = directory.read_manifest();
  check_identity(manifest, options.identity, directory.manifest_path());
  const std::string file = directory.plan_path();
  ReductionPlan plan = read_plan(directory.read_plan(), file);
  check_plan_belongs(plan, manifest, file);
  check_plan(plan, file);
  return start_runtime(std::move(plan), options);
}

}  // namespace kimi3
