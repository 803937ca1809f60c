// The copy-engine ring: reduce-scatter, then all-gather, in 2(N-1) steps around a ring of N ranks.
//
// In step k of the reduce-scatter (0 <= k <= N-2) the rank at position r puts its partial sum of
// shard r-k to its successor, and adds its own input to the partial of shard r-k-1 that it
// receives. After it, position r owns the sum of shard r+1. In step k = N-1+j of the all-gather it
// puts shard r+1-j and receives shard r-j. Shards are cut into pieces, so that one is copied while
// another is added.
//
// Slots. What arrives in step k lies in slot k mod N: N slots, not one a step. A put of step k
// depends, through one flag a hop, on the put of step k-(N-1) of its own receiver: around the ring
// the receiver is N-1 hops back. That put came after everything that used the slot in step k-N.
// Between calls the last handshake says the same for the first N steps: the successor has taken all
// that this rank sent before this rank sends again.
//
// Partials. With bf16_hop_sum a partial is rounded into the output, and sent on from there. With
// fp32_owner_packet it stays FP32, in the slot that it came in; only the first hop carries BF16, a
// rank's raw input, whose FP32 sum does not fit in place and has a slot of its own, number N.
#include <vector>

#include "runtime/schedule/geometry.h"

namespace kimi3 {
namespace {

// Flags of a rank: what its predecessor has put, and what its successor has finished reading.
constexpr int kArrived = 0;
constexpr int kTaken = 1;
constexpr int kRingFlags = 2;

class RingRank {
 public:
  RingRank(const Geometry& geometry, int position, RankProgram& program)
      : geometry_(geometry), position_(position), build_(program, rank_at(0)) {}

  void generate() {
    std::vector<ProgramBuilder::StepName> ready;  // by piece: what the next put sends
    for (int step = 0; step <= last_step(); ++step) {
      for (int piece = 0; piece < geometry_.pieces; ++piece) {
        const auto put = send(step, piece);
        if (step > 0) build_.order(ready[index(piece)], put);
        if (step == 0 && piece == 0) build_.after_entry(put);
        build_.order(put, build_.signal(Lane::kFlag, rank_at(1), kArrived));
      }
      ready.clear();
      for (int piece = 0; piece < geometry_.pieces; ++piece) {
        ready.push_back(receive(step, piece));
      }
    }
    build_.signal(Lane::kCompute, rank_at(-1), kTaken);
    build_.wait(kTaken);
    build_.join(Lane::kCopy, /*structural=*/true);
    build_.join(Lane::kFlag, /*structural=*/true);
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  int world() const { return geometry_.world; }
  int last_step() const { return 2 * (world() - 1) - 1; }
  bool reduces(int step) const { return step <= world() - 2; }
  int wrapped(int position) const { return (position % world() + world()) % world(); }
  int rank_at(int hops) const { return geometry_.order[index(wrapped(position_ + hops))]; }

  // The shard that this position sends in `step`; what it receives is what its predecessor sends.
  int sent_shard(int step) const {
    return reduces(step) ? wrapped(position_ - step)
                         : wrapped(position_ + 1 - (step - (world() - 1)));
  }
  int received_shard(int step) const { return wrapped(sent_shard(step) - 1); }

  // Only sums of two inputs or more travel in FP32: neither a raw input nor the rounded result
  // does.
  Element wire(int step) const {
    const bool partial = step >= 1 && reduces(step);
    return geometry_.arithmetic == Arithmetic::kFp32OwnerPacket && partial ? Element::kFp32
                                                                           : Element::kBf16;
  }
  bool keeps_fp32(int step) const { return wire(step + 1) == Element::kFp32; }

  Region piece_of(Space space, int shard, int piece) const {
    return {space,
            Element::kBf16,
            static_cast<std::int16_t>(rank_at(0)),
            0,
            geometry_.shard_begin(shard) + piece * geometry_.piece_elements(),
            geometry_.piece_elements()};
  }
  Region piece_of_slot(int rank, int slot, Element element, int piece) const {
    return {Space::kSlot,
            element,
            static_cast<std::int16_t>(rank),
            slot,
            piece * geometry_.piece_elements(),
            geometry_.piece_elements()};
  }
  // Where `rank` receives what `step` puts.
  Region landing(int rank, int step, int piece) const {
    return piece_of_slot(rank, step % world(), wire(step), piece);
  }
  // Where the partial that `step` makes stays in FP32 until it is sent on.
  Region kept_partial(int step, int piece) const {
    const int slot = step == 0 ? world() : step % world();
    return piece_of_slot(rank_at(0), slot, Element::kFp32, piece);
  }

  ProgramBuilder::StepName send(int step, int piece) {
    const Region dst = landing(rank_at(1), step, piece);
    const int shard = sent_shard(step);
    if (step == 0) return build_.put(piece_of(Space::kInput, shard, piece), dst);
    if (wire(step) == Element::kFp32) {
      return build_.put(kept_partial(step - 1, piece), dst);
    }
    return build_.put(piece_of(Space::kOutput, shard, piece), dst);
  }

  ProgramBuilder::StepName receive(int step, int piece) {
    const Region arrived = landing(rank_at(0), step, piece);
    const int shard = received_shard(step);
    const Region output = piece_of(Space::kOutput, shard, piece);
    build_.wait(kArrived);
    if (!reduces(step)) return build_.move(arrived, output);
    const std::array sources{arrived, piece_of(Space::kInput, shard, piece)};
    return build_.add(keeps_fp32(step) ? kept_partial(step, piece) : output, sources);
  }

  const Geometry& geometry_;
  int position_;
  ProgramBuilder build_;
};

std::vector<std::int64_t> ring_slot_bytes(const Geometry& geometry) {
  const auto world = static_cast<std::size_t>(geometry.world);
  const std::int64_t bf16 = geometry.shard_elements * element_bytes(Element::kBf16);
  const std::int64_t fp32 = geometry.shard_elements * element_bytes(Element::kFp32);
  std::vector<std::int64_t> bytes(world, bf16);
  // With two ranks the first sum is the last: nothing travels in FP32.
  if (geometry.arithmetic == Arithmetic::kFp32OwnerPacket && world > 2) {
    for (std::size_t slot = 1; slot + 1 < world; ++slot) bytes[slot] = fp32;
    bytes.push_back(fp32);
  }
  return bytes;
}

}  // namespace

Schedule build_ring(const Geometry& geometry) {
  Schedule schedule;
  schedule.slot_bytes = ring_slot_bytes(geometry);
  schedule.flags = kRingFlags;
  schedule.ranks.resize(static_cast<std::size_t>(geometry.world));
  for (int position = 0; position < geometry.world; ++position) {
    const int rank = geometry.order[static_cast<std::size_t>(position)];
    RingRank(geometry, position, schedule.ranks[static_cast<std::size_t>(rank)]).generate();
  }
  return schedule;
}

}  // namespace kimi3
