#include "exporter/switches.h"

#include <gmock/gmock.h>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string refusal(const Environment& environment, const SwitchOptions& options = {}) {
  try {
    read_switches(environment, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    return error.hint().empty() ? error.what() : std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

constexpr const char* kRowsHint =
    " | write 0, or a decimal number up to 9223372036854775807 without sign, leading zeros or unit";

TEST(Switches, UnsetEmptyAndZeroAreOff) {
  for (const Environment& environment :
       {Environment{}, Environment{{"IGNITION_KIMI_PREFILL_DMA_ROWS", ""}},
        Environment{{"IGNITION_KIMI_PREFILL_DMA_ROWS", "0"},
                    {"IGNITION_KIMI_PREFILL_DMA_BF16", "0"}},
        Environment{{"B12X_PCIE_DMA_PIECES", ""}, {"B12X_PCIE_DMA_FP8", ""}}}) {
    const Switches switches = read_switches(environment);
    EXPECT_EQ(switches.prefill_dma_rows, 0);
    EXPECT_FALSE(switches.prefill_dma_bf16);
    EXPECT_THAT(switches.notes, IsEmpty());
  }
}

TEST(Switches, RowsAreCanonicalDecimalUpToTheLargest) {
  EXPECT_EQ(
      read_switches({{"IGNITION_KIMI_PREFILL_DMA_ROWS", "9223372036854775807"}}).prefill_dma_rows,
      INT64_MAX);
  for (const char* value : {"3072x", "3k", "-1", "+3072", "03072", "0x0c00", "3e3", " 3072",
                            "3072 ", "9223372036854775808", "99999999999999999999", "-0", "00"}) {
    EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFILL_DMA_ROWS", value}}),
              std::string("IGNITION_KIMI_PREFILL_DMA_ROWS = '") + value +
                  "' is not a number of rows" + kRowsHint);
  }
}

TEST(Switches, Bf16IsZeroOrOne) {
  EXPECT_TRUE(read_switches({{"IGNITION_KIMI_PREFILL_DMA_BF16", "1"}}).prefill_dma_bf16);
  for (const char* value : {"true", "2", "01", "yes", "-1"}) {
    EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFILL_DMA_BF16", value}}),
              std::string("IGNITION_KIMI_PREFILL_DMA_BF16 = '") + value + "' is neither 0 nor 1");
  }
}

TEST(Switches, RefusesThePiecesOverride) {
  EXPECT_EQ(refusal({{"B12X_PCIE_DMA_PIECES", "1"}}),
            "B12X_PCIE_DMA_PIECES = '1' would override the plan's pieces | pieces belong to the "
            "plan, for each shape: unset the variable, here and on the servers");
}

TEST(Switches, Fp8IsIgnoredWithANote) {
  const Switches switches =
      read_switches({{"IGNITION_KIMI_PREFILL_DMA_ROWS", "3072"}, {"B12X_PCIE_DMA_FP8", "ring"}});
  EXPECT_EQ(switches.prefill_dma_rows, 3072);
  EXPECT_THAT(switches.notes,
              ElementsAre("B12X_PCIE_DMA_FP8 = 'ring' is ignored: the ring's wire is lossless"));
}

TEST(Switches, RefusesNamesThatAreNearlySwitches) {
  EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFILL_DMA_ROW", "3072"}}),
            "unknown variable 'IGNITION_KIMI_PREFILL_DMA_ROW' = '3072' | did you mean "
            "IGNITION_KIMI_PREFILL_DMA_ROWS?");
  EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFIL_DMA_BF7", "1"}}), "no error") << "three edits";
  EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFIL_DMA_BF6", "1"}}),
            "unknown variable 'IGNITION_KIMI_PREFIL_DMA_BF6' = '1' | did you mean "
            "IGNITION_KIMI_PREFILL_DMA_BF16?");
  EXPECT_EQ(refusal({{"B12X_PCIE_DMA_PIECE", "2"}}),
            "unknown variable 'B12X_PCIE_DMA_PIECE' = '2' | did you mean B12X_PCIE_DMA_PIECES?");
  EXPECT_EQ(refusal({{"IGNITION_KIMI_PREFILL_DMA_SOMETHING_ELSE", ""}}),
            "unknown variable 'IGNITION_KIMI_PREFILL_DMA_SOMETHING_ELSE' = '' | did you mean "
            "IGNITION_KIMI_PREFILL_DMA_ROWS?");
  EXPECT_EQ(refusal({{"PATH", "/bin"}, {"IGNITION_KIMI_OTHER", "1"}}), "no error");
}

TEST(Switches, RefusesASwitchThatIsThereTwice) {
  EXPECT_EQ(
      refusal({{"IGNITION_KIMI_PREFILL_DMA_ROWS", "1"}, {"IGNITION_KIMI_PREFILL_DMA_ROWS", "2"}}),
      "IGNITION_KIMI_PREFILL_DMA_ROWS is in the environment twice, as '1' and as '2'");
}

TEST(Switches, OptionsOverrideAndSaySo) {
  const Switches switches = read_switches({{"IGNITION_KIMI_PREFILL_DMA_ROWS", "3072"}},
                                          {.prefill_dma_rows = "0", .prefill_dma_bf16 = "1"});
  EXPECT_EQ(switches.prefill_dma_rows, 0);
  EXPECT_TRUE(switches.prefill_dma_bf16);
  EXPECT_THAT(switches.notes,
              ElementsAre("--prefill-dma-rows 0 overrides IGNITION_KIMI_PREFILL_DMA_ROWS = 3072"));
}

TEST(Switches, AMalformedVariableFailsEvenWhereAnOptionOverridesIt) {
  EXPECT_EQ(
      refusal({{"IGNITION_KIMI_PREFILL_DMA_ROWS", "3k"}}, {.prefill_dma_rows = "3072"}),
      std::string("IGNITION_KIMI_PREFILL_DMA_ROWS = '3k' is not a number of rows") + kRowsHint);
  EXPECT_EQ(refusal({}, {.prefill_dma_rows = "3k"}),
            std::string("--prefill-dma-rows = '3k' is not a number of rows") + kRowsHint);
  EXPECT_EQ(refusal({}, {.prefill_dma_bf16 = ""}), "--prefill-dma-bf16 needs a value");
}

}  // namespace
}  // namespace kimi3
