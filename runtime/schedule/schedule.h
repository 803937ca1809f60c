// The explicit, straight-line program of every rank for one reduction shape. Everything that runs,
// proves, times or draws a reduction interprets this one data structure.
//
// Execution model
//   A rank has three lanes. A lane runs its steps in order, one at a time, and call t+1 of a lane
//   follows its call t. Between lanes only `edges` order anything. The caller acts on the compute
//   lane: it writes its input before a call's first compute step and reads its output after the
//   last. `put` and `move` are complete, and their bytes visible, when what follows them starts. A
//   flag is a counter that only grows: `signal` adds one to a peer's flag, and the k-th `wait` on a
//   flag, counted over all calls, passes once the counter has reached k. So the k-th signal is
//   consumed by the k-th wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kimi3/vocabulary.h"

namespace kimi3 {

enum class Lane : std::uint8_t { kCopy, kFlag, kCompute };
inline constexpr std::array kLanes{Lane::kCopy, Lane::kFlag, Lane::kCompute};

enum class StepKind : std::uint8_t { kPut, kSignal, kWait, kAdd, kMove };

// What an element is while it is there: the wire of an FP32 ring carries FP32 in the same slots.
enum class Element : std::uint8_t { kBf16, kFp32 };

enum class Space : std::uint8_t {
  kInput,   // the caller's input of that rank, read only; may be its output, exactly
  kOutput,  // the caller's output of that rank
  kSlot,    // a numbered slot of that rank's slab, which its peers may put into
};

std::string_view to_string(Lane lane);
std::string_view to_string(StepKind kind);
std::string_view to_string(Space space);
constexpr std::int64_t element_bytes(Element element) { return element == Element::kBf16 ? 2 : 4; }

// `count` elements from `offset` on, both in elements of `element`, in the memory of `rank`. A
// count of 0 is legal (a short payload leaves some shards empty): such a step moves nothing.
struct Region {
  Space space = Space::kInput;
  Element element = Element::kBf16;
  std::int16_t rank = 0;
  std::int32_t slot = 0;  // kSlot only
  std::int64_t offset = 0;
  std::int64_t count = 0;

  std::int64_t byte_offset() const { return offset * element_bytes(element); }
  std::int64_t byte_count() const { return count * element_bytes(element); }
  friend bool operator==(const Region&, const Region&) = default;
};

// One step. Which fields mean something depends on the kind:
//   put     copy operand 0 to `dst`, by the copy engine; a generator puts into a peer's slot
//   signal  add one to flag `flag` of rank `flag_rank`
//   wait    on flag `flag` of rank `flag_rank`, which is the waiting rank itself
//   add     dst = operand 0 + operand 1 + …, in FP32, left to right; rounded once, to nearest even,
//           where dst is BF16; where dst is FP32, not at all
//   move    copy operand 0 to `dst`
// Generators address a peer's memory in the dst of a put alone. A backend that can reach more (one
// process that owns all ranks) may rewrite a schedule into one that does; the proof reads both.
struct Step {
  StepKind kind{};
  std::int32_t flag_rank = -1;
  std::int32_t flag = -1;
  Region dst;
  std::int32_t first_operand = 0;  // into RankProgram::operands
  std::int32_t operand_count = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

// Step `from` of lane `from_lane` is complete before step `to` of lane `to_lane` starts, in the
// same call. `from` may be kEntry, the start of the call on that lane; `to` may be the number of
// steps in that lane, its end: what the caller does after the call waits for it.
struct Edge {
  static constexpr std::int32_t kEntry = -1;

  Lane from_lane{};
  std::int32_t from = kEntry;
  Lane to_lane{};
  std::int32_t to = 0;
  // A join that stream capture needs to end. It may hold a lane back, but nothing relies on it: the
  // schedule is right without.
  bool structural = false;

  friend bool operator==(const Edge&, const Edge&) = default;
};

struct RankProgram {
  std::array<std::vector<Step>, kLanes.size()> lanes;
  std::vector<Edge> edges;
  std::vector<Region> operands;

  std::vector<Step>& lane(Lane which) { return lanes[static_cast<std::size_t>(which)]; }
  const std::vector<Step>& lane(Lane which) const { return lanes[static_cast<std::size_t>(which)]; }
  std::span<const Region> operands_of(const Step& step) const {
    return std::span(operands).subspan(static_cast<std::size_t>(step.first_operand),
                                       static_cast<std::size_t>(step.operand_count));
  }
};

struct Schedule {
  Algorithm algorithm{};
  Arithmetic arithmetic{};  // never kBackendDefined: a schedule says how it rounds
  int world = 0;
  int pieces = 1;
  std::int64_t elements = 0;             // of the payload, on each rank
  std::vector<int> order;                // order[i]: the rank at position i of the ring
  std::vector<std::int64_t> slot_bytes;  // of each slot; the same on every rank
  int flags = 0;                         // flags of each rank
  std::vector<RankProgram> ranks;        // by rank
};

// What a schedule is generated from. `order` empty means 0, 1, …, world-1.
struct ScheduleRequest {
  Algorithm algorithm{};
  Arithmetic arithmetic{};
  int world = 0;
  int pieces = 1;
  std::int64_t elements = 0;
  std::vector<int> order;
};

// The schedule for a request. kRegular generates the two-shot: it is the stand-in on the host and
// where ranks share a GPU. Throws kMalformed, naming the shape, for a request that no schedule
// exists for: a world outside 2..64, an order that is no permutation, an arithmetic that is not the
// algorithm's, a payload that the ring cannot shard, pieces that are not legal.
Schedule make_schedule(const ScheduleRequest& request);

// How many elements each of `world` shards has: ceil(elements / (8 * world)) * 8, so that every
// shard starts on a 16-byte boundary; the last one that is not empty may be short.
std::int64_t two_shot_shard_elements(std::int64_t elements, int world);

// The ring cuts a payload into equal shards of whole 16-byte vectors: elements % (world * 8) == 0.
bool ring_eligible(std::int64_t elements, int world);

inline constexpr int kMaxPieces = 8;
inline constexpr int kMinWorld = 2;
inline constexpr int kMaxWorld = 64;
// So that a payload of FP32 for every rank, and any sum of such sizes, stays far inside 64 bits.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

// Whether a shard can be cut into `pieces` equal runs of whole vectors: 1 <= pieces <= 8 and
// shard_elements % (8 * pieces) == 0.
bool pieces_legal(std::int64_t shard_elements, int pieces);

// Where things lie in a rank's slab. Slots start on 256-byte boundaries and come first; then the
// flags, 128 bytes apart.
struct SlabLayout {
  std::vector<std::int64_t> slot_offsets;  // in bytes
  std::int64_t flags_offset = 0;
  std::int64_t bytes = 0;
};
inline constexpr std::int64_t kSlotAlignment = 256;
inline constexpr std::int64_t kFlagStride = 128;
SlabLayout slab_layout(const Schedule& schedule);

// SHA-256, as "sha256:…", of the schedule's text in units of pieces: shapes that share algorithm,
// arithmetic, world and pieces share one digest. docs/schedules.md has the text's form.
std::string schedule_digest(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces);
// That text: one line a step and an edge.
std::string schedule_text(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces);

}  // namespace kimi3
