// The memory of all ranks, in cells: what each holds, and who touched it last.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/schedule/proof.h"
#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/proof_values.h"

namespace kimi3::proof {

// A clock's component: how many nodes of a lane happened before. Sixteen bits, so that the clocks
// of 192 lanes stay in the nearest cache.
using Tick = std::int16_t;

constexpr Epoch epoch_of(LaneId lane, Tick tick) { return lane << 16U | static_cast<Epoch>(tick); }
constexpr LaneId lane_of(Epoch epoch) { return epoch >> 16U; }
constexpr Tick tick_of(Epoch epoch) { return static_cast<Tick>(epoch & 0xFFFFU); }
inline bool happened_before(Epoch epoch, const Tick* clock) {
  return clock[lane_of(epoch)] >= tick_of(epoch);
}

// One node at one moment; its clock counts the node itself.
struct Moment {
  const Tick* clock = nullptr;
  Epoch epoch = 0;
  int call = 1;
};

// The position of what is no term of inputs.
inline constexpr std::int64_t kNowhere = -1;

// Bytes of a term: those from `position` on, where the term's values for a whole payload lie side
// by side as `element`.
struct Content {
  TermId term = Terms::kUnwritten;
  Element element = Element::kBf16;
  std::int64_t position = kNowhere;

  bool faulty() const { return position < 0; }
  Content from(std::int64_t byte) const {
    return faulty() ? *this : Content{term, element, position + byte};
  }
  friend bool operator==(const Content&, const Content&) = default;
};

// The declared arithmetic, as a term for each shard and call.
struct Specification {
  Specification(const Schedule& schedule, Terms& terms, Arena& arena);
  TermId at(std::int64_t shard, int call) const {
    return declared[static_cast<std::size_t>((call - 1) * shards + shard)];
  }

  std::int64_t shards;
  std::int64_t shard_bytes;
  Array<TermId> declared;
};

// What is wrong with an access.
struct Finding {
  Property property{};
  // Races: the other access. Values: the step that first departed from what is declared, or else
  // the one that wrote the cell; 0 where there is none.
  Epoch earlier = 0;
  bool earlier_writes = false;
  bool later_writes = false;
  std::uint32_t cell = 0;
  Content content;      // values: what is there
  TermId declared = 0;  // values: what should be
};

class Memory {
 public:
  Memory(const Program& program, Terms& terms, const Specification& specification,
         CallerBuffers buffers, Arena& arena);

  // Each does its accesses; false, with finding(), at the first that is not as it must be.
  bool copy(const Node& node, const Moment& now);
  bool add(const Node& node, const Moment& now);
  bool caller_writes(int rank, const Moment& now);
  bool caller_reads(int rank, const Moment& now);

  CallerBuffers buffers() const { return buffers_; }
  const Finding& finding() const { return finding_; }
  std::int64_t ordered_pairs() const { return ordered_pairs_; }
  // Where cells would have to hold two terms. Until they are cut, no verdict on values counts.
  const std::vector<Cut>& cuts() const { return cuts_; }

 private:
  struct Cell {
    Epoch written = 0;
    Epoch read = 0;                  // since then
    std::uint32_t more_readers = 0;  // a list in readers_, of those unordered with `read`
    Content content;
  };
  struct Reader {
    Epoch epoch = 0;
    std::uint32_t next = 0;  // 0: no more
  };
  // What the first bytes of a run hold, up to `end`.
  struct Stretch {
    Content content;
    std::int64_t end = 0;
  };
  // An operand of a sum, by element of the payload.
  struct Addend {
    TermId term = 0;
    std::int64_t index = kNowhere;
  };
  // Reads a run from its begin to its end.
  class Cursor {
   public:
    Cursor(const Cell* cells, const std::int64_t* bytes, Element element)
        : cells_(cells), bytes_(bytes), element_(element) {}
    // Of [begin, end) of the run as much as is of one term; `begin` never falls.
    Stretch read(std::int64_t begin, std::int64_t end);
    Element element() const { return element_; }

   private:
    const Cell* cells_;
    const std::int64_t* bytes_;
    Element element_;
    std::int64_t cell_begin_ = 0;
  };

  std::uint32_t address(const CellRun& run, int call) const {
    if (run.space == Space::kSlot) return run.first;
    const auto& planes = planes_[static_cast<std::size_t>(call - 1)];
    return run.first + planes[static_cast<std::size_t>(run.space)];
  }
  Cursor cursor(const CellRun& run, int call) const;
  bool read(const CellRun& run, const Moment& now);
  bool write(const CellRun& run, const Moment& now);
  void remember_reader(Cell& cell, const Moment& now);
  bool forget_readers(Cell& cell, std::uint32_t name, const Moment& now);
  bool race(Epoch earlier, bool earlier_writes, bool later_writes, std::uint32_t cell);
  template <typename Combine>
  void fill(const CellRun& run, const Moment& now, Combine combine);
  Stretch sum(std::int64_t begin, std::int64_t end, Element to, const Moment& now);
  Addend addend(const Content& content, Element element, const Moment& now);
  Addend plus(const Addend& left, const Addend& right, const Moment& now);

  const Program& program_;
  Terms& terms_;
  const Specification& specification_;
  CallerBuffers buffers_;
  // The payload cells are there once for each of the caller's buffers: how far on, by call, those
  // of the input and those of the output are.
  std::array<std::array<std::uint32_t, 2>, kProvenCalls> planes_;
  Array<Cell> cells_;
  Array<Reader> readers_;  // the first is none
  std::uint32_t free_reader_ = 0;
  Array<Cursor> operands_;
  Finding finding_;
  std::int64_t ordered_pairs_ = 0;
  std::vector<Cut> cuts_;
};

}  // namespace kimi3::proof
