// A package in a directory of its own, for tests of those who write and check packages.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "exporter/identity.h"
#include "exporter/package.h"
#include "runtime/plan/package_directory.h"
#include "tests/support/refusal.h"
#include "tests/support/tool.h"

namespace kimi3::test {

// As refusal, without the hint.
template <typename Action>
std::string message_of(Action action, ErrorKind kind) {
  const std::string text = refusal(action, kind);
  return text.substr(0, text.find(" | "));
}

// What the plan of a package says in these tests: the text is the caller's, and opaque here.
inline PlanText plan_of(std::string text) {
  return [text = std::move(text)](const ManifestSummary& manifest) {
    return text + " for " + manifest.identity + "\n";
  };
}

class PackageTest : public testing::Test {
 protected:
  static nlohmann::json variant(const std::string& setting = "1") {
    return {{"name", "k31"}, {"settings", {{"key", setting}}}};
  }

  std::filesystem::path artifacts() const { return directory_ / "artifacts"; }
  std::filesystem::path package() const { return directory_ / "package"; }

  void write_artifact(const std::string& path, std::string_view text) {
    write_text(artifacts() / path, text);
  }

  // The artifacts that most tests export.
  void write_artifacts() {
    write_artifact("graphs/prefill-2048.bin", "graph");
    write_artifact("graphs.txt", "list of graphs");
    write_artifact("weights/0.bin", std::string(700'000, 'w'));
    write_artifact("weights/empty", "");
  }

  WriteResult export_to(const std::filesystem::path& out, const RunControl& control = {},
                        FileSystem& files = real_file_system(),
                        const std::string& plan = "plan") const {
    return export_package({.artifacts = artifacts().string(), .out = out.string()}, variant(),
                          plan_of(plan), control, files);
  }

  VerifyReport verify(const VerifyOptions& options = {}) const {
    return verify_package(package().string(), options);
  }

  // "KIND PATH" for each problem.
  static std::vector<std::string> problems(const VerifyReport& report) {
    std::vector<std::string> lines;
    for (const Problem& problem : report.problems) {
      lines.push_back(std::string(to_string(problem.kind)) + " " + problem.path);
    }
    return lines;
  }

  TempDir directory_;
};

}  // namespace kimi3::test
