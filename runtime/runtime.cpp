#include "kimi3/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <vector>

#include "runtime/backend/host/executor.h"
#include "runtime/loader.h"
#include "runtime/plan/text.h"
#include "runtime/reduction_buffers.h"
#include "runtime/schedule/plan_check.h"
#include "runtime/schedule/plan_shapes.h"

namespace kimi3 {
namespace {

// Holds a channel for one call, or says that another call has it.
class ChannelLease {
 public:
  explicit ChannelLease(std::atomic<bool>& in_use)
      : in_use_(in_use), taken_(!in_use.exchange(true, std::memory_order_acquire)) {}
  ~ChannelLease() {
    if (taken_) in_use_.store(false, std::memory_order_release);
  }
  ChannelLease(const ChannelLease&) = delete;
  ChannelLease& operator=(const ChannelLease&) = delete;

  bool taken() const { return taken_; }

 private:
  std::atomic<bool>& in_use_;
  bool taken_;
};

int checked_workers(int workers) {
  if (workers >= 0 && workers <= kMaxWorkers) return workers;
  throw malformed(fmt::format("workers is {}: it is 0 to {}", workers, kMaxWorkers));
}

[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name,
                                 const std::vector<std::string_view>& known) {
  const auto nearest = nearest_name(name, known);
  throw malformed(fmt::format("{} {} is not in the plan", what, kimi3::quoted(name)),
                  nearest ? fmt::format("there is {}", kimi3::quoted(*nearest)) : "");
}

}  // namespace

// What one Reducer is, in the plan and in the backend.
struct Reducer::Binding {
  const ReductionPlan& plan;
  const PlannedGraph& graph;
  const PlannedReduction& reduction;
  const PlannedChannel& channel;
  const PlannedSchedule& schedule;
  host::Executor& executor;
  const host::SumPlan& sums;
  std::atomic<bool>& channel_in_use;
  int channel_index = 0;
  std::string where;  // for messages
};

// What a Runtime keeps. Reducers point into it, so it never moves.
struct Runtime::State {
  State(ReductionPlan checked_plan, int workers)
      : plan(std::move(checked_plan)),
        executor(workers, static_cast<int>(plan.channels.size())),
        channels_in_use(plan.channels.size()) {
    for (const PlannedSchedule& schedule : plan.schedules) find_sums(schedule);
    for (const PlannedGraph& graph : plan.graphs) {
      for (const PlannedReduction& reduction : graph.reductions) bind(graph, reduction);
    }
  }

  void find_sums(const PlannedSchedule& schedule) {
    const PlannedChannel& channel = *find_channel(plan, schedule.channel);
    sums.try_emplace(schedule.id, channel.algorithm, scheduled_arithmetic(channel.arithmetic),
                     static_cast<int>(plan.world_size), static_cast<int>(schedule.pieces));
  }

  void bind(const PlannedGraph& graph, const PlannedReduction& reduction) {
    const PlannedChannel& channel = *find_channel(plan, graph.channel);
    const auto index = &channel - plan.channels.data();
    bindings.push_back({.plan = plan,
                        .graph = graph,
                        .reduction = reduction,
                        .channel = channel,
                        .schedule = *find_schedule(plan, reduction.schedule),
                        .executor = executor,
                        .sums = sums.at(reduction.schedule),
                        .channel_in_use = channels_in_use[static_cast<std::size_t>(index)],
                        .channel_index = static_cast<int>(index),
                        .where = fmt::format("graph {}, site {}", graph.id, reduction.site)});
    reducers.push_back(Reducer(&bindings.back()));
  }

  ReductionPlan plan;
  host::Executor executor;
  std::vector<std::atomic<bool>> channels_in_use;
  std::map<std::string_view, host::SumPlan> sums;  // by schedule id
  std::deque<Reducer::Binding> bindings;
  std::vector<Reducer> reducers;
};

const std::string& Reducer::graph() const { return binding_->graph.id; }
Mode Reducer::mode() const { return binding_->graph.mode; }
const std::string& Reducer::site() const { return binding_->reduction.site; }
std::int64_t Reducer::rows() const { return binding_->graph.rows; }
std::int64_t Reducer::cols() const { return binding_->reduction.cols; }
const std::string& Reducer::channel() const { return binding_->channel.name; }
Algorithm Reducer::algorithm() const { return binding_->channel.algorithm; }
Arithmetic Reducer::arithmetic() const {
  return scheduled_arithmetic(binding_->channel.arithmetic);
}
std::int64_t Reducer::pieces() const { return binding_->schedule.pieces; }

void Reducer::reduce(std::span<const std::span<const bfloat16>> inputs,
                     std::span<const std::span<bfloat16>> outputs) {
  const Binding& binding = *binding_;
  if (algorithm() == Algorithm::kDmaRing) require_prefill(binding.graph, binding.where);
  check_buffers({static_cast<int>(binding.plan.world_size), rows(), cols()}, inputs, outputs,
                binding.where);
  const ChannelLease lease(binding.channel_in_use);
  if (!lease.taken()) {
    throw malformed(
        fmt::format("{}: channel {} is in use by another thread", binding.where, channel()),
        "reductions that share a channel share its buffers: one at a time");
  }
  binding.executor.reduce(binding.channel_index, binding.sums, inputs, outputs);
}

Runtime start_runtime(ReductionPlan plan, const LoadOptions& options) {
  return Runtime(
      std::make_unique<Runtime::State>(std::move(plan), checked_workers(options.workers)));
}

Runtime::Runtime(std::unique_ptr<State> state) : state_(std::move(state)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

const ReductionPlan& Runtime::plan() const { return state_->plan; }

std::span<Reducer> Runtime::reducers() { return state_->reducers; }

std::span<Reducer> Runtime::reducers(std::string_view graph) {
  if (find_graph(state_->plan, graph) == nullptr) {
    std::vector<std::string_view> known;
    for (const PlannedGraph& planned : state_->plan.graphs) known.push_back(planned.id);
    refuse_unknown("graph", graph, known);
  }
  const auto of_graph = [&](const Reducer& reducer) { return reducer.graph() == graph; };
  const auto first = std::find_if(state_->reducers.begin(), state_->reducers.end(), of_graph);
  return {first, std::find_if_not(first, state_->reducers.end(), of_graph)};
}

Reducer& Runtime::reducer(std::string_view graph, std::string_view site) {
  std::vector<std::string_view> known;
  for (Reducer& reducer : reducers(graph)) {
    if (reducer.site() == site) return reducer;
    known.push_back(reducer.site());
  }
  refuse_unknown(fmt::format("graph {}: site", graph), site, known);
}

}  // namespace kimi3
