// A reduction plan (kimi3.reduction-plan/1), as the package holds it; docs/formats.md describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kimi3/vocabulary.h"

namespace kimi3 {

// One reduction instance with its buffers, shared by all graphs that use it.
struct PlannedChannel {
  std::string name;  // regular, prefill or prefill_ring
  Algorithm algorithm{};
  Arithmetic arithmetic{};
  std::optional<std::string> wire_mode;  // rings only, and always "off": the wire is lossless
  std::int64_t max_rows = 0;             // the largest capacity that uses the channel
  std::int64_t bytes_per_rank = 0;       // slots and flags of the largest shape, on each rank
};

// A proven schedule; `digest` is schedule_digest of what the runtime must generate for it.
struct PlannedSchedule {
  std::string id;
  std::string channel;
  std::int64_t pieces = 1;
  std::string digest;
};

struct PlannedReduction {
  std::string site;
  std::int64_t cols = 0;
  std::int64_t calls = 0;  // per run of the graph
  std::string schedule;    // a PlannedSchedule's id
};

struct PlannedGraph {
  std::string id;  // MODE-ROWS
  Mode mode{};
  std::int64_t rows = 0;
  std::string channel;
  std::string reason;
  std::vector<PlannedReduction> reductions;
};

struct PlannedSwitches {
  std::int64_t prefill_dma_rows = 0;
  bool prefill_dma_bf16 = false;
};

struct ReductionPlan {
  std::string package;  // the identity that it was baked for
  std::string variant;
  std::int64_t world_size = 0;
  DType dtype{};
  PlannedSwitches switches;
  std::int64_t ring_rows = 0;  // 0: the ring is inert
  std::vector<PlannedChannel> channels;
  std::vector<PlannedSchedule> schedules;
  std::vector<PlannedGraph> graphs;
  std::vector<std::string> notes;
  std::string digest;  // over the file's bytes before its last line
};

}  // namespace kimi3
