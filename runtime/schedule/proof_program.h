// A schedule in the form that the proof walks: a lane is an array of nodes, a region a run of
// cells.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "runtime/schedule/schedule.h"

namespace kimi3::proof {

// Lanes of all ranks in one numbering: rank * kLanes.size() + lane.
using LaneId = std::uint32_t;

constexpr LaneId lane_id(int rank, Lane lane) {
  return static_cast<LaneId>(rank) * static_cast<LaneId>(kLanes.size()) + static_cast<LaneId>(lane);
}

// Flags of all ranks in one numbering; there are flag_number(schedule, schedule.world, 0).
inline std::size_t flag_number(const Schedule& schedule, int rank, int flag) {
  return static_cast<std::size_t>(rank) * static_cast<std::size_t>(schedule.flags) +
         static_cast<std::size_t>(flag);
}

// A cell is a run of bytes that no region cuts: whatever touches one byte of it touches all.
struct CellRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  Space space{};
  Element element{};
};

// What must be complete before a node starts: the node at `position` of `lane` in the same call.
struct Gate {
  LaneId lane = 0;
  std::uint32_t position = 0;
  std::uint32_t node = 0;
  bool ordering = true;  // a structural edge holds a step back, but nothing may rely on it
};

struct Node {
  const Step* step = nullptr;   // none: the start or the end of a call on its lane
  std::uint32_t first_run = 0;  // the dst's; those of the operands follow
  std::uint32_t flag = 0;       // flag_number of a signal's or a wait's
  std::uint32_t first_gate = 0;
  std::uint32_t gate_count = 0;
  std::uint32_t readers = 0;  // how many gates and waits take its clock over
};

// The nodes of one call: its start, the steps, its end.
struct LaneNodes {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// A place where a buffer is to be cut although no region ends there.
struct Cut {
  std::uint32_t buffer = 0;
  std::int64_t byte = 0;
};

// What a walk needs is allocated from one arena: it is gone when the walk is.
using Arena = std::pmr::memory_resource;
template <typename T>
using Array = std::pmr::vector<T>;

struct Program {
  explicit Program(Arena& arena)
      : lanes(&arena),
        nodes(&arena),
        gates(&arena),
        runs(&arena),
        signals(&arena),
        cell_begins(&arena),
        cell_bytes(&arena),
        buffer_cells(&arena),
        payloads(&arena) {}

  Array<LaneNodes> lanes;
  Array<Node> nodes;
  Array<Gate> gates;
  Array<CellRun> runs;
  Array<std::uint32_t> signals;  // of each flag in one call; as many waits

  // Cells are numbered by buffer; a rank's input and output, which may be one, are cut alike and
  // count as one buffer, its payload. All slots come first.
  Array<std::int64_t> cell_begins;  // in bytes of its buffer
  Array<std::int64_t> cell_bytes;
  Array<std::uint32_t> buffer_cells;  // where each buffer's cells start, and their end
  std::uint32_t slot_buffers = 0;
  std::uint32_t slot_cells = 0;
  std::uint32_t payload_cells = 0;
  Array<CellRun> payloads;  // by rank, all of it, as its input

  std::uint32_t buffer_of(std::uint32_t cell) const;
};

// Of a schedule that check_memory and check_flags accept. Node::step points into `schedule`.
Program compile(const Schedule& schedule, std::span<const Cut> cuts, Arena& arena);

// The buffer that a region lies in, as cells are numbered by it.
std::uint32_t buffer_of_region(const Schedule& schedule, const Region& region);

// Into how many shards the declared arithmetic, which may differ by shard, cuts a payload.
std::int64_t declared_shards(const Schedule& schedule);

}  // namespace kimi3::proof
