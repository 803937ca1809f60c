#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "runtime/backend/host/executor.h"
#include "runtime/numeric/error_metrics.h"
#include "runtime/numeric/oracle.h"
#include "runtime/numeric/test_data.h"
#include "runtime/schedule/rewrite.h"

namespace kimi3::host {
namespace {

using Payload = std::vector<bfloat16>;

constexpr int kWorkers = 3;

struct Case {
  Algorithm algorithm{};
  Arithmetic arithmetic{};
  int world = 0;
  int pieces = 1;
  std::vector<int> order = {};
};

// The inputs of all ranks, what the oracle makes of them, and what the host does.
class Trial {
 public:
  Trial(const Case& c, std::size_t elements)
      : case_(c),
        sums_(c.algorithm, c.arithmetic, c.world, c.pieces, c.order),
        ranks_(static_cast<std::size_t>(c.world), Payload(elements)),
        results_(ranks_.size(), Payload(elements, bfloat16{0xDEAD})) {}

  std::vector<Payload>& ranks() { return ranks_; }

  void fill(DataKind kind, std::uint64_t seed) {
    const std::vector<std::span<bfloat16>> spans(ranks_.begin(), ranks_.end());
    fill_test_data(kind, seed, spans, 2);
  }

  // Out of place, then in place: elements that are wrong on any rank.
  std::int64_t count_wrong_elements(Executor& executor) {
    Payload expected(ranks_.front().size());
    const std::vector<std::span<const bfloat16>> inputs(ranks_.begin(), ranks_.end());
    reduce_oracle(case_.arithmetic, inputs, expected, case_.order);
    const std::vector<std::span<bfloat16>> outputs(results_.begin(), results_.end());
    executor.reduce(0, sums_, inputs, outputs);
    std::int64_t wrong = 0;
    for (const Payload& result : results_) wrong += count_wrong(result, expected);
    const std::vector<std::span<bfloat16>> in_place(ranks_.begin(), ranks_.end());
    executor.reduce(0, sums_, inputs, in_place);
    for (const Payload& result : ranks_) wrong += count_wrong(result, expected);
    return wrong;
  }

 private:
  Case case_;
  SumPlan sums_;
  std::vector<Payload> ranks_;
  std::vector<Payload> results_;
};

std::vector<Case> all_arithmetics(int world, int pieces = 1) {
  return {{Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, world, 1},
          {Algorithm::kDmaRing, Arithmetic::kBf16HopSum, world, pieces},
          {Algorithm::kDmaRing, Arithmetic::kFp32OwnerPacket, world, pieces}};
}

class HostExecutor : public ::testing::Test {
 protected:
  Executor executor_{kWorkers, 1};
};

// The large payloads of one world, allocated once.
class Payloads {
 public:
  Payloads(int world, std::size_t most)
      : ranks_(static_cast<std::size_t>(world), Payload(most)), results_(ranks_), expected_(most) {}

  // Bits are compared, not statistics: a payload repeats a short one, whose length shares no factor
  // with strips, shards or vectors.
  void fill(DataKind kind, std::uint64_t seed, std::size_t elements) {
    const std::size_t fresh = std::min(std::size_t{65'521}, elements);
    std::vector<std::span<bfloat16>> beginnings;
    for (Payload& rank : ranks_) beginnings.push_back(std::span(rank).first(fresh));
    fill_test_data(kind, seed, beginnings, 2);
    for (Payload& rank : ranks_) {
      for (std::size_t at = fresh; at < elements; at += fresh) {
        std::copy_n(rank.begin(), std::min(fresh, elements - at),
                    rank.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    elements_ = elements;
  }

  // How many ranks have another result than the oracle.
  int count_wrong_ranks(Executor& executor, const Case& c) {
    std::vector<std::span<const bfloat16>> inputs;
    std::vector<std::span<bfloat16>> outputs;
    for (const Payload& rank : ranks_) inputs.push_back(std::span(rank).first(elements_));
    for (Payload& result : results_) {
      outputs.push_back(std::span(result).first(elements_));
      std::fill_n(result.begin(), elements_, bfloat16{0xDEAD});
    }
    const auto expected = std::span(expected_).first(elements_);
    reduce_oracle(c.arithmetic, inputs, expected, c.order);
    executor.reduce(0, SumPlan(c.algorithm, c.arithmetic, c.world, c.pieces), inputs, outputs);
    return static_cast<int>(std::count_if(outputs.begin(), outputs.end(), [&](auto output) {
      return std::memcmp(output.data(), expected.data(), expected.size_bytes()) != 0;
    }));
  }

 private:
  std::vector<Payload> ranks_;
  std::vector<Payload> results_;
  Payload expected_;
  std::size_t elements_ = 0;
};

// A sanitizer sees in the smaller shapes what it would see in the larger ones.
constexpr std::int64_t kMostElements = KIMI3_SANITIZED ? 1024 * 3584 : 3072 * 7168;

class HostExecutorAtWorld : public ::testing::TestWithParam<int> {};

// The prefill shapes of the example, with the ring where it is eligible. The smallest meets every
// kind of data, each larger one another than its neighbours.
TEST_P(HostExecutorAtWorld, EqualsTheOraclesAtTheShapesOfTheExample) {
  const int world = GetParam();
  Executor executor(kWorkers, 1);
  Payloads payloads(world, static_cast<std::size_t>(kMostElements));
  std::size_t turn = 0;
  for (const std::int64_t rows : {256, 512, 1024, 2048, 3072}) {
    for (const std::int64_t cols : {3584, 7168}) {
      if (rows * cols > kMostElements) continue;
      for (std::size_t kinds = rows == 256 ? kDataKinds.size() : 1; kinds > 0; --kinds) {
        const DataKind kind = kDataKinds[turn++ % kDataKinds.size()];
        payloads.fill(kind, turn, static_cast<std::size_t>(rows * cols));
        for (const Case& c : all_arithmetics(world, 2)) {
          const bool ring = c.algorithm == Algorithm::kDmaRing;
          if (ring && !ring_eligible(rows * cols, world)) continue;
          EXPECT_EQ(payloads.count_wrong_ranks(executor, c), 0)
              << to_string(c.arithmetic) << ", " << rows << " x " << cols << ", "
              << to_string(kind);
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Worlds, HostExecutorAtWorld, ::testing::Values(2, 3, 4, 6, 8));

TEST_F(HostExecutor, RingsOfEveryWorldAndEveryLegalPieces) {
  for (int world = 2; world <= 10; ++world) {
    for (int pieces = 1; pieces <= kMaxPieces; ++pieces) {
      for (const Case& c : all_arithmetics(world, pieces)) {
        if (c.algorithm != Algorithm::kDmaRing) continue;
        Trial trial(c, static_cast<std::size_t>(world * pieces * 8 * 5));
        trial.fill(DataKind::kHeavyTailed, static_cast<std::uint64_t>(world));
        ASSERT_EQ(trial.count_wrong_elements(executor_), 0)
            << to_string(c.arithmetic) << " world " << world << " pieces " << pieces;
      }
    }
  }
}

TEST_F(HostExecutor, RingsInAnyOrderOfTheRanks) {
  std::mt19937 engine(3);
  for (int world = 2; world <= 10; ++world) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (Case c : all_arithmetics(world, 2)) {
        if (c.algorithm != Algorithm::kDmaRing) continue;
        c.order.resize(static_cast<std::size_t>(world));
        std::iota(c.order.begin(), c.order.end(), 0);
        std::shuffle(c.order.begin(), c.order.end(), engine);
        Trial trial(c, static_cast<std::size_t>(world * 2 * 8 * 3));
        trial.fill(DataKind::kCancelling, engine());
        ASSERT_EQ(trial.count_wrong_elements(executor_), 0)
            << to_string(c.arithmetic) << ::testing::PrintToString(c.order);
      }
    }
  }
}

TEST_F(HostExecutor, TwoShotOfRaggedPayloads) {
  for (const int world : {2, 3, 4, 6, 7, 8, 64}) {
    for (const std::size_t elements :
         {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{8}, std::size_t{9},
          static_cast<std::size_t>(world) - 1, static_cast<std::size_t>(world) * 8 + 1,
          std::size_t{4097}, std::size_t{255} * 3585}) {
      if (world == 64 && elements > 5000) continue;
      Trial trial({Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, world}, elements);
      trial.fill(DataKind::kRandom, elements);
      ASSERT_EQ(trial.count_wrong_elements(executor_), 0)
          << "world " << world << " elements " << elements;
    }
  }
}

// Every BF16 pattern at every rank, against a few partners that provoke: infinities of both signs,
// NaN, subnormals, both zeros, the largest number, and numbers that tie.
TEST_F(HostExecutor, EveryPatternAtEveryRank) {
  constexpr std::size_t kPatterns = 65'536;
  const Payload partners{{0x0000}, {0x8000}, {0x0001}, {0x7F7F}, {0x7F80}, {0xFF80}, {0x3F81}};
  for (const int world : {2, 3, 8}) {
    for (const Case& c : all_arithmetics(world)) {
      const auto round = static_cast<std::size_t>(world) * 8;
      Trial trial(c, (kPatterns + round - 1) / round * round);
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(world); ++rank) {
        for (std::size_t r = 0; r < static_cast<std::size_t>(world); ++r) {
          Payload& input = trial.ranks()[r];
          for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = r == rank ? bfloat16{static_cast<std::uint16_t>(i)}
                                 : partners[(r + i / 251) % partners.size()];
          }
        }
        ASSERT_EQ(trial.count_wrong_elements(executor_), 0)
            << to_string(c.arithmetic) << " world " << world << " rank " << rank;
      }
    }
  }
}

// A caller that rounds upward in its own thread gets the same bits, and has its mode back: 1 + 2^-8
// is a tie in BF16 that goes down to even, unless 2^-30 more has been rounded up before.
TEST(HostExecutorModes, OfTheCallerChangeNothing) {
  constexpr std::size_t kElements = 4096;
  const std::vector<Payload> ranks{Payload(kElements, round_to_bfloat16(1.0F)),
                                   Payload(kElements, round_to_bfloat16(0x1p-8F)),
                                   Payload(kElements, round_to_bfloat16(0x1p-30F))};
  std::vector<Payload> results(3, Payload(kElements));
  const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
  const std::vector<std::span<bfloat16>> outputs(results.begin(), results.end());
  const SumPlan sums(Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 3, 1);
  Executor alone(1, 1);
  std::fesetround(FE_UPWARD);
  alone.reduce(0, sums, inputs, outputs);
  const int mode_after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode_after, FE_UPWARD);
  for (const Payload& result : results) EXPECT_EQ(result, ranks[0]);
}

// The pool's threads start with the modes of the thread that made them.
TEST(HostExecutorModes, OfTheCreatorChangeNothing) {
  std::fesetround(FE_UPWARD);
  WorkerPool pool(2, 1);
  std::fesetround(FE_TONEAREST);
  class Modes final : public PartedTask {
   public:
    void run_part(std::int64_t) const noexcept override {
      if (std::fegetround() != FE_TONEAREST) ++other;
      // Stays until the other thread has come too.
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    }
    mutable std::atomic<int> arrived{0};
    mutable std::atomic<int> other{0};
  };
  const Modes modes;
  pool.run(0, modes, 2);
  EXPECT_EQ(modes.other, 0);
}

TEST(HostExecutorChannels, RunAtOnceOnDifferentThreads) {
  Executor executor(kWorkers, 3);
  const auto cases = all_arithmetics(4, 1);
  std::vector<std::int64_t> wrong(cases.size(), -1);
  std::vector<std::thread> threads;
  for (std::size_t channel = 0; channel < cases.size(); ++channel) {
    threads.emplace_back([&, channel] {
      std::int64_t count = 0;
      const Case& c = cases[channel];
      const SumPlan sums(c.algorithm, c.arithmetic, c.world, c.pieces);
      std::vector<Payload> ranks(4, Payload(32'768));
      std::vector<Payload> results(4, Payload(32'768));
      const std::vector<std::span<bfloat16>> filled(ranks.begin(), ranks.end());
      const std::vector<std::span<const bfloat16>> inputs(ranks.begin(), ranks.end());
      const std::vector<std::span<bfloat16>> outputs(results.begin(), results.end());
      Payload expected(32'768);
      for (std::uint64_t call = 0; call < 30; ++call) {
        fill_test_data(DataKind::kRandom, call, filled, 1);
        reduce_oracle(c.arithmetic, inputs, expected);
        executor.reduce(static_cast<int>(channel), sums, inputs, outputs);
        for (const Payload& result : results) count += count_wrong(result, expected);
      }
      wrong[channel] = count;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ::testing::Each(0));
}

// The sums of the smallest shape, stretched, are those of the shape itself.
TEST(SumPlan, StretchesToEveryShapeThatSharesTheSchedule) {
  for (const int world : {2, 3, 5, 8}) {
    for (const Case& c : all_arithmetics(world, 3)) {
      const SumPlan plan(c.algorithm, c.arithmetic, world, c.pieces);
      for (const std::int64_t elements : {world * 3 * 8 * 7, world * 3 * 8 * 11}) {
        const std::vector<Sum> sums = read_sums(rewrite_for_one_process(
            make_schedule({c.algorithm, c.arithmetic, world, c.pieces, elements, {}})));
        ASSERT_EQ(sums.size(), static_cast<std::size_t>(plan.size()));
        for (int i = 0; i < plan.size(); ++i) {
          const Sum& sum = sums[static_cast<std::size_t>(i)];
          EXPECT_EQ(sum.begin, i * plan.sum_elements(elements));
          EXPECT_EQ(sum.count, plan.sum_elements(elements));
          EXPECT_EQ(sum.path, plan.sum(i).path);
          EXPECT_EQ(sum.rounding, plan.sum(i).rounding);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kimi3::host
