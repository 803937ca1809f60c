#include "exporter/comparison.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace kimi3 {
namespace {

using Json = nlohmann::ordered_json;
using Leaves = std::vector<std::pair<std::string, std::string>>;

std::string item_name(const Json& item, std::size_t index) {
  constexpr std::array<const char*, 3> kNames{"id", "site", "path"};
  for (const char* key : kNames) {
    if (item.is_object() && item.contains(key)) return item[key].get<std::string>();
  }
  return std::to_string(index);
}

void collect(const Json& node, const std::string& path, Leaves& leaves) {
  const auto below = [&](const std::string& name) {
    return path.empty() ? name : fmt::format("{}/{}", path, name);
  };
  if (node.is_object() && !node.empty()) {
    for (const auto& [key, value] : node.items()) collect(value, below(key), leaves);
  } else if (node.is_array() && !node.empty()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      collect(node[i], below(item_name(node[i], i)), leaves);
    }
  } else {
    leaves.emplace_back(path, node.dump());
  }
}

}  // namespace

std::vector<Difference> compare(const Json& left, const Json& right) {
  constexpr std::string_view kAbsent = "(absent)";
  Leaves left_leaves;
  Leaves right_leaves;
  collect(left, {}, left_leaves);
  collect(right, {}, right_leaves);
  std::map<std::string, std::string> unmatched(right_leaves.begin(), right_leaves.end());
  std::vector<Difference> differences;
  for (const auto& [field, value] : left_leaves) {
    const auto found = unmatched.find(field);
    if (found == unmatched.end()) {
      differences.push_back({field, value, std::string(kAbsent)});
      continue;
    }
    if (found->second != value) differences.push_back({field, value, found->second});
    unmatched.erase(found);
  }
  for (const auto& [field, value] : right_leaves) {
    if (unmatched.count(field) != 0) differences.push_back({field, std::string(kAbsent), value});
  }
  return differences;
}

}  // namespace kimi3
