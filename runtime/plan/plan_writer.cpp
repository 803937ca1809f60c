#include "runtime/plan/plan_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "runtime/plan/sha256.h"
#include "runtime/plan/yaml_quoting.h"

namespace kimi3 {
namespace {

using Out = std::back_insert_iterator<std::string>;

void write_header(Out out, const ReductionPlan& plan) {
  fmt::format_to(out,
                 "schema: {}\npackage: {}\nvariant: {}\nworld_size: {}\ndtype: {}\n"
                 "switches: {{prefill_dma_rows: {}, prefill_dma_bf16: {}}}\nring_rows: {}\n",
                 kPlanSchema, plan.package, yaml_quoted(plan.variant), plan.world_size,
                 to_string(plan.dtype), plan.switches.prefill_dma_rows,
                 plan.switches.prefill_dma_bf16, plan.ring_rows);
}

void write_channels(Out out, const ReductionPlan& plan) {
  fmt::format_to(out, "channels:\n");
  for (const PlannedChannel& channel : plan.channels) {
    fmt::format_to(out, "  {}: {{algorithm: {}, arithmetic: {}, ", channel.name,
                   to_string(channel.algorithm), to_string(channel.arithmetic));
    // Always quoted: older YAML readers take a plain off for a boolean.
    if (channel.wire_mode) fmt::format_to(out, "wire_mode: \"{}\", ", *channel.wire_mode);
    fmt::format_to(out, "max_rows: {}, bytes_per_rank: {}}}\n", channel.max_rows,
                   channel.bytes_per_rank);
  }
}

void write_schedules(Out out, const ReductionPlan& plan) {
  fmt::format_to(out, "schedules:\n");
  for (const PlannedSchedule& schedule : plan.schedules) {
    fmt::format_to(out, "  - {{id: {}, channel: {}, pieces: {}, digest: {}}}\n", schedule.id,
                   schedule.channel, schedule.pieces, schedule.digest);
  }
}

void write_graph(Out out, const PlannedGraph& graph) {
  fmt::format_to(out, "  - id: {}\n    mode: {}\n    rows: {}\n    channel: {}\n    reason: {}\n",
                 graph.id, to_string(graph.mode), graph.rows, graph.channel,
                 yaml_quoted(graph.reason));
  if (graph.reductions.empty()) {
    fmt::format_to(out, "    reductions: []\n");
    return;
  }
  fmt::format_to(out, "    reductions:\n");
  for (const PlannedReduction& reduction : graph.reductions) {
    fmt::format_to(out, "      - {{site: {}, cols: {}, calls: {}, schedule: {}}}\n",
                   yaml_quoted(reduction.site), reduction.cols, reduction.calls,
                   reduction.schedule);
  }
}

void write_notes(Out out, const ReductionPlan& plan) {
  if (plan.notes.empty()) {
    fmt::format_to(out, "notes: []\n");
    return;
  }
  fmt::format_to(out, "notes:\n");
  for (const std::string& note : plan.notes) fmt::format_to(out, "  - {}\n", yaml_quoted(note));
}

}  // namespace

std::string plan_digest(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t last_line = text.rfind('\n') + 1;  // npos + 1 is 0: a file of one line
  return format_digest(sha256_hex(text.substr(0, last_line)));
}

std::string write_plan(const ReductionPlan& plan) {
  std::string text;
  const auto out = std::back_inserter(text);
  write_header(out, plan);
  write_channels(out, plan);
  write_schedules(out, plan);
  fmt::format_to(out, "graphs:\n");
  for (const PlannedGraph& graph : plan.graphs) write_graph(out, graph);
  write_notes(out, plan);
  fmt::format_to(out, "digest: {}\n", format_digest(sha256_hex(text)));
  return text;
}

}  // namespace kimi3
