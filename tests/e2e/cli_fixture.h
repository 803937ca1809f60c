// kimi3-export as a user runs it, on a variant and a handful of artifacts in a folder of its own.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/tool.h"

namespace kimi3::test {

class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    write_text(dir_ / "variant.yaml", read_text(cases() / "variants/good.yaml"));
    write_text(dir_ / "artifacts/graphs/prefill-3072.graph", "a captured graph");
    write_text(dir_ / "artifacts/weights/layer-00.bin", std::string(100'000, 'w'));
    write_text(dir_ / "artifacts/config.json", "{}\n");
  }

  static std::filesystem::path cases() {
    return std::filesystem::path(KIMI3_SOURCE_DIR) / "tests/cases";
  }

  // Runs in the test's folder, so that messages name files as they were given.
  ToolResult run(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    return run_tool({.program = KIMI3_EXPORT_PROGRAM,
                     .arguments = std::move(arguments),
                     .environment = std::move(environment),
                     .directory = dir_.path()});
  }

  ToolResult export_to(const std::string& out, std::vector<std::string> environment = {}) {
    return run({"export", "--variant", "variant.yaml", "--artifacts", "artifacts", "--out", out},
               std::move(environment));
  }

  std::string identity_of(const std::string& package) { return run({"identity", package}).out; }

  std::string plan_of(const std::string& package) {
    return read_text(dir_ / package / "reduction_plan.yaml");
  }

  TempDir dir_;
};

}  // namespace kimi3::test
