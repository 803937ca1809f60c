#include "runtime/plan/text.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace kimi3 {
namespace {

TEST(Quoted, ShowsTextAsItIs) {
  EXPECT_EQ(quoted(""), "''");
  EXPECT_EQ(quoted("kimi3 größe"), "'kimi3 größe'");
}

TEST(Quoted, EscapesWhatCouldMisleadATerminalOrAReader) {
  EXPECT_EQ(quoted("a\nb\tc"), R"('a\nb\tc')");
  EXPECT_EQ(quoted("it's \\"), R"('it\'s \\')");
  EXPECT_EQ(quoted(std::string_view("\0\x1B\x7F", 3)), R"('\x00\x1B\x7F')");
  EXPECT_EQ(quoted("\xC2\x9B"), R"('\xC2\x9B')");  // U+009B, a terminal's control sequence
  EXPECT_EQ(quoted("\xFF\xC3(\xED\xA0\x80"), R"('\xFF\xC3(\xED\xA0\x80')");
}

TEST(Quoted, CutsBetweenCharacters) {
  const std::string text(80, 'a');
  EXPECT_EQ(kimi3::quoted(text), "'" + text + "'");
  EXPECT_EQ(kimi3::quoted(text + "a"), "'" + text + "'... (81 bytes)");
  EXPECT_EQ(kimi3::quoted(text.substr(1) + "é"), "'" + text.substr(1) + "'... (81 bytes)");
}

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("hiden_size", "hidden_size"), 1U);
  EXPECT_EQ(edit_distance("dtpye", "dtype"), 1U);  // a swap is one edit
}

TEST(NearestName, TakesTheFirstOfTheNearest) {
  constexpr std::array<std::string_view, 4> kKnown{"rows", "cols", "cow", "row"};
  EXPECT_EQ(nearest_name("rowz", kKnown), "rows");
  EXPECT_EQ(nearest_name("row", kKnown), "row");
  EXPECT_EQ(nearest_name("bow", kKnown), "cow");
  EXPECT_EQ(nearest_name("chunk", kKnown), std::nullopt);
}

TEST(NearestName, DoesNotGuessFromNothing) {
  constexpr std::array<std::string_view, 2> kKnown{"id", "rows"};
  EXPECT_EQ(nearest_name("", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("x", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("xx", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("ix", kKnown), "id");
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'r'), kKnown), std::nullopt);
}

TEST(NearestName, StaysWithinTheEdits) {
  constexpr std::array<std::string_view, 1> kKnown{"B12X_PCIE_DMA_PIECES"};
  EXPECT_EQ(nearest_name("B12X_PCIE_DMA_PIEC", kKnown), "B12X_PCIE_DMA_PIECES");
  EXPECT_EQ(nearest_name("B12X_PCIE_DMA_PIE", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("B12X_PCIE_DMA_PIE", kKnown, 3), "B12X_PCIE_DMA_PIECES");
}

TEST(CanonicalInteger, HasOneSpelling) {
  EXPECT_EQ(parse_canonical_integer("0"), 0);
  EXPECT_EQ(parse_canonical_integer("-7"), -7);
  EXPECT_EQ(parse_canonical_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_canonical_integer("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "-0", "+1", "01", " 1", "1 ", "1_0", "1e3", "0x1", "1.0", "--1",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(parse_canonical_integer(text), std::nullopt) << text;
  }
  EXPECT_TRUE(is_canonical_integer("9223372036854775808"));
}

TEST(Utf8, IsWellFormedOrNot) {
  for (const char* text : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                           "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << quoted(text);
  }
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xFF"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << quoted(text);
  }
}

TEST(PlainText, HasNoControlCharacterButLineFeed) {
  EXPECT_TRUE(is_plain_text("größe\nsecond line"));
  for (const std::string_view text :
       {std::string_view("\0", 1), std::string_view("\t"), std::string_view("\r"),
        std::string_view("\x7F"), std::string_view("\xC2\x85"), std::string_view("\xFF")}) {
    EXPECT_FALSE(is_plain_text(text)) << quoted(text);
  }
}

TEST(Names, FollowTheirPatterns) {
  for (const char* text : {"a", "0", "k31-tp8", "a.b_c-d"}) EXPECT_TRUE(is_name(text)) << text;
  for (const char* text : {"", "A", ".a", "-a", "_a", "a/b", "../a", "a b", "a\n", "é"}) {
    EXPECT_FALSE(is_name(text)) << text;
  }
  EXPECT_TRUE(is_name(std::string(64, 'a')));
  EXPECT_FALSE(is_name(std::string(65, 'a')));
  EXPECT_TRUE(is_label("KV_cache"));
  EXPECT_FALSE(is_label("_KV"));
}

TEST(JoinAlternatives, ReadsLikeASentence) {
  constexpr std::array<std::string_view, 3> kWords{"a", "b", "c"};
  EXPECT_EQ(join_alternatives(std::span(kWords).first(0)), "");
  EXPECT_EQ(join_alternatives(std::span(kWords).first(1)), "a");
  EXPECT_EQ(join_alternatives(std::span(kWords).first(2)), "a or b");
  EXPECT_EQ(join_alternatives(kWords), "a, b or c");
}

}  // namespace
}  // namespace kimi3
