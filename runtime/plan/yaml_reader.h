// The one reader of YAML: the strict subset that the formats are written in (docs/formats.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/plan/document.h"

namespace kimi3 {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{256} * 1024;

// The tree of the one document in `bytes`, every node with its place; pure. `file` is the name that
// errors show. Throws kMalformed, with the place, for all that the subset leaves out: a second
// document, anchors, aliases, tags, directives, repeated, complex or non-string keys, merge keys;
// for bytes that are no text (a byte order mark, invalid UTF-8, control characters other than LF);
// and for what is larger than kMaxYamlBytes or deeper than kMaxDocumentDepth.
Document read_yaml(std::string_view bytes, std::string file);

// read_yaml of the file `path`, with the errors of read_small_file.
Document read_yaml_file(const std::string& path);

}  // namespace kimi3
