// The one JSON form of a value (RFC 8785) for the values that the formats have: objects with ASCII
// keys, arrays, strings, booleans, null and integers from -(2^53-1) to 2^53-1.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace kimi3 {

inline constexpr std::int64_t kMaxJsonInteger = (std::int64_t{1} << 53) - 1;

// Throws kMalformed, naming the place as a JSON pointer, for a value beyond the above or with more
// than `max_depth` containers around a value.
std::string canonical_json(const nlohmann::json& value, int max_depth);

// Whether a key may be one: ASCII, so that the order of bytes is the order that RFC 8785 asks for.
bool is_ascii(std::string_view text);

// A string with its quotes and escapes. Throws kMalformed where it is not valid UTF-8.
std::string canonical_string(std::string_view text);

}  // namespace kimi3
