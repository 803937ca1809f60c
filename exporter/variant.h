// A variant (kimi3.variant/1): one build of a model, as its author wrote it; docs/formats.md
// describes it and schemas/variant.schema.json checks its structure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kimi3/vocabulary.h"
#include "runtime/plan/document.h"

namespace kimi3 {

inline constexpr std::string_view kVariantSchema = "kimi3.variant/1";
// What an untrusted variant may ask for: far beyond any model, and small enough that every product
// of two of them fits 64 bits.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;  // rows, columns, widths
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 20;   // layers, calls a layer
inline constexpr std::size_t kMaxCapacities = 4096;                // of all modes together
inline constexpr std::size_t kMaxReductions = 256;
inline constexpr std::size_t kMaxSettings = 1024;

struct ModelShape {
  std::string architecture;
  std::int64_t hidden_size = 0;
  std::int64_t layers = 0;
  DType dtype{};
};

struct PrefillGraphs {
  std::int64_t chunk = 0;          // the largest number of rows that the server prefills at once
  std::vector<std::int64_t> rows;  // capacities, ascending, none above the chunk
};

// One all-reduce position in the model.
struct ReductionSite {
  std::string site;
  std::int64_t cols = 0;
  std::int64_t per_layer = 0;  // calls in each layer of a graph run
  std::vector<Mode> modes;     // the modes whose graphs have it, in the order of kModes
};

// In normal form: variants that mean the same are equal.
struct Variant {
  std::string name;
  ModelShape model;
  std::int64_t world_size = 0;
  PrefillGraphs prefill;
  // Capacities, ascending; nothing where the variant has no such graphs.
  std::optional<std::vector<std::int64_t>> decode;
  std::optional<std::vector<std::int64_t>> verify;
  std::optional<std::vector<std::int64_t>> draft;
  std::vector<ReductionSite> reductions;  // in file order
  std::map<std::string, std::string> settings;
};

// The capacities of a mode's graphs, ascending; empty where it has none.
const std::vector<std::int64_t>& capacities(const Variant& variant, Mode mode);

// Both throw kMalformed with the place of the first thing that is wrong.
// bind_variant checks what the schema can say; read_variant also what relates one value to another:
// no prefill capacity above the chunk, sites distinct, every shape within kMaxElements.
Variant bind_variant(const Document& document);
Variant read_variant(const Document& document);

// The normal form that manifests hold: every key there, `modes` included, but for modes without
// graphs. read_variant of it gives the same variant.
nlohmann::json to_json(const Variant& variant);
Variant variant_from_json(const nlohmann::json& value, const std::string& file);

}  // namespace kimi3
