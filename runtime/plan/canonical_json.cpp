#include "runtime/plan/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kimi3/error.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

Error fault(const std::string& pointer, std::string_view what) {
  return malformed(fmt::format("{}: {}", kimi3::quoted(pointer), what));
}

void check_integer(const nlohmann::json& value, const std::string& pointer) {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= std::uint64_t{kMaxJsonInteger}
                        : value.get<std::int64_t>() <= kMaxJsonInteger &&
                              value.get<std::int64_t>() >= -kMaxJsonInteger;
  if (!fits) throw fault(pointer, fmt::format("{} is beyond 2^53-1", value.dump()));
}

void check(const nlohmann::json& value, const std::string& pointer, int depth_left) {
  if (value.is_structured() && depth_left == 0) throw fault(pointer, "is nested too deeply");
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (!is_ascii(key))
        throw fault(pointer, fmt::format("the key {} is not ASCII", kimi3::quoted(key)));
      check(member, fmt::format("{}/{}", pointer, key), depth_left - 1);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      check(value[i], fmt::format("{}/{}", pointer, i), depth_left - 1);
    }
  } else if (value.is_number_float()) {
    throw fault(pointer, "is not an integer");
  } else if (value.is_number()) {
    check_integer(value, pointer);
  } else if (value.is_string() && !is_valid_utf8(value.get_ref<const std::string&>())) {
    throw fault(pointer, "is not valid UTF-8");
  }
}

}  // namespace

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

std::string canonical_json(const nlohmann::json& value, int max_depth) {
  check(value, "", max_depth);
  // Sorted keys, no white space and the shortest escapes are what the library writes.
  return value.dump();
}

std::string canonical_string(std::string_view text) {
  if (!is_valid_utf8(text))
    throw malformed(fmt::format("{} is not valid UTF-8", kimi3::quoted(text)));
  return nlohmann::json(text).dump();
}

}  // namespace kimi3
