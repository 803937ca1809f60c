// How a refusal reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/schedule/proof.h"

namespace kimi3::proof {

// "put (rank 2, copy step 14, call 1)", "the caller's read (rank 0, end of compute, call 3)"
std::string describe(const StepReference& step);
// "bytes 0..1024 of slot 3 of rank 1": the first byte, and the first that follows
std::string describe(const Region& region);
// "slot 3 of rank 1"
std::string describe_buffer(const Region& region);

// With "PROPERTY: " before the message and, where the buffers matter, which they are after it.
Refusal refusal(Property property, std::string_view message,
                const std::optional<StepReference>& first = {},
                const std::optional<StepReference>& second = {},
                std::optional<CallerBuffers> buffers = {});

}  // namespace kimi3::proof
