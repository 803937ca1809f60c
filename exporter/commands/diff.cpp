#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "exporter/commands/command.h"
#include "exporter/comparison.h"
#include "exporter/plan_source.h"
#include "exporter/text_table.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/package_directory.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> kFormats{"text", "json"};

ArgumentForm form() {
  ArgumentForm form{
      .command = "diff",
      .usage = "A B [--identity-only] [--format text|json]",
      .description =
          "Shows what differs between two packages, or two plans: first whether the identity "
          "does,\n"
          "then the variant, the files and the plan, field by field. Exit status 1 if anything\n"
          "differs; with --identity-only, if the identity does.",
      .examples =
          "  kimi3-export diff k31-tp8-off k31-tp8-on\n"
          "  kimi3-export diff k31-tp8-off k31-tp8-on --identity-only\n",
      .positionals = {"A", "B"}};
  form.options.add_options()("identity-only", "compare the identities alone");
  form.options.add_options()("format",
                             po::value<std::string>()->value_name("FORMAT")->default_value("text"),
                             "text or json");
  return form;
}

struct Side {
  PlanSource source;
  std::string identity;
  Json tree;  // of the variant, where there is one, and the plan
  std::vector<ManifestEntry> files;
};

Side read_side(const std::string& path, bool identity_only) {
  Side side{.source = read_plan_source(path)};
  side.identity = side.source.plan.package;
  if (identity_only) return side;
  if (side.source.manifest) {
    side.tree["variant"] = Json::parse(side.source.manifest->variant_json);
    PackageDirectory(path).read_manifest(
        [&](const ManifestEntry& entry) { side.files.push_back(entry); });
  }
  Json plan = to_json(read_yaml(side.source.text, side.source.file).root);
  // Both follow from what else differs.
  plan.erase("package");
  plan.erase("digest");
  side.tree["plan"] = std::move(plan);
  return side;
}

std::string describe(const ManifestEntry& entry) {
  return fmt::format("{} bytes, sha256:{}", entry.size, entry.sha256);
}

// Both are in the order of their paths.
void compare_files(const Side& left, const Side& right, std::vector<Difference>& differences) {
  auto a = left.files.begin();
  auto b = right.files.begin();
  while (a != left.files.end() || b != right.files.end()) {
    const bool left_only = b == right.files.end() || (a != left.files.end() && a->path < b->path);
    const bool right_only = a == left.files.end() || (b != right.files.end() && b->path < a->path);
    if (left_only) {
      differences.push_back({"files/" + a->path, describe(*a), "(absent)"});
    } else if (right_only) {
      differences.push_back({"files/" + b->path, "(absent)", describe(*b)});
    } else if (describe(*a) != describe(*b)) {
      differences.push_back({"files/" + a->path, describe(*a), describe(*b)});
    }
    if (!right_only) ++a;
    if (!left_only) ++b;
  }
}

std::string as_text(const Side& left, const Side& right, const std::vector<Difference>& differences,
                    bool identity_only) {
  std::string text =
      left.identity == right.identity
          ? fmt::format("identity  the same: {}\n", left.identity)
          : fmt::format("identity  differs: {} | {}\n", left.identity, right.identity);
  if (identity_only) return text;
  text += left.source.plan.digest == right.source.plan.digest
              ? fmt::format("plan      the same: {}\n", left.source.plan.digest)
              : fmt::format("plan      differs: {} | {}\n", left.source.plan.digest,
                            right.source.plan.digest);
  if (differences.empty()) return text;
  TextTable table({{"field"}, {"A"}, {"B"}});
  for (const Difference& difference : differences) {
    table.add_row({difference.field, difference.left, difference.right});
  }
  return text + '\n' + table.render();
}

std::string as_json(const Side& left, const Side& right,
                    const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& difference : differences) {
    list.push_back({{"field", difference.field}, {"a", difference.left}, {"b", difference.right}});
  }
  const Json tree{
      {"identity",
       {{"a", left.identity}, {"b", right.identity}, {"differs", left.identity != right.identity}}},
      {"plan",
       {{"a", left.source.plan.digest},
        {"b", right.source.plan.digest},
        {"differs", left.source.plan.digest != right.source.plan.digest}}},
      {"differences", std::move(list)}};
  return tree.dump(2) + '\n';
}

}  // namespace

Outcome run_diff(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const std::string format = word_option(arguments, "format", kFormats);
  const bool identity_only = arguments.has("identity-only");
  const Side left = read_side(arguments.text("A"), identity_only);
  const Side right = read_side(arguments.text("B"), identity_only);
  std::vector<Difference> differences;
  if (!identity_only) {
    differences = compare(left.tree, right.tree);
    compare_files(left, right, differences);
  }
  print_result(format == "text" ? as_text(left, right, differences, identity_only)
                                : as_json(left, right, differences));
  const bool same = left.identity == right.identity && differences.empty();
  return same ? Outcome::kHolds : Outcome::kDoesNotHold;
}

}  // namespace kimi3
