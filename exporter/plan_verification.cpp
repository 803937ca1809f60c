#include "exporter/plan_verification.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "exporter/planning.h"
#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/plan/plan_writer.h"
#include "runtime/schedule/plan_check.h"

namespace kimi3 {
namespace {

// The text that this build bakes for the same variant and switches.
std::string expected_text(const ManifestSummary& manifest, const ReductionPlan& plan,
                          const std::string& file) {
  const Variant variant = variant_from_json(variant_of(manifest), file);
  const PreparationConfig config =
      prepare_variant(variant, {},
                      {.prefill_dma_rows = std::to_string(plan.switches.prefill_dma_rows),
                       .prefill_dma_bf16 = plan.switches.prefill_dma_bf16 ? "1" : "0"});
  return write_plan(plan_reductions(variant, config, manifest.identity));
}

}  // namespace

PlanVerification verify_plan(const PackageDirectory& package, const ManifestSummary& manifest,
                             const std::optional<std::string>& expected_digest) {
  PlanVerification result;
  const std::string file = package.plan_path();
  try {
    const std::string text = package.read_plan();
    const ReductionPlan plan = read_plan(text, file);
    result.digest = plan.digest;
    if (expected_digest && plan.digest != *expected_digest) {
      result.findings.push_back(
          fmt::format("{}: the plan is {}, not {}", file, plan.digest, *expected_digest));
    }
    if (plan.package != manifest.identity) {
      result.findings.push_back(fmt::format("{}: the plan was baked for {}, the package is {}",
                                            file, plan.package, manifest.identity));
      return result;
    }
    check_plan(plan, file);
    if (text != expected_text(manifest, plan, package.manifest_path())) {
      result.findings.push_back(fmt::format(
          "{}: this build bakes another plan for this variant and these switches", file));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kMachine) throw;
    result.findings.emplace_back(error.what());
  }
  return result;
}

}  // namespace kimi3
