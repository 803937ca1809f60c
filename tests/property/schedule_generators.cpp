#include "tests/property/schedule_generators.h"

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace kimi3 {
namespace {

std::vector<int> any_order(int world) {
  std::vector<int> order(static_cast<std::size_t>(world));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  return order;
}

// A few changes, most of which break a schedule and some of which do not.
class Edits {
 public:
  explicit Edits(Schedule& schedule) : schedule_(schedule) {}

  void apply_one() {
    switch (below(7)) {
      case 0:
        return delete_edge();
      case 1:
        return add_edge();
      case 2:
        return swap_neighbours();
      case 3:
        return change_flag();
      case 4:
        return move_edge();
      default:
        return change_region();
    }
  }

 private:
  std::size_t below(std::size_t end) { return *rc::gen::inRange<std::size_t>(0, end); }
  RankProgram& any_rank() { return schedule_.ranks[below(schedule_.ranks.size())]; }
  Lane any_lane() { return kLanes[below(kLanes.size())]; }
  std::int32_t any_index(const RankProgram& program, Lane lane) {
    return static_cast<std::int32_t>(below(program.lane(lane).size()));
  }

  void delete_edge() {
    std::vector<Edge>& edges = any_rank().edges;
    if (edges.empty()) return;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(below(edges.size())));
  }

  void add_edge() {
    RankProgram& program = any_rank();
    const Lane from = any_lane();
    const Lane to = any_lane();
    program.edges.push_back(
        {from, any_index(program, from), to, any_index(program, to), below(8) == 0});
  }

  void move_edge() {
    RankProgram& program = any_rank();
    if (program.edges.empty()) return;
    Edge& edge = program.edges[below(program.edges.size())];
    if (below(2) == 0 && edge.from > 0) --edge.from;
    if (edge.to > 0) --edge.to;
  }

  void swap_neighbours() {
    RankProgram& program = any_rank();
    std::vector<Step>& steps = program.lane(any_lane());
    if (steps.size() < 2) return;
    const std::size_t first = below(steps.size() - 1);
    std::swap(steps[first], steps[first + 1]);
  }

  void change_flag() {
    std::vector<Step>& steps = any_rank().lane(any_lane());
    if (steps.empty()) return;
    Step& step = steps[below(steps.size())];
    if (step.flag < 0) return;
    step.flag = static_cast<std::int32_t>(below(static_cast<std::size_t>(schedule_.flags)));
    if (step.kind == StepKind::kSignal && below(2) == 0) {
      step.flag_rank = static_cast<std::int32_t>(below(schedule_.ranks.size()));
    }
  }

  void change_region() {
    std::vector<Region>& operands = any_rank().operands;
    Region& region = operands[below(operands.size())];
    switch (below(4)) {
      case 0:
        region.rank = static_cast<std::int16_t>(below(schedule_.ranks.size()));
        return;
      case 1:
        if (region.space == Space::kSlot) {
          region.slot = static_cast<std::int32_t>(below(schedule_.slot_bytes.size()));
        } else {
          region.space = region.space == Space::kInput ? Space::kOutput : Space::kInput;
        }
        return;
      case 2:
        region.offset += 8;
        return;
      default:
        region.offset = std::max<std::int64_t>(0, region.offset - 8);
        return;
    }
  }

  Schedule& schedule_;
};

}  // namespace

ScheduleRequest any_request(int max_world, int max_pieces) {
  ScheduleRequest request;
  request.world = *rc::gen::inRange(2, max_world + 1);
  request.arithmetic = *rc::gen::element(Arithmetic::kFp32RankOrder, Arithmetic::kBf16HopSum,
                                         Arithmetic::kFp32OwnerPacket);
  request.order = any_order(request.world);
  if (request.arithmetic == Arithmetic::kFp32RankOrder) {
    request.algorithm = Algorithm::kTwoShot;
    request.elements = *rc::gen::inRange(1, 20 * request.world);
    return request;
  }
  request.algorithm = Algorithm::kDmaRing;
  request.pieces = *rc::gen::inRange(1, max_pieces + 1);
  request.elements = std::int64_t{8} * request.world * request.pieces * *rc::gen::inRange(1, 4);
  return request;
}

Schedule any_edited_schedule(int max_world, int max_pieces) {
  ScheduleRequest request = any_request(max_world, max_pieces);
  request.elements = std::int64_t{8} * request.world * request.pieces;
  Schedule schedule = make_schedule(request);
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) Edits(schedule).apply_one();
  return schedule;
}

}  // namespace kimi3
