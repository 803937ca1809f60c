#include "runtime/plan/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

std::string describe(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "null";
    case NodeKind::kBoolean:
      return fmt::format("the boolean {}", quoted(node.text));
    case NodeKind::kInteger:
      return fmt::format("the integer {}", quoted(node.text));
    case NodeKind::kNumber:
      return fmt::format("the number {}", quoted(node.text));
    case NodeKind::kString:
      return fmt::format("the string {}", quoted(node.text));
    case NodeKind::kSequence:
      return node.items.empty() ? "an empty sequence"
                                : fmt::format("a sequence of {} items", node.items.size());
    case NodeKind::kMapping:
      return "a mapping";
  }
  std::abort();
}

std::string quoting_hint(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
    case NodeKind::kBoolean:
    case NodeKind::kInteger:
    case NodeKind::kNumber:
      return fmt::format("quote it: \"{}\"", node.text);
    case NodeKind::kString:
    case NodeKind::kSequence:
    case NodeKind::kMapping:
      return {};
  }
  std::abort();
}

std::string integer_hint(const Node& node) {
  if (node.kind == NodeKind::kNumber) {
    return "integers are plain decimals, without plus sign, leading zeros, point or exponent";
  }
  if (node.kind == NodeKind::kString && is_canonical_integer(node.text)) return "remove the quotes";
  return {};
}

std::string known_keys_hint(std::string_view key, std::span<const std::string_view> known) {
  if (const auto nearest = nearest_name(key, known)) {
    return fmt::format("did you mean '{}'?", *nearest);
  }
  return fmt::format("the keys known here are {}", fmt::join(known, ", "));
}

}  // namespace

std::string Value::path() const { return path_.empty() ? "the document" : path_; }

std::string Value::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void Value::refuse(std::string_view expected, std::string hint) const {
  throw malformed_at(where(),
                     fmt::format("{} must be {}, but is {}", path(), expected, describe(*node_)),
                     std::move(hint));
}

void Value::require(NodeKind kind, std::string_view expected) const {
  if (node_->kind == kind) return;
  refuse(expected, kind == NodeKind::kString    ? quoting_hint(*node_)
                   : kind == NodeKind::kInteger ? integer_hint(*node_)
                                                : std::string{});
}

const std::string& Value::string() const {
  require(NodeKind::kString, "a string");
  return node_->text;
}

const std::string& Value::name() const {
  const std::string expected = fmt::format("a name of the form {}", kNamePattern);
  require(NodeKind::kString, expected);
  if (!is_name(node_->text)) refuse(expected);
  return node_->text;
}

const std::string& Value::digest() const {
  constexpr std::string_view kExpected = "a digest, sha256: and 64 lower-case hexadecimal digits";
  require(NodeKind::kString, kExpected);
  if (!is_digest(node_->text)) refuse(kExpected);
  return node_->text;
}

const std::string& Value::constant(std::string_view expected) const {
  require(NodeKind::kString, quoted(expected));
  if (node_->text != expected) refuse(quoted(expected));
  return node_->text;
}

std::int64_t Value::integer(std::int64_t min, std::int64_t max) const {
  const std::string expected = fmt::format("an integer from {} to {}", min, max);
  require(NodeKind::kInteger, expected);
  const auto value = parse_canonical_integer(node_->text);
  if (!value || *value < min || *value > max) refuse(expected);
  return *value;
}

bool Value::boolean() const {
  require(NodeKind::kBoolean, "true or false");
  return node_->text == "true";
}

std::size_t Value::index_of_word(std::span<const std::string_view> words) const {
  const std::string expected = join_alternatives(words);
  require(NodeKind::kString, expected);
  const auto found = std::ranges::find(words, node_->text);
  if (found == words.end()) {
    const auto nearest = nearest_name(node_->text, words);
    refuse(expected, nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string{});
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::optional<Value> Value::find(std::string_view key) const {
  for (const Member& member : node_->members) {
    if (member.key.text == key) return Value(*document_, member.value, path_of(key));
  }
  return std::nullopt;
}

std::vector<Value> Value::items() const {
  require(NodeKind::kSequence, "a sequence");
  std::vector<Value> items;
  items.reserve(node_->items.size());
  for (const Node& item : node_->items) {
    items.emplace_back(*document_, item, fmt::format("{}[{}]", path_, items.size()));
  }
  return items;
}

std::vector<Value> Value::items(std::size_t min_items, std::size_t max_items) const {
  std::vector<Value> values = items();
  if (values.size() < min_items) refuse(fmt::format("a sequence of {} or more items", min_items));
  if (values.size() > max_items) refuse(fmt::format("a sequence of {} or fewer items", max_items));
  return values;
}

std::vector<std::int64_t> Value::unique_integers(std::int64_t min, std::int64_t max,
                                                 std::size_t min_items,
                                                 std::size_t max_items) const {
  const std::vector<Value> values = items(min_items, max_items);
  std::vector<std::int64_t> integers;
  integers.reserve(values.size());
  for (const Value& value : values) integers.push_back(value.integer(min, max));
  require_unique(values);
  return integers;
}

std::vector<Entry> Value::entries(std::size_t max_entries) const {
  const std::vector<Member>& members = node_->members;
  require(NodeKind::kMapping, "a mapping");
  if (members.size() > max_entries)
    refuse(fmt::format("a mapping of {} or fewer keys", max_entries));
  std::vector<Entry> entries;
  entries.reserve(members.size());
  for (const Member& member : members) {
    const std::string& key = member.key.text;
    if (!is_label(key)) {
      throw malformed_at(document_->locate(member.key),
                         fmt::format("a key of {} must be of the form {}, but is {}", path(),
                                     kLabelPattern, quoted(key)));
    }
    entries.push_back({key, Value(*document_, member.value, path_of(key))});
  }
  return entries;
}

void require_unique(std::span<const Value> scalars) {
  std::set<std::string_view> seen;
  for (const Value& scalar : scalars) {
    const std::string& text = scalar.node().text;
    if (seen.insert(text).second) continue;
    throw malformed_at(scalar.where(), fmt::format("{} repeats {}", scalar.path(), quoted(text)));
  }
}

Fields::Fields(Value mapping, std::initializer_list<std::string_view> known_keys)
    : mapping_(std::move(mapping)) {
  if (mapping_.node().kind != NodeKind::kMapping) mapping_.refuse("a mapping");
  for (const Member& member : mapping_.node().members) {
    if (std::ranges::find(known_keys, member.key.text) != known_keys.end()) continue;
    throw malformed_at(
        mapping_.document().locate(member.key),
        fmt::format("unknown key {} in {}", quoted(member.key.text), mapping_.path()),
        known_keys_hint(member.key.text, std::span(known_keys.begin(), known_keys.size())));
  }
}

Value Fields::required(std::string_view key) const {
  if (auto value = optional(key)) return *std::move(value);
  throw malformed_at(mapping_.where(), fmt::format("missing key '{}' in {}", key, mapping_.path()));
}

std::optional<Value> Fields::optional(std::string_view key) const { return mapping_.find(key); }

}  // namespace kimi3
