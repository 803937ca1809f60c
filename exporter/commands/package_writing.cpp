#include "exporter/commands/package_writing.h"

#include <fmt/format.h>

#include "runtime/plan/plan_writer.h"

namespace kimi3 {

namespace po = boost::program_options;

void add_switch_options(po::options_description& options) {
  options.add_options()("prefill-dma-rows", po::value<std::string>()->value_name("R"),
                        "in place of IGNITION_KIMI_PREFILL_DMA_ROWS");
  options.add_options()("prefill-dma-bf16", po::value<std::string>()->value_name("0|1"),
                        "in place of IGNITION_KIMI_PREFILL_DMA_BF16");
}

SwitchOptions switch_options(const Arguments& arguments) {
  return {.prefill_dma_rows = arguments.optional_text("prefill-dma-rows"),
          .prefill_dma_bf16 = arguments.optional_text("prefill-dma-bf16")};
}

std::string PlanBaker::text_for(const ManifestSummary& manifest) {
  plan_.package = manifest.identity;
  std::string text = write_plan(plan_);
  digest_ = plan_digest(text);
  return text;
}

Outcome report_written(const PreparationConfig& config, const WriteResult& result,
                       const PlanBaker& baker) {
  print_notes(config.environment_notes);
  print_notes(baker.notes());
  print_notes(result.notes);
  print_result(
      fmt::format("identity  {}\nplan      {}\n", result.manifest.identity, baker.digest()));
  return Outcome::kHolds;
}

}  // namespace kimi3
