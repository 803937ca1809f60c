// What a rewritten schedule comes to on the host: which sums there are, in which order of ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "kimi3/vocabulary.h"
#include "runtime/backend/host/kernels.h"
#include "runtime/schedule/schedule.h"

namespace kimi3::host {

// Elements [begin, begin + count) of every rank's input, added in the order of `path`; the sum goes
// to the same elements of every rank's output.
struct Sum {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::vector<int> path;
  Rounding rounding{};

  friend bool operator==(const Sum&, const Sum&) = default;
};

// Reads the sums off a schedule of one straight line (rewrite_for_one_process). Ordered by `begin`;
// together they are the payload, each element once. Throws kMalformed for anything else.
std::vector<Sum> read_sums(const Schedule& line);

// The sums of every shape that shares a schedule: algorithm, arithmetic, world, pieces. They are
// found once, in the smallest such shape, and stretched to the others as its digest says: in units
// of pieces.
class SumPlan {
 public:
  // Throws what make_schedule throws; kRegular is summed as the two-shot is.
  SumPlan(Algorithm algorithm, Arithmetic arithmetic, int world, int pieces,
          std::vector<int> order = {});

  int world() const { return world_; }
  int size() const { return static_cast<int>(sums_.size()); }
  const Sum& sum(int index) const { return sums_[static_cast<std::size_t>(index)]; }

  // How many elements each sum has in a payload of `elements`; where they end, the last sums may
  // have fewer or none.
  std::int64_t sum_elements(std::int64_t elements) const;

 private:
  Algorithm algorithm_;
  int world_;
  std::vector<Sum> sums_;  // by begin; every count the same
};

}  // namespace kimi3::host
