#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "exporter/baking.h"
#include "exporter/commands/command.h"
#include "exporter/commands/package_writing.h"
#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;

ArgumentForm form() {
  ArgumentForm form{
      .command = "export",
      .usage = "--variant FILE --artifacts DIR --out DIR [OPTIONS]",
      .description =
          "Makes a package of a model variant and its artifacts, and bakes its reduction plan.\n"
          "Every schedule is proven first. The environment switches decide what the plan says and\n"
          "never what the package's identity is; schemas/environment.md describes them. An "
          "existing\n"
          "package is replaced at once, whole; anything else at --out is refused.",
      .examples =
          "  kimi3-export export --variant k31-tp8.yaml --artifacts build/artifacts --out k31-tp8\n"
          "  IGNITION_KIMI_PREFILL_DMA_ROWS=3072 kimi3-export export --variant k31-tp8.yaml \\\n"
          "      --artifacts build/artifacts --out k31-tp8\n"};
  form.options.add_options()("variant", po::value<std::string>()->value_name("FILE"),
                             "the variant (kimi3.variant/1)");
  form.options.add_options()("artifacts", po::value<std::string>()->value_name("DIR"),
                             "the graph and weight files");
  form.options.add_options()("out", po::value<std::string>()->value_name("DIR"),
                             "the package to make");
  form.options.add_options()("in-place", "make the artifact directory itself the package");
  form.options.add_options()("refuse-case-collisions",
                             "refuse names that differ in the case of letters alone");
  add_switch_options(form.options);
  add_control_options(form.options);
  return form;
}

ExportRequest request_from(const Arguments& arguments) {
  for (const char* name : {"variant", "artifacts"}) {
    if (!arguments.has(name)) throw malformed(fmt::format("export: --{} is missing", name));
  }
  if (arguments.has("out") == arguments.has("in-place")) {
    throw malformed("export: give one of --out and --in-place");
  }
  if (arguments.has("out") && arguments.text("out").empty()) {
    throw malformed("export: --out is empty");
  }
  return {.artifacts = arguments.text("artifacts"),
          .out = arguments.optional_text("out").value_or(""),
          .refuse_case_collisions = arguments.has("refuse-case-collisions")};
}

}  // namespace

Outcome run_export(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const ExportRequest request = request_from(arguments);
  const Variant variant = read_variant(read_yaml_file(arguments.text("variant")));
  const PreparationConfig config =
      prepare_variant(variant, invocation.environment, switch_options(arguments));
  // Before the first artifact is read: hashing may take an hour, and a refusal should not.
  PlanBaker baker(variant, config);
  const OperationControl control(arguments);
  const WriteResult result = export_package(
      request, to_json(variant),
      [&](const ManifestSummary& manifest) { return baker.text_for(manifest); },
      control.run_control());
  return report_written(config, result, baker);
}

}  // namespace kimi3
