// What the proof costs on one core: nanoseconds a step for worlds 2 to 32, and milliseconds for
// every shape of the example variant's plan.
//
// A proof goes through the steps of a call three times, for three calls, each time with three
// arrangements of the caller's buffers. Time a step is the time of the whole proof over the steps
// of its three calls.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exporter/planning.h"
#include "exporter/preparation.h"
#include "exporter/variant.h"
#include "kimi3/error.h"
#include "runtime/plan/yaml_reader.h"
#include "runtime/schedule/plan_shapes.h"
#include "runtime/schedule/proof.h"
#include "runtime/schedule/schedule.h"

namespace kimi3 {
namespace {

constexpr int kSamples = 15;
constexpr double kSampleNanoseconds = 5e6;

double processor_nanoseconds() {
  return static_cast<double>(std::clock()) * (1e9 / static_cast<double>(CLOCKS_PER_SEC));
}

// The least of several samples of processor time, each of as many runs as it takes to be measured
// well: what the work takes, whatever else the machine does.
template <typename Work>
double best_nanoseconds(Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int sample = 0; sample < kSamples; ++sample) {
    const double start = processor_nanoseconds();
    double taken = 0;
    int runs = 0;
    for (; taken < kSampleNanoseconds; ++runs) {
      work();
      taken = processor_nanoseconds() - start;
    }
    best = std::min(best, taken / runs);
  }
  return best;
}

ProofResult require_proof(const Schedule& schedule) {
  ProofResult result = prove(schedule);
  if (!result.proven()) throw mismatch(result.refusal->message);
  return result;
}

nlohmann::json measure_world(Arithmetic arithmetic, int world) {
  const bool ring = arithmetic != Arithmetic::kFp32RankOrder;
  const int pieces = ring ? 2 : 1;
  const Schedule schedule = make_schedule({ring ? Algorithm::kDmaRing : Algorithm::kTwoShot,
                                           arithmetic,
                                           world,
                                           pieces,
                                           std::int64_t{8} * world * pieces * 1000,
                                           {}});
  const ProofResult result = require_proof(schedule);
  const double nanoseconds = best_nanoseconds([&] { require_proof(schedule); });
  return {{"algorithm", to_string(schedule.algorithm)},
          {"arithmetic", to_string(arithmetic)},
          {"world", world},
          {"pieces", pieces},
          {"steps", result.steps},
          {"ordered_pairs", result.ordered_pairs},
          {"time_us", nanoseconds / 1e3},
          {"ns_per_step", nanoseconds / static_cast<double>(result.steps * kProvenCalls)}};
}

// Proves a plan as export does: schedules are generated, and every shape is proven once.
nlohmann::json measure_example_plan() {
  const Variant variant = read_variant(read_yaml_file(KIMI3_EXAMPLE_VARIANT));
  const PreparationConfig config =
      prepare_variant(variant, {{std::string(kRowsSwitch), std::to_string(variant.prefill.chunk)}});
  const ReductionPlan plan = plan_reductions(variant, config, {});
  const std::vector<PlanShape> shapes = distinct_shapes(plan);
  const double nanoseconds = best_nanoseconds([&] {
    Prover prover;
    for (const PlanShape& shape : shapes) prover.prove(shape.request);
  });
  return {{"variant", variant.name}, {"shapes", shapes.size()}, {"time_ms", nanoseconds / 1e6}};
}

void run(const std::filesystem::path& output_file) {
  nlohmann::json results = nlohmann::json::array();
  nlohmann::json ratios;
  for (const int world : {2, 4, 8, 16, 32}) {
    double worst = 0;
    for (const Arithmetic arithmetic :
         {Arithmetic::kBf16HopSum, Arithmetic::kFp32OwnerPacket, Arithmetic::kFp32RankOrder}) {
      results.push_back(measure_world(arithmetic, world));
      const nlohmann::json& row = results.back();
      worst = std::max(worst, row["ns_per_step"].get<double>());
      fmt::print("{:<9} {:<18} world {:>2} pieces {}: {:>6} steps {:>9.1f} us {:>6.1f} ns/step\n",
                 row["algorithm"].get<std::string>(), row["arithmetic"].get<std::string>(), world,
                 row["pieces"].get<int>(), row["steps"].get<int>(), row["time_us"].get<double>(),
                 row["ns_per_step"].get<double>());
    }
    ratios[fmt::format("ns_per_step_world{}", world)] = worst;
  }
  const nlohmann::json plan = measure_example_plan();
  ratios["example_plan_ms"] = plan["time_ms"];
  fmt::print("{} shapes of {}: {:.2f} ms\n", plan["shapes"].get<int>(),
             plan["variant"].get<std::string>(), plan["time_ms"].get<double>());
  if (output_file.has_parent_path()) std::filesystem::create_directories(output_file.parent_path());
  std::ofstream output(output_file);
  output << nlohmann::json{{"results", results}, {"plan", plan}, {"ratios", ratios}}.dump(2)
         << '\n';
  output.close();
  if (!output) throw machine_failure(fmt::format("cannot write '{}'", output_file.string()));
}

}  // namespace
}  // namespace kimi3

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: proof_bench OUT.json\n");
    return static_cast<int>(kimi3::ErrorKind::kMalformed);
  }
  try {
    kimi3::run(argv[1]);
    return EXIT_SUCCESS;
  } catch (const kimi3::Error& error) {
    fmt::print(stderr, "proof_bench: error: {}\n", error.what());
    return static_cast<int>(error.kind());
  }
}
