// The host runtime against the least that any reduction must do: to read every rank's input once
// and to write every rank's output once, a plain copy by the same threads.
//
//   host_bench OUT.json [ROUNDS]
//
// Machines are noisy, so only ratios of one run count: what is compared takes turns, round by
// round, and each figure is a median.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "runtime/backend/host/executor.h"
#include "runtime/numeric/test_data.h"

namespace kimi3 {
namespace {

using Clock = std::chrono::steady_clock;

struct Shape {
  int world = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  std::int64_t elements() const { return rows * cols; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// The shape that the ratios are of: the largest prefill graph of the example.
constexpr Shape kReference{8, 3072, 7168};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const int world : {2, 4, 8}) {
    for (const std::int64_t cols : {3584, 7168}) {
      for (const std::int64_t rows : {256, 512, 1024, 2048, 3072})
        all.push_back({world, rows, cols});
    }
  }
  return all;
}

// Input and output of every rank, as large as the largest shape, each on pages of its own.
class Buffers {
 public:
  Buffers(int world, std::int64_t elements) {
    for (int i = 0; i < 2 * world; ++i) {
      const auto bytes = static_cast<std::size_t>(elements) * sizeof(bfloat16);
      auto* data = static_cast<bfloat16*>(std::aligned_alloc(kPage, (bytes / kPage + 1) * kPage));
      if (data == nullptr) throw std::bad_alloc();
      memory_.emplace_back(data, &std::free);
      const std::span whole(data, static_cast<std::size_t>(elements));
      (i < world ? inputs_ : outputs_).push_back(whole);
    }
    fill_test_data(DataKind::kRandom, 1, inputs_);
    for (const auto& output : outputs_) std::fill(output.begin(), output.end(), bfloat16{});
  }

  std::vector<std::span<const bfloat16>> inputs(const Shape& shape) const {
    std::vector<std::span<const bfloat16>> views;
    for (int r = 0; r < shape.world; ++r) views.emplace_back(view(inputs_, r, shape));
    return views;
  }
  std::vector<std::span<bfloat16>> outputs(const Shape& shape) const {
    std::vector<std::span<bfloat16>> views;
    for (int r = 0; r < shape.world; ++r) views.push_back(view(outputs_, r, shape));
    return views;
  }

 private:
  static constexpr std::size_t kPage = 4096;

  static std::span<bfloat16> view(const std::vector<std::span<bfloat16>>& all, int rank,
                                  const Shape& shape) {
    return all[static_cast<std::size_t>(rank)].first(static_cast<std::size_t>(shape.elements()));
  }

  std::vector<std::unique_ptr<bfloat16, decltype(&std::free)>> memory_;
  std::vector<std::span<bfloat16>> inputs_;
  std::vector<std::span<bfloat16>> outputs_;
};

// The floor: each worker copies its share of every rank, in one call a rank.
class Copies final : public host::PartedTask {
 public:
  Copies(std::span<const std::span<const bfloat16>> inputs,
         std::span<const std::span<bfloat16>> outputs, int workers)
      : inputs_(inputs), outputs_(outputs), workers_(static_cast<std::size_t>(workers)) {}

  void run_part(std::int64_t worker) const noexcept override {
    for (std::size_t rank = 0; rank < inputs_.size(); ++rank) {
      const std::size_t share = inputs_[rank].size() / workers_;
      const std::size_t begin = static_cast<std::size_t>(worker) * share;
      std::memcpy(outputs_[rank].data() + begin, inputs_[rank].data() + begin,
                  share * sizeof(bfloat16));
    }
  }

 private:
  std::span<const std::span<const bfloat16>> inputs_;
  std::span<const std::span<bfloat16>> outputs_;
  std::size_t workers_;
};

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> times_us = {};

  double median_us() {
    const auto middle = times_us.begin() + static_cast<std::ptrdiff_t>(times_us.size() / 2);
    std::nth_element(times_us.begin(), middle, times_us.end());
    return *middle;
  }
};

void take_turns(std::vector<Contender>& contenders, int rounds) {
  for (int round = -1; round < rounds; ++round) {  // the first is not timed
    for (Contender& contender : contenders) {
      const auto start = Clock::now();
      contender.run();
      const std::chrono::duration<double, std::micro> time = Clock::now() - start;
      if (round >= 0) contender.times_us.push_back(time.count());
    }
  }
}

class HostBench {
 public:
  explicit HostBench(int rounds) : rounds_(rounds) {}

  nlohmann::ordered_json run() {
    fmt::print("{:>5} {:>5} {:>5}  {:>12} {:>12} {:>12} {:>12}  (us; in brackets over memcpy)\n",
               "world", "rows", "cols", "memcpy", "two_shot", "ring_bf16", "ring_fp32");
    for (const Shape& shape : shapes()) measure(shape);
    return {{"workers", workers_}, {"rounds", rounds_}, {"ratios", ratios_}, {"results", results_}};
  }

 private:
  void measure(const Shape& shape) {
    const auto inputs = buffers_.inputs(shape);
    const auto outputs = buffers_.outputs(shape);
    const Copies copies(inputs, outputs, workers_);
    std::vector<Contender> contenders{{"memcpy", [&] { copying_pool_.run(0, copies, workers_); }}};
    const auto add = [&](const std::string& name, Algorithm algorithm, Arithmetic arithmetic,
                         int pieces) {
      auto sums = std::make_shared<host::SumPlan>(algorithm, arithmetic, shape.world, pieces);
      contenders.push_back({name, [&, sums] { executor_.reduce(0, *sums, inputs, outputs); }});
    };
    add("two_shot", Algorithm::kTwoShot, Arithmetic::kFp32RankOrder, 1);
    add("ring_bf16", Algorithm::kDmaRing, Arithmetic::kBf16HopSum, 2);
    add("ring_fp32", Algorithm::kDmaRing, Arithmetic::kFp32OwnerPacket, 2);
    take_turns(contenders, rounds_);
    record(shape, contenders);
  }

  void record(const Shape& shape, std::vector<Contender>& contenders) {
    const double floor = contenders.front().median_us();
    fmt::print("{:>5} {:>5} {:>5}  {:>12.0f}", shape.world, shape.rows, shape.cols, floor);
    for (Contender& contender : contenders) {
      const double time = contender.median_us();
      results_.push_back({{"world", shape.world},
                          {"rows", shape.rows},
                          {"cols", shape.cols},
                          {"name", contender.name},
                          {"time_us", time},
                          {"over_memcpy", time / floor}});
      if (contender.name == "memcpy") continue;
      fmt::print(" {:>6.0f} [{:.2f}]", time, time / floor);
      if (shape == kReference) ratios_[contender.name + "_vs_memcpy"] = time / floor;
    }
    fmt::print("\n");
  }

  int rounds_;
  int workers_ = host::available_cores();
  host::WorkerPool copying_pool_{workers_, 1};
  host::Executor executor_{workers_, 1};
  Buffers buffers_{kReference.world, kReference.elements()};
  nlohmann::ordered_json ratios_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
};

}  // namespace
}  // namespace kimi3

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: host_bench OUT.json [ROUNDS]\n");
    return 2;
  }
  const std::filesystem::path out = argv[1];
  const int rounds = argc == 3 ? std::max(1, std::atoi(argv[2])) : 15;
  const auto report = kimi3::HostBench(rounds).run();
  if (out.has_parent_path()) std::filesystem::create_directories(out.parent_path());
  std::ofstream file(out);
  file << report.dump(2) << '\n';
  fmt::print("{}\n", report["ratios"].dump());
  return file.good() ? 0 : 3;
}
