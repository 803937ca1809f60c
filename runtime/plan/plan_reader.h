// Reads a plan: its form, its digest, and that it is spelt as write_plan spells it.
#pragma once

#include <string>
#include <string_view>

#include "kimi3/plan.h"
#include "runtime/plan/document.h"

namespace kimi3 {

// What the JSON Schema can say: keys, kinds and ranges. Throws kMalformed, with the place.
ReductionPlan bind_plan(const Document& document);

// `text` is the whole file, `file` how the user named it. Throws kMalformed, with the place, for a
// text that is no plan or is spelt otherwise, and kMismatch where the digest is not the text's.
// Whether the plan's parts fit each other is check_plan's to say.
ReductionPlan read_plan(std::string_view text, const std::string& file);

}  // namespace kimi3
