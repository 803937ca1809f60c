// The first pass of the YAML reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kimi3/error.h"

namespace kimi3 {

// Refuses, as kMalformed, what yaml-cpp must not see: more than kMaxYamlBytes, a byte order mark
// (it would switch to another encoding), invalid UTF-8 and control characters (0x04 is its end of
// file), directives, and more than kMaxDocumentDepth brackets open at once. Its scanner runs ahead
// of its events, so its events are too late for these.
//
// Returns the place of the innermost bracket that is open at the end, if there is one, for a hint:
// brackets in comments and quotes count like all others, so it proves nothing.
std::optional<SourceLocation> check_yaml_bytes(std::string_view bytes, const std::string& file);

}  // namespace kimi3
