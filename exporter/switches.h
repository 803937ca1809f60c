// The environment switches: read once, at export. schemas/environment.md documents each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kimi3 {

// NAME and value of every variable, in the order in which the process got them.
using Environment = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view kRowsSwitch = "IGNITION_KIMI_PREFILL_DMA_ROWS";
inline constexpr std::string_view kBf16Switch = "IGNITION_KIMI_PREFILL_DMA_BF16";
inline constexpr std::string_view kPiecesOverride = "B12X_PCIE_DMA_PIECES";
inline constexpr std::string_view kFp8Switch = "B12X_PCIE_DMA_FP8";

// The options --prefill-dma-rows and --prefill-dma-bf16 as they were written; they win over the
// environment, and are held to the same form.
struct SwitchOptions {
  std::optional<std::string> prefill_dma_rows;
  std::optional<std::string> prefill_dma_bf16;
};

struct Switches {
  std::int64_t prefill_dma_rows = 0;  // requested; 0 is off
  bool prefill_dma_bf16 = false;
  std::vector<std::string> notes;  // about the environment alone, for standard error
};

// Throws kMalformed, naming variable and value: a value of another form, a pieces override, a
// switch given twice, a name that is nearly a switch's. A malformed variable fails even where an
// option overrides it.
Switches read_switches(const Environment& environment, const SwitchOptions& options = {});

}  // namespace kimi3
