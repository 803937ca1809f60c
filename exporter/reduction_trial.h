// Runs a Reducer on test data, times it, and compares what it did with the oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kimi3/runtime.h"
#include "runtime/numeric/test_data.h"

namespace kimi3 {

struct TrialOptions {
  DataKind data = DataKind::kRandom;
  std::uint64_t seed = 1;
  int iterations = 5;  // timed, after one that is not
};

struct TrialResult {
  std::string graph;
  std::string site;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Algorithm algorithm{};
  Arithmetic arithmetic{};
  std::int64_t pieces = 1;
  double time_us = 0;      // median of the iterations
  double algbw_gbps = 0;   // payload bytes over time, 10^9 bytes a second
  double busbw_gbps = 0;   // algbw * 2(N-1)/N, as in nccl-tests
  std::int64_t wrong = 0;  // elements that are not the oracle's, over all ranks
  bool ranks_identical = false;
  std::optional<double> rms_ratio;

  bool holds() const { return wrong == 0 && ranks_identical; }
};

// Trials share what they need of payload and expectation, so that a graph whose sites have one
// shape makes them once.
class ReductionTrials {
 public:
  ReductionTrials(int world, const TrialOptions& options) : world_(world), options_(options) {}

  // Throws kMachine where the payloads of all ranks do not fit the machine's memory.
  TrialResult run(Reducer& reducer);

 private:
  using Payload = std::vector<bfloat16>;
  // The data that the ranks reduce, and the oracle's answer.
  struct Case {
    std::int64_t elements = -1;
    Arithmetic arithmetic{};
    std::vector<Payload> inputs;
    Payload expected;
  };

  void prepare(std::int64_t elements, Arithmetic arithmetic);
  double time_iterations(Reducer& reducer, std::vector<Payload>& outputs) const;
  std::vector<std::span<const bfloat16>> input_views() const;

  int world_;
  TrialOptions options_;
  Case case_;
};

// A table with the columns of nccl-tests, and a JSON document with results[], for `run`.
std::string trials_as_text(const std::vector<TrialResult>& results);
std::string trials_as_json(const std::vector<TrialResult>& results);

}  // namespace kimi3
