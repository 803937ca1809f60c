#include "runtime/backend/host/executor.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <thread>

#include "runtime/backend/host/kernels.h"

namespace kimi3::host {
namespace {

// A strip is what a worker takes at a time. Long ones keep every stream of the memory in its page
// (64 KiB from each rank is where two cores reach what a plain copy reaches); short payloads are
// cut so that each worker has a few, down to where taking one costs as much as summing it.
constexpr std::int64_t kLongestStrip = 32'768;
constexpr std::int64_t kShortestStrip = 2'048;
constexpr std::int64_t kStripsPerWorker = 8;
constexpr std::int64_t kStripAlignment = 32;  // elements of one cache line

// Payloads past this size would push everything else out of the caches, and themselves: they are
// written past them.
constexpr std::int64_t kStreamBytes = std::int64_t{4} << 20;

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

std::int64_t strip_elements(std::int64_t elements, int workers) {
  const std::int64_t share = divide_up(elements, workers * kStripsPerWorker);
  const std::int64_t strip = std::clamp(share, kShortestStrip, kLongestStrip);
  return divide_up(strip, kStripAlignment) * kStripAlignment;
}

// The sums are in the default modes: nearest even, subnormals kept, whatever the caller has set.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&before_); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  std::fenv_t before_{};
};

// One call: every sum of the payload, cut into strips.
class Reduction final : public PartedTask {
 public:
  Reduction(const SumPlan& sums, std::span<const std::span<const bfloat16>> inputs,
            std::span<const std::span<bfloat16>> outputs, int workers)
      : sums_(sums),
        inputs_(inputs),
        outputs_(outputs),
        elements_(static_cast<std::int64_t>(outputs.front().size())),
        sum_elements_(sums.sum_elements(elements_)),
        strip_elements_(strip_elements(elements_, workers)),
        strips_per_sum_(divide_up(sum_elements_, strip_elements_)),
        stream_(2 * elements_ * sums.world() >= kStreamBytes) {}

  std::int64_t parts() const { return strips_per_sum_ * sums_.size(); }

  void run_part(std::int64_t part) const noexcept override {
    const std::int64_t index = part / strips_per_sum_;
    const std::int64_t sum_begin = index * sum_elements_;
    const std::int64_t begin = sum_begin + part % strips_per_sum_ * strip_elements_;
    const std::int64_t end =
        std::min({elements_, sum_begin + sum_elements_, begin + strip_elements_});
    if (begin < end) sum_range(sums_.sum(static_cast<int>(index)), begin, end);
  }

 private:
  void sum_range(const Sum& sum, std::int64_t begin, std::int64_t end) const {
    std::array<const bfloat16*, kMaxWorld> sources;
    std::array<bfloat16*, kMaxWorld> destinations;
    const std::size_t world = sum.path.size();
    for (std::size_t i = 0; i < world; ++i) {
      sources[i] = inputs_[static_cast<std::size_t>(sum.path[i])].data() + begin;
      destinations[i] = outputs_[i].data() + begin;
    }
    sum_strip({.sources = std::span(sources).first(world),
               .destinations = std::span(destinations).first(world),
               .count = end - begin,
               .rounding = sum.rounding,
               .stream = stream_});
  }

  const SumPlan& sums_;
  std::span<const std::span<const bfloat16>> inputs_;
  std::span<const std::span<bfloat16>> outputs_;
  std::int64_t elements_;
  std::int64_t sum_elements_;
  std::int64_t strip_elements_;
  std::int64_t strips_per_sum_;
  bool stream_;
};

}  // namespace

int available_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Executor::Executor(int workers, int channels)
    : pool_(workers == 0 ? available_cores() : workers, channels) {}

void Executor::reduce(int channel, const SumPlan& sums,
                      std::span<const std::span<const bfloat16>> inputs,
                      std::span<const std::span<bfloat16>> outputs) {
  const DefaultFloatingPoint modes;
  const Reduction reduction(sums, inputs, outputs, pool_.workers());
  pool_.run(channel, reduction, reduction.parts());
}

}  // namespace kimi3::host
