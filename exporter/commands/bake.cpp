#include <nlohmann/json.hpp>
#include <optional>

#include "exporter/commands/command.h"
#include "exporter/commands/package_writing.h"
#include "exporter/variant.h"

namespace kimi3 {
namespace {

ArgumentForm form() {
  ArgumentForm form{
      .command = "bake",
      .usage = "PACKAGE [OPTIONS]",
      .description =
          "Plans again inside an existing package, from the variant in its manifest and the\n"
          "environment switches of now, and replaces its plan at once. The identity stays.",
      .examples =
          "  IGNITION_KIMI_PREFILL_DMA_ROWS=3072 kimi3-export bake k31-tp8\n"
          "  kimi3-export bake k31-tp8 --prefill-dma-rows 0     # roll back\n",
      .positionals = {"PACKAGE"}};
  add_switch_options(form.options);
  return form;
}

}  // namespace

Outcome run_bake(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const std::string package = arguments.text("PACKAGE");
  PreparationConfig config;
  std::optional<PlanBaker> baker;
  // Planned under the package's lock, from the very manifest that the plan will name.
  const WriteResult result = replace_plan(package, [&](const ManifestSummary& manifest) {
    const Variant variant = variant_from_json(variant_of(manifest), package);
    config = prepare_variant(variant, invocation.environment, switch_options(arguments));
    baker.emplace(variant, config);
    return baker->text_for(manifest);
  });
  return report_written(config, result, *baker);
}

}  // namespace kimi3
