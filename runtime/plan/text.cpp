#include "runtime/plan/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace kimi3 {
namespace {

constexpr std::size_t kNameBytes = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::size_t first_character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return 1;
  // Below 0xC2 are continuations and overlong forms; above 0xF4 lies beyond U+10FFFF.
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  const std::size_t size = lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  // The second byte tells the remaining overlong forms, surrogates and what is too large.
  const bool well_formed =
      !(lead == 0xE0U && byte(1) < 0xA0U) && !(lead == 0xEDU && byte(1) > 0x9FU) &&
      !(lead == 0xF0U && byte(1) < 0x90U) && !(lead == 0xF4U && byte(1) > 0x8FU);
  return well_formed ? size : 0;
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
}

// Whether `text` is valid UTF-8 and `good` holds for each of its characters.
template <typename Good>
bool all_characters(std::string_view text, Good good) {
  while (!text.empty()) {
    const std::string_view character = first_character(text);
    if (character.empty() || !good(character)) return false;
    text.remove_prefix(character.size());
  }
  return true;
}

template <typename First, typename Rest>
bool has_form(std::string_view text, First first, Rest rest) {
  return !text.empty() && text.size() <= kNameBytes && first(text[0]) &&
         std::all_of(text.begin(), text.end(), rest);
}

}  // namespace

std::string quoted(std::string_view text, std::size_t limit) {
  std::string out = "'";
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view character = first_character(rest);
    const std::string_view bytes = character.empty() ? rest.substr(0, 1) : character;
    if (text.size() - rest.size() + bytes.size() > limit) break;
    const bool plain = !character.empty() && !is_control_character(character) && character != "'" &&
                       character != "\\";
    if (plain) {
      out += bytes;
    } else {
      append_escaped(out, bytes);
    }
    rest.remove_prefix(bytes.size());
  }
  out += '\'';
  if (!rest.empty()) fmt::format_to(std::back_inserter(out), "... ({} bytes)", text.size());
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the dynamic programme for the prefixes of `a` of sizes i-2, i-1 and i.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> known,
                                             std::size_t max_edits) {
  std::optional<std::string_view> nearest;
  std::size_t limit = std::min(max_edits, name.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    // The sizes alone bound the distance; without this a huge name would be compared in full.
    const std::size_t longer = std::max(candidate.size(), name.size());
    if (longer - std::min(candidate.size(), name.size()) >= limit) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= limit) continue;
    limit = distance;
    nearest = candidate;
  }
  return nearest;
}

bool is_canonical_integer(std::string_view text) {
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text[0] != '0' && std::all_of(text.begin(), text.end(), is_digit);
}

std::optional<std::int64_t> parse_canonical_integer(std::string_view text) {
  if (!is_canonical_integer(text)) return std::nullopt;
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

std::string_view first_character(std::string_view text) {
  return text.substr(0, first_character_size(text));
}

bool is_control_character(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (lead < 0x20U || lead == 0x7FU) return true;
  return lead == 0xC2U && static_cast<unsigned char>(character[1]) < 0xA0U;
}

bool is_valid_utf8(std::string_view text) {
  return all_characters(text, [](std::string_view) { return true; });
}

bool is_plain_text(std::string_view text) {
  return all_characters(text, [](std::string_view character) {
    return character == "\n" || !is_control_character(character);
  });
}

std::string join_alternatives(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

bool is_name(std::string_view text) {
  return has_form(
      text, [](char c) { return is_lower(c) || is_digit(c); },
      [](char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_label(std::string_view text) {
  return has_form(
      text, [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); },
      [](char c) {
        return is_lower(c) || is_upper(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
      });
}

}  // namespace kimi3
