// What `export` and `bake` share: the options that both take, and the plan that both bake.
#pragma once

#include <boost/program_options.hpp>
#include <string>

#include "exporter/baking.h"
#include "exporter/commands/command.h"
#include "exporter/commands/operation_control.h"
#include "exporter/package.h"

namespace kimi3 {

void add_switch_options(boost::program_options::options_description& options);
SwitchOptions switch_options(const Arguments& arguments);

// Plans and proves when it is made; gives the text for a package once its identity is known.
class PlanBaker {
 public:
  PlanBaker(const Variant& variant, const PreparationConfig& config)
      : plan_(proven_plan(variant, config)) {}

  std::string text_for(const ManifestSummary& manifest);
  const std::string& digest() const { return digest_; }
  const std::vector<std::string>& notes() const { return plan_.notes; }

 private:
  ReductionPlan plan_;
  std::string digest_;
};

// Notes on standard error; identity and plan digest on standard output.
Outcome report_written(const PreparationConfig& config, const WriteResult& result,
                       const PlanBaker& baker);

}  // namespace kimi3
