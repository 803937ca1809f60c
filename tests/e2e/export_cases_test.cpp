// tests/cases, each line of it through the program: exit status, message, and what is left behind.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/cli_fixture.h"

namespace kimi3::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream file(read_text(path));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    rows.push_back(cells);
  }
  return rows;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

class ExportCases : public CliTest {
 protected:
  // What a refusal leaves: exactly what was there before.
  void expect_refused(const ToolResult& result) {
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("kimi3-export: error: "));
    EXPECT_EQ(list_files(dir_.path()), before_);
  }

  std::vector<std::string> before_ = list_files(dir_.path());
};

TEST_F(ExportCases, EverySwitch) {
  int checked = 0;
  for (const auto& row : read_table(cases() / "switches.tsv")) {
    SCOPED_TRACE(row[0]);
    ++checked;
    const auto environment = row[0] == "(none)" ? std::vector<std::string>{} : words(row[0]);
    const ToolResult result = export_to("package", environment);
    if (row[1] != "ok") {
      expect_refused(result);
      const std::string& culprit = environment.back();
      const std::string name = culprit.substr(0, culprit.find('='));
      EXPECT_THAT(result.err, HasSubstr(name));
      EXPECT_THAT(result.err, HasSubstr("'" + culprit.substr(culprit.find('=') + 1) + "'"));
      continue;
    }
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string plan = plan_of("package");
    EXPECT_THAT(plan, HasSubstr("\nring_rows: " + row[2] + "\n"));
    const std::string channel = row[2] == "0" ? "prefill: " : "prefill_ring: ";
    const std::size_t line = plan.find("\n  " + channel);
    ASSERT_NE(line, std::string::npos) << plan;
    EXPECT_THAT(plan.substr(line, plan.find('\n', line + 1) - line), HasSubstr(row[3]));
    std::filesystem::remove_all(dir_ / "package");
  }
  EXPECT_EQ(checked, 23);
}

TEST_F(ExportCases, EveryEditOfTheVariant) {
  const std::string good = read_text(cases() / "variants/good.yaml");
  const std::vector<std::string> rows_on{"IGNITION_KIMI_PREFILL_DMA_ROWS=3072"};
  for (auto row : read_table(cases() / "variants/edits.tsv")) {
    SCOPED_TRACE(row[1]);
    const std::size_t newline = row[1].find("\\n");
    if (newline != std::string::npos) row[1].replace(newline, 2, "\n");
    const std::size_t at = good.find(row[0]);
    ASSERT_NE(at, std::string::npos);
    std::string edited = good;
    write_text(dir_ / "variant.yaml", edited.replace(at, row[0].size(), row[1]));
    const ToolResult result = export_to("package", rows_on);
    if (row[2].starts_with("2")) {
      expect_refused(result);
      EXPECT_THAT(result.err, StartsWith("kimi3-export: error: variant.yaml:"));
      continue;
    }
    EXPECT_EQ(result.status, 0) << result.err;
    std::filesystem::remove_all(dir_ / "package");
  }
}

TEST_F(ExportCases, EditsThatExportDoWhatTheySay) {
  const std::vector<std::string> rows_on{"IGNITION_KIMI_PREFILL_DMA_ROWS=3072"};
  const std::string good = read_text(cases() / "variants/good.yaml");
  const auto edit = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    write_text(dir_ / "variant.yaml", text.replace(text.find(from), from.size(), to));
  };
  edit("world_size: 8", "world_size: 4");
  const ToolResult inert = export_to("inert", rows_on);
  EXPECT_EQ(inert.err,
            "kimi3-export: note: prefill_dma_rows 3072 is inert: the ring needs world size 8, this "
            "variant has 4\n");
  EXPECT_THAT(plan_of("inert"), HasSubstr("\nring_rows: 0\n"));
  EXPECT_THAT(plan_of("inert"), HasSubstr("prefill_dma_rows 3072 is inert"));

  edit("rows: [256, 512, 1024, 2048, 3072]", "rows: [256, 3072]");
  ASSERT_EQ(export_to("sorted", rows_on).status, 0);
  edit("rows: [256, 512, 1024, 2048, 3072]", "rows: [3072, 256]");
  ASSERT_EQ(export_to("unsorted", rows_on).status, 0);
  EXPECT_EQ(read_text(dir_ / "sorted/manifest.json"), read_text(dir_ / "unsorted/manifest.json"));
  EXPECT_EQ(plan_of("sorted"), plan_of("unsorted"));
}

TEST_F(ExportCases, NoReaderAcceptsTheYamlFiles) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases() / "yaml")) {
    SCOPED_TRACE(entry.path().filename());
    ++checked;
    write_text(dir_ / "variant.yaml", read_text(entry.path()));
    expect_refused(export_to("package"));
    const ToolResult inspected = run({"inspect", "variant.yaml"});
    EXPECT_EQ(inspected.status, 2) << inspected.err;
  }
  EXPECT_EQ(checked, 12);
}

TEST_F(ExportCases, ARaggedShapeNeverRings) {
  write_text(dir_ / "variant.yaml", read_text(cases() / "variants/ragged.yaml"));
  EXPECT_EQ(export_to("package").status, 0);
  std::filesystem::remove_all(dir_ / "package");
  const ToolResult result = export_to("package", {"IGNITION_KIMI_PREFILL_DMA_ROWS=3071"});
  expect_refused(result);
  EXPECT_EQ(result.err,
            "kimi3-export: error: graph prefill-3071, site latent_output: the ring cannot shard "
            "3071 x 3585: 11009535 elements are not divisible by 64\n"
            "hint: raise IGNITION_KIMI_PREFILL_DMA_ROWS above 3071 rows, or set it to 0\n");
}

}  // namespace
}  // namespace kimi3::test
