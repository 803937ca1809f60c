// What a plain scalar of YAML means to the formats.
#pragma once

#include <string_view>

#include "runtime/plan/document.h"

namespace kimi3 {

// The kind of an unquoted scalar: kNull, kBoolean, kInteger, kNumber or kString. A number is
// whatever a reader of YAML 1.1 or of the core schema of YAML 1.2 takes for one, so that no other
// program reads a value of ours that we read as text. `no`, `yes` and `True` are strings.
NodeKind classify_plain_scalar(std::string_view text);

}  // namespace kimi3
