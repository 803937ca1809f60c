#include "runtime/reduction_buffers.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

using Buffer = std::span<const bfloat16>;

constexpr std::string_view kOverlapHint =
    "an output may be its own rank's input, exactly; no other buffers may overlap";

// By std::less, which orders pointers into different arrays.
bool overlap(Buffer a, Buffer b) {
  const std::less<const bfloat16*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

template <typename Buffers>
void check_sizes(const BufferShape& shape, const Buffers& buffers, std::string_view kind,
                 const std::string& where) {
  if (buffers.size() != static_cast<std::size_t>(shape.world)) {
    throw malformed(
        fmt::format("{}: {} {}s for {} ranks", where, buffers.size(), kind, shape.world));
  }
  const std::int64_t elements = shape.rows * shape.cols;
  for (std::size_t rank = 0; rank < buffers.size(); ++rank) {
    if (buffers[rank].size() == static_cast<std::size_t>(elements)) continue;
    throw malformed(
        fmt::format("{}: the {} of rank {} has {} elements, the graph's capacity is {} "
                    "x {} = {}",
                    where, kind, rank, buffers[rank].size(), shape.rows, shape.cols, elements),
        "pad the payload to the graph's capacity");
  }
}

[[noreturn]] void refuse_overlap(const std::string& where, std::size_t rank,
                                 std::string_view other_kind, std::size_t other) {
  throw malformed(fmt::format("{}: the output of rank {} overlaps the {} of rank {}", where, rank,
                              other_kind, other),
                  std::string(kOverlapHint));
}

}  // namespace

void check_buffers(const BufferShape& shape, std::span<const std::span<const bfloat16>> inputs,
                   std::span<const std::span<bfloat16>> outputs, const std::string& where) {
  check_sizes(shape, inputs, "input", where);
  check_sizes(shape, outputs, "output", where);
  for (std::size_t rank = 0; rank < outputs.size(); ++rank) {
    for (std::size_t other = 0; other < inputs.size(); ++other) {
      const bool in_place = rank == other && inputs[other].data() == outputs[rank].data();
      if (!in_place && overlap(outputs[rank], inputs[other])) {
        refuse_overlap(where, rank, "input", other);
      }
    }
    for (std::size_t other = rank + 1; other < outputs.size(); ++other) {
      if (overlap(outputs[rank], outputs[other])) refuse_overlap(where, rank, "output", other);
    }
  }
}

}  // namespace kimi3
