#include "runtime/numeric/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

using Inputs = std::span<const std::span<const bfloat16>>;

// The ranks in the order in which one element is added.
using Path = std::span<const int>;

float sum_fp32(Inputs inputs, Path path, std::size_t element) {
  float sum = to_float(inputs[static_cast<std::size_t>(path[0])][element]);
  for (const int rank : path.subspan(1)) {
    sum += to_float(inputs[static_cast<std::size_t>(rank)][element]);
  }
  return sum;
}

bfloat16 sum_bf16_hops(Inputs inputs, Path path, std::size_t element) {
  bfloat16 partial = inputs[static_cast<std::size_t>(path[0])][element];
  for (const int rank : path.subspan(1)) {
    const bfloat16 own = inputs[static_cast<std::size_t>(rank)][element];
    partial = round_to_bfloat16(to_float(partial) + to_float(own));
  }
  return partial;
}

void check_shapes(Inputs inputs, std::span<const bfloat16> output) {
  if (inputs.empty()) throw malformed("a reduction needs the input of one rank at least");
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    if (inputs[rank].size() == output.size()) continue;
    throw malformed(fmt::format("the input of rank {} has {} elements, the output {}", rank,
                                inputs[rank].size(), output.size()));
  }
}

std::vector<int> ring_of(std::span<const int> order, std::size_t world) {
  std::vector<int> ranks(world);
  std::iota(ranks.begin(), ranks.end(), 0);
  if (order.empty()) return ranks;
  if (!std::is_permutation(order.begin(), order.end(), ranks.begin(), ranks.end())) {
    throw malformed(fmt::format("the ring's order does not name each of {} ranks once", world));
  }
  return {order.begin(), order.end()};
}

void reduce_in_rank_order(Inputs inputs, std::span<bfloat16> output) {
  const std::vector<int> path = ring_of({}, inputs.size());
  for (std::size_t i = 0; i < output.size(); ++i) {
    output[i] = round_to_bfloat16(sum_fp32(inputs, path, i));
  }
}

void reduce_around_ring(Arithmetic arithmetic, Inputs inputs, std::span<bfloat16> output,
                        std::span<const int> order) {
  const std::size_t world = inputs.size();
  if (output.size() % world != 0) {
    throw malformed(fmt::format("{} elements do not divide into {} shards", output.size(), world));
  }
  const std::size_t shard_elements = output.size() / world;
  std::vector<int> path = ring_of(order, world);
  for (std::size_t shard = 0; shard < world; ++shard) {
    for (std::size_t i = shard * shard_elements; i < (shard + 1) * shard_elements; ++i) {
      output[i] = arithmetic == Arithmetic::kBf16HopSum
                      ? sum_bf16_hops(inputs, path, i)
                      : round_to_bfloat16(sum_fp32(inputs, path, i));
    }
    std::rotate(path.begin(), path.begin() + 1, path.end());  // the next shard starts one later
  }
}

}  // namespace

void reduce_oracle(Arithmetic arithmetic, Inputs inputs, std::span<bfloat16> output,
                   std::span<const int> order) {
  check_shapes(inputs, output);
  switch (arithmetic) {
    case Arithmetic::kBackendDefined:
      throw malformed("backend_defined has no oracle");
    case Arithmetic::kFp32RankOrder:
      return reduce_in_rank_order(inputs, output);
    case Arithmetic::kBf16HopSum:
    case Arithmetic::kFp32OwnerPacket:
      return reduce_around_ring(arithmetic, inputs, output, order);
  }
  std::abort();
}

}  // namespace kimi3
