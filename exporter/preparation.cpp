#include "exporter/preparation.h"

#include <fmt/format.h>

#include <utility>

#include "exporter/selection.h"

namespace kimi3 {

PreparationConfig prepare_variant(const Variant& variant, const Environment& environment,
                                  const SwitchOptions& options) {
  Switches switches = read_switches(environment, options);
  const std::int64_t requested = switches.prefill_dma_rows;
  PreparationConfig config;
  config.prefill_dma_ring_rows =
      prefill_reduction_rows(requested, variant.world_size, variant.prefill.chunk);
  config.prefill_dma_ring_bf16 = switches.prefill_dma_bf16;
  config.switches = {requested, switches.prefill_dma_bf16};
  config.environment_notes = std::move(switches.notes);
  const std::string why = inert_reason(requested, variant.world_size, variant.prefill.chunk);
  if (!why.empty()) {
    config.plan_notes.push_back(fmt::format("prefill_dma_rows {} is inert: {}", requested, why));
  }
  return config;
}

}  // namespace kimi3
