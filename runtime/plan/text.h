// Small helpers for text that came from outside: showing it safely, guessing what was meant, and
// reading the one form of integer that the formats know. None of them depends on the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kimi3 {

// `text` in single quotes for a message: one line of valid UTF-8 whatever the bytes are. Control
// characters, quotes, backslashes and bytes that are not UTF-8 are escaped as \n, \t, \', \\ or
// \xNN; what is longer than `limit` bytes is cut there and its full size follows in brackets.
inline constexpr std::size_t kQuotedBytes = 80;
std::string quoted(std::string_view text, std::size_t limit = kQuotedBytes);

// The number of single-byte insertions, deletions and substitutions that turn `a` into `b`, and of
// swaps of two neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The entry of `known` nearest to `name`, if it is within `max_edits` edits and keeps at least half
// of the name's bytes; of equally near ones, the first. The result points into `known`.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> known,
                                             std::size_t max_edits = 2);

// 0 or -?[1-9][0-9]*, and nothing else: no sign, space, leading zero, underscore or exponent.
bool is_canonical_integer(std::string_view text);

// The value of a canonical integer; nothing where `text` is not one or does not fit 64 bits.
std::optional<std::int64_t> parse_canonical_integer(std::string_view text);

// The well-formed UTF-8 sequence that `text` starts with (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF); empty where there is none.
std::string_view first_character(std::string_view text);
// Of one well-formed sequence: U+0000 to U+001F and U+007F to U+009F, LF among them.
bool is_control_character(std::string_view character);
bool is_valid_utf8(std::string_view text);
// Valid UTF-8 without control characters other than LF.
bool is_plain_text(std::string_view text);

// "a, b or c"; for listing the words that a field knows.
std::string join_alternatives(std::span<const std::string_view> words);

// [a-z0-9][a-z0-9._-]{0,63}: variants, sites, architectures.
bool is_name(std::string_view text);
// [A-Za-z0-9][A-Za-z0-9._-]{0,63}: keys of settings.
bool is_label(std::string_view text);
inline constexpr std::string_view kNamePattern = "[a-z0-9][a-z0-9._-]{0,63}";
inline constexpr std::string_view kLabelPattern = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

}  // namespace kimi3
