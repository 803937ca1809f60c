#include "exporter/reduction_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "exporter/text_table.h"
#include "kimi3/error.h"
#include "runtime/numeric/error_metrics.h"
#include "runtime/numeric/oracle.h"

namespace kimi3 {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t payload_bytes(const TrialResult& result) {
  return result.rows * result.cols * static_cast<std::int64_t>(sizeof(bfloat16));
}

void fill_bandwidth(TrialResult& result, int world) {
  result.algbw_gbps = static_cast<double>(payload_bytes(result)) / (result.time_us * 1e3);
  result.busbw_gbps = result.algbw_gbps * 2.0 * (world - 1) / world;
}

}  // namespace

void ReductionTrials::prepare(std::int64_t elements, Arithmetic arithmetic) {
  if (case_.elements != elements) {
    case_.inputs.assign(static_cast<std::size_t>(world_),
                        Payload(static_cast<std::size_t>(elements)));
    const std::vector<std::span<bfloat16>> views(case_.inputs.begin(), case_.inputs.end());
    fill_test_data(options_.data, options_.seed, views);
  } else if (case_.arithmetic == arithmetic) {
    return;
  }
  case_.elements = elements;
  case_.arithmetic = arithmetic;
  case_.expected.resize(static_cast<std::size_t>(elements));
  reduce_oracle(arithmetic, input_views(), case_.expected);
}

std::vector<std::span<const bfloat16>> ReductionTrials::input_views() const {
  return {case_.inputs.begin(), case_.inputs.end()};
}

double ReductionTrials::time_iterations(Reducer& reducer, std::vector<Payload>& outputs) const {
  const std::vector<std::span<const bfloat16>> inputs = input_views();
  const std::vector<std::span<bfloat16>> views(outputs.begin(), outputs.end());
  reducer.reduce(inputs, views);
  std::vector<double> times;
  for (int i = 0; i < options_.iterations; ++i) {
    const auto start = Clock::now();
    reducer.reduce(inputs, views);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

TrialResult ReductionTrials::run(Reducer& reducer) {
  prepare(reducer.elements(), reducer.arithmetic());
  std::vector<Payload> outputs(static_cast<std::size_t>(world_), Payload(case_.expected.size()));
  TrialResult result{.graph = reducer.graph(),
                     .site = reducer.site(),
                     .rows = reducer.rows(),
                     .cols = reducer.cols(),
                     .algorithm = reducer.algorithm(),
                     .arithmetic = reducer.arithmetic(),
                     .pieces = reducer.pieces(),
                     .time_us = time_iterations(reducer, outputs)};
  fill_bandwidth(result, world_);
  for (const Payload& output : outputs) result.wrong += count_wrong(output, case_.expected);
  result.ranks_identical = std::all_of(outputs.begin(), outputs.end(), [&](const Payload& output) {
    return count_wrong(output, outputs.front()) == 0;
  });
  result.rms_ratio = rms_ratio(input_views(), outputs.front());
  return result;
}

std::string trials_as_text(const std::vector<TrialResult>& results) {
  TextTable table({{"graph"},
                   {"site"},
                   {"rows", Align::kRight},
                   {"cols", Align::kRight},
                   {"size (B)", Align::kRight},
                   {"count", Align::kRight},
                   {"type"},
                   {"algorithm"},
                   {"arithmetic"},
                   {"pieces", Align::kRight},
                   {"time (us)", Align::kRight},
                   {"algbw (GB/s)", Align::kRight},
                   {"busbw (GB/s)", Align::kRight},
                   {"#wrong", Align::kRight},
                   {"ranks"},
                   {"RMS", Align::kRight}});
  for (const TrialResult& result : results) {
    table.add_row({result.graph, result.site, std::to_string(result.rows),
                   std::to_string(result.cols), std::to_string(payload_bytes(result)),
                   std::to_string(result.rows * result.cols), "bfloat16",
                   std::string(to_string(result.algorithm)),
                   std::string(to_string(result.arithmetic)), std::to_string(result.pieces),
                   fmt::format("{:.1f}", result.time_us), fmt::format("{:.2f}", result.algbw_gbps),
                   fmt::format("{:.2f}", result.busbw_gbps), std::to_string(result.wrong),
                   result.ranks_identical ? "identical" : "differ",
                   result.rms_ratio ? fmt::format("{:.2f}", *result.rms_ratio) : "-"});
  }
  return table.render();
}

std::string trials_as_json(const std::vector<TrialResult>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TrialResult& result : results) {
    nlohmann::ordered_json entry{{"graph", result.graph},
                                 {"site", result.site},
                                 {"rows", result.rows},
                                 {"cols", result.cols},
                                 {"algorithm", to_string(result.algorithm)},
                                 {"arithmetic", to_string(result.arithmetic)},
                                 {"pieces", result.pieces},
                                 {"time_us", result.time_us},
                                 {"algbw_gbps", result.algbw_gbps},
                                 {"busbw_gbps", result.busbw_gbps},
                                 {"wrong", result.wrong},
                                 {"ranks_identical", result.ranks_identical},
                                 {"rms_ratio", nullptr}};
    if (result.rms_ratio) entry["rms_ratio"] = *result.rms_ratio;
    list.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"results", std::move(list)}}.dump(2) + '\n';
}

}  // namespace kimi3
