#include "runtime/plan/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/plan/small_file.h"
#include "tests/support/refusal.h"

namespace kimi3 {
namespace {

std::string refusal(std::string_view bytes) {
  return test::refusal([&] { read_yaml(bytes, "f"); });
}

// "KIND@LINE:COLUMN" with the text of scalars, for a tree in one line.
std::string sketch(const Node& node) {
  const std::string at = "@" + std::to_string(node.line) + ":" + std::to_string(node.column);
  std::string inside;
  switch (node.kind) {
    case NodeKind::kNull:
      return "null" + at;
    case NodeKind::kBoolean:
      return "bool " + node.text + at;
    case NodeKind::kInteger:
      return "int " + node.text + at;
    case NodeKind::kNumber:
      return "num " + node.text + at;
    case NodeKind::kString:
      return "\"" + node.text + "\"" + at;
    case NodeKind::kSequence:
      for (const Node& item : node.items) inside += (inside.empty() ? "" : ", ") + sketch(item);
      return "[" + inside + "]" + at;
    case NodeKind::kMapping:
      for (const Member& member : node.members) {
        inside += (inside.empty() ? "" : ", ") + sketch(member.key) + ": " + sketch(member.value);
      }
      return "{" + inside + "}" + at;
  }
  return {};
}

std::string tree(std::string_view bytes) { return sketch(read_yaml(bytes, "f").root); }

TEST(ReadYaml, EveryNodeHasItsPlace) {
  EXPECT_EQ(tree("a: 1\nb:\n  - x\n  - {c: true, d: [2, 8.0]}\n"),
            R"({"a"@1:1: int 1@1:4, "b"@2:1: ["x"@3:5, {"c"@4:6: bool true@4:9, )"
            R"("d"@4:15: [int 2@4:19, num 8.0@4:22]@4:18}@4:5]@3:3}@1:1)");
}

TEST(ReadYaml, ColumnsCountBytes) {
  EXPECT_EQ(tree("{größe: é, b: 1}"), R"({"größe"@1:2: "é"@1:11, "b"@1:15: int 1@1:18}@1:1)");
}

TEST(ReadYaml, QuotedScalarsAreStrings) {
  EXPECT_EQ(tree("['8', \"8\", 'true', \"\", '~', 8]"),
            R"(["8"@1:2, "8"@1:7, "true"@1:12, ""@1:20, "~"@1:24, int 8@1:29]@1:1)");
  EXPECT_EQ(tree("a: |\n  8\nb: >\n  9\n"), "{\"a\"@1:1: \"8\n\"@1:4, \"b\"@3:1: \"9\n\"@3:4}@1:1");
}

TEST(ReadYaml, EscapesAndFoldsAreDecoded) {
  EXPECT_EQ(tree(R"("\u00e9\n\x41")"), "\"é\nA\"@1:1");
  EXPECT_EQ(tree("a: one\n   two # not this\n"), R"({"a"@1:1: "one two"@1:4}@1:1)");
}

TEST(ReadYaml, AValueThatIsNotThereIsAtItsKey) {
  EXPECT_EQ(tree("a:\nb: ~\nc: null\n"),
            R"({"a"@1:1: null@1:1, "b"@2:1: null@2:4, "c"@3:1: null@3:4}@1:1)");
  EXPECT_EQ(tree("-\n- 1\n"), "[null@1:1, int 1@2:3]@1:1");
}

TEST(ReadYaml, NothingIsMadeUp) {
  EXPECT_EQ(refusal("a: 1\nb\n"), "f:2:1: a key without ':'");
  EXPECT_EQ(refusal("a: 1\nnull b\n"), "f:2:1: a key without ':'");
  EXPECT_EQ(refusal("[a, , b]"), "f:1:5: an empty item");
  EXPECT_EQ(refusal("[, a]"), "f:1:2: an empty item");
  EXPECT_EQ(refusal("{a: 1, , b: 2}"), "f:1:1: a key must be a string");
  EXPECT_EQ(tree("[a, ]"), R"(["a"@1:2]@1:1)");
  EXPECT_EQ(tree("{a: , b}"), R"({"a"@1:2: null@1:2, "b"@1:7: null@1:7}@1:1)");
  EXPECT_EQ(tree("a:\nnullable:"), R"({"a"@1:1: null@1:1, "nullable"@2:1: null@2:1}@1:1)");
}

TEST(ReadYaml, OneDocumentMayBeMarked) {
  EXPECT_EQ(tree("# comment\n---\na: 1\n...\n"), R"({"a"@3:1: int 1@3:4}@3:1)");
}

TEST(ReadYaml, ThereIsExactlyOneDocument) {
  EXPECT_EQ(refusal(""), "f:1:1: no document in the file");
  EXPECT_EQ(refusal("# nothing\n\n"), "f:1:1: no document in the file");
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "f:2:1: a second document");
  EXPECT_EQ(refusal("--- a\n--- b\n"), "f:2:1: a second document");
  EXPECT_EQ(refusal("a: 1\n...\nb: 2\n"), "f:3:1: text after the end of the document");
  // Where yaml-cpp cannot go on, it would go on for ever with empty documents.
  EXPECT_EQ(refusal("\"a\" b"), "f:1:5: text after the end of the document");
  EXPECT_EQ(refusal(", 2"), "f:1:1: text after the end of the document");
}

TEST(ReadYaml, BytesThatAreNoText) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF"
                    "a: 1\n"),
            "f:1:1: a byte order mark");
  EXPECT_EQ(refusal(std::string_view("a\0: 1", 5)), "f:1:2: control character '\\x00'");
  EXPECT_EQ(refusal("é: \x04"), "f:1:5: control character '\\x04'");
  EXPECT_EQ(refusal("a: b\xC2\x9B"), "f:1:5: control character '\\xC2\\x9B'");
  EXPECT_EQ(refusal("a: 1\n\tb: 2\n"),
            "f:2:1: control character '\\t' | use spaces instead of tabs");
  EXPECT_EQ(refusal("a: 1\r\nb: 2\r\n"),
            "f:1:5: control character '\\x0D' | end lines with LF alone");
  EXPECT_EQ(refusal("a: \xC3("), "f:1:4: invalid UTF-8: byte '\\xC3'");
  EXPECT_EQ(refusal("a: \xED\xA0\x80"), "f:1:4: invalid UTF-8: byte '\\xED'");
  // UTF-16 and UTF-32, which yaml-cpp would recognise.
  EXPECT_EQ(refusal(std::string_view("a\0:\0", 4)), "f:1:2: control character '\\x00'");
  EXPECT_EQ(refusal("\xFF\xFE"), "f:1:1: invalid UTF-8: byte '\\xFF'");
}

TEST(ReadYaml, QuotesAreClosed) {
  for (const char* text : {"a: 'b\n", "a: \"b\n", "a: '\n", "a: 'b''\n", "a: \"b\\\"\n"}) {
    EXPECT_EQ(refusal(text), "f:1:4: a quote that is not closed") << text;
  }
  EXPECT_EQ(refusal("a: 'b"), "f:1:6: not valid YAML: illegal EOF in scalar");
  EXPECT_EQ(tree("a: 'b''\n\n  c'"), "{\"a\"@1:1: \"b'\nc\"@1:4}@1:1");
  EXPECT_EQ(tree(R"(a: "b\"\\")"), R"({"a"@1:1: "b"\"@1:4}@1:1)");
}

TEST(ReadYaml, EscapesCannotSayWhatBytesMayNot) {
  EXPECT_EQ(refusal(R"(a: "b\0")"), "f:1:4: an escape stands for a control character: 'b\\x00'");
  EXPECT_EQ(refusal(R"(a: "\t")"), "f:1:4: an escape stands for a control character: '\\t'");
  // yaml-cpp decodes these two to invalid UTF-8.
  EXPECT_EQ(refusal(R"(a: "\N")"), "f:1:4: an escape stands for a control character: '\\x85'");
  EXPECT_EQ(refusal(R"(a: "\_")"), "f:1:4: an escape stands for a control character: '\\xA0'");
}

TEST(ReadYaml, NoDirectives) {
  EXPECT_EQ(refusal("%YAML 1.2\n---\na: 1\n"), "f:1:1: directives are not accepted");
  EXPECT_EQ(refusal("a: 1\n%TAG ! x\n"), "f:2:1: directives are not accepted");
}

TEST(ReadYaml, NoAnchorsAndAliases) {
  EXPECT_EQ(refusal("a: &x 1\n"), "f:1:4: anchors are not accepted");
  EXPECT_EQ(refusal("&x a: 1\n"), "f:1:1: anchors are not accepted");
  EXPECT_EQ(refusal("a: *x\n"), "f:1:4: aliases are not accepted");
  EXPECT_EQ(refusal("- *x\n"), "f:1:3: aliases are not accepted");
}

TEST(ReadYaml, NoTags) {
  for (const char* text : {"a: !!int 8", "a: !x 8", "a: ! 8", "a: ! '8'", "a: !<x> 8", "a: !",
                           "a: !x [1]", "a: !x {b: 1}"}) {
    EXPECT_EQ(refusal(text), "f:1:4: tags are not accepted") << text;
  }
  EXPECT_EQ(refusal("!x a: 1"), "f:1:1: tags are not accepted");
  EXPECT_EQ(refusal("{!x a: 1}"), "f:1:2: tags are not accepted");
  EXPECT_EQ(refusal("a: !x\nb: 1\n"), "f:1:4: tags are not accepted");
}

TEST(ReadYaml, KeysAreDistinctStrings) {
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "f:3:1: 'a' is given twice");
  EXPECT_EQ(refusal("a: 1\n\"a\": 3\n"), "f:2:1: 'a' is given twice");
  EXPECT_EQ(refusal("x: {a: 1, a: 1}\n"), "f:1:11: 'a' is given twice");
  EXPECT_EQ(tree("- a: 1\n- a: 1\n"),
            R"([{"a"@1:3: int 1@1:6}@1:3, {"a"@2:3: int 1@2:6}@2:3]@1:1)");
  for (const char* key : {"8", "8.0", "true", "~", "null", "", "[a]", "{a: 1}"}) {
    EXPECT_EQ(refusal(std::string(key) + ": 1"), "f:1:1: a key must be a string") << key;
  }
  EXPECT_EQ(tree("\"8\": 1"), R"({"8"@1:1: int 1@1:6}@1:1)");
  EXPECT_EQ(refusal("[: 1]"), "f:1:2: a key must be a string");
}

TEST(ReadYaml, NoMergeKeys) {
  EXPECT_EQ(refusal("a: {<<: {b: 1}}\n"), "f:1:5: merge keys are not accepted");
  EXPECT_EQ(tree("\"<<\": 1"), R"({"<<"@1:1: int 1@1:7}@1:1)");
}

TEST(ReadYaml, NoExplicitKeys) {
  EXPECT_EQ(refusal("? a\n: 1\n"), "f:1:3: keys after '?' are not accepted");
  EXPECT_EQ(refusal("b: 1\n?\n  a\n: 1\n"), "f:3:3: keys after '?' are not accepted");
  EXPECT_EQ(refusal("{b: 1, ? a : 1}\n"), "f:1:10: keys after '?' are not accepted");
  EXPECT_EQ(refusal("? [a]\n: 1\n"), "f:1:3: a key must be a string");
  EXPECT_EQ(tree("a: what ?\nb: {c: 'd?'}\n"),
            R"({"a"@1:1: "what ?"@1:4, "b"@2:1: {"c"@2:5: "d?"@2:8}@2:4}@1:1)");
}

TEST(ReadYaml, NestingIsBounded) {
  const std::string open(64, '[');
  const std::string close(64, ']');
  EXPECT_EQ(refusal(open + close), "accepted");
  EXPECT_EQ(refusal(open + "[" + close + "]"), "f:1:65: more than 64 unclosed brackets");
  EXPECT_EQ(refusal("a: " + open + close), "f:1:67: nested deeper than 64 levels");
  std::string dashes;
  for (int i = 0; i < 65; ++i) dashes += "- ";
  EXPECT_EQ(refusal(dashes + "a"), "f:1:129: nested deeper than 64 levels");
  // Brackets that are closed do not count, and a stray one is no credit.
  std::string pairs = "[";
  for (int i = 0; i < 200; ++i) pairs += "[], ";
  EXPECT_EQ(refusal(pairs + "]"), "accepted");
  EXPECT_EQ(refusal("# ]]]]\n" + open + "[" + close + "]"),
            "f:2:65: more than 64 unclosed brackets");
}

TEST(ReadYaml, SizeIsBounded) {
  const std::string largest = "a: " + std::string(kMaxYamlBytes - 4, 'b') + "\n";
  EXPECT_EQ(refusal(largest), "accepted");
  EXPECT_EQ(refusal(largest + "\n"), "f: larger than 262144 bytes");
}

TEST(ReadYaml, WhatYamlCppRefusesHasItsPlace) {
  EXPECT_EQ(
      refusal("a: [1, 2\n"),
      "f:1:8: a key must be a string | perhaps the bracket at line 1, column 4 is not closed");
  EXPECT_EQ(
      refusal("a: [1, 2\nb: 3\nc: 4\n"),
      "f:2:2: not valid YAML: end of sequence flow not found | perhaps the bracket at line 1, "
      "column 4 is not closed");
  EXPECT_EQ(refusal("a: b: c\n"), "f:1:5: not valid YAML: illegal map value");
  EXPECT_EQ(refusal("a: @b\n"), "f:1:4: not valid YAML: unknown token");
  EXPECT_EQ(refusal("a: \"\\é\"\n"), "f:1:7: not valid YAML: unknown escape character: '\\xC3'");
  EXPECT_EQ(refusal("a: \"\\q\"\n"), "f:1:7: not valid YAML: unknown escape character: 'q'");
}

}  // namespace
}  // namespace kimi3
