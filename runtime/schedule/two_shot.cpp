// Two-shot: every rank puts shard d of its input into a slot of d, the owner of that shard; the
// owner adds the N contributions in rank order with one rounding, and puts the result to every
// peer.
//
// Nothing else is needed between calls: a peer's contribution to the next call starts after it has
// received this rank's result, hence after this rank has read its slots. Only where the caller
// works in place may it overwrite, by writing its next input, a result that is still being sent: so
// the call ends when the copy lane has.
#include <vector>

#include "runtime/schedule/geometry.h"

namespace kimi3 {
namespace {

class TwoShotRank {
 public:
  TwoShotRank(const Geometry& geometry, int rank, RankProgram& program)
      : geometry_(geometry), rank_(rank), build_(program, rank) {}

  void generate() {
    for (int hop = 1; hop < world(); ++hop) send_contribution(hop);
    for (int hop = 1; hop < world(); ++hop) build_.wait(ahead(-hop));
    const auto sum = build_.add(shard(Space::kOutput, rank_), contributions());
    for (int hop = 1; hop < world(); ++hop) send_result(hop, sum);
    for (int hop = 1; hop < world(); ++hop) {
      build_.wait(ahead(-hop));
      build_.move(result_slot(hop, rank_, ahead(-hop)), shard(Space::kOutput, ahead(-hop)));
    }
    build_.join(Lane::kCopy, /*structural=*/false);
    build_.join(Lane::kFlag, /*structural=*/true);
  }

 private:
  int world() const { return geometry_.world; }
  // The rank `hops` places on; all ranks send in the order of rising hops, so that no two of them
  // send to one peer at a time.
  int ahead(int hops) const { return (rank_ + hops + world()) % world(); }

  // Shard `index` of this rank's own input or output.
  Region shard(Space space, int index) const {
    return {space,
            Element::kBf16,
            static_cast<std::int16_t>(rank_),
            0,
            geometry_.shard_begin(index),
            geometry_.shard_count(index)};
  }
  // `holder` keeps what comes from the rank `hop` places behind in slots hop-1, for its
  // contribution to the shard that `holder` owns, and N-1 + hop-1, for the result of the sender's
  // own shard.
  Region slot(int holder, int index, int shard_index) const {
    return {Space::kSlot,
            Element::kBf16,
            static_cast<std::int16_t>(holder),
            index,
            0,
            geometry_.shard_count(shard_index)};
  }
  Region contribution_slot(int hop, int holder) const { return slot(holder, hop - 1, holder); }
  Region result_slot(int hop, int holder, int owner) const {
    return slot(holder, world() - 1 + hop - 1, owner);
  }

  void send_contribution(int hop) {
    const int owner = ahead(hop);
    const auto put = build_.put(shard(Space::kInput, owner), contribution_slot(hop, owner));
    if (hop == 1) build_.after_entry(put);
    build_.order(put, build_.signal(Lane::kFlag, owner, rank_));
  }

  void send_result(int hop, ProgramBuilder::StepName sum) {
    const int peer = ahead(hop);
    const auto put = build_.put(shard(Space::kOutput, rank_), result_slot(hop, peer, rank_));
    if (hop == 1) build_.order(sum, put);
    build_.order(put, build_.signal(Lane::kFlag, peer, rank_));
  }

  std::vector<Region> contributions() const {
    std::vector<Region> sources;
    for (int from = 0; from < world(); ++from) {
      const int hop = (rank_ - from + world()) % world();
      sources.push_back(hop == 0 ? shard(Space::kInput, rank_) : contribution_slot(hop, rank_));
    }
    return sources;
  }

  const Geometry& geometry_;
  int rank_;
  ProgramBuilder build_;
};

}  // namespace

Schedule build_two_shot(const Geometry& geometry) {
  Schedule schedule;
  const int slots = 2 * (geometry.world - 1);
  schedule.slot_bytes.assign(static_cast<std::size_t>(slots),
                             geometry.shard_elements * element_bytes(Element::kBf16));
  schedule.flags = geometry.world;  // flag s: raised by rank s
  schedule.ranks.resize(static_cast<std::size_t>(geometry.world));
  for (int rank = 0; rank < geometry.world; ++rank) {
    TwoShotRank(geometry, rank, schedule.ranks[static_cast<std::size_t>(rank)]).generate();
  }
  return schedule;
}

}  // namespace kimi3
