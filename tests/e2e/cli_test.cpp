// What every command prints, exactly, and how it exits.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/cli_fixture.h"

namespace kimi3::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> kRingOn{"IGNITION_KIMI_PREFILL_DMA_ROWS=3072"};
const std::vector<std::string> kRingBf16{"IGNITION_KIMI_PREFILL_DMA_ROWS=3072",
                                         "IGNITION_KIMI_PREFILL_DMA_BF16=1"};

TEST_F(CliTest, NoArgumentsAndUnknownCommands) {
  const ToolResult nothing = run({});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.err,
            "kimi3-export: error: no command\nhint: kimi3-export --help lists the commands\n");
  const ToolResult wrong = run({"exprot"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err,
            "kimi3-export: error: unknown command 'exprot'\nhint: did you mean export?\n");
}

TEST_F(CliTest, EveryCommandHelpsWithAnExample) {
  EXPECT_THAT(run({"--help"}).out, StartsWith("usage: kimi3-export COMMAND [OPTIONS]\n"));
  for (const std::string command :
       {"export", "bake", "inspect", "prove", "identity", "verify", "diff", "run"}) {
    const ToolResult help = run({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_THAT(help.out, AllOf(StartsWith("usage: kimi3-export " + command + " "),
                                HasSubstr("\nExamples:\n  "),
                                HasSubstr(" kimi3-export " + command + " "), HasSubstr("--help")))
        << command;
    EXPECT_THAT(help.err, IsEmpty());
  }
}

TEST_F(CliTest, ArgumentsAreCheckedByName) {
  const auto error = [&](std::vector<std::string> arguments) {
    const ToolResult result = run(std::move(arguments));
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  };
  EXPECT_EQ(error({"export", "--varient", "x"}),
            "kimi3-export: error: export: unknown option '--varient'\n"
            "hint: did you mean --variant?\n");
  EXPECT_EQ(error({"identity"}),
            "kimi3-export: error: identity: PACKAGE is missing\n"
            "hint: see kimi3-export identity --help\n");
  EXPECT_EQ(error({"identity", "a", "b"}),
            "kimi3-export: error: identity: too many arguments\n"
            "hint: see kimi3-export identity --help\n");
  EXPECT_EQ(error({"inspect", "a", "--format", "xml"}),
            "kimi3-export: error: --format 'xml' is not one of text, yaml, json\n");
  EXPECT_EQ(error({"run", "a", "--iterations", "0"}),
            "kimi3-export: error: --iterations '0' is not a whole number from 1 to 1000000\n");
  EXPECT_EQ(error({"verify", "a", "--identity", ""}),
            "kimi3-export: error: --identity '' is no digest\n"
            "hint: a digest is sha256: and 64 hexadecimal digits, in lower case\n");
  EXPECT_EQ(error({"export", "--artifacts", "artifacts", "--out", "o"}),
            "kimi3-export: error: export: --variant is missing\n");
  EXPECT_EQ(error({"export", "--variant", "variant.yaml", "--artifacts", "artifacts"}),
            "kimi3-export: error: export: give one of --out and --in-place\n");
}

TEST_F(CliTest, MissingFilesAreTheMachinesFailure) {
  const ToolResult result =
      run({"export", "--variant", "none.yaml", "--artifacts", "artifacts", "--out", "o"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "kimi3-export: error: cannot open none.yaml: No such file or directory\n");
}

TEST_F(CliTest, OneIdentityThreePlans) {
  ASSERT_EQ(export_to("off").status, 0);
  ASSERT_EQ(export_to("on", kRingOn).status, 0);
  ASSERT_EQ(export_to("bf16", kRingBf16).status, 0);
  EXPECT_EQ(read_text(dir_ / "off/manifest.json"), read_text(dir_ / "on/manifest.json"));
  EXPECT_EQ(identity_of("off"), identity_of("on"));
  EXPECT_EQ(identity_of("off"), identity_of("bf16"));
  EXPECT_NE(plan_of("off"), plan_of("on"));
  EXPECT_NE(plan_of("on"), plan_of("bf16"));

  const ToolResult same = run({"diff", "off", "on", "--identity-only"});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.out, "identity  the same: " + identity_of("off"));
  const ToolResult plans = run({"diff", "off", "on"});
  EXPECT_EQ(plans.status, 1);
  EXPECT_THAT(plans.out, StartsWith("identity  the same: " + identity_of("off") +
                                    "plan      differs: sha256:"));
  EXPECT_THAT(plans.out, HasSubstr("plan/graphs/prefill-3072/channel"));
  EXPECT_EQ(run({"diff", "on", "on"}).status, 0);
}

TEST_F(CliTest, BakeGivesThePlanThatExportGives) {
  ASSERT_EQ(export_to("off").status, 0);
  ASSERT_EQ(export_to("on", kRingBf16).status, 0);
  const ToolResult baked = run({"bake", "off"}, kRingBf16);
  EXPECT_EQ(baked.status, 0) << baked.err;
  EXPECT_EQ(plan_of("off"), plan_of("on"));
  const ToolResult options =
      run({"bake", "off", "--prefill-dma-rows", "3072", "--prefill-dma-bf16", "1"});
  EXPECT_EQ(options.out, baked.out);
  EXPECT_EQ(run({"bake", "off"}, {"B12X_PCIE_DMA_PIECES=2"}).status, 2);
  EXPECT_EQ(plan_of("off"), plan_of("on")) << "a refused bake changes nothing";
}

TEST_F(CliTest, InspectsInThreeFormats) {
  ASSERT_EQ(export_to("package", kRingBf16).status, 0);
  const std::string plan = plan_of("package");
  EXPECT_EQ(run({"inspect", "package", "--format", "yaml"}).out, plan);
  const auto json = nlohmann::json::parse(run({"inspect", "package", "--format", "json"}).out);
  EXPECT_EQ(json["ring_rows"], 3072);
  EXPECT_EQ(json["switches"]["prefill_dma_bf16"], true);
  EXPECT_EQ(json["channels"]["prefill_ring"]["wire_mode"], "off");
  EXPECT_EQ(json["graphs"][4]["reductions"][0]["calls"], 61);
  const std::string text = run({"inspect", "package"}).out;
  EXPECT_THAT(text, HasSubstr("ring      prefill graphs of 3072 rows or more, bf16_hop_sum\n"));
  EXPECT_EQ(run({"inspect", "package/reduction_plan.yaml"}).out, text);
  const ToolResult unknown = run({"inspect", "package", "--graph", "prefil-3072"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err,
            "kimi3-export: error: the plan has no graph 'prefil-3072'\n"
            "hint: did you mean prefill-3072?\n");
  EXPECT_EQ(run({"inspect", "package", "--format", "yaml", "-o", "copy.yaml"}).status, 0);
  EXPECT_EQ(read_text(dir_ / "copy.yaml"), plan);
  EXPECT_EQ(run({"inspect", "package", "-o", "/dev/null"}).err,
            "kimi3-export: error: '/dev/null' is a character device, not a regular file\n");
}

TEST_F(CliTest, OneGraphInThreeFormats) {
  ASSERT_EQ(export_to("package", kRingBf16).status, 0);
  const std::string yaml =
      run({"inspect", "package", "--format", "yaml", "--graph", "prefill-3072"}).out;
  EXPECT_THAT(yaml, StartsWith("  - id: prefill-3072\n    mode: prefill\n    rows: 3072\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("decode-1")));
  const auto json = nlohmann::json::parse(
      run({"inspect", "package", "--format", "json", "--graph", "prefill-3072"}).out);
  EXPECT_EQ(json["reason"], "3072 rows >= 3072");
  EXPECT_THAT(run({"inspect", "package", "--graph", "prefill-3072"}).out,
              HasSubstr("latent_output     3072  3584"));
}

TEST_F(CliTest, VerifyListsWhatDoesNotHold) {
  ASSERT_EQ(export_to("package").status, 0);
  const std::string identity = identity_of("package").substr(0, 71);
  EXPECT_EQ(run({"verify", "package", "--identity", identity}).status, 0);
  const std::string other = "sha256:" + std::string(64, '0');
  const ToolResult differs = run({"verify", "package", "--identity", other});
  EXPECT_EQ(differs.status, 1);
  EXPECT_THAT(differs.out,
              HasSubstr("\nidentity: the package is " + identity + ", not " + other + "\n"));
  EXPECT_EQ(run({"verify", "package", "--plan", other}).status, 1);

  write_text(dir_ / "package/config.json", "{ }");
  write_text(dir_ / "package/more.txt", "?");
  std::filesystem::remove(dir_ / "package/weights/layer-00.bin");
  const ToolResult damaged = run({"verify", "package"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.out, HasSubstr("changed: config.json: sha256 "));
  EXPECT_THAT(damaged.out, HasSubstr("extra: more.txt\n"));
  EXPECT_THAT(damaged.out, HasSubstr("missing: weights/layer-00.bin\n"));
  EXPECT_THAT(damaged.out, HasSubstr("\nnot verified\n"));
}

TEST_F(CliTest, APlanThatWasEditedIsRefused) {
  ASSERT_EQ(export_to("package", kRingBf16).status, 0);
  std::string plan = plan_of("package");
  plan.replace(plan.find("rows: 3072"), 10, "rows: 3073");
  write_text(dir_ / "package/reduction_plan.yaml", plan);
  for (const std::string command : {"inspect", "run", "prove"}) {
    const ToolResult result = run({command, "package"});
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_THAT(result.err,
                StartsWith("kimi3-export: error: package/reduction_plan.yaml: the digest line says "
                           "sha256:"))
        << command;
  }
  EXPECT_EQ(run({"verify", "package"}).status, 1);
}

TEST_F(CliTest, APlanOfAnotherPackageIsRefused) {
  ASSERT_EQ(export_to("package").status, 0);
  write_text(dir_ / "artifacts/config.json", "{\"other\": 1}\n");
  ASSERT_EQ(export_to("other").status, 0);
  std::filesystem::copy_file(dir_ / "other/reduction_plan.yaml",
                             dir_ / "package/reduction_plan.yaml",
                             std::filesystem::copy_options::overwrite_existing);
  const ToolResult result = run({"run", "package"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("the plan was baked for sha256:"));
  EXPECT_EQ(run({"verify", "package"}).status, 1);
}

TEST_F(CliTest, ProveShowsEverySchedule) {
  ASSERT_EQ(export_to("package", kRingBf16).status, 0);
  const ToolResult result = run({"prove", "package"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("\nring-p2   bf16_hop_sum         8       2       2   1824"));
  EXPECT_THAT(result.out, Not(HasSubstr("refused")));
}

TEST_F(CliTest, RunChecksEveryElementAndGivesStableKeys) {
  ASSERT_EQ(export_to("package",
                      {"IGNITION_KIMI_PREFILL_DMA_ROWS=256", "IGNITION_KIMI_PREFILL_DMA_BF16=1"})
                .status,
            0);
  const ToolResult result = run({"run", "package", "--graph", "prefill-256", "--data", "cancelling",
                                 "--format", "json", "--iterations", "1"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto results = nlohmann::ordered_json::parse(result.out)["results"];
  ASSERT_EQ(results.size(), 3U);
  std::vector<std::string> keys;
  for (const auto& [key, value] : results[0].items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("graph", "site", "rows", "cols", "algorithm", "arithmetic",
                                "pieces", "time_us", "algbw_gbps", "busbw_gbps", "wrong",
                                "ranks_identical", "rms_ratio"));
  for (const auto& entry : results) {
    EXPECT_EQ(entry["algorithm"], "dma_ring");
    EXPECT_EQ(entry["wrong"], 0);
    EXPECT_EQ(entry["ranks_identical"], true);
    EXPECT_GT(entry["rms_ratio"], 10);
    EXPECT_LT(entry["rms_ratio"], 14);
  }
  const ToolResult cuda = run({"run", "package", "--backend", "cuda"});
  EXPECT_EQ(cuda.status, 3);
  EXPECT_EQ(cuda.err,
            "kimi3-export: error: this build has no CUDA backend\nhint: --backend host runs "
            "anywhere\n");
}

TEST_F(CliTest, RegularAndExactGraphsRoundOnce) {
  ASSERT_EQ(export_to("package").status, 0);
  const ToolResult result =
      run({"run", "package", "--graph", "verify-64", "--format", "json", "--iterations", "1"});
  for (const auto& entry : nlohmann::json::parse(result.out)["results"]) {
    EXPECT_EQ(entry["algorithm"], "regular");
    EXPECT_EQ(entry["arithmetic"], "fp32_rank_order");
    EXPECT_NEAR(entry["rms_ratio"].get<double>(), 1.0, 0.005);
  }
}

// Equal input gives equal bytes, whatever the locale, the time zone, the umask, the order in which
// files were made, their times, the working directory and the moment.
TEST_F(CliTest, EqualInputGivesEqualBytes) {
  ASSERT_EQ(export_to("first", kRingBf16).status, 0);
  for (const char* name : {"weights/layer-00.bin", "graphs/prefill-3072.graph", "config.json"}) {
    const std::string content = read_text(dir_ / "artifacts" / name);
    std::filesystem::remove(dir_ / "artifacts" / name);
    write_text(dir_ / "artifacts" / name, content);
  }
  std::filesystem::create_directory(dir_ / "elsewhere");
  const ToolResult second = run_tool(
      {.program = "/bin/sh",
       .arguments = {"-c", std::string("umask 077; sleep 1.1; exec ") + KIMI3_EXPORT_PROGRAM +
                               " export --variant ../variant.yaml"
                               " --artifacts ../artifacts --out ../second"},
       .environment = {"LC_ALL=tr_TR.UTF-8", "LANG=de_DE.UTF-8", "TZ=Asia/Kathmandu", kRingBf16[0],
                       kRingBf16[1]},
       .directory = dir_ / "elsewhere"});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(list_files(dir_ / "first"), list_files(dir_ / "second"));
  EXPECT_EQ(read_text(dir_ / "first/manifest.json"), read_text(dir_ / "second/manifest.json"));
  EXPECT_EQ(plan_of("first"), plan_of("second"));
}

TEST_F(CliTest, ARefusedExportLeavesAnExistingPackageAsItWas) {
  ASSERT_EQ(export_to("package").status, 0);
  const auto files = list_files(dir_.path());
  const std::string manifest = read_text(dir_ / "package/manifest.json");
  const std::string plan = plan_of("package");
  EXPECT_EQ(export_to("package", {"IGNITION_KIMI_PREFILL_DMA_ROWS=3k"}).status, 2);
  std::filesystem::create_symlink("/etc/passwd", dir_ / "artifacts/link");
  EXPECT_EQ(export_to("package").status, 2);
  std::filesystem::remove(dir_ / "artifacts/link");
  EXPECT_EQ(list_files(dir_.path()), files);
  EXPECT_EQ(read_text(dir_ / "package/manifest.json"), manifest);
  EXPECT_EQ(plan_of("package"), plan);
}

TEST_F(CliTest, SystemToolsAgreeOnTheDigests) {
  ASSERT_EQ(export_to("package").status, 0);
  const auto shell = [&](const std::string& line) {
    return run_tool({.program = "/bin/sh",
                     .arguments = {"-c", line},
                     .environment = {"PATH=/usr/bin:/bin"},
                     .directory = dir_.path()})
        .out.substr(0, 64);
  };
  EXPECT_EQ("sha256:" + shell("sha256sum package/manifest.json") + "\n", identity_of("package"));
  EXPECT_THAT(plan_of("package"),
              HasSubstr("\ndigest: sha256:" +
                        shell("head -n -1 package/reduction_plan.yaml | sha256sum") + "\n"));
}

TEST_F(CliTest, TheExamplesWork) {
  for (const std::string world : {"2", "4", "8"}) {
    const std::string variant =
        std::string(KIMI3_SOURCE_DIR) + "/examples/variants/k31-tp" + world + ".yaml";
    const ToolResult built = run_tool(
        {.program = std::string(KIMI3_SOURCE_DIR) + "/examples/build_package.sh",
         .arguments = {"artifacts", variant, "tp" + world},
         .environment = {"PATH=/usr/bin:/bin", std::string("KIMI3_EXPORT=") + KIMI3_EXPORT_PROGRAM},
         .directory = dir_.path()});
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_THAT(built.out, HasSubstr("\nverified\n"));
    const ToolResult served = run_tool({.program = KIMI3_EMBED_SERVER,
                                        .arguments = {"tp" + world, "decode-1", "3"},
                                        .environment = {},
                                        .directory = dir_.path()});
    EXPECT_EQ(served.status, 0) << served.err;
    // The third step sums a 3 from every rank.
    EXPECT_EQ(served.out, "decode-1 attention_output: 3 reductions of 1 x 7168, first element " +
                              std::to_string(3 * std::stoi(world)) +
                              "\ndecode-1 moe_output: 3 reductions of 1 x 7168, first element " +
                              std::to_string(3 * std::stoi(world)) + "\n");
  }
}

// A plan whose shapes pass 2^31 elements and bytes is planned and inspected, not run.
TEST_F(CliTest, SizesPassThirtyTwoBits) {
  std::string text = read_text(cases() / "variants/good.yaml");
  text.replace(text.find("chunk: 3072"), 11, "chunk: 2097152");
  text.replace(text.find("2048, 3072]"), 11, "2048, 2097152]");
  write_text(dir_ / "variant.yaml", text);
  ASSERT_EQ(export_to("package", kRingOn).status, 0);
  const auto json = nlohmann::json::parse(run({"inspect", "package", "--format", "json"}).out);
  EXPECT_EQ(json["channels"]["prefill_ring"]["max_rows"], 2097152);
  EXPECT_EQ(json["channels"]["prefill_ring"]["bytes_per_rank"],
            std::int64_t{2097152} * 7168 * 4 + 2 * 128);
}

TEST_F(CliTest, ResultsThatCannotBeWrittenAreTheMachinesFailure) {
  ASSERT_EQ(export_to("package").status, 0);
  const ToolResult result = run_tool(
      {.program = "/bin/sh",
       .arguments = {"-c", std::string(KIMI3_EXPORT_PROGRAM) + " inspect package >/dev/full"},
       .environment = {},
       .directory = dir_.path()});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "kimi3-export: error: cannot write standard output: No space left on device\n");
}

}  // namespace
}  // namespace kimi3::test
