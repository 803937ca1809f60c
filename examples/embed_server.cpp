// How a server embeds the runtime: load the package once, reduce in a loop. This one owns all
// ranks, so it runs on any machine.
//
//   embed_server PACKAGE GRAPH [STEPS]
#include <kimi3/runtime.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

using Payload = std::vector<kimi3::bfloat16>;

// Stands for the layer whose partial results the ranks hold.
void compute_partials(std::vector<Payload>& partials, int step) {
  for (std::size_t rank = 0; rank < partials.size(); ++rank) {
    const auto value = kimi3::round_to_bfloat16(static_cast<float>(step % 8) + 1.0F);
    for (kimi3::bfloat16& element : partials[rank]) element = value;
  }
}

void serve(const std::string& package, const std::string& graph, int steps) {
  kimi3::Runtime runtime = kimi3::Runtime::load(package, {});
  const auto world = static_cast<std::size_t>(runtime.plan().world_size);

  for (kimi3::Reducer& reducer : runtime.reducers(graph)) {
    // Buffers are made once, as large as the graph's capacity, and reused. The reduction is in
    // place.
    std::vector<Payload> partials(world, Payload(static_cast<std::size_t>(reducer.elements())));
    std::vector<std::span<const kimi3::bfloat16>> inputs(partials.begin(), partials.end());
    std::vector<std::span<kimi3::bfloat16>> outputs(partials.begin(), partials.end());
    for (int step = 0; step < steps; ++step) {
      compute_partials(partials, step);
      reducer.reduce(inputs, outputs);
    }
    std::cout << graph << ' ' << reducer.site() << ": " << steps << " reductions of "
              << reducer.rows() << " x " << reducer.cols() << ", first element "
              << kimi3::to_float(partials[0][0]) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: embed_server PACKAGE GRAPH [STEPS]\n";
    return 2;
  }
  try {
    serve(argv[1], argv[2], argc == 4 ? std::atoi(argv[3]) : 10);
    return 0;
  } catch (const kimi3::Error& error) {
    std::cerr << "embed_server: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    std::cerr << "embed_server: " << error.what() << '\n';
    return 3;
  }
}
