#include "exporter/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kimi3/error.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

constexpr std::array kKnownNames{kRowsSwitch, kBf16Switch, kPiecesOverride, kFp8Switch};
constexpr std::string_view kOwnPrefix = "IGNITION_KIMI_PREFILL_DMA";
constexpr std::size_t kMaxEdits = 2;

bool is_known(std::string_view name) {
  return std::find(kKnownNames.begin(), kKnownNames.end(), name) != kKnownNames.end();
}

// A switch that is misspelt would be off without a word, so whatever looks like one is refused.
void refuse_near_names(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (is_known(name)) continue;
    auto nearest = nearest_name(name, kKnownNames, kMaxEdits);
    if (!nearest && !name.starts_with(kOwnPrefix)) continue;
    if (!nearest) nearest = nearest_name(name, kKnownNames, name.size() + kOwnPrefix.size());
    throw malformed(fmt::format("unknown variable {} = {}", quoted(name), quoted(value)),
                    fmt::format("did you mean {}?", *nearest));
  }
}

// The value of `name`, or empty: a switch that is set to nothing is not set.
std::string_view value_of(const Environment& environment, std::string_view name) {
  const auto is_it = [&](const auto& entry) { return entry.first == name; };
  const auto found = std::find_if(environment.begin(), environment.end(), is_it);
  if (found == environment.end()) return {};
  if (const auto again = std::find_if(found + 1, environment.end(), is_it);
      again != environment.end()) {
    throw malformed(fmt::format("{} is in the environment twice, as {} and as {}", name,
                                quoted(found->second), quoted(again->second)));
  }
  return found->second;
}

std::int64_t parse_rows(std::string_view name, std::string_view value) {
  if (value.empty()) return 0;
  const auto rows = parse_canonical_integer(value);
  if (!rows || *rows < 0) {
    throw malformed(fmt::format("{} = {} is not a number of rows", name, quoted(value)),
                    "write 0, or a decimal number up to 9223372036854775807 without sign, "
                    "leading zeros or unit");
  }
  return *rows;
}

bool parse_bf16(std::string_view name, std::string_view value) {
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw malformed(fmt::format("{} = {} is neither 0 nor 1", name, quoted(value)));
}

void refuse_pieces_override(const Environment& environment) {
  const std::string_view value = value_of(environment, kPiecesOverride);
  if (value.empty()) return;
  throw malformed(
      fmt::format("{} = {} would override the plan's pieces", kPiecesOverride, quoted(value)),
      "pieces belong to the plan, for each shape: unset the variable, here and on the servers");
}

// An option's value if it is given, else the variable's; both are parsed, so both must be
// well-formed.
template <typename Parse>
auto choose(const Environment& environment, std::string_view variable, std::string_view option,
            const std::optional<std::string>& given, std::vector<std::string>& notes, Parse parse) {
  const std::string_view value = value_of(environment, variable);
  const auto from_environment = parse(variable, value);
  if (!given) return from_environment;
  if (given->empty()) throw malformed(fmt::format("{} needs a value", option));
  const auto from_option = parse(option, *given);
  if (!value.empty() && from_option != from_environment) {
    notes.push_back(fmt::format("{} {} overrides {} = {}", option, *given, variable, value));
  }
  return from_option;
}

}  // namespace

Switches read_switches(const Environment& environment, const SwitchOptions& options) {
  refuse_near_names(environment);
  refuse_pieces_override(environment);
  Switches switches;
  switches.prefill_dma_rows = choose(environment, kRowsSwitch, "--prefill-dma-rows",
                                     options.prefill_dma_rows, switches.notes, parse_rows);
  switches.prefill_dma_bf16 = choose(environment, kBf16Switch, "--prefill-dma-bf16",
                                     options.prefill_dma_bf16, switches.notes, parse_bf16);
  if (const std::string_view fp8 = value_of(environment, kFp8Switch); !fp8.empty()) {
    switches.notes.push_back(
        fmt::format("{} = {} is ignored: the ring's wire is lossless", kFp8Switch, quoted(fp8)));
  }
  return switches;
}

}  // namespace kimi3
