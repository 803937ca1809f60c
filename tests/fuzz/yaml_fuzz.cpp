// Any bytes at all, as a variant and as a plan: they are read or refused as malformed, the message
// is one line of text, and a variant that is read is the same again from its normal form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/plan/text.h"
#include "runtime/plan/yaml_reader.h"

namespace {

// An exception would do, but libFuzzer keeps the input only of what aborts.
void require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << what << '\n';
  std::abort();
}

bool is_one_line(const std::string& message) {
  return kimi3::is_plain_text(message) && message.find('\n') == std::string::npos;
}

template <typename Action>
void run(Action action) {
  try {
    action();
  } catch (const kimi3::Error& error) {
    require(error.kind() == kimi3::ErrorKind::kMalformed, error.what());
    require(is_one_line(error.what()), "a message that is not one line of text");
    require(is_one_line(error.hint()), "a hint that is not one line of text");
  }
}

void read_as_variant(const kimi3::Document& document) {
  const nlohmann::json normal = to_json(kimi3::read_variant(document));
  require(to_json(kimi3::variant_from_json(normal, "manifest.json")) == normal,
          "a variant that differs from its normal form");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  run([&] {
    const kimi3::Document document = kimi3::read_yaml(bytes, "fuzz.yaml");
    require(!to_json(document.root).dump().empty(), "a tree without JSON");
    run([&] { read_as_variant(document); });
    run([&] { kimi3::bind_plan(document); });
  });
  return 0;
}
