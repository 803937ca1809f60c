#include "runtime/plan/document_json.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

nlohmann::ordered_json integer_to_json(const Node& node) {
  if (const auto value = parse_canonical_integer(node.text)) return *value;
  return node.text.starts_with('-') ? -1e300 : 1e300;
}

nlohmann::ordered_json sequence_to_json(const Node& node) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Node& item : node.items) array.push_back(to_json(item));
  return array;
}

nlohmann::ordered_json mapping_to_json(const Node& node) {
  // Appended: the reader has seen to it that keys are distinct, and to search for each takes
  // quadratic time.
  nlohmann::ordered_json::object_t object;
  for (const Member& member : node.members) {
    object.emplace_back(member.key.text, to_json(member.value));
  }
  return object;
}

Node scalar(NodeKind kind, std::string text) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  return node;
}

// `room` is how many levels may still be opened.
Node to_node(const nlohmann::json& value, int room, const std::string& file);

Node sequence_from_json(const nlohmann::json& array, int room, const std::string& file) {
  Node node;
  node.kind = NodeKind::kSequence;
  for (const nlohmann::json& item : array) node.items.push_back(to_node(item, room, file));
  return node;
}

Node mapping_from_json(const nlohmann::json& object, int room, const std::string& file) {
  Node node;
  node.kind = NodeKind::kMapping;
  for (const auto& [key, value] : object.items()) {
    node.members.push_back({scalar(NodeKind::kString, key), to_node(value, room, file)});
  }
  return node;
}

Node to_node(const nlohmann::json& value, int room, const std::string& file) {
  if (value.is_structured() && room == 0) {
    throw malformed_at({file, 0, 0},
                       fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
  }
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return scalar(NodeKind::kNull, "null");
    case nlohmann::json::value_t::boolean:
      return scalar(NodeKind::kBoolean, value.dump());
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return scalar(NodeKind::kInteger, value.dump());
    case nlohmann::json::value_t::number_float:
      return scalar(NodeKind::kNumber, value.dump());
    case nlohmann::json::value_t::string:
      return scalar(NodeKind::kString, value.get<std::string>());
    case nlohmann::json::value_t::array:
      return sequence_from_json(value, room - 1, file);
    case nlohmann::json::value_t::object:
      return mapping_from_json(value, room - 1, file);
    case nlohmann::json::value_t::binary:
    case nlohmann::json::value_t::discarded:
      break;  // no text parses to these
  }
  std::abort();
}

}  // namespace

nlohmann::ordered_json to_json(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return nullptr;
    case NodeKind::kBoolean:
      return node.text == "true";
    case NodeKind::kInteger:
      return integer_to_json(node);
    case NodeKind::kNumber:
      return 0.5;
    case NodeKind::kString:
      return node.text;
    case NodeKind::kSequence:
      return sequence_to_json(node);
    case NodeKind::kMapping:
      return mapping_to_json(node);
  }
  std::abort();
}

Document document_from_json(const nlohmann::json& value, std::string file) {
  Document document{std::move(file), {}};
  document.root = to_node(value, kMaxDocumentDepth, document.file);
  return document;
}

}  // namespace kimi3
