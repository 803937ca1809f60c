#include <array>
#include <nlohmann/json.hpp>

#include "exporter/commands/command.h"
#include "exporter/file_publication.h"
#include "exporter/inspection.h"
#include "exporter/plan_source.h"
#include "kimi3/error.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;

constexpr std::array<std::string_view, 3> kFormats{"text", "yaml", "json"};

ArgumentForm form() {
  ArgumentForm form{
      .command = "inspect",
      .usage = "PACKAGE|PLAN [--format text|yaml|json] [--graph ID] [-o FILE]",
      .description =
          "Shows which graphs ring, why, and at what memory. json mirrors the plan's YAML, key "
          "for\n"
          "key; yaml is the plan's own text.",
      .examples =
          "  kimi3-export inspect k31-tp8\n"
          "  kimi3-export inspect k31-tp8 --graph prefill-3072\n"
          "  kimi3-export inspect k31-tp8/reduction_plan.yaml --format json -o plan.json\n",
      .positionals = {"PACKAGE|PLAN"}};
  form.options.add_options()("format",
                             po::value<std::string>()->value_name("FORMAT")->default_value("text"),
                             "text, yaml or json");
  form.options.add_options()("graph", po::value<std::string>()->value_name("ID"),
                             "one graph, with its reductions");
  form.options.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                             "write there; - is standard output");
  return form;
}

// The plan as a JSON tree; with `graph`, that entry of its graphs alone.
std::string as_json(const PlanSource& source, const std::string& graph) {
  nlohmann::ordered_json tree = to_json(read_yaml(source.text, source.file).root);
  if (graph.empty()) return tree.dump(2) + '\n';
  for (const auto& entry : tree["graphs"]) {
    if (entry["id"] == graph) return entry.dump(2) + '\n';
  }
  return {};
}

// The lines of one graph's entry in the plan's text.
std::string as_yaml(const PlanSource& source, const std::string& graph) {
  if (graph.empty()) return source.text;
  const std::size_t start = source.text.find("  - id: " + graph + "\n");
  std::size_t end = source.text.find('\n', start) + 1;
  while (source.text.compare(end, 4, "    ") == 0) end = source.text.find('\n', end) + 1;
  return source.text.substr(start, end - start);
}

}  // namespace

Outcome run_inspect(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const std::string format = word_option(arguments, "format", kFormats);
  const std::string graph = arguments.optional_text("graph").value_or("");
  const PlanSource source = read_plan_source(arguments.text("PACKAGE|PLAN"));
  if (arguments.has("graph")) require_graph(source.plan, graph);
  const std::string text = format == "text"   ? inspect_text(source.plan, graph)
                           : format == "yaml" ? as_yaml(source, graph)
                                              : as_json(source, graph);
  if (arguments.has("output") && arguments.text("output") != "-") {
    publish_file(arguments.text("output"), text);
  } else {
    print_result(text);
  }
  return Outcome::kHolds;
}

}  // namespace kimi3
