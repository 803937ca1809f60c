// Documents from and to JSON values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/plan/document.h"

namespace kimi3 {

// The tree as a JSON value, keys in the document's order. Integers beyond 64 bits and numbers that
// no format accepts (kNumber) become 0.5, which every schema of ours refuses just as Value does.
nlohmann::ordered_json to_json(const Node& node);

// The tree of a JSON value, with no places: what was read from a manifest is bound like YAML.
// Numbers that are not integers become kNumber. Throws kMalformed beyond kMaxDocumentDepth.
Document document_from_json(const nlohmann::json& value, std::string file);

}  // namespace kimi3
