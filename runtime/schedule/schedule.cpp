#include "runtime/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "kimi3/error.h"
#include "runtime/plan/sha256.h"
#include "runtime/schedule/geometry.h"

namespace kimi3 {
namespace {

constexpr std::int64_t kVectorElements = 8;  // 16 bytes of BF16

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string describe(const ScheduleRequest& request) {
  return fmt::format("{} {} of {} elements over {} ranks in {} pieces",
                     to_string(request.algorithm), to_string(request.arithmetic), request.elements,
                     request.world, request.pieces);
}

[[noreturn]] void refuse(const ScheduleRequest& request, std::string_view why) {
  throw malformed(fmt::format("no schedule for {}: {}", describe(request), why));
}

bool is_permutation_of_ranks(const std::vector<int>& order, int world) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> ranks(static_cast<std::size_t>(world));
  std::iota(ranks.begin(), ranks.end(), 0);
  return sorted == ranks;
}

bool is_ring(Algorithm algorithm) { return algorithm == Algorithm::kDmaRing; }

bool arithmetic_fits(Algorithm algorithm, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kBackendDefined:
      return false;
    case Arithmetic::kFp32RankOrder:
      return !is_ring(algorithm);
    case Arithmetic::kBf16HopSum:
    case Arithmetic::kFp32OwnerPacket:
      return is_ring(algorithm);
  }
  std::abort();
}

void check_request(const ScheduleRequest& request) {
  if (request.world < kMinWorld || request.world > kMaxWorld) {
    refuse(request, fmt::format("the world is {} to {} ranks", kMinWorld, kMaxWorld));
  }
  if (!request.order.empty() && !is_permutation_of_ranks(request.order, request.world)) {
    refuse(request, "the order is not a permutation of the ranks");
  }
  if (!arithmetic_fits(request.algorithm, request.arithmetic)) {
    refuse(request, "the arithmetic is not this algorithm's");
  }
  if (request.elements < 1 || request.elements > kMaxElements) {
    refuse(request, fmt::format("a payload has 1 to {} elements", kMaxElements));
  }
  if (!is_ring(request.algorithm)) {
    if (request.pieces != 1) refuse(request, "only a ring has pieces");
    return;
  }
  if (!ring_eligible(request.elements, request.world)) {
    refuse(request,
           fmt::format("the payload is not divisible by {}", request.world * kVectorElements));
  }
  if (!pieces_legal(request.elements / request.world, request.pieces)) {
    refuse(request, fmt::format("a shard of {} elements cannot be cut so",
                                request.elements / request.world));
  }
}

std::vector<int> order_or_default(const std::vector<int>& order, int world) {
  if (!order.empty()) return order;
  std::vector<int> ranks(static_cast<std::size_t>(world));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Schedule build(Algorithm algorithm, Geometry geometry) {
  Schedule schedule = is_ring(algorithm) ? build_ring(geometry) : build_two_shot(geometry);
  schedule.algorithm = is_ring(algorithm) ? algorithm : Algorithm::kTwoShot;
  schedule.arithmetic = geometry.arithmetic;
  schedule.world = geometry.world;
  schedule.pieces = geometry.pieces;
  schedule.elements = geometry.elements;
  schedule.order = std::move(geometry.order);
  return schedule;
}

// The schedule whose pieces are one element each: what shapes have in common.
Schedule unit_schedule(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces) {
  return build(algorithm, {.arithmetic = arithmetic,
                           .world = world,
                           .pieces = pieces,
                           .elements = std::int64_t{world} * pieces,
                           .shard_elements = pieces,
                           .order = order_or_default({}, world)});
}

using Text = std::back_insert_iterator<std::string>;

void write_region(Text out, const Region& region) {
  fmt::format_to(out, " {}.{}", region.rank, to_string(region.space));
  if (region.space == Space::kSlot) fmt::format_to(out, "{}", region.slot);
  fmt::format_to(out, ":{}[{}+{}]", region.element == Element::kBf16 ? "bf16" : "fp32",
                 region.offset, region.count);
}

void write_step(Text out, const RankProgram& program, const Step& step) {
  fmt::format_to(out, "{}", to_string(step.kind));
  if (step.flag >= 0) fmt::format_to(out, " {}.flag{}", step.flag_rank, step.flag);
  if (step.operand_count > 0) {
    write_region(out, step.dst);
    fmt::format_to(out, " <-");
    for (const Region& operand : program.operands_of(step)) write_region(out, operand);
  }
  fmt::format_to(out, "\n");
}

void write_edge(Text out, const Edge& edge) {
  fmt::format_to(out, "edge {} {} -> {} {}{}\n", to_string(edge.from_lane), edge.from,
                 to_string(edge.to_lane), edge.to, edge.structural ? " structural" : "");
}

}  // namespace

std::string_view to_string(Lane lane) {
  switch (lane) {
    case Lane::kCopy:
      return "copy";
    case Lane::kFlag:
      return "flag";
    case Lane::kCompute:
      return "compute";
  }
  std::abort();
}

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::kPut:
      return "put";
    case StepKind::kSignal:
      return "signal";
    case StepKind::kWait:
      return "wait";
    case StepKind::kAdd:
      return "add";
    case StepKind::kMove:
      return "move";
  }
  std::abort();
}

std::string_view to_string(Space space) {
  switch (space) {
    case Space::kInput:
      return "input";
    case Space::kOutput:
      return "output";
    case Space::kSlot:
      return "slot";
  }
  std::abort();
}

std::int64_t two_shot_shard_elements(std::int64_t elements, int world) {
  return round_up(elements, kVectorElements * world) / world;
}

bool ring_eligible(std::int64_t elements, int world) {
  return elements > 0 && elements % (kVectorElements * world) == 0;
}

bool pieces_legal(std::int64_t shard_elements, int pieces) {
  return pieces >= 1 && pieces <= kMaxPieces && shard_elements % (kVectorElements * pieces) == 0;
}

Schedule make_schedule(const ScheduleRequest& request) {
  check_request(request);
  const std::int64_t shard = is_ring(request.algorithm)
                                 ? request.elements / request.world
                                 : two_shot_shard_elements(request.elements, request.world);
  return build(request.algorithm, {.arithmetic = request.arithmetic,
                                   .world = request.world,
                                   .pieces = request.pieces,
                                   .elements = request.elements,
                                   .shard_elements = shard,
                                   .order = order_or_default(request.order, request.world)});
}

SlabLayout slab_layout(const Schedule& schedule) {
  SlabLayout layout;
  std::int64_t offset = 0;
  for (const std::int64_t bytes : schedule.slot_bytes) {
    layout.slot_offsets.push_back(offset);
    offset += round_up(bytes, kSlotAlignment);
  }
  layout.flags_offset = offset;
  layout.bytes = offset + schedule.flags * kFlagStride;
  return layout;
}

std::string schedule_text(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces) {
  const Schedule schedule = unit_schedule(algorithm, arithmetic, world, pieces);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "kimi3.schedule/1 {} {} world {} pieces {} flags {}\n",
                 to_string(schedule.algorithm), to_string(arithmetic), world, pieces,
                 schedule.flags);
  fmt::format_to(out, "slots");
  for (const std::int64_t bytes : schedule.slot_bytes) fmt::format_to(out, " {}", bytes);
  fmt::format_to(out, "\n");
  for (int rank = 0; rank < world; ++rank) {
    const RankProgram& program = schedule.ranks[static_cast<std::size_t>(rank)];
    for (const Lane lane : kLanes) {
      fmt::format_to(out, "rank {} {}\n", rank, to_string(lane));
      for (const Step& step : program.lane(lane)) write_step(out, program, step);
    }
    for (const Edge& edge : program.edges) write_edge(out, edge);
  }
  return text;
}

std::string schedule_digest(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces) {
  return format_digest(sha256_hex(schedule_text(algorithm, arithmetic, world, pieces)));
}

}  // namespace kimi3
