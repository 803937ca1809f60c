// What the strict readers make of files, for agreement.py to hold against the JSON Schemas.
//
//   schema_verdicts samples VARIANT DIR   writes plans and a manifest of the variant into DIR
//   schema_verdicts variant|plan|manifest reads paths on standard input, one a line, and answers
//                                         each with one line of JSON
//
// An answer has `document`, the tree of a file that gets past syntax, or null; `syntax` and
// `structure`, the message of what refuses the file there, or null.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "exporter/planning.h"
#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/fields.h"
#include "runtime/plan/manifest.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/plan/plan_writer.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/small_file.h"
#include "runtime/plan/yaml_reader.h"
#include "tests/support/tool.h"

namespace {

using kimi3::Document;

// The message with which `step` refuses, or null.
template <typename Step>
nlohmann::json refusal(Step step) {
  try {
    step();
    return nullptr;
  } catch (const kimi3::Error& error) {
    return error.what();
  }
}

template <typename Bind>
nlohmann::json judge_yaml(const std::string& path, Bind bind) {
  nlohmann::json verdict = {{"file", path}, {"document", nullptr}, {"structure", nullptr}};
  Document document;
  verdict["syntax"] = refusal([&] { document = kimi3::read_yaml_file(path); });
  if (!verdict["syntax"].is_null()) return verdict;
  verdict["document"] = to_json(document.root);
  verdict["structure"] = refusal([&] { bind(document); });
  return verdict;
}

// Every file given here is canonical JSON, so syntax never refuses it.
nlohmann::json judge_manifest(const std::string& path) {
  const std::string text = kimi3::test::read_text(path);
  const nlohmann::json structure = refusal([&] {
    std::size_t taken = 0;
    const auto source = [&](std::span<char> bytes) {
      const std::size_t count = text.copy(bytes.data(), bytes.size(), taken);
      taken += count;
      return count;
    };
    const kimi3::ManifestSummary summary = kimi3::read_manifest(path, source);
    kimi3::bind_variant(kimi3::document_from_json(kimi3::variant_of(summary), path));
  });
  return {{"file", path},
          {"document", nlohmann::json::parse(text)},
          {"syntax", nullptr},
          {"structure", structure}};
}

nlohmann::json judge(const std::string& kind, const std::string& path) {
  if (kind == "variant") return judge_yaml(path, kimi3::bind_variant);
  if (kind == "plan") return judge_yaml(path, kimi3::bind_plan);
  return judge_manifest(path);
}

void write_samples(const std::string& variant_path, const std::filesystem::path& directory) {
  const kimi3::Variant variant = kimi3::read_variant(kimi3::read_yaml_file(variant_path));
  const std::string digest = kimi3::format_digest(kimi3::sha256_hex("package"));
  for (const char* rows : {"0", "2048", "256"}) {
    const kimi3::PreparationConfig config =
        kimi3::prepare_variant(variant, {{"IGNITION_KIMI_PREFILL_DMA_ROWS", rows}});
    kimi3::test::write_text(directory / fmt::format("plan-{}.yaml", rows),
                            write_plan(plan_reductions(variant, config, digest)));
  }
  std::string manifest;
  kimi3::ManifestWriter writer([&](std::string_view bytes) { manifest += bytes; },
                               to_json(variant));
  writer.add({"config.json", 3, kimi3::sha256_hex("{}\n")});
  writer.finish();
  kimi3::test::write_text(directory / "manifest.json", manifest);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == "samples") {
    write_samples(arguments[1], arguments[2]);
    return 0;
  }
  if (arguments.size() != 1) return 2;
  for (std::string path; std::getline(std::cin, path);) {
    std::cout << judge(arguments[0], path) << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
