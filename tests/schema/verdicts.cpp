// For each file named on standard input, one line of JSON on standard output: what the strict
// reader makes of it. `document` is the tree of a file that gets past syntax; `structure` and
// `relations` are the messages of what refuses it there, or null.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/yaml_reader.h"

namespace {

using kimi3::Document;
using kimi3::Error;

// The message with which `step` refuses, or null.
template <typename Step>
nlohmann::json refusal(Step step) {
  try {
    step();
    return nullptr;
  } catch (const Error& error) {
    return error.what();
  }
}

nlohmann::json judge(const std::string& path) {
  nlohmann::json verdict = {{"file", path}, {"document", nullptr}, {"relations", nullptr}};
  Document document;
  verdict["syntax"] = refusal([&] { document = kimi3::read_yaml_file(path); });
  if (!verdict["syntax"].is_null()) return verdict;
  verdict["document"] = to_json(document.root);
  verdict["structure"] = refusal([&] { kimi3::bind_variant(document); });
  verdict["relations"] = refusal([&] { kimi3::read_variant(document); });
  return verdict;
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) std::cout << judge(path) << '\n';
}
