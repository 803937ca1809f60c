#include "runtime/plan/fields.h"

#include <gmock/gmock.h>

#include <string>

#include "kimi3/vocabulary.h"
#include "runtime/plan/document_json.h"
#include "runtime/plan/yaml_reader.h"
#include "tests/support/refusal.h"

namespace kimi3 {
namespace {

using ::testing::ElementsAre;

// What binding the value of `v: TEXT` refuses.
template <typename Bind>
std::string refusal(const std::string& text, Bind bind) {
  const Document document = read_yaml("v: " + text, "f");
  return test::refusal([&] { bind(Fields(Value(document), {"v"}).required("v")); });
}

template <typename Bind>
auto bound(const std::string& text, Bind bind) {
  const Document document = read_yaml("v: " + text, "f");
  return bind(Fields(Value(document), {"v"}).required("v"));
}

const auto kString = [](const Value& value) { return value.string(); };
const auto kName = [](const Value& value) { return value.name(); };
const auto kDigest = [](const Value& value) { return value.digest(); };
const auto kBoolean = [](const Value& value) { return value.boolean(); };
const auto kByte = [](const Value& value) { return value.integer(0, 255); };
const auto kMode = [](const Value& value) { return value.word(kModes); };
const auto kOff = [](const Value& value) { return value.constant("off"); };
const auto kBytes = [](const Value& value) { return value.unique_integers(0, 255, 1, 3); };
const auto kEntries = [](const Value& value) { return value.entries(2).size(); };

TEST(Value, Strings) {
  EXPECT_EQ(bound("no", kString), "no");
  EXPECT_EQ(bound("\"8\"", kString), "8");
  EXPECT_EQ(refusal("8", kString),
            "f:1:4: v must be a string, but is the integer '8' | quote it: \"8\"");
  EXPECT_EQ(refusal("8.0", kString),
            "f:1:4: v must be a string, but is the number '8.0' | quote it: \"8.0\"");
  EXPECT_EQ(refusal("true", kString),
            "f:1:4: v must be a string, but is the boolean 'true' | quote it: \"true\"");
  EXPECT_EQ(refusal("~", kString), "f:1:4: v must be a string, but is null | quote it: \"~\"");
  EXPECT_EQ(refusal("", kString), "f:1:1: v must be a string, but is null | quote it: \"\"");
  EXPECT_EQ(refusal("[]", kString), "f:1:4: v must be a string, but is an empty sequence");
  EXPECT_EQ(refusal("[a, b]", kString), "f:1:4: v must be a string, but is a sequence of 2 items");
  EXPECT_EQ(refusal("{}", kString), "f:1:4: v must be a string, but is a mapping");
}

TEST(Value, NamesDigestsAndConstants) {
  EXPECT_EQ(bound("k31-tp8", kName), "k31-tp8");
  EXPECT_EQ(
      refusal("K31", kName),
      "f:1:4: v must be a name of the form [a-z0-9][a-z0-9._-]{0,63}, but is the string 'K31'");
  EXPECT_EQ(
      refusal("31", kName),
      "f:1:4: v must be a name of the form [a-z0-9][a-z0-9._-]{0,63}, but is the integer '31' "
      "| quote it: \"31\"");
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(bound(digest, kDigest), digest);
  EXPECT_EQ(refusal("sha256:a", kDigest),
            "f:1:4: v must be a digest, sha256: and 64 lower-case hexadecimal digits, but is the "
            "string 'sha256:a'");
  EXPECT_EQ(bound("off", kOff), "off");
  EXPECT_EQ(refusal("on", kOff), "f:1:4: v must be 'off', but is the string 'on'");
}

TEST(Value, Integers) {
  EXPECT_EQ(bound("0", kByte), 0);
  EXPECT_EQ(bound("255", kByte), 255);
  const std::string expected = "f:1:4: v must be an integer from 0 to 255, but is ";
  const std::string spelling =
      " | integers are plain decimals, without plus sign, leading zeros, point or exponent";
  EXPECT_EQ(refusal("256", kByte), expected + "the integer '256'");
  EXPECT_EQ(refusal("-1", kByte), expected + "the integer '-1'");
  EXPECT_EQ(refusal("9223372036854775808", kByte), expected + "the integer '9223372036854775808'");
  EXPECT_EQ(refusal("010", kByte), expected + "the number '010'" + spelling);
  EXPECT_EQ(refusal("8.0", kByte), expected + "the number '8.0'" + spelling);
  EXPECT_EQ(refusal("\"8\"", kByte), expected + "the string '8' | remove the quotes");
  EXPECT_EQ(refusal("\"8 \"", kByte), expected + "the string '8 '");
  EXPECT_EQ(refusal("no", kByte), expected + "the string 'no'");
  EXPECT_EQ(refusal("false", kByte), expected + "the boolean 'false'");
}

TEST(Value, Booleans) {
  EXPECT_TRUE(bound("true", kBoolean));
  EXPECT_FALSE(bound("false", kBoolean));
  EXPECT_EQ(refusal("yes", kBoolean), "f:1:4: v must be true or false, but is the string 'yes'");
  EXPECT_EQ(refusal("1", kBoolean), "f:1:4: v must be true or false, but is the integer '1'");
}

TEST(Value, Words) {
  EXPECT_EQ(bound("draft", kMode), Mode::kDraft);
  EXPECT_EQ(
      refusal("decoed", kMode),
      "f:1:4: v must be prefill, decode, verify or draft, but is the string 'decoed' | did you "
      "mean 'decode'?");
  EXPECT_EQ(refusal("train", kMode),
            "f:1:4: v must be prefill, decode, verify or draft, but is the string 'train'");
}

TEST(Value, SequencesOfIntegers) {
  EXPECT_THAT(bound("[3, 1, 2]", kBytes), ElementsAre(3, 1, 2));
  EXPECT_EQ(refusal("[]", kBytes),
            "f:1:4: v must be a sequence of 1 or more items, but is an empty sequence");
  EXPECT_EQ(refusal("[1, 2, 3, 4]", kBytes),
            "f:1:4: v must be a sequence of 3 or fewer items, but is a sequence of 4 items");
  EXPECT_EQ(refusal("7", kBytes), "f:1:4: v must be a sequence, but is the integer '7'");
  EXPECT_EQ(refusal("[1, 256]", kBytes),
            "f:1:8: v[1] must be an integer from 0 to 255, but is the integer '256'");
  EXPECT_EQ(refusal("[1, 2, 1]", kBytes), "f:1:11: v[2] repeats '1'");
}

TEST(Value, MappingsWithKeysOfTheUser) {
  EXPECT_EQ(bound("{a: 1, B_2: 2}", kEntries), 2U);
  EXPECT_EQ(refusal("{a: 1, b: 2, c: 3}", kEntries),
            "f:1:4: v must be a mapping of 2 or fewer keys, but is a mapping");
  EXPECT_EQ(refusal("{a b: 1}", kEntries),
            "f:1:5: a key of v must be of the form [A-Za-z0-9][A-Za-z0-9._-]{0,63}, but is 'a b'");
  EXPECT_EQ(refusal("[a]", kEntries), "f:1:4: v must be a mapping, but is a sequence of 1 items");
}

TEST(Fields, RefuseWhatTheyDoNotKnow) {
  const Document document = read_yaml("rows: 1\ncolz: 2\nshape: 3\n", "f");
  const auto fields = [&](std::initializer_list<std::string_view> known) {
    return test::refusal([&] { Fields(Value(document), known); });
  };
  EXPECT_EQ(fields({"rows", "cols", "shape"}),
            "f:2:1: unknown key 'colz' in the document | did you mean 'cols'?");
  EXPECT_EQ(
      fields({"rows", "colz", "sites"}),
      "f:3:1: unknown key 'shape' in the document | the keys known here are rows, colz, sites");
  EXPECT_EQ(fields({"rows", "colz", "shape"}), "accepted");
}

TEST(Fields, NameWhatIsMissing) {
  const Document document = read_yaml("a:\n  - b: {x: 1}\n", "f");
  const Value a = Fields(Value(document), {"a"}).required("a");
  const Value b = Fields(a.items().at(0), {"b"}).required("b");
  EXPECT_EQ(test::refusal([&] {
              Fields(b, {"x", "y"}).required("y");
            }),
            "f:2:8: missing key 'y' in a[0].b");
  EXPECT_FALSE(Fields(b, {"x", "y"}).optional("y").has_value());
  EXPECT_EQ(test::refusal([&] { Fields(Fields(b, {"x"}).required("x"), {"y"}); }),
            "f:2:12: a[0].b.x must be a mapping, but is the integer '1'");
}

TEST(Fields, TheRootIsTheDocument) {
  const Document document = read_yaml("just a word\n", "f");
  EXPECT_EQ(test::refusal([&] { Fields(Value(document), {"a"}); }),
            "f:1:1: the document must be a mapping, but is the string 'just a word'");
}

}  // namespace
}  // namespace kimi3
