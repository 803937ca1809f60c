// The runtime that a server embeds: it loads a package, checks that the package's reduction plan is
// what this build would run, and reduces.
//
//   kimi3::Runtime runtime = kimi3::Runtime::load("k31-tp8", {.identity = "sha256:…"});
//   kimi3::Reducer& reducer = runtime.reducer("prefill-3072", "attention_output");
//   reducer.reduce(inputs, outputs);
//
// Errors are kimi3::Error. Everything that can be wrong with a package is found by load(); after
// it, a reduction fails only where it is called wrongly.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kimi3/bfloat16.h"
#include "kimi3/error.h"
#include "kimi3/plan.h"

namespace kimi3 {

struct LoadOptions {
  // The package that is expected, as `kimi3-export identity` prints it. Another one is refused.
  std::optional<std::string> identity;
  // Threads that reduce, the caller's among them; 0: one for each core that the process may use.
  int workers = 0;
};
inline constexpr int kMaxWorkers = 1024;

// One all-reduce of one graph, at the graph's capacity. Belongs to a Runtime, and lives as long.
class Reducer {
 public:
  const std::string& graph() const;  // the graph's id, as in prefill-3072
  Mode mode() const;
  const std::string& site() const;
  std::int64_t rows() const;  // the graph's capacity
  std::int64_t cols() const;
  std::int64_t elements() const { return rows() * cols(); }
  const std::string& channel() const;
  Algorithm algorithm() const;
  // What this backend computes: never kBackendDefined. On the host, and so here, kRegular is
  // kFp32RankOrder.
  Arithmetic arithmetic() const;
  std::int64_t pieces() const;

  // Adds up the inputs of all ranks, element by element, and leaves the sum, the same bits, in
  // every output. inputs[r] and outputs[r] belong to rank r; each has elements() elements, the row
  // being what is padded, in host memory of any alignment. outputs[r] may be inputs[r], exactly;
  // beyond that no output may share a byte with another buffer. Inputs may.
  //
  // Blocks until every output is written. May be called from any thread, but Reducers that share a
  // channel share its buffers: one call at a time. A second one is refused while the first runs,
  // and changes nothing; Reducers of different channels run at once. Allocates nothing and takes no
  // lock. Neither reads nor leaves changed the calling thread's floating-point modes.
  //
  // Throws kMalformed, before anything is written, for another number of ranks than the plan's
  // world size, a buffer of another size, buffers that overlap, a channel in use, or a ring outside
  // prefill.
  void reduce(std::span<const std::span<const bfloat16>> inputs,
              std::span<const std::span<bfloat16>> outputs);

 private:
  friend class Runtime;
  struct Binding;
  explicit Reducer(const Binding* binding) : binding_(binding) {}
  const Binding* binding_;
};

// A loaded package. Safe to share between threads as far as its Reducers are.
class Runtime {
 public:
  // Opens the package in directory `package`, all of whose ranks this process owns. Reads its
  // manifest and its plan; hashes no artifact (`kimi3-export verify` does).
  // Throws kMalformed for what is no package or no plan, kMismatch where the identity is not the
  // expected one, the plan was baked for another package, or this build generates other schedules
  // than were proven, and kMachine where the machine fails. Nothing is started before all is
  // checked.
  static Runtime load(const std::string& package, const LoadOptions& options = {});

  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  ~Runtime();

  const ReductionPlan& plan() const;

  // In the order of the plan: by graph, then by site.
  std::span<Reducer> reducers();
  // Those of one graph, and one of them; kMalformed, with the nearest name, where there is none.
  std::span<Reducer> reducers(std::string_view graph);
  Reducer& reducer(std::string_view graph, std::string_view site);

 private:
  friend Runtime start_runtime(ReductionPlan plan, const LoadOptions& options);
  struct State;
  explicit Runtime(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kimi3
