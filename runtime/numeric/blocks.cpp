#include "runtime/numeric/blocks.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace kimi3 {
namespace {

constexpr std::size_t kBlockElements = std::size_t{1} << 16U;

}  // namespace

std::int64_t block_count(std::size_t elements) {
  return static_cast<std::int64_t>((elements + kBlockElements - 1) / kBlockElements);
}

void for_each_block(std::size_t elements, int threads,
                    const std::function<void(std::int64_t, std::size_t, std::size_t)>& body) {
  const std::int64_t blocks = block_count(elements);
  std::atomic<std::int64_t> next{0};
  const auto take_blocks = [&] {
    for (std::int64_t block = next++; block < blocks; block = next++) {
      const std::size_t begin = static_cast<std::size_t>(block) * kBlockElements;
      body(block, begin, std::min(elements, begin + kBlockElements));
    }
  };
  const std::int64_t wanted = threads > 0 ? threads : std::thread::hardware_concurrency();
  std::vector<std::future<void>> helpers;
  for (std::int64_t i = 1; i < std::min(wanted, blocks); ++i) {
    helpers.push_back(std::async(std::launch::async, take_blocks));
  }
  take_blocks();
  for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace kimi3
