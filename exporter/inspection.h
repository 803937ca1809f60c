// A plan in words and numbers, for people.
#pragma once

#include <string>

#include "kimi3/plan.h"

namespace kimi3 {

// The package, its switches, its channels, and one line a graph. `only_graph` empty shows all, else
// that graph with a line for each of its reductions; throws kMalformed for an unknown one.
std::string inspect_text(const ReductionPlan& plan, const std::string& only_graph = {});

// The graph with this id; throws kMalformed, with the nearest id as a hint, where there is none.
const PlannedGraph& require_graph(const ReductionPlan& plan, const std::string& id);

}  // namespace kimi3
