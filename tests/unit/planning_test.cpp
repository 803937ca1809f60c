#include "exporter/planning.h"

#include <gmock/gmock.h>

#include "exporter/selection.h"
#include "kimi3/error.h"
#include "runtime/plan/yaml_reader.h"
#include "runtime/schedule/plan_shapes.h"

namespace kimi3 {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Variant variant_with(const std::string& prefill_rows, std::int64_t world = 8,
                     std::int64_t chunk = 3072, std::int64_t cols = 7168) {
  const std::string text =
      "schema: kimi3.variant/1\nname: test\n"
      "model: {architecture: kimi3, hidden_size: 7168, layers: 61, dtype: bfloat16}\n"
      "world_size: " +
      std::to_string(world) + "\nprefill: {chunk: " + std::to_string(chunk) + ", rows: [" +
      prefill_rows +
      "]}\ndecode: {rows: [1, 32]}\nverify: {rows: [64]}\ndraft: {rows: [8]}\n"
      "reductions:\n  - {site: attention_output, cols: " +
      std::to_string(cols) +
      ", per_layer: 1}\n  - {site: latent_output, cols: 3584, per_layer: 2, modes: [prefill]}\n"
      "settings: {}\n";
  return read_variant(read_yaml(text, "variant.yaml"));
}

ReductionPlan plan_with(const Variant& variant, std::int64_t rows, bool bf16 = false) {
  return plan_reductions(
      variant,
      prepare_variant(variant, {{"IGNITION_KIMI_PREFILL_DMA_ROWS", std::to_string(rows)},
                                {"IGNITION_KIMI_PREFILL_DMA_BF16", bf16 ? "1" : "0"}}),
      "sha256:package");
}

std::int64_t max_rows(const ReductionPlan& plan, const char* channel) {
  const PlannedChannel* found = find_channel(plan, channel);
  return found == nullptr ? -1 : found->max_rows;
}

TEST(PrepareVariant, CarriesRingRowsAndBf16) {
  const Variant variant = variant_with("256, 3072");
  const PreparationConfig config = prepare_variant(
      variant,
      {{"IGNITION_KIMI_PREFILL_DMA_ROWS", "3072"}, {"IGNITION_KIMI_PREFILL_DMA_BF16", "1"}});
  EXPECT_EQ(config.prefill_dma_ring_rows, 3072);
  EXPECT_TRUE(config.prefill_dma_ring_bf16);
  EXPECT_THAT(config.plan_notes, IsEmpty());
}

TEST(PrepareVariant, SaysWhyTheSwitchIsInert) {
  const auto prepare = [](const Variant& variant, const char* rows) {
    return prepare_variant(variant, {{"IGNITION_KIMI_PREFILL_DMA_ROWS", rows}});
  };
  const PreparationConfig small_world = prepare(variant_with("256", 4), "256");
  EXPECT_EQ(small_world.prefill_dma_ring_rows, 0);
  EXPECT_EQ(small_world.switches.prefill_dma_rows, 256) << "what was asked for stays on record";
  EXPECT_THAT(small_world.plan_notes,
              ElementsAre("prefill_dma_rows 256 is inert: the ring needs world size 8, this "
                          "variant has 4"));
  EXPECT_THAT(prepare(variant_with("256"), "3073").plan_notes,
              ElementsAre("prefill_dma_rows 3073 is inert: it is above the prefill chunk of 3072"));
}

TEST(PlanReductions, CapacitySelection) {
  const ReductionPlan plan = plan_with(variant_with("256, 2048, 3072"), 2048, true);
  std::vector<std::string> chosen;
  for (const PlannedGraph& graph : plan.graphs) chosen.push_back(graph.id + " " + graph.channel);
  EXPECT_THAT(chosen, ElementsAre("prefill-256 prefill", "prefill-2048 prefill_ring",
                                  "prefill-3072 prefill_ring", "decode-1 regular",
                                  "decode-32 regular", "verify-64 regular", "draft-8 regular"));
  EXPECT_EQ(find_channel(plan, "prefill_ring")->arithmetic, Arithmetic::kBf16HopSum);
  EXPECT_EQ(find_channel(plan, "prefill")->arithmetic, Arithmetic::kFp32RankOrder);
  EXPECT_EQ(find_channel(plan, "regular")->arithmetic, Arithmetic::kBackendDefined);
}

TEST(PlanReductions, CallsArePerLayerTimesLayersAndModesAreHonoured) {
  const ReductionPlan plan = plan_with(variant_with("256"), 0);
  const PlannedGraph& prefill = plan.graphs.front();
  ASSERT_EQ(prefill.reductions.size(), 2U);
  EXPECT_EQ(prefill.reductions[0].calls, 61);
  EXPECT_EQ(prefill.reductions[1].calls, 122);
  EXPECT_EQ(find_graph(plan, "decode-1")->reductions.size(), 1U);
}

TEST(PlanReductions, TheTwoShotChannelIsSizedBelowTheThreshold) {
  const Variant variant = variant_with("256, 2048, 3072");
  EXPECT_EQ(max_rows(plan_with(variant, 0), "prefill"), 3072) << "the ring is off";
  EXPECT_EQ(max_rows(plan_with(variant, 3073), "prefill"), 3072) << "the ring is inert";
  EXPECT_EQ(max_rows(plan_with(variant, 3072), "prefill"), 2048);
  EXPECT_EQ(max_rows(plan_with(variant, 2049), "prefill"), 2048);
  EXPECT_EQ(max_rows(plan_with(variant, 2048), "prefill"), 256);
  EXPECT_EQ(max_rows(plan_with(variant, 1), "prefill"), -1) << "every prefill graph rings";
}

TEST(PlanReductions, TheRingChannelIsSizedToTheLargestThatRings) {
  const Variant variant = variant_with("256, 2048", 8, 3072);
  EXPECT_EQ(max_rows(plan_with(variant, 0), "prefill_ring"), -1);
  EXPECT_EQ(max_rows(plan_with(variant, 1), "prefill_ring"), 2048);
  const ReductionPlan unreached = plan_with(variant, 3000, true);
  EXPECT_EQ(max_rows(unreached, "prefill_ring"), -1);
  EXPECT_EQ(unreached.ring_rows, 3000);
  EXPECT_THAT(unreached.notes, ElementsAre("no graph rings: no prefill capacity reaches 3000 rows",
                                           "prefill_dma_bf16 has no effect: no graph rings"));
}

TEST(PlanReductions, TheWireIsOffWhateverTheStrayFp8VariableSays) {
  const Variant variant = variant_with("256, 3072");
  const PreparationConfig config = prepare_variant(
      variant, {{"IGNITION_KIMI_PREFILL_DMA_ROWS", "3072"}, {"B12X_PCIE_DMA_FP8", "ring"}});
  const ReductionPlan plan = plan_reductions(variant, config, "sha256:package");
  EXPECT_EQ(find_channel(plan, "prefill_ring")->wire_mode, "off");
  EXPECT_EQ(find_channel(plan, "prefill")->wire_mode, std::nullopt);
  EXPECT_EQ(config.environment_notes.size(), 1U);
}

TEST(PlanReductions, DecodeVerifyAndDraftAreNeverOnTheRing) {
  for (const PlannedGraph& graph : plan_with(variant_with("256, 3072"), 1).graphs) {
    EXPECT_EQ(graph.channel == "prefill_ring", graph.mode == Mode::kPrefill) << graph.id;
  }
}

TEST(PlanReductions, AnIneligibleShapeNamesGraphSiteAndShape) {
  const Variant variant = variant_with("255, 3071", 8, 3071, 3585);
  EXPECT_NO_THROW(plan_with(variant, 0));
  try {
    plan_with(variant, 3071);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    EXPECT_STREQ(error.what(),
                 "graph prefill-3071, site attention_output: the ring cannot shard 3071 x 3585: "
                 "11009535 elements are not divisible by 64");
  }
}

TEST(PlanReductions, MemoryIsThatOfTheLargestShape) {
  const ReductionPlan plan = plan_with(variant_with("256, 2048, 3072"), 3072, true);
  // The ring: 8 slots of a shard. The two-shot: 14 of 2048 x 7168. Flags: 128 bytes each.
  EXPECT_EQ(find_channel(plan, "prefill_ring")->bytes_per_rank, 3072 * 7168 * 2 + 2 * 128);
  EXPECT_EQ(find_channel(plan, "prefill")->bytes_per_rank, 2048 * 7168 * 2 / 8 * 14 + 8 * 128);
}

TEST(PlanReductions, SizesPassThirtyTwoBits) {
  // 2^21 rows of 7168 columns: 1.5e10 elements, 3e10 bytes.
  const ReductionPlan plan = plan_with(variant_with("2097152", 8, 2097152), 1, true);
  EXPECT_EQ(plan.graphs.front().rows, 2097152);
  EXPECT_EQ(find_channel(plan, "prefill_ring")->bytes_per_rank,
            std::int64_t{2097152} * 7168 * 2 + 2 * 128);
}

TEST(PlanReductions, SchedulesAreListedOnceAndFollowThePiecesRule) {
  const ReductionPlan plan = plan_with(variant_with("512, 1024, 3072"), 512, true);
  std::vector<std::string> ids;
  for (const PlannedSchedule& schedule : plan.schedules) ids.push_back(schedule.id);
  // 512 x 7168: shards of 896 KiB are not split; 1024 x 7168 and 3072 x 3584 are.
  EXPECT_THAT(ids, ElementsAre("ring-p1", "ring-p2", "regular"));
  EXPECT_EQ(find_graph(plan, "prefill-1024")->reductions[0].schedule, "ring-p2");
  EXPECT_EQ(find_graph(plan, "prefill-1024")->reductions[1].schedule, "ring-p1");
  EXPECT_EQ(find_graph(plan, "prefill-3072")->reductions[1].schedule, "ring-p2");
}

}  // namespace
}  // namespace kimi3
