#include "runtime/plan/plan_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kimi3/error.h"
#include "runtime/plan/fields.h"
#include "runtime/plan/plan_writer.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();

PlannedSwitches bind_switches(const Value& value) {
  const Fields fields(value, {"prefill_dma_rows", "prefill_dma_bf16"});
  return {fields.required("prefill_dma_rows").integer(0, kMaxInteger),
          fields.required("prefill_dma_bf16").boolean()};
}

PlannedChannel bind_channel(std::string name, const Value& value) {
  const Fields fields(value,
                      {"algorithm", "arithmetic", "wire_mode", "max_rows", "bytes_per_rank"});
  PlannedChannel channel{
      .name = std::move(name),
      .algorithm = fields.required("algorithm").word(kAlgorithms),
      .arithmetic = fields.required("arithmetic").word(kArithmetics),
      .max_rows = fields.required("max_rows").integer(1, kMaxInteger),
      .bytes_per_rank = fields.required("bytes_per_rank").integer(0, kMaxInteger)};
  if (channel.algorithm == Algorithm::kDmaRing) {
    channel.wire_mode = fields.required("wire_mode").constant("off");
  } else if (const auto wire_mode = fields.optional("wire_mode")) {
    throw malformed_at(wire_mode->where(), fmt::format("{} is a ring's alone", wire_mode->path()));
  }
  return channel;
}

std::vector<PlannedChannel> bind_channels(const Value& value) {
  const Fields fields(value, {"regular", "prefill", "prefill_ring"});
  std::vector<PlannedChannel> channels;
  for (const char* name : {"regular", "prefill", "prefill_ring"}) {
    if (const auto channel = fields.optional(name)) {
      channels.push_back(bind_channel(name, *channel));
    }
  }
  return channels;
}

PlannedSchedule bind_schedule(const Value& value) {
  const Fields fields(value, {"id", "channel", "pieces", "digest"});
  return {fields.required("id").name(), fields.required("channel").string(),
          fields.required("pieces").integer(1, 8), fields.required("digest").digest()};
}

PlannedReduction bind_reduction(const Value& value) {
  const Fields fields(value, {"site", "cols", "calls", "schedule"});
  return {fields.required("site").name(), fields.required("cols").integer(1, kMaxInteger),
          fields.required("calls").integer(1, kMaxInteger), fields.required("schedule").name()};
}

PlannedGraph bind_graph(const Value& value) {
  const Fields fields(value, {"id", "mode", "rows", "channel", "reason", "reductions"});
  PlannedGraph graph{.id = fields.required("id").name(),
                     .mode = fields.required("mode").word(kModes),
                     .rows = fields.required("rows").integer(1, kMaxInteger),
                     .channel = fields.required("channel").string(),
                     .reason = fields.required("reason").string()};
  for (const Value& item : fields.required("reductions").items()) {
    graph.reductions.push_back(bind_reduction(item));
  }
  return graph;
}

// Where two texts first differ, as a place in the first.
SourceLocation first_difference(std::string_view text, std::string_view other,
                                const std::string& file) {
  const auto at = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first;
  const auto line = std::count(text.begin(), at, '\n') + 1;
  const auto offset = static_cast<std::size_t>(at - text.begin());
  const std::size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return {file, line, static_cast<std::int64_t>(offset - start) + 1};
}

}  // namespace

ReductionPlan bind_plan(const Document& document) {
  const Fields fields(Value(document),
                      {"schema", "package", "variant", "world_size", "dtype", "switches",
                       "ring_rows", "channels", "schedules", "graphs", "notes", "digest"});
  fields.required("schema").constant(kPlanSchema);
  ReductionPlan plan{.package = fields.required("package").digest(),
                     .variant = fields.required("variant").name(),
                     .world_size = fields.required("world_size").integer(2, 64),
                     .dtype = fields.required("dtype").word(kDTypes),
                     .switches = bind_switches(fields.required("switches")),
                     .ring_rows = fields.required("ring_rows").integer(0, kMaxInteger),
                     .channels = bind_channels(fields.required("channels"))};
  for (const Value& item : fields.required("schedules").items()) {
    plan.schedules.push_back(bind_schedule(item));
  }
  for (const Value& item : fields.required("graphs").items()) {
    plan.graphs.push_back(bind_graph(item));
  }
  for (const Value& item : fields.required("notes").items()) {
    plan.notes.push_back(item.string());
  }
  plan.digest = fields.required("digest").digest();
  return plan;
}

ReductionPlan read_plan(std::string_view text, const std::string& file) {
  ReductionPlan plan = bind_plan(read_yaml(text, file));
  const std::string computed = plan_digest(text);
  if (plan.digest != computed) {
    throw mismatch(fmt::format("{}: the digest line says {}, the bytes before it have {}", file,
                               plan.digest, computed),
                   "the plan was changed after it was baked: bake it again");
  }
  const std::string canonical = write_plan(plan);
  if (text != canonical) {
    throw malformed_at(first_difference(text, canonical, file),
                       "a plan has one spelling, and this is another",
                       "plans are not edited by hand: bake it again");
  }
  return plan;
}

}  // namespace kimi3
