#include "runtime/plan/manifest.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "kimi3/error.h"
#include "runtime/plan/canonical_json.h"
#include "runtime/plan/manifest_ledger.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;

std::string variant_json(const nlohmann::json& variant) {
  if (!variant.is_object()) throw malformed("the variant is not a mapping");
  std::string text = canonical_json(variant, kMaxVariantDepth);
  if (text.size() > kMaxVariantBytes) {
    throw malformed(
        fmt::format("the variant takes {} bytes, more than {}", text.size(), kMaxVariantBytes));
  }
  return text;
}

}  // namespace

std::optional<std::string> ManifestLedger::enter(const ManifestEntry& entry) {
  if (const auto fault = artifact_path_fault(entry.path)) {
    return fmt::format("the path {} {}", kimi3::quoted(entry.path), *fault);
  }
  if (const auto fault = paths_.fault_of_next(entry.path)) {
    return fmt::format("the path {} {}", kimi3::quoted(entry.path), *fault);
  }
  if (entry.size < 0 || entry.size > kMaxJsonInteger) {
    return fmt::format("the size {} is not in 0 to 2^53-1", entry.size);
  }
  if (!is_digest(format_digest(entry.sha256))) {
    return fmt::format("the sha256 {} is not 64 lower-case hexadecimal digits",
                       kimi3::quoted(entry.sha256));
  }
  if (entry.size > std::numeric_limits<std::int64_t>::max() - bytes_) {
    return "the sizes add up to more than 2^63-1";
  }
  ++files_;
  bytes_ += entry.size;
  return std::nullopt;
}

struct ManifestWriter::State {
  ByteSink sink;
  std::string variant_json;
  std::string buffer = R"({"files":[)";
  Sha256 hash;
  ManifestLedger ledger;

  void flush() {
    hash.update(buffer);
    sink(buffer);
    buffer.clear();
  }
};

ManifestWriter::ManifestWriter(ByteSink sink, const nlohmann::json& variant)
    : state_(std::make_unique<State>(State{std::move(sink), variant_json(variant)})) {}

ManifestWriter::~ManifestWriter() = default;

void ManifestWriter::add(const ManifestEntry& entry) {
  if (const auto fault = state_->ledger.enter(entry)) throw malformed(*fault);
  if (state_->ledger.files() > 1) state_->buffer += ',';
  state_->buffer += fmt::format(R"({{"path":{},"sha256":"{}","size":{}}})",
                                canonical_string(entry.path), entry.sha256, entry.size);
  if (state_->buffer.size() >= kBufferBytes) state_->flush();
}

ManifestSummary ManifestWriter::finish() {
  if (state_->ledger.files() == 0) throw malformed("a package has at least one file");
  state_->buffer += fmt::format(R"(],"overlay":["{}"],"schema":"{}","variant":{}}})", kPlanName,
                                kPackageSchema, state_->variant_json);
  state_->flush();
  ManifestSummary summary;
  summary.identity = format_digest(state_->hash.finish());
  summary.files = state_->ledger.files();
  summary.bytes = state_->ledger.bytes();
  summary.variant_json = std::move(state_->variant_json);
  return summary;
}

nlohmann::json variant_of(const ManifestSummary& summary) {
  return nlohmann::json::parse(summary.variant_json);
}

}  // namespace kimi3
