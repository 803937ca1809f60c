// How a payload is cut into shards and pieces; what the generators are written in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

struct Geometry {
  Arithmetic arithmetic{};
  int world = 0;
  int pieces = 1;
  std::int64_t elements = 0;
  std::int64_t shard_elements = 0;
  std::vector<int> order;

  std::int64_t piece_elements() const { return shard_elements / pieces; }
  // Elements of shard `shard` that exist: a short payload leaves the last shards short or empty.
  std::int64_t shard_begin(int shard) const { return std::min(elements, shard * shard_elements); }
  std::int64_t shard_count(int shard) const {
    return std::min(elements, (shard + 1) * shard_elements) - shard_begin(shard);
  }
};

// The generators: pure functions from a geometry, which they trust, to every rank's program.
Schedule build_two_shot(const Geometry& geometry);
Schedule build_ring(const Geometry& geometry);

// Appends steps and edges to one rank's program; a step is named by what it returns.
class ProgramBuilder {
 public:
  struct StepName {
    Lane lane{};
    std::int32_t index = 0;
  };

  ProgramBuilder(RankProgram& program, int rank) : program_(program), rank_(rank) {}

  StepName put(const Region& source, const Region& dst) {
    return append(Lane::kCopy, {.kind = StepKind::kPut, .dst = dst}, {&source, 1});
  }
  StepName signal(Lane lane, int peer, int flag) {
    return append(lane, {.kind = StepKind::kSignal, .flag_rank = peer, .flag = flag}, {});
  }
  StepName wait(int flag) {
    return append(Lane::kCompute, {.kind = StepKind::kWait, .flag_rank = rank_, .flag = flag}, {});
  }
  StepName add(const Region& dst, std::span<const Region> sources) {
    return append(Lane::kCompute, {.kind = StepKind::kAdd, .dst = dst}, sources);
  }
  StepName move(const Region& source, const Region& dst) {
    return append(Lane::kCompute, {.kind = StepKind::kMove, .dst = dst}, {&source, 1});
  }

  void order(StepName before, StepName after) {
    program_.edges.push_back({before.lane, before.index, after.lane, after.index, false});
  }
  // The call's start, where the caller has written its input, comes before `after`.
  void after_entry(StepName after) {
    program_.edges.push_back({Lane::kCompute, Edge::kEntry, after.lane, after.index, false});
  }
  // The call ends only when all of `lane` is done.
  void join(Lane lane, bool structural) {
    const auto last = static_cast<std::int32_t>(program_.lane(lane).size()) - 1;
    const auto end = static_cast<std::int32_t>(program_.lane(Lane::kCompute).size());
    program_.edges.push_back({lane, last, Lane::kCompute, end, structural});
  }

 private:
  StepName append(Lane lane, Step step, std::span<const Region> operands) {
    step.first_operand = static_cast<std::int32_t>(program_.operands.size());
    step.operand_count = static_cast<std::int32_t>(operands.size());
    program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
    std::vector<Step>& steps = program_.lane(lane);
    steps.push_back(step);
    return {lane, static_cast<std::int32_t>(steps.size()) - 1};
  }

  RankProgram& program_;
  int rank_;
};

}  // namespace kimi3
