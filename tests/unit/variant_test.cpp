#include "exporter/variant.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/yaml_reader.h"
#include "tests/support/refusal.h"
#include "tests/support/tool.h"

namespace kimi3 {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::string& good() {
  static const std::string kText =
      test::read_text(KIMI3_SOURCE_DIR "/tests/cases/variants/good.yaml");
  return kText;
}

std::string edited(const std::string& from, const std::string& to) {
  std::string text = good();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Variant variant(const std::string& text) { return read_variant(read_yaml(text, "v.yaml")); }

std::string refusal(const std::string& text) {
  return test::refusal([&] { variant(text); });
}

TEST(Variant, IsReadAsItIsWritten) {
  const Variant v = variant(good());
  EXPECT_EQ(v.name, "k31-tp8");
  EXPECT_EQ(v.model.architecture, "kimi3");
  EXPECT_EQ(v.model.hidden_size, 7168);
  EXPECT_EQ(v.model.layers, 61);
  EXPECT_EQ(v.model.dtype, DType::kBfloat16);
  EXPECT_EQ(v.world_size, 8);
  EXPECT_EQ(v.prefill.chunk, 3072);
  EXPECT_THAT(capacities(v, Mode::kPrefill), ElementsAre(256, 512, 1024, 2048, 3072));
  EXPECT_THAT(capacities(v, Mode::kDecode), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(capacities(v, Mode::kVerify), ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(capacities(v, Mode::kDraft), ElementsAre(1, 2, 4, 8));
  ASSERT_EQ(v.reductions.size(), 3U);
  EXPECT_EQ(v.reductions[0].site, "attention_output");
  EXPECT_EQ(v.reductions[0].cols, 7168);
  EXPECT_EQ(v.reductions[0].per_layer, 1);
  EXPECT_THAT(v.reductions[0].modes,
              ElementsAre(Mode::kPrefill, Mode::kDecode, Mode::kVerify, Mode::kDraft));
  EXPECT_THAT(v.reductions[2].modes, ElementsAre(Mode::kPrefill));
  EXPECT_THAT(v.settings, ElementsAre(Pair("kv_cache", "fp8"), Pair("quantization", "exl3")));
}

TEST(Variant, HasANormalForm) {
  const std::string modes = "per_layer: 1, modes: [prefill]";
  EXPECT_EQ(to_json(variant(edited("[256, 512, 1024, 2048, 3072]", "[3072, 256]"))),
            to_json(variant(edited("[256, 512, 1024, 2048, 3072]", "[256, 3072]"))));
  EXPECT_EQ(
      to_json(variant(edited(modes, "per_layer: 1"))),
      to_json(variant(edited(modes, "modes: [draft, verify, prefill, decode], per_layer: 1"))));
  const Variant v = variant(edited("verify:\n  rows: [4, 8, 16, 32, 64]\n", ""));
  EXPECT_TRUE(capacities(v, Mode::kVerify).empty());
  EXPECT_EQ(to_json(v).dump(),
            R"({"decode":{"rows":[1,2,4,8,16,32]},"draft":{"rows":[1,2,4,8]},)"
            R"("model":{"architecture":"kimi3","dtype":"bfloat16","hidden_size":7168,"layers":61},)"
            R"("name":"k31-tp8","prefill":{"chunk":3072,"rows":[256,512,1024,2048,3072]},)"
            R"("reductions":[)"
            R"({"cols":7168,"modes":["prefill","decode","verify","draft"],"per_layer":1,)"
            R"("site":"attention_output"},)"
            R"({"cols":7168,"modes":["prefill","decode","verify","draft"],"per_layer":1,)"
            R"("site":"moe_output"},)"
            R"({"cols":3584,"modes":["prefill"],"per_layer":1,"site":"latent_output"}],)"
            R"("schema":"kimi3.variant/1","settings":{"kv_cache":"fp8","quantization":"exl3"},)"
            R"("world_size":8})");
}

TEST(Variant, IsTheSameFromItsNormalForm) {
  const nlohmann::json json = to_json(variant(good()));
  EXPECT_EQ(to_json(variant_from_json(json, "manifest.json")), json);
  nlohmann::json wrong = json;
  wrong["reductions"][1]["cols"] = 7168.0;
  EXPECT_EQ(
      test::refusal([&] { variant_from_json(wrong, "manifest.json"); }),
      "manifest.json: reductions[1].cols must be an integer from 1 to 1099511627776, but is the "
      "number '7168.0' | integers are plain decimals, without plus sign, leading zeros, point "
      "or exponent");
  nlohmann::json deep = 1;
  for (int i = 0; i < 65; ++i) deep = nlohmann::json::array({std::move(deep)});
  EXPECT_EQ(test::refusal([&] { variant_from_json(deep, "manifest.json"); }),
            "manifest.json: nested deeper than 64 levels");
}

// Each line of tests/cases/variants/edits.tsv that must be refused.
TEST(Variant, EditsAreRefusedByName) {
  const std::string spelling =
      " | integers are plain decimals, without plus sign, leading zeros, point or exponent";
  const std::string world = "v.yaml:8:13: world_size must be an integer from 2 to 64, but is ";
  struct Edit {
    std::string from;
    std::string to;
    std::string message;
  };
  const std::vector<Edit> edits{
      {"world_size: 8", "world_size: 4", "accepted"},
      {"world_size: 8", "world_size: 0", world + "the integer '0'"},
      {"world_size: 8", "world_size: -8", world + "the integer '-8'"},
      {"world_size: 8", "world_size: 010", world + "the number '010'" + spelling},
      {"world_size: 8", "world_size: 8.0", world + "the number '8.0'" + spelling},
      {"world_size: 8", "world_size: \"8 \"", world + "the string '8 '"},
      {"world_size: 8", "world_size: 8\nworld_size: 4", "v.yaml:9:1: 'world_size' is given twice"},
      {"dtype: bfloat16", "dtype: bf8",
       "v.yaml:7:10: model.dtype must be bfloat16, but is the string 'bf8'"},
      {"chunk: 3072", "chunk: 1024", "v.yaml:11:26: prefill capacity 2048 is above the chunk 1024"},
      {"[256, 512, 1024, 2048, 3072]", "[]",
       "v.yaml:11:9: prefill.rows must be a sequence of 1 or more items, but is an empty sequence"},
      {"[256, 512, 1024, 2048, 3072]", "[256, 256]", "v.yaml:11:15: prefill.rows[1] repeats '256'"},
      {"[256, 512, 1024, 2048, 3072]", "[3072, 256]", "accepted"},
      {"[1, 2, 4, 8, 16, 32]", "[0, 1]",
       "v.yaml:13:10: decode.rows[0] must be an integer from 1 to 1099511627776, but is the "
       "integer "
       "'0'"},
      {"hidden_size: 7168", "hiden_size: 7168",
       "v.yaml:5:3: unknown key 'hiden_size' in model | did you mean 'hidden_size'?"},
      {"per_layer: 1}", "per_layer: no}",
       "v.yaml:19:53: reductions[0].per_layer must be an integer from 1 to 1048576, but is the "
       "string 'no'"},
      {"name: k31-tp8", "name: ../k31",
       "v.yaml:2:7: name must be a name of the form [a-z0-9][a-z0-9._-]{0,63}, but is the string "
       "'../k31'"},
      {"name: k31-tp8", "name: *anchor", "v.yaml:2:7: aliases are not accepted"},
      {"settings:", "settings: &a", "v.yaml:22:11: anchors are not accepted"},
      {"schema: kimi3.variant/1", "schema: kimi3.variant/2",
       "v.yaml:1:9: schema must be 'kimi3.variant/1', but is the string 'kimi3.variant/2'"},
  };
  for (const Edit& edit : edits) {
    EXPECT_EQ(refusal(edited(edit.from, edit.to)), edit.message) << edit.to;
  }
}

TEST(Variant, SettingsAreStrings) {
  EXPECT_EQ(refusal(edited("kv_cache: fp8", "kv_cache: 8")),
            "v.yaml:24:13: settings.kv_cache must be a string, but is the integer '8' | quote it: "
            "\"8\"");
  EXPECT_EQ(
      refusal(edited("kv_cache: fp8", "kv/cache: fp8")),
      "v.yaml:24:3: a key of settings must be of the form [A-Za-z0-9][A-Za-z0-9._-]{0,63}, but "
      "is 'kv/cache'");
  EXPECT_EQ(refusal(edited("settings:\n  quantization: exl3\n  kv_cache: fp8\n", "settings: {}\n")),
            "accepted");
}

TEST(Variant, SitesAreDistinct) {
  EXPECT_EQ(refusal(edited("site: moe_output", "site: attention_output")),
            "v.yaml:20:12: reductions[1].site repeats 'attention_output'");
}

TEST(Variant, ModesAreDistinct) {
  EXPECT_EQ(refusal(edited("[prefill]", "[prefill, draft, prefill]")),
            "v.yaml:21:77: reductions[2].modes[2] repeats 'prefill'");
  EXPECT_EQ(
      refusal(edited("[prefill]", "[]")),
      "v.yaml:21:60: reductions[2].modes must be a sequence of 1 or more items, but is an empty "
      "sequence");
  EXPECT_EQ(
      refusal(edited("[prefill]", "[refill]")),
      "v.yaml:21:61: reductions[2].modes[0] must be prefill, decode, verify or draft, but is the "
      "string 'refill' | did you mean 'prefill'?");
}

TEST(Variant, ShapesAreBounded) {
  // 2^48 elements are 256 rows of the widest shape, 2^40 columns.
  const std::string cols = "cols: 1099511627776, per_layer: 1, modes: [decode]";
  const auto with = [&](const std::string& rows) {
    std::string text = edited("cols: 7168, per_layer: 1", cols);
    const std::string old = "[1, 2, 4, 8, 16, 32]";
    return text.replace(text.find(old), old.size(), rows);
  };
  EXPECT_EQ(refusal(with("[256]")), "accepted");
  EXPECT_EQ(
      refusal(with("[1, 257]")),
      "v.yaml:19:36: graph decode-257, site attention_output: 257 x 1099511627776 is more than "
      "281474976710656 elements");
  // A product beyond 64 bits.
  EXPECT_EQ(refusal(with("[1099511627776]")),
            "v.yaml:19:36: graph decode-1099511627776, site attention_output: 1099511627776 x "
            "1099511627776 is more than 281474976710656 elements");
}

TEST(Variant, CapacitiesAreBoundedInAll) {
  std::string rows = "[1";
  for (int i = 2; i <= 4085; ++i) rows += "," + std::to_string(i);
  // With 5 of prefill, 6 of decode and, in the end, of verify and draft: 4096 and 4097.
  std::string text = edited("verify:\n  rows: [4, 8, 16, 32, 64]\n", "");
  const std::string draft = "[1, 2, 4, 8]";
  const auto with_draft = [&](const std::string& replacement) {
    std::string copy = text;
    return copy.replace(copy.find(draft), draft.size(), replacement);
  };
  EXPECT_EQ(refusal(with_draft(rows + "]")), "accepted");
  EXPECT_EQ(refusal(with_draft(rows + ",9999]")),
            "v.yaml:15:9: more than 4096 capacities in all modes together");
}

TEST(Variant, EveryKeyIsRequiredButModes) {
  const std::vector<std::pair<std::string, std::string>> cuts{
      {"name: k31-tp8\n", "v.yaml:1:1: missing key 'name' in the document"},
      {"  layers: 61\n", "v.yaml:4:3: missing key 'layers' in model"},
      {"  chunk: 3072\n", "v.yaml:10:3: missing key 'chunk' in prefill"},
      {"decode:\n  rows: [1, 2, 4, 8, 16, 32]\n", "accepted"},
      {", per_layer: 1", "v.yaml:19:5: missing key 'per_layer' in reductions[0]"},
  };
  for (const auto& [cut, message] : cuts) EXPECT_EQ(refusal(edited(cut, "")), message);
}

}  // namespace
}  // namespace kimi3
