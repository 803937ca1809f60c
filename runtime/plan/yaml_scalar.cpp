#include "runtime/plan/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool starts_with_one_of(std::string_view text, std::string_view characters) {
  return !text.empty() && characters.find(text[0]) != std::string_view::npos;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (!starts_with_one_of(text, characters)) return false;
  text.remove_prefix(1);
  return true;
}

// A digit and then digits and underscores, off the front of `text`.
bool take_digits(std::string_view& text) {
  if (!starts_with_one_of(text, kDigits)) return false;
  text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  return true;
}

// 0x1F, 0o17, 0b1.
bool is_prefixed_integer(std::string_view text) {
  struct Base {
    std::string_view prefix;
    std::string_view digits;
  };
  constexpr std::array kBases{Base{"0x", "0123456789abcdefABCDEF_"}, Base{"0o", "01234567_"},
                              Base{"0b", "01_"}};
  return std::ranges::any_of(kBases, [&](const Base& base) {
    return text.starts_with(base.prefix) && text.size() > base.prefix.size() &&
           text.find_first_not_of(base.digits, base.prefix.size()) == std::string_view::npos;
  });
}

// One place of YAML 1.1's base 60, as in 1:30 and 190:20:30.15.
bool take_sexagesimal_place(std::string_view& text) {
  if (!text.starts_with(':')) return false;
  const std::string_view place = text.substr(1, text.find_first_not_of(kDigits, 1) - 1);
  const bool in_range = place.size() == 1 || (place.size() == 2 && place[0] <= '5');
  if (in_range) text.remove_prefix(1 + place.size());
  return in_range;
}

// 010, 1_000, 8.0, .5, 5., 1e3, 1:30.
bool is_decimal_number(std::string_view text) {
  const bool whole = take_digits(text);
  while (whole && take_sexagesimal_place(text)) {
  }
  const bool fraction = take_one_of(text, ".") && take_digits(text);
  if (!whole && !fraction) return false;
  if (take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

bool is_number(std::string_view text) {
  take_one_of(text, "+-");
  constexpr std::array<std::string_view, 6> kNotFinite{".inf", ".Inf", ".INF",
                                                       ".nan", ".NaN", ".NAN"};
  return is_one_of(text, kNotFinite) || is_prefixed_integer(text) || is_decimal_number(text);
}

}  // namespace

NodeKind classify_plain_scalar(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
  if (is_one_of(text, kNulls)) return NodeKind::kNull;
  if (text == "true" || text == "false") return NodeKind::kBoolean;
  if (is_canonical_integer(text)) return NodeKind::kInteger;
  return is_number(text) ? NodeKind::kNumber : NodeKind::kString;
}

}  // namespace kimi3
