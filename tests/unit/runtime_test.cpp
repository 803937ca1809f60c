#include "kimi3/runtime.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/loader.h"
#include "runtime/numeric/oracle.h"
#include "runtime/numeric/test_data.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

using ::testing::ElementsAre;
using Payload = std::vector<bfloat16>;

constexpr int kWorld = 4;

PlannedSchedule schedule(std::string id, std::string channel, std::int64_t pieces) {
  return {std::move(id), std::move(channel), pieces, ""};
}

// A ring for 16 rows, two-shot for 3, and the server's collective for decode.
ReductionPlan small_plan() {
  ReductionPlan plan;
  plan.variant = "small";
  plan.world_size = kWorld;
  plan.channels = {{"regular", Algorithm::kRegular, Arithmetic::kBackendDefined, {}, 1, 0},
                   {"prefill", Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, {}, 3, 0},
                   {"prefill_ring", Algorithm::kDmaRing, Arithmetic::kBf16HopSum, "off", 16, 0}};
  plan.schedules = {schedule("regular", "regular", 1), schedule("two-shot", "prefill", 1),
                    schedule("ring-p2", "prefill_ring", 2)};
  plan.graphs = {{"prefill-3", Mode::kPrefill, 3, "prefill", "", {{"attention", 7, 1, "two-shot"}}},
                 {"prefill-16",
                  Mode::kPrefill,
                  16,
                  "prefill_ring",
                  "",
                  {{"attention", 64, 1, "ring-p2"}, {"moe", 128, 1, "ring-p2"}}},
                 {"decode-1", Mode::kDecode, 1, "regular", "", {{"attention", 64, 1, "regular"}}}};
  return plan;
}

std::string message_of(const std::function<void()>& call, ErrorKind kind = ErrorKind::kMalformed) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.hint().empty() ? error.what() : std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

class RuntimeTest : public ::testing::Test {
 protected:
  struct Buffers {
    explicit Buffers(std::int64_t elements, std::size_t world = kWorld)
        : ranks(world, Payload(static_cast<std::size_t>(elements))),
          results(ranks),
          inputs(ranks.begin(), ranks.end()),
          outputs(results.begin(), results.end()) {
      const std::vector<std::span<bfloat16>> spans(ranks.begin(), ranks.end());
      fill_test_data(DataKind::kRandom, 1, spans, 1);
    }
    std::vector<Payload> ranks;
    std::vector<Payload> results;
    std::vector<std::span<const bfloat16>> inputs;
    std::vector<std::span<bfloat16>> outputs;
  };

  Runtime runtime_ = start_runtime(small_plan(), {.workers = 2});
};

TEST_F(RuntimeTest, SaysWhatEachReducerIs) {
  Reducer& ring = runtime_.reducer("prefill-16", "moe");
  EXPECT_EQ(ring.graph(), "prefill-16");
  EXPECT_EQ(ring.mode(), Mode::kPrefill);
  EXPECT_EQ(ring.site(), "moe");
  EXPECT_EQ(ring.rows(), 16);
  EXPECT_EQ(ring.cols(), 128);
  EXPECT_EQ(ring.elements(), 16 * 128);
  EXPECT_EQ(ring.channel(), "prefill_ring");
  EXPECT_EQ(ring.algorithm(), Algorithm::kDmaRing);
  EXPECT_EQ(ring.arithmetic(), Arithmetic::kBf16HopSum);
  EXPECT_EQ(ring.pieces(), 2);
  Reducer& regular = runtime_.reducer("decode-1", "attention");
  EXPECT_EQ(regular.algorithm(), Algorithm::kRegular);
  EXPECT_EQ(regular.arithmetic(), Arithmetic::kFp32RankOrder);
}

TEST_F(RuntimeTest, ListsReducersInTheOrderOfThePlan) {
  std::vector<std::string> names;
  for (const Reducer& reducer : runtime_.reducers()) {
    names.push_back(reducer.graph() + " " + reducer.site());
  }
  EXPECT_THAT(names, ElementsAre("prefill-3 attention", "prefill-16 attention", "prefill-16 moe",
                                 "decode-1 attention"));
  EXPECT_EQ(runtime_.reducers("prefill-16").size(), 2U);
  EXPECT_EQ(runtime_.reducers("prefill-16")[1].site(), "moe");
}

TEST_F(RuntimeTest, EveryReducerEqualsItsOracle) {
  for (Reducer& reducer : runtime_.reducers()) {
    Buffers buffers(reducer.elements());
    Payload expected(buffers.results[0].size());
    reduce_oracle(reducer.arithmetic(), buffers.inputs, expected);
    reducer.reduce(buffers.inputs, buffers.outputs);
    for (const Payload& result : buffers.results) EXPECT_EQ(result, expected) << reducer.graph();
  }
}

TEST_F(RuntimeTest, NamesTheNearestGraphAndSite) {
  EXPECT_EQ(message_of([&] { runtime_.reducers("prefil-16"); }),
            "graph 'prefil-16' is not in the plan | there is 'prefill-16'");
  EXPECT_EQ(message_of([&] { runtime_.reducer("prefill-16", "mow"); }),
            "graph prefill-16: site 'mow' is not in the plan | there is 'moe'");
  EXPECT_EQ(message_of([&] { runtime_.reducer("prefill-16", "latent_output"); }),
            "graph prefill-16: site 'latent_output' is not in the plan");
}

TEST_F(RuntimeTest, RefusesBuffersOfAnotherShape) {
  Reducer& reducer = runtime_.reducer("prefill-3", "attention");
  Buffers seven(21, 3);
  EXPECT_EQ(message_of([&] { reducer.reduce(seven.inputs, seven.outputs); }),
            "graph prefill-3, site attention: 3 inputs for 4 ranks");
  Buffers buffers(21);
  const auto three_outputs = std::span(buffers.outputs).first(3);
  EXPECT_EQ(message_of([&] { reducer.reduce(buffers.inputs, three_outputs); }),
            "graph prefill-3, site attention: 3 outputs for 4 ranks");
  buffers.inputs[2] = buffers.inputs[2].first(14);
  EXPECT_EQ(message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }),
            "graph prefill-3, site attention: the input of rank 2 has 14 elements, the graph's "
            "capacity is 3 x 7 = 21 | pad the payload to the graph's capacity");
}

TEST_F(RuntimeTest, RefusesBuffersThatOverlap) {
  Reducer& reducer = runtime_.reducer("prefill-3", "attention");
  const std::string hint =
      " | an output may be its own rank's input, exactly; no other buffers may overlap";
  Buffers buffers(21);
  Payload both(22);
  buffers.inputs[1] = std::span(both).first(21);
  buffers.outputs[1] = std::span(both).last(21);
  EXPECT_EQ(
      message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }),
      "graph prefill-3, site attention: the output of rank 1 overlaps the input of rank 1" + hint);
  buffers.outputs[1] = std::span(both).first(21);
  EXPECT_EQ(message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }), "no error");
  buffers.inputs[3] = buffers.inputs[1];
  EXPECT_EQ(
      message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }),
      "graph prefill-3, site attention: the output of rank 1 overlaps the input of rank 3" + hint);
  buffers.inputs[3] = buffers.inputs[0];
  EXPECT_EQ(message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }), "no error");
  buffers.outputs[2] = buffers.outputs[0];
  EXPECT_EQ(
      message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }),
      "graph prefill-3, site attention: the output of rank 0 overlaps the output of rank 2" + hint);
}

TEST_F(RuntimeTest, RefusesARingOutsidePrefillAtTheReductionToo) {
  ReductionPlan plan = small_plan();
  plan.graphs[2].channel = "prefill_ring";
  plan.graphs[2].reductions[0].schedule = "ring-p2";
  Runtime runtime = start_runtime(std::move(plan), {.workers = 1});
  Buffers buffers(64);
  EXPECT_EQ(message_of([&] {
              runtime.reducer("decode-1", "attention").reduce(buffers.inputs, buffers.outputs);
            }),
            "graph decode-1, site attention: a decode graph never uses dma_ring");
}

TEST_F(RuntimeTest, RefusesWorkersOutOfRange) {
  EXPECT_EQ(message_of([] { start_runtime(small_plan(), {.workers = -1}); }),
            "workers is -1: it is 0 to 1024");
  EXPECT_EQ(message_of([] { start_runtime(small_plan(), {.workers = 1025}); }),
            "workers is 1025: it is 0 to 1024");
}

// Two threads on one channel: at any time one reduces and the other is told so, by name; every call
// that was not refused is right, and the channel is free again afterwards.
TEST_F(RuntimeTest, RefusesAChannelThatIsInUse) {
  ReductionPlan plan = small_plan();
  plan.graphs[1].rows = 16'384;  // long enough to meet in
  Runtime runtime = start_runtime(std::move(plan), {.workers = 2});
  std::atomic<bool> refused{false};
  std::atomic<int> wrong{0};
  const auto reduce_until_refused = [&](const std::string& site) {
    Reducer& reducer = runtime.reducer("prefill-16", site);
    Buffers buffers(reducer.elements());
    Payload expected(buffers.results[0].size());
    reduce_oracle(reducer.arithmetic(), buffers.inputs, expected);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!refused && std::chrono::steady_clock::now() < give_up) {
      try {
        reducer.reduce(buffers.inputs, buffers.outputs);
        if (buffers.results[3] != expected) ++wrong;
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "graph prefill-16, site " + site +
                      ": channel prefill_ring is in use by another thread");
        refused = true;
      }
    }
  };
  std::thread other([&] { reduce_until_refused("attention"); });
  reduce_until_refused("moe");
  other.join();
  EXPECT_TRUE(refused);
  EXPECT_EQ(wrong, 0);
  Reducer& reducer = runtime.reducer("prefill-16", "moe");
  Buffers buffers(reducer.elements());
  EXPECT_EQ(message_of([&] { reducer.reduce(buffers.inputs, buffers.outputs); }), "no error");
}

TEST_F(RuntimeTest, MovesWithItsReducers) {
  Reducer& reducer = runtime_.reducer("prefill-3", "attention");
  const Runtime moved = std::move(runtime_);
  Buffers buffers(21);
  reducer.reduce(buffers.inputs, buffers.outputs);
  EXPECT_EQ(moved.plan().variant, "small");
  runtime_ = start_runtime(small_plan(), {.workers = 3});
}

ManifestSummary manifest(const std::string& identity) {
  return {.identity = identity,
          .variant_json = R"({"model":{"dtype":"bfloat16"},"name":"small","world_size":4})"};
}

std::string digest_of(char digit) { return "sha256:" + std::string(64, digit); }

TEST(Loader, ComparesTheIdentity) {
  EXPECT_EQ(message_of([] { check_identity(manifest(digest_of('a')), {}, "p/manifest.json"); }),
            "no error");
  EXPECT_EQ(message_of([] {
              check_identity(manifest(digest_of('a')), digest_of('a'), "p/manifest.json");
            }),
            "no error");
  EXPECT_EQ(message_of(
                [] { check_identity(manifest(digest_of('a')), digest_of('b'), "p/manifest.json"); },
                ErrorKind::kMismatch),
            "p/manifest.json: the package is " + digest_of('a') + ", not " + digest_of('b'));
  EXPECT_EQ(message_of([] { check_identity(manifest(digest_of('a')), "abc", "p/manifest.json"); }),
            "the expected identity is 'abc', not 'sha256:' and 64 hexadecimal digits");
}

TEST(Loader, ComparesThePlanWithThePackage) {
  const auto message = [](const std::function<void(ReductionPlan&)>& edit) {
    ReductionPlan plan = small_plan();
    plan.package = digest_of('a');
    edit(plan);
    return message_of([&] { check_plan_belongs(plan, manifest(digest_of('a')), "p/plan"); },
                      ErrorKind::kMismatch);
  };
  const std::string hint = " | bake it again: kimi3-export bake PACKAGE";
  EXPECT_EQ(message([](ReductionPlan&) {}), "no error");
  EXPECT_EQ(message([](ReductionPlan& plan) { plan.package = digest_of('b'); }),
            "p/plan: the plan was baked for " + digest_of('b') + ", the package is " +
                digest_of('a') + hint);
  EXPECT_EQ(message([](ReductionPlan& plan) { plan.world_size = 8; }),
            "p/plan: the plan has world_size '8', the package's variant '4'" + hint);
  EXPECT_EQ(message([](ReductionPlan& plan) { plan.variant = "large"; }),
            "p/plan: the plan has variant 'large', the package's variant 'small'" + hint);
}

}  // namespace
}  // namespace kimi3
