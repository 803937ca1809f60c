#include <fmt/format.h>

#include <array>

#include "exporter/commands/command.h"
#include "exporter/inspection.h"
#include "exporter/reduction_trial.h"
#include "kimi3/error.h"
#include "kimi3/runtime.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;

constexpr std::array<std::string_view, 2> kBackends{"host", "cuda"};
constexpr std::array<std::string_view, 2> kFormats{"text", "json"};
constexpr std::int64_t kMaxIterations = 1'000'000;

ArgumentForm form() {
  ArgumentForm form{
      .command = "run",
      .usage = "PACKAGE [--graph ID] [--data KIND] [OPTIONS]",
      .description =
          "Executes the baked reductions through the runtime's loader, all ranks in this process,\n"
          "and compares every element on every rank with the oracle. RMS is the error over that "
          "of\n"
          "rounding the exact sum once. Exit status 1 if an element is wrong or ranks differ.",
      .examples =
          "  kimi3-export run k31-tp8 --graph prefill-3072\n"
          "  kimi3-export run k31-tp8 --data cancelling --format json\n",
      .positionals = {"PACKAGE"}};
  const auto option = [&](const char* name, const char* value, const char* fallback,
                          const char* text) {
    form.options.add_options()(
        name, po::value<std::string>()->value_name(value)->default_value(fallback), text);
  };
  option("backend", "NAME", "host", "host or cuda");
  form.options.add_options()("graph", po::value<std::string>()->value_name("ID"),
                             "this graph alone; the default is all");
  option("data", "KIND", "random", "random, heavy-tailed, cancelling or integer");
  option("seed", "N", "1", "of the data");
  option("iterations", "N", "5", "timed calls of each reduction; the median is shown");
  option("format", "FORMAT", "text", "text or json");
  return form;
}

DataKind data_option(const Arguments& arguments) {
  std::vector<std::string_view> words;
  for (const DataKind kind : kDataKinds) words.push_back(to_string(kind));
  return *parse_word(kDataKinds, word_option(arguments, "data", words));
}

TrialOptions trial_options(const Arguments& arguments) {
  return {
      .data = data_option(arguments),
      .seed = static_cast<std::uint64_t>(integer_option(arguments, "seed", 0, INT64_MAX)),
      .iterations = static_cast<int>(integer_option(arguments, "iterations", 1, kMaxIterations))};
}

}  // namespace

Outcome run_run(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const std::string format = word_option(arguments, "format", kFormats);
  const TrialOptions options = trial_options(arguments);
  if (word_option(arguments, "backend", kBackends) == "cuda") {
    throw machine_failure("this build has no CUDA backend", "--backend host runs anywhere");
  }
  Runtime runtime = Runtime::load(arguments.text("PACKAGE"), {});
  if (arguments.has("graph")) require_graph(runtime.plan(), arguments.text("graph"));
  ReductionTrials trials(static_cast<int>(runtime.plan().world_size), options);
  std::vector<TrialResult> results;
  for (Reducer& reducer : runtime.reducers()) {
    if (arguments.has("graph") && reducer.graph() != arguments.text("graph")) continue;
    results.push_back(trials.run(reducer));
  }
  print_result(format == "text" ? trials_as_text(results) : trials_as_json(results));
  for (const TrialResult& result : results) {
    if (!result.holds()) return Outcome::kDoesNotHold;
  }
  return Outcome::kHolds;
}

}  // namespace kimi3
