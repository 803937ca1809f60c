// From a variant and its environment to what planning needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporter/switches.h"
#include "exporter/variant.h"
#include "kimi3/plan.h"

namespace kimi3 {

struct PreparationConfig {
  std::int64_t prefill_dma_ring_rows = 0;  // 0: the ring is inert
  bool prefill_dma_ring_bf16 = false;      // bf16_hop_sum rather than fp32_owner_packet
  PlannedSwitches switches;                // as requested, gates passed or not
  std::vector<std::string> plan_notes;
  std::vector<std::string> environment_notes;
};

// Pure. Throws what read_switches throws.
PreparationConfig prepare_variant(const Variant& variant, const Environment& environment,
                                  const SwitchOptions& options = {});

}  // namespace kimi3
