// manifest.json: one canonical form, whatever else is refused with its place, and its hash.
#include "runtime/plan/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kimi3/error.h"
#include "runtime/plan/sha256.h"

namespace kimi3 {
namespace {

const std::string kHashA(64, 'a');
const std::string kHashB(64, 'b');

const std::string kEntries = R"({"path":"a","sha256":")" + kHashA +
                             R"(","size":0},{"path":"b/\"c\"","sha256":")" + kHashB +
                             R"(","size":9007199254740991})";
const std::string kRest =
    R"("overlay":["reduction_plan.yaml"],"schema":"kimi3.package/1",)"
    R"("variant":{"name":"k31","rows":[1,2],"settings":{"a":"é\n","b":""},"world_size":8}})";
const std::string kManifest = R"({"files":[)" + kEntries + "]," + kRest;

// Hands the text out in small steps, so that every token crosses a border somewhere.
ByteSource source_of(const std::string& text, std::size_t step = 7) {
  return [rest = std::string_view(text), step](std::span<char> bytes) mutable {
    const std::size_t count = std::min({bytes.size(), rest.size(), step});
    std::copy_n(rest.begin(), count, bytes.begin());
    rest.remove_prefix(count);
    return count;
  };
}

ManifestSummary read(const std::string& text, std::vector<ManifestEntry>* entries = nullptr) {
  return read_manifest("m", source_of(text), [&](const ManifestEntry& entry) {
    if (entries != nullptr) entries->push_back(entry);
  });
}

// The message of the refusal, which must be of kind kMalformed.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    return error.what();
  }
  return "(accepted)";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kManifest;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Manifest, ReadsWhatItHolds) {
  std::vector<ManifestEntry> entries;
  const ManifestSummary summary = read(kManifest, &entries);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].path, "a");
  EXPECT_EQ(entries[0].size, 0);
  EXPECT_EQ(entries[0].sha256, kHashA);
  EXPECT_EQ(entries[1].path, "b/\"c\"");
  EXPECT_EQ(entries[1].size, 9007199254740991);
  EXPECT_EQ(summary.identity, "sha256:" + sha256_hex(kManifest));
  EXPECT_EQ(summary.files, 2);
  EXPECT_EQ(summary.bytes, 9007199254740991);
  EXPECT_EQ(variant_of(summary)["settings"]["a"], "é\n");
  EXPECT_EQ(summary.variant_json,
            kManifest.substr(kManifest.find(R"({"name")"),
                             kManifest.size() - 1 - kManifest.find(R"({"name")")));
}

TEST(Manifest, IsWrittenAsItIsRead) {
  std::vector<ManifestEntry> entries;
  const ManifestSummary read_back = read(kManifest, &entries);
  std::string written;
  ManifestWriter writer([&](std::string_view bytes) { written += bytes; }, variant_of(read_back));
  for (const ManifestEntry& entry : entries) writer.add(entry);
  const ManifestSummary summary = writer.finish();
  EXPECT_EQ(written, kManifest);
  EXPECT_EQ(summary.identity, read_back.identity);
  EXPECT_EQ(summary.files, read_back.files);
  EXPECT_EQ(summary.bytes, read_back.bytes);
  EXPECT_EQ(summary.variant_json, read_back.variant_json);
}

TEST(Manifest, AnyChangeOfAByteIsRefusedOrAnotherIdentity) {
  const std::string identity = read(kManifest).identity;
  const auto check = [&](const std::string& text) {
    if (text == kManifest) return;
    try {
      EXPECT_NE(read(text).identity, identity) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kMalformed) << error.what();
    }
  };
  for (std::size_t i = 0; i < kManifest.size(); ++i) {
    std::string text = kManifest;
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(kManifest[i] ^ (1 << bit));
      check(text);
    }
    for (const char byte : {' ', '\t', '\n', '\0', static_cast<char>(kManifest[i] + 1)}) {
      text[i] = byte;
      check(text);
    }
    check(kManifest.substr(0, i) + kManifest.substr(i + 1));
    check(kManifest.substr(0, i) + kManifest[i] + kManifest.substr(i));
    check(kManifest.substr(0, i) + " " + kManifest.substr(i));
    EXPECT_NE(refusal(kManifest.substr(0, i)), "(accepted)");
  }
}

TEST(Manifest, OtherFormsOfTheSameContentAreRefusedWhereTheyDiffer) {
  EXPECT_EQ(refusal(kManifest + "\n"), "m:1:" + std::to_string(kManifest.size() + 1) +
                                           R"(: the byte '\n' is not canonical JSON)");
  EXPECT_EQ(refusal("\xEF\xBB\xBF" + kManifest),
            "m:1:1: this is not how canonical JSON (RFC 8785) writes it");
  EXPECT_EQ(refusal(with(R"({"files)", R"({ "files)")),
            "m:1:2: white space between values is not canonical JSON");
  EXPECT_EQ(refusal(with(R"("a")", R"("\u0061")")),
            "m:1:20: this is not how canonical JSON (RFC 8785) writes it");
  EXPECT_EQ(refusal(with("world_size", R"(world\u005fsize)")).substr(0, 4), "m:1:");
  EXPECT_EQ(refusal(with("[1,2]", "[1,2.0]")).substr(0, 4), "m:1:");
  EXPECT_EQ(refusal(with("[1,2]", "[1,-0]")).substr(0, 4), "m:1:");
  EXPECT_EQ(refusal(kManifest + kManifest).substr(0, 4), "m:1:");
}

TEST(Manifest, MalformedContentIsNamed) {
  const auto what = [](const std::string& from, const std::string& to) {
    const std::string message = refusal(with(from, to));
    return message.substr(message.find(' ') + 1);
  };
  EXPECT_EQ(what(R"("path":"a")", R"("path":"../a")"), "the path '../a' has the component '..'");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"/a")"), "the path '/a' is absolute");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"a//b")"), "the path 'a//b' has an empty component");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"a\\b")"), R"(the path 'a\\b' has a backslash)");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"a\nb")"),
            R"(the path 'a\nb' has a control character)");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"manifest.json")"),
            "the path 'manifest.json' has a reserved name");
  EXPECT_EQ(what(R"("path":"a")", R"("path":".kimi3-export/x")"),
            "the path '.kimi3-export/x' has a reserved name");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"b/\"c\"")"), R"(the path 'b/"c"' is listed twice)");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"c")"), R"(the path 'b/"c"' comes after 'c')");
  EXPECT_EQ(what(R"("path":"a")", R"("path":"b")"),
            R"(the path 'b/"c"' lies beneath 'b', which is a file)");
  EXPECT_EQ(what(R"("size":0)", R"("size":-1)"), "the size -1 is not in 0 to 2^53-1");
  EXPECT_EQ(what(R"("size":0)", R"("size":9007199254740992)"),
            "a number that is not an integer from -(2^53-1) to 2^53-1");
  EXPECT_EQ(what(R"("size":0)", R"("size":99999999999999999999)"),
            "a number that is not an integer from -(2^53-1) to 2^53-1");
  EXPECT_EQ(what(R"("size":0)", R"("size":1e3)"),
            "a number that is not an integer from -(2^53-1) to 2^53-1");
  EXPECT_EQ(what(R"("size":0)", R"("size":"0")"),
            R"(a file is {"path": string, "sha256": string, "size": integer})");
  EXPECT_EQ(what(kHashA, std::string(64, 'A')),
            "the sha256 '" + std::string(64, 'A') + "' is not 64 lower-case hexadecimal digits");
  EXPECT_EQ(what(R"(["reduction_plan.yaml"])", R"([])"),
            R"(the overlay is not ["reduction_plan.yaml"])");
  EXPECT_EQ(what("package/1", "package/2"),
            R"(the schema "kimi3.package/2" is not "kimi3.package/1")");
  EXPECT_EQ(what(R"("name":"k31")", R"("name":"k31","name":"k31")"),
            "the key 'name' is repeated or out of order");
  EXPECT_EQ(what(R"("name":"k31")", R"("näme":"k31")"), "the key 'näme' is not ASCII");
  EXPECT_EQ(what(R"("overlay")", R"("overlaz")"), "the key 'overlaz' where 'overlay' is expected");
  EXPECT_EQ(what(kEntries, ""), "a package has at least one file");
  EXPECT_EQ(what("[" + kEntries + "]", "3"), "the files are not an array");
  EXPECT_EQ(what("[" + kEntries + "]", "{}"), "the files are not an array");
  EXPECT_EQ(refusal("[]"), "m:1:1: a manifest is an object");
  EXPECT_EQ(refusal("{}"), "m:1:2: the key 'files' is missing");
  EXPECT_EQ(refusal(""), "m:1:1: this is not JSON");
}

TEST(Manifest, HostileSizesAreRefusedEarly) {
  const std::string before = R"({"files":[)" + kEntries +
                             R"(],"overlay":["reduction_plan.yaml"],)" +
                             R"("schema":"kimi3.package/1","variant":)";
  EXPECT_THAT(refusal(before + std::string(1 << 20, '[')),
              testing::HasSubstr("more than 64 containers in one another"));
  EXPECT_THAT(refusal(before + R"({"a":")" + std::string(2 << 20, 'x') + "\"}}"),
              testing::HasSubstr("a string of more than 1048576 bytes"));
  EXPECT_THAT(refusal(R"({"files":[{"path":)" + std::string(1 << 20, '9')),
              testing::HasSubstr("a number of more than 32 digits"));
  std::string many = before + "[0";
  for (int i = 0; i < 1 << 20; ++i) many += ",0";
  EXPECT_THAT(refusal(many), testing::HasSubstr("more than 1048576 bytes in one of 'variant'"));
}

TEST(Manifest, VariantsThatNoReaderTakesAreNotWritten) {
  const auto write = [](const nlohmann::json& variant) -> std::string {
    try {
      ManifestWriter([](std::string_view) {}, variant);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
      return error.what();
    }
    return "(written)";
  };
  EXPECT_EQ(write({{"a", 1}}), "(written)");
  EXPECT_EQ(write(nlohmann::json::array()), "the variant is not a mapping");
  EXPECT_EQ(write({{"a", {1, 0.5}}}), "'/a/1': is not an integer");
  EXPECT_EQ(write({{"a", (std::int64_t{1} << 53) - 1}}), "(written)");
  EXPECT_EQ(write({{"a", std::int64_t{1} << 53}}), "'/a': 9007199254740992 is beyond 2^53-1");
  EXPECT_EQ(write({{"a", -(std::int64_t{1} << 53)}}), "'/a': -9007199254740992 is beyond 2^53-1");
  EXPECT_EQ(write({{"a", ~std::uint64_t{0}}}), "'/a': 18446744073709551615 is beyond 2^53-1");
  EXPECT_EQ(write({{"é", 1}}), "'': the key 'é' is not ASCII");
  EXPECT_EQ(write({{"a", "\xFF"}}), "'/a': is not valid UTF-8");
  nlohmann::json deep = nlohmann::json::object();
  for (int i = 0; i < kMaxVariantDepth - 1; ++i) deep = {{"a", deep}};
  EXPECT_EQ(write(deep), "(written)");
  EXPECT_THAT(write({{"a", deep}}), testing::HasSubstr("is nested too deeply"));
  EXPECT_THAT(write({{"a", std::string(kMaxVariantBytes, 'x')}}),
              testing::StartsWith("the variant takes 1048584 bytes, more than 1048576"));
}

}  // namespace
}  // namespace kimi3
