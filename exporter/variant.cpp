#include "exporter/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/plan/document_json.h"
#include "runtime/plan/fields.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

ModelShape bind_model(const Value& value) {
  const Fields fields(value, {"architecture", "hidden_size", "layers", "dtype"});
  ModelShape model;
  model.architecture = fields.required("architecture").name();
  model.hidden_size = fields.required("hidden_size").integer(1, kMaxExtent);
  model.layers = fields.required("layers").integer(1, kMaxCount);
  model.dtype = fields.required("dtype").word(kDTypes);
  return model;
}

std::vector<std::int64_t> bind_rows(const Value& value) {
  std::vector<std::int64_t> rows = value.unique_integers(1, kMaxExtent, 1, kMaxCapacities);
  std::ranges::sort(rows);
  return rows;
}

PrefillGraphs bind_prefill(const Value& value) {
  const Fields fields(value, {"chunk", "rows"});
  PrefillGraphs prefill;
  prefill.chunk = fields.required("chunk").integer(1, kMaxExtent);
  prefill.rows = bind_rows(fields.required("rows"));
  return prefill;
}

std::optional<std::vector<std::int64_t>> bind_graphs(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return bind_rows(Fields(*value, {"rows"}).required("rows"));
}

std::vector<Mode> bind_modes(const std::optional<Value>& value) {
  if (!value) return {kModes.begin(), kModes.end()};
  const std::vector<Value> items = value->items(1, kModes.size());
  std::vector<Mode> modes;
  for (const Value& item : items) modes.push_back(item.word(kModes));
  require_unique(items);
  std::ranges::sort(modes);  // the enumerators are in the order of kModes
  return modes;
}

ReductionSite bind_reduction(const Value& value) {
  const Fields fields(value, {"site", "cols", "per_layer", "modes"});
  ReductionSite reduction;
  reduction.site = fields.required("site").name();
  reduction.cols = fields.required("cols").integer(1, kMaxExtent);
  reduction.per_layer = fields.required("per_layer").integer(1, kMaxCount);
  reduction.modes = bind_modes(fields.optional("modes"));
  return reduction;
}

void check_capacities(const Value& root) {
  const Value prefill = root.find("prefill").value();
  const std::int64_t chunk = prefill.find("chunk").value().integer(1, kMaxExtent);
  for (const Value& row : prefill.find("rows").value().items()) {
    const std::int64_t capacity = row.integer(1, kMaxExtent);
    if (capacity <= chunk) continue;
    throw malformed_at(row.where(),
                       fmt::format("prefill capacity {} is above the chunk {}", capacity, chunk));
  }
  std::size_t count = 0;
  for (const Mode mode : kModes) {
    const auto graphs = root.find(to_string(mode));
    if (!graphs) continue;
    const Value rows = graphs->find("rows").value();
    count += rows.items().size();
    if (count > kMaxCapacities) {
      throw malformed_at(rows.where(), fmt::format("more than {} capacities in all modes together",
                                                   kMaxCapacities));
    }
  }
}

void check_sites(const std::vector<Value>& reductions) {
  std::vector<Value> sites;
  for (const Value& reduction : reductions) sites.push_back(reduction.find("site").value());
  require_unique(sites);
}

// Every shape that a graph reduces is within kMaxElements, so later products cannot overflow.
void check_shapes(const Variant& variant, const std::vector<Value>& reductions) {
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const ReductionSite& reduction = variant.reductions[i];
    for (const Mode mode : reduction.modes) {
      const std::vector<std::int64_t>& rows = capacities(variant, mode);
      if (rows.empty() || rows.back() <= kMaxElements / reduction.cols) continue;
      throw malformed_at(
          reductions[i].find("cols").value().where(),
          fmt::format("graph {}-{}, site {}: {} x {} is more than {} elements", to_string(mode),
                      rows.back(), reduction.site, rows.back(), reduction.cols, kMaxElements));
    }
  }
}

nlohmann::json reduction_to_json(const ReductionSite& reduction) {
  nlohmann::json modes = nlohmann::json::array();
  for (const Mode mode : reduction.modes) modes.push_back(to_string(mode));
  return {{"site", reduction.site},
          {"cols", reduction.cols},
          {"per_layer", reduction.per_layer},
          {"modes", std::move(modes)}};
}

}  // namespace

const std::vector<std::int64_t>& capacities(const Variant& variant, Mode mode) {
  static const std::vector<std::int64_t> kNone;
  switch (mode) {
    case Mode::kPrefill:
      return variant.prefill.rows;
    case Mode::kDecode:
      return variant.decode ? *variant.decode : kNone;
    case Mode::kVerify:
      return variant.verify ? *variant.verify : kNone;
    case Mode::kDraft:
      return variant.draft ? *variant.draft : kNone;
  }
  std::abort();
}

Variant bind_variant(const Document& document) {
  const Fields fields(Value(document), {"schema", "name", "model", "world_size", "prefill",
                                        "decode", "verify", "draft", "reductions", "settings"});
  fields.required("schema").constant(kVariantSchema);
  Variant variant;
  variant.name = fields.required("name").name();
  variant.model = bind_model(fields.required("model"));
  variant.world_size = fields.required("world_size").integer(kMinWorld, kMaxWorld);
  variant.prefill = bind_prefill(fields.required("prefill"));
  variant.decode = bind_graphs(fields.optional("decode"));
  variant.verify = bind_graphs(fields.optional("verify"));
  variant.draft = bind_graphs(fields.optional("draft"));
  for (const Value& reduction : fields.required("reductions").items(1, kMaxReductions)) {
    variant.reductions.push_back(bind_reduction(reduction));
  }
  for (const Entry& setting : fields.required("settings").entries(kMaxSettings)) {
    variant.settings.emplace(setting.key, setting.value.string());
  }
  return variant;
}

Variant read_variant(const Document& document) {
  Variant variant = bind_variant(document);
  const Value root(document);
  const std::vector<Value> reductions = root.find("reductions").value().items();
  check_capacities(root);
  check_sites(reductions);
  check_shapes(variant, reductions);
  return variant;
}

nlohmann::json to_json(const Variant& variant) {
  nlohmann::json json = {{"schema", kVariantSchema},
                         {"name", variant.name},
                         {"model",
                          {{"architecture", variant.model.architecture},
                           {"hidden_size", variant.model.hidden_size},
                           {"layers", variant.model.layers},
                           {"dtype", to_string(variant.model.dtype)}}},
                         {"world_size", variant.world_size},
                         {"prefill", {{"chunk", variant.prefill.chunk}}},
                         {"reductions", nlohmann::json::array()},
                         {"settings", variant.settings}};
  for (const Mode mode : kModes) {
    const std::vector<std::int64_t>& rows = capacities(variant, mode);
    if (!rows.empty()) json[std::string(to_string(mode))]["rows"] = rows;
  }
  for (const ReductionSite& reduction : variant.reductions) {
    json["reductions"].push_back(reduction_to_json(reduction));
  }
  return json;
}

Variant variant_from_json(const nlohmann::json& value, const std::string& file) {
  return read_variant(document_from_json(value, file));
}

}  // namespace kimi3
