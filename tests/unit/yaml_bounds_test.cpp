// Inputs of the largest size that is read, of every kind that has made some YAML scanner go through
// its input again for each part of it. All of these take a second or two together; where one took
// quadratic time, the time limit of the test would end it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exporter/variant.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/yaml_reader.h"
#include "tests/support/refusal.h"

namespace kimi3 {
namespace {

// `unit` as often as it fits into the largest file, between `before` and `after`.
std::string repeated(const std::string& unit, const std::string& before = {},
                     const std::string& after = {}) {
  std::string text = before;
  while (text.size() + unit.size() + after.size() <= kMaxYamlBytes) text += unit;
  return text + after;
}

// One line for each number, `before` and `after` around it.
std::string numbered(const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; text.size() + before.size() + after.size() + 8 <= kMaxYamlBytes; ++i) {
    text += before + std::to_string(i) + after;
  }
  return text;
}

std::string answer(const std::string& text) {
  return test::refusal([&] { read_variant(read_yaml(text, "f")); }).substr(0, 60);
}

TEST(YamlBounds, ManyKeys) {
  EXPECT_EQ(answer(numbered("k", ": 1\n")), "f:1:1: unknown key 'k0' in the document | the keys k");
  EXPECT_EQ(answer("{" + numbered("k", ": 1,") + "}"),
            "f:1:2: unknown key 'k0' in the document | the keys k");
  EXPECT_EQ(answer(numbered(std::string(900, 'k'), ": 1\n")).substr(0, 25),
            "f:1:1: unknown key 'kkkkk");
  EXPECT_EQ(answer("settings:\n" + numbered("  k", ": v\n")),
            "f:1:1: missing key 'schema' in the document");
  EXPECT_EQ(answer(repeated("a: 1\n")), "f:2:1: 'a' is given twice");
}

TEST(YamlBounds, DeepAndWideNesting) {
  EXPECT_EQ(answer(repeated("[")), "f:1:65: more than 64 unclosed brackets");
  EXPECT_EQ(answer(repeated("- ")), "f:1:129: nested deeper than 64 levels");
  EXPECT_EQ(answer(repeated("-\n")),
            "f:1:1: the document must be a mapping, but is a sequence of ");
  EXPECT_EQ(answer(repeated("[],", "[", "]")),
            "f:1:1: the document must be a mapping, but is a sequence of ");
  EXPECT_EQ(answer(repeated("{a: 1},", "[", "]")),
            "f:1:1: the document must be a mapping, but is a sequence of ");
  EXPECT_EQ(answer(repeated("a: 1,", "[", "]")),
            "f:1:1: the document must be a mapping, but is a sequence of ");
  EXPECT_EQ(answer(repeated("1,", "[", "]")),
            "f:1:1: the document must be a mapping, but is a sequence of ");
  EXPECT_EQ(answer(repeated(",", "[", "]")), "f:1:2: an empty item");
  EXPECT_EQ(answer(repeated("a: ")), "f:1:5: not valid YAML: illegal map value");
}

TEST(YamlBounds, LongScalars) {
  EXPECT_EQ(answer(repeated("a", "k: ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("a ", "k: ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("a\n ", "k: ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("\n\n ", "k: a")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("a\n ", "k: |\n ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("a\n ", "k: >\n ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("\n", "k: >\n")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("\\u0041", "k: \"", "\"")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("''", "k: '", "'")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
  EXPECT_EQ(answer(repeated("a", "k: \"")), "f:1:262145: not valid YAML: illegal EOF in scalar");
  EXPECT_EQ(answer(repeated("\\\n", "k: \"")), "f:1:4: a quote that is not closed");
  EXPECT_EQ(answer(repeated("a", "", ": 1")), "f:1:262142: not valid YAML: illegal map value");
  EXPECT_EQ(answer(repeated("9", "k: ")),
            "f:1:1: unknown key 'k' in the document | the keys known ");
}

TEST(YamlBounds, ManyTokens) {
  EXPECT_EQ(answer(repeated("&a ")),
            "f:1:4: not valid YAML: cannot assign multiple anchors to the");
  EXPECT_EQ(answer(repeated("*a ")), "f:1:1: aliases are not accepted");
  EXPECT_EQ(answer(repeated("a", "!")), "f:1:1: tags are not accepted");
  EXPECT_EQ(answer(repeated("? ")), "f:1:3: a key must be a string");
  EXPECT_EQ(answer(repeated("!\n: |\nb\n>\n")), "f:1:1: tags are not accepted");
  EXPECT_EQ(answer(repeated("---\n")), "f:2:1: a second document");
  EXPECT_EQ(answer(repeated("\"\" ")), "f:1:4: text after the end of the document");
  EXPECT_EQ(answer(repeated("|\n")), "f:2:1: text after the end of the document");
  EXPECT_EQ(answer(repeated(":")), "f:1:262144: not valid YAML: illegal map value");
}

TEST(YamlBounds, NothingButSpace) {
  for (const char* unit : {" ", "\n", "#", "#\n"}) {
    EXPECT_EQ(answer(repeated(unit)), "f:1:1: no document in the file");
  }
}

TEST(YamlBounds, ATreeOfManyKeysAsJson) {
  const Document document = read_yaml(numbered("k", ": 1\n"), "f");
  EXPECT_GT(to_json(document.root).size(), 20'000U);
}

}  // namespace
}  // namespace kimi3
