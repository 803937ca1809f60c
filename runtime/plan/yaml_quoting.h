// How a string is spelt in the YAML that we write.
#pragma once

#include <string>
#include <string_view>

namespace kimi3 {

// Plain where every YAML reader, of 1.1 or 1.2, takes the plain text for this very string, in block
// and in flow context; double-quoted elsewhere. `text` is valid UTF-8.
std::string yaml_quoted(std::string_view text);

}  // namespace kimi3
