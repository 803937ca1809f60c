#include "exporter/selection.h"

#include <fmt/format.h>

#include <cstdlib>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

std::string inert_reason(std::int64_t requested, std::int64_t world_size, std::int64_t chunk) {
  if (requested <= 0) return {};
  if (world_size != kRingWorldSize) {
    return fmt::format("the ring needs world size {}, this variant has {}", kRingWorldSize,
                       world_size);
  }
  if (requested > chunk) return fmt::format("it is above the prefill chunk of {}", chunk);
  return {};
}

std::int64_t prefill_reduction_rows(std::int64_t requested, std::int64_t world_size,
                                    std::int64_t chunk) {
  const bool on = world_size == kRingWorldSize && 0 < requested && requested <= chunk;
  return on ? requested : 0;
}

Algorithm reduction_runtime(Mode mode, std::int64_t rows, std::int64_t ring_rows) {
  switch (mode) {
    case Mode::kDecode:
    case Mode::kVerify:
    case Mode::kDraft:
      return Algorithm::kRegular;
    case Mode::kPrefill:
      return ring_rows > 0 && rows >= ring_rows ? Algorithm::kDmaRing : Algorithm::kTwoShot;
  }
  std::abort();
}

std::string reduction_reason(Mode mode, std::int64_t rows, std::int64_t ring_rows) {
  if (mode != Mode::kPrefill) return fmt::format("{} never rings", to_string(mode));
  if (ring_rows == 0) return "the ring is off";
  return fmt::format("{} rows {} {}", rows, rows >= ring_rows ? ">=" : "<", ring_rows);
}

int default_pieces(std::int64_t shard_elements) {
  constexpr std::int64_t kWorthSplitting = std::int64_t{512} * 1024;  // bytes a piece
  const std::int64_t shard_bytes = shard_elements * element_bytes(Element::kBf16);
  return pieces_legal(shard_elements, 2) && shard_bytes / 2 >= kWorthSplitting ? 2 : 1;
}

}  // namespace kimi3
