#include <fmt/format.h>

#include <chrono>
#include <string>

#include "exporter/commands/command.h"
#include "exporter/plan_source.h"
#include "exporter/text_table.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/proof.h"

namespace kimi3 {
namespace {

using Clock = std::chrono::steady_clock;

ArgumentForm form() {
  return {
      .command = "prove",
      .usage = "PACKAGE|PLAN",
      .description =
          "Proves every schedule of a baked plan again, for each shape that the plan runs it\n"
          "with: three calls back to back, for every interleaving, with one pair of buffers, two\n"
          "in turn and in place. docs/schedules.md says what is proven.",
      .examples = "  kimi3-export prove k31-tp8\n",
      .positionals = {"PACKAGE|PLAN"}};
}

// What the proofs of one schedule add up to, over the shapes that share it.
struct Total {
  int shapes = 0;
  std::int64_t steps = 0;
  std::int64_t ordered_pairs = 0;
  double milliseconds = 0;
  std::vector<std::string> refusals;
};

Total prove_schedule(const ReductionPlan& plan, const PlannedSchedule& schedule) {
  Total total;
  for (const PlanShape& shape : distinct_shapes(plan)) {
    if (shape.reduction->schedule != schedule.id) continue;
    const Schedule generated = make_schedule(shape.request);
    const auto start = Clock::now();
    const ProofResult result = prove(generated);
    total.milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    ++total.shapes;
    total.steps += result.steps;
    total.ordered_pairs += result.ordered_pairs;
    if (result.proven()) continue;
    total.refusals.push_back(fmt::format("{}: graph {}, site {}: {}", schedule.id, shape.graph->id,
                                         shape.reduction->site, result.refusal->message));
  }
  return total;
}

}  // namespace

Outcome run_prove(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const ReductionPlan plan = read_plan_source(arguments.text("PACKAGE|PLAN")).plan;
  TextTable table({{"schedule"},
                   {"arithmetic"},
                   {"world", Align::kRight},
                   {"pieces", Align::kRight},
                   {"shapes", Align::kRight},
                   {"steps", Align::kRight},
                   {"ordered pairs", Align::kRight},
                   {"time (ms)", Align::kRight},
                   {"result"}});
  std::string refusals;
  for (const PlannedSchedule& schedule : plan.schedules) {
    const Total total = prove_schedule(plan, schedule);
    const PlannedChannel& channel = *find_channel(plan, schedule.channel);
    table.add_row({schedule.id, std::string(to_string(scheduled_arithmetic(channel.arithmetic))),
                   std::to_string(plan.world_size), std::to_string(schedule.pieces),
                   std::to_string(total.shapes), std::to_string(total.steps),
                   std::to_string(total.ordered_pairs), fmt::format("{:.2f}", total.milliseconds),
                   total.refusals.empty() ? "proven" : "refused"});
    for (const std::string& refusal : total.refusals) refusals += refusal + '\n';
  }
  print_result(table.render() + refusals);
  return refusals.empty() ? Outcome::kHolds : Outcome::kDoesNotHold;
}

}  // namespace kimi3
