// What differs between two packages or two plans, field by field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace kimi3 {

struct Difference {
  std::string field;  // as in "variant/world_size" or "graphs/prefill-3072/channel"
  std::string left;   // as JSON, or "(absent)"
  std::string right;
};

// Every leaf that is not the same, in the order of the left tree, then what only the right one has.
// Items of a sequence are named by their `id`, `site` or `path` where they have one, so that one
// more graph is one difference and not a shift of all that follow.
std::vector<Difference> compare(const nlohmann::ordered_json& left,
                                const nlohmann::ordered_json& right);

}  // namespace kimi3
