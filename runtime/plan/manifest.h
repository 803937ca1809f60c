// manifest.json (kimi3.package/1): what a package is. Canonical JSON (RFC 8785) with the keys
// files[] {path, sha256, size}, overlay, schema and variant; its SHA-256 is the package's identity.
// Both directions stream: neither holds more than one entry and the variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "runtime/plan/byte_source.h"

namespace kimi3 {

inline constexpr std::string_view kPackageSchema = "kimi3.package/1";
inline constexpr std::size_t kMaxVariantBytes = 1 << 20;  // as canonical JSON
inline constexpr int kMaxVariantDepth = 64;

struct ManifestEntry {
  std::string path;
  std::int64_t size = 0;  // 0 to 2^53-1
  std::string sha256;     // 64 lower-case hexadecimal digits
};

// What a whole manifest says besides its entries.
struct ManifestSummary {
  std::string identity;      // "sha256:…" of the manifest's bytes
  std::int64_t files = 0;    // entries
  std::int64_t bytes = 0;    // of all entries; no more than 2^63-1
  std::string variant_json;  // canonical; an object
};

// The variant as a tree.
nlohmann::json variant_of(const ManifestSummary& summary);

// Takes the manifest's bytes in order.
using ByteSink = std::function<void(std::string_view)>;

// Writes a manifest entry by entry.
class ManifestWriter {
 public:
  // Throws kMalformed for a variant that is no object, has keys beyond ASCII, a fraction, an
  // integer beyond ±(2^53-1), or is too large or too deep.
  ManifestWriter(ByteSink sink, const nlohmann::json& variant);
  ~ManifestWriter();

  // Entries come in strictly ascending order of their paths' bytes; throws kMalformed for one that
  // a reader would refuse.
  void add(const ManifestEntry& entry);

  // Writes the rest. Throws kMalformed where there was no entry.
  ManifestSummary finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Takes the entries in order. What it throws ends the reading.
using EntryCallback = std::function<void(const ManifestEntry&)>;

// Reads a manifest. `file` is what messages call it; places are FILE:1:COLUMN, since canonical JSON
// is one line. Throws kMalformed for bytes that are not a manifest in its one canonical form;
// entries that were handed out before that count for nothing.
ManifestSummary read_manifest(const std::string& file, const ByteSource& source,
                              const EntryCallback& entry = {});

}  // namespace kimi3
