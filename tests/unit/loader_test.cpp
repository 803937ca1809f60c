// Packages on disk, loaded: what is right, and each thing that load() must refuse.
#include "runtime/loader.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "exporter/planning.h"
#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/numeric/oracle.h"
#include "runtime/numeric/test_data.h"
#include "runtime/plan/plan_writer.h"
#include "runtime/plan/yaml_reader.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Refused {
  std::string message = "no error";
  std::string hint;
  ErrorKind kind{};
};

class LoaderTest : public ::testing::Test {
 protected:
  LoaderTest() {
    std::string name = (fs::temp_directory_path() / "kimi3-loader-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    write_package(3072);
  }
  ~LoaderTest() override { fs::remove_all(directory_); }

  // The example variant with one artifact, which load() does not look at, its plan baked with the
  // ring from `ring_rows` on.
  void write_package(std::int64_t ring_rows) {
    const std::string file = KIMI3_SOURCE_DIR "/tests/cases/variants/good.yaml";
    const Variant variant = read_variant(read_yaml(read_text(file), file));
    std::string bytes;
    ManifestWriter writer([&](std::string_view part) { bytes += part; }, to_json(variant));
    writer.add({"weights.bin", 4, std::string(64, 'f')});
    identity_ = writer.finish().identity;
    write_text(manifest(), bytes);
    plan_ = plan_reductions(
        variant,
        prepare_variant(variant, {{"IGNITION_KIMI_PREFILL_DMA_ROWS", std::to_string(ring_rows)},
                                  {"IGNITION_KIMI_PREFILL_DMA_BF16", "1"}}),
        identity_);
    write_text(plan_file(), write_plan(plan_));
  }

  // Bakes the plan again after an edit, digest and all: what a careful forger would do.
  void forge(const std::function<void(ReductionPlan&)>& edit) {
    edit(plan_);
    write_text(plan_file(), write_plan(plan_));
  }

  Refused refused(const LoadOptions& options = {.workers = 1}) const {
    try {
      Runtime::load(directory_, options);
    } catch (const Error& error) {
      return {error.what(), error.hint(), error.kind()};
    }
    return {};
  }

  std::string manifest() const { return directory_ + "/manifest.json"; }
  std::string plan_file() const { return directory_ + "/reduction_plan.yaml"; }

  std::string directory_;
  std::string identity_;
  ReductionPlan plan_;
};

TEST_F(LoaderTest, LoadsWhatWasBaked) {
  Runtime runtime = Runtime::load(directory_, {.identity = identity_, .workers = 1});
  EXPECT_EQ(runtime.plan().variant, "k31-tp8");
  EXPECT_EQ(runtime.reducers().size(), 5U * 3U + (6U + 5U + 4U) * 2U);
  Reducer& ring = runtime.reducer("prefill-3072", "latent_output");
  EXPECT_EQ(ring.algorithm(), Algorithm::kDmaRing);
  EXPECT_EQ(ring.arithmetic(), Arithmetic::kBf16HopSum);
  EXPECT_EQ(ring.elements(), 3072 * 3584);
  EXPECT_EQ(runtime.reducer("prefill-2048", "moe_output").algorithm(), Algorithm::kTwoShot);
}

TEST_F(LoaderTest, ALoadedReducerEqualsTheOracle) {
  Runtime runtime = Runtime::load(directory_, {.workers = 2});
  Reducer& reducer = runtime.reducer("verify-64", "attention_output");
  std::vector<std::vector<bfloat16>> ranks(
      8, std::vector<bfloat16>(static_cast<std::size_t>(reducer.elements())));
  const std::vector<std::span<bfloat16>> outputs(ranks.begin(), ranks.end());
  fill_test_data(DataKind::kHeavyTailed, 5, outputs, 2);
  const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
  std::vector<bfloat16> expected(ranks[0].size());
  reduce_oracle(reducer.arithmetic(), inputs, expected);
  reducer.reduce(inputs, outputs);
  for (const auto& rank : ranks) EXPECT_EQ(rank, expected);
}

TEST_F(LoaderTest, RefusesAnotherIdentity) {
  const std::string other = "sha256:" + std::string(64, '0');
  const Refused result = refused({.identity = other});
  EXPECT_EQ(result.message, manifest() + ": the package is " + identity_ + ", not " + other);
  EXPECT_EQ(result.kind, ErrorKind::kMismatch);
}

TEST_F(LoaderTest, RefusesAPackageWithoutItsPlan) {
  fs::remove(plan_file());
  EXPECT_EQ(refused().kind, ErrorKind::kMalformed);
  EXPECT_THAT(refused().message, HasSubstr(plan_file()));
}

TEST_F(LoaderTest, RefusesAPlanOfAnotherPackage) {
  const std::string other = "sha256:" + std::string(64, '1');
  forge([&](ReductionPlan& plan) { plan.package = other; });
  EXPECT_EQ(refused().message,
            plan_file() + ": the plan was baked for " + other + ", the package is " + identity_);
  EXPECT_EQ(refused().hint, "bake it again: kimi3-export bake PACKAGE");
  EXPECT_EQ(refused().kind, ErrorKind::kMismatch);
}

TEST_F(LoaderTest, RefusesAPlanThatWasChanged) {
  std::string text = read_text(plan_file());
  text.replace(text.find("calls: 61"), 9, "calls: 62");
  write_text(plan_file(), text);
  EXPECT_THAT(refused().message, StartsWith(plan_file() + ": the digest line says "));
  EXPECT_EQ(refused().kind, ErrorKind::kMismatch);
}

TEST_F(LoaderTest, RefusesAPlanForAnotherWorld) {
  forge([](ReductionPlan& plan) { plan.world_size = 4; });
  EXPECT_EQ(refused().message,
            plan_file() + ": the plan has world_size '4', the package's variant '8'");
  EXPECT_EQ(refused().kind, ErrorKind::kMismatch);
}

TEST_F(LoaderTest, RefusesARingOutsidePrefill) {
  forge([](ReductionPlan& plan) {
    for (PlannedGraph& graph : plan.graphs) {
      if (graph.id != "verify-64") continue;
      graph.channel = "prefill_ring";
      for (PlannedReduction& reduction : graph.reductions) {
        reduction.schedule = find_graph(plan, "prefill-3072")->reductions[0].schedule;
      }
    }
  });
  EXPECT_EQ(refused().message,
            plan_file() + ": graph verify-64: a verify graph never uses dma_ring");
  EXPECT_EQ(refused().kind, ErrorKind::kMalformed);
}

TEST_F(LoaderTest, RefusesAScheduleThatThisBuildDoesNotGenerate) {
  const std::string other = "sha256:" + std::string(64, '2');
  forge([&](ReductionPlan& plan) {
    for (PlannedSchedule& schedule : plan.schedules) {
      if (schedule.id == "ring-p2") schedule.digest = other;
    }
  });
  const std::string generated = schedule_digest(Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 8, 2);
  EXPECT_EQ(refused().message, plan_file() + ": schedule ring-p2 was proven as " + other +
                                   ", this build generates " + generated);
  EXPECT_EQ(refused().kind, ErrorKind::kMismatch);
}

// Otherwise a plan of 256 KiB could ask for thousands of schedules to be generated.
TEST_F(LoaderTest, RefusesOneScheduleUnderManyNames) {
  forge([](ReductionPlan& plan) {
    PlannedSchedule again = plan.schedules.back();
    again.id = "again";
    plan.schedules.push_back(again);
  });
  EXPECT_EQ(refused().message,
            plan_file() + ": schedule again is another name of one that is listed");
}

TEST_F(LoaderTest, RefusesWhatIsNoPackage) {
  EXPECT_EQ(refused().message, "no error");
  fs::remove(manifest());
  EXPECT_EQ(refused().kind, ErrorKind::kMalformed);
  EXPECT_THAT(refused().message, HasSubstr(manifest()));
}

}  // namespace
}  // namespace kimi3
