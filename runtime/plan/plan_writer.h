// The one text of a plan. Equal plans have equal bytes, and the reader refuses any other spelling.
#pragma once

#include <string>
#include <string_view>

#include "kimi3/plan.h"

namespace kimi3 {

inline constexpr std::string_view kPlanSchema = "kimi3.reduction-plan/1";

// The whole file, its digest line computed; plan.digest is not looked at.
std::string write_plan(const ReductionPlan& plan);

// The digest of a plan's text: SHA-256, as "sha256:…", of every byte before the last line.
std::string plan_digest(std::string_view text);

}  // namespace kimi3
