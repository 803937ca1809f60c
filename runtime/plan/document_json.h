// Documents from and to JSON values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/plan/document.h"

namespace kimi3 {

// The tree as a JSON value, keys in the document's order. Integers beyond 64 bits become 1e300 or
// -1e300, beyond every range, and numbers that no format accepts (kNumber) become 0.5: a schema
// refuses both, as Value does.
nlohmann::ordered_json to_json(const Node& node);

// The tree of a JSON value, with no places: what was read from a manifest is bound like YAML.
// Numbers that are not integers become kNumber. Throws kMalformed beyond kMaxDocumentDepth.
Document document_from_json(const nlohmann::json& value, std::string file);

}  // namespace kimi3
