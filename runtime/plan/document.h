// A document tree with a place for every node: what the strict readers (YAML, JSON) produce and
// what the formats (variant, plan) are bound from. It keeps just the distinctions that the formats
// need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kimi3/error.h"

namespace kimi3 {

enum class NodeKind {
  kNull,
  kBoolean,  // plain true or false, nothing else
  kInteger,  // canonical decimal: 0 or -?[1-9][0-9]*; `text` holds the digits, of any length
  kNumber,   // a number that no format accepts: 8.0, 010, 0x8, 1e3, .inf
  kString,
  kSequence,
  kMapping,
};

struct Member;

struct Node {
  NodeKind kind = NodeKind::kNull;
  std::int64_t line = 0;  // 1-based; 0 where the source keeps no places
  std::int64_t column = 0;
  std::string text;             // of a scalar, as decoded
  std::vector<Node> items;      // of a sequence
  std::vector<Member> members;  // of a mapping, in order of appearance, keys unique
};

struct Member {
  Node key;  // always a string
  Node value;
};

// Mappings and sequences inside one another, the outermost counted.
inline constexpr int kMaxDocumentDepth = 64;

struct Document {
  std::string file;  // as the user named it
  Node root;

  SourceLocation locate(const Node& node) const { return {file, node.line, node.column}; }
};

}  // namespace kimi3
