#include "runtime/plan/yaml_quoting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kimi3 {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters that mean nothing to YAML wherever they stand after the first.
bool is_neutral(char c) {
  constexpr std::string_view kNeutral = " _./()=<>-+*'";
  return is_letter(c) || is_digit(c) || kNeutral.find(c) != std::string_view::npos;
}

bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"true", "false", "null", "yes", "no",
                                                   "on",   "off",   "y",    "n"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool plain_is_safe(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (!std::all_of(text.begin(), text.end(), is_neutral)) return false;
  // What starts with a letter is no number; what starts with a digit is none if it has a space in
  // it and goes on with a word, as in "3072 rows".
  if (is_letter(text.front())) return !is_reserved_word(text);
  const std::size_t space = text.find(' ');
  return is_digit(text.front()) && space != std::string_view::npos && is_letter(text[space + 1]);
}

}  // namespace

std::string yaml_quoted(std::string_view text) {
  if (plain_is_safe(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

}  // namespace kimi3
