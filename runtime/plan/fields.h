// Binding a document tree to a format: the one way in for the keys of every format.
//
// A Fields stands for one mapping of the document. It is made with the keys that the format knows
// there and refuses any other, so nothing that the user wrote is ignored. The accessors of Value
// check kind and range and throw kMalformed with the place and the path of the value
// ("reductions[2].cols"). They check exactly what the format's JSON Schema can say; what relates
// one value to another is for the caller to check, with Value::refuse or Value::where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/plan/document.h"

namespace kimi3 {

struct Entry;

// A value together with its path, which names it in messages. The document outlives it.
class Value {
 public:
  explicit Value(const Document& document) : Value(document, document.root, {}) {}
  Value(const Document& document, const Node& node, std::string path)
      : document_(&document), node_(&node), path_(std::move(path)) {}

  const Document& document() const { return *document_; }
  const Node& node() const { return *node_; }
  SourceLocation where() const { return document_->locate(*node_); }
  // "model.dtype", "reductions[2]"; "the document" for the root.
  std::string path() const;

  const std::string& string() const;
  // A string of the form kNamePattern.
  const std::string& name() const;
  // "sha256:" and 64 hexadecimal digits.
  const std::string& digest() const;
  // The string `expected` and no other.
  const std::string& constant(std::string_view expected) const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  bool boolean() const;
  // The one of `values` (kModes, kDTypes, …) that the string spells.
  template <typename Values>
  typename Values::value_type word(const Values& values) const {
    std::vector<std::string_view> words;
    for (const auto value : values) words.push_back(to_string(value));
    return values[index_of_word(words)];
  }

  // The value of a key of this mapping. To bind a mapping, use Fields: it refuses other keys.
  std::optional<Value> find(std::string_view key) const;
  std::vector<Value> items() const;  // of a sequence of any size
  std::vector<Value> items(std::size_t min_items, std::size_t max_items) const;
  // A sequence of distinct integers in a range, in file order.
  std::vector<std::int64_t> unique_integers(std::int64_t min, std::int64_t max,
                                            std::size_t min_items, std::size_t max_items) const;
  // A mapping whose keys are the user's own, each of the form kLabelPattern, in file order.
  std::vector<Entry> entries(std::size_t max_entries) const;

  // Throws "PATH must be EXPECTED, but is KIND 'TEXT'", at the value.
  [[noreturn]] void refuse(std::string_view expected, std::string hint = {}) const;

 private:
  std::string path_of(std::string_view key) const;
  std::size_t index_of_word(std::span<const std::string_view> words) const;
  void require(NodeKind kind, std::string_view expected) const;

  const Document* document_;
  const Node* node_;
  std::string path_;
};

struct Entry {
  std::string key;
  Value value;
};

// Throws "PATH repeats 'TEXT'" at the second of two equal scalars of one kind.
void require_unique(std::span<const Value> scalars);

class Fields {
 public:
  // Throws where `mapping` is none or has a key that is not known.
  Fields(Value mapping, std::initializer_list<std::string_view> known_keys);

  // The accessors' keys are among the known ones.
  Value required(std::string_view key) const;
  std::optional<Value> optional(std::string_view key) const;

 private:
  Value mapping_;
};

}  // namespace kimi3
