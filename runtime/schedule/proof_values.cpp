#include "runtime/schedule/proof_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace kimi3::proof {

Terms::Terms(int world, int calls, Arena& arena)
    : world_(world),
      first_compound_(kFaults + static_cast<TermId>(world * calls)),
      terms_(&arena),
      table_(&arena) {
  const auto ranks = static_cast<std::size_t>(world);
  table_.resize(std::bit_ceil(static_cast<std::size_t>(calls) * ranks * ranks * 4), 0);
}

std::size_t Terms::home(TermId left, TermId right) const {
  const std::uint64_t mixed =
      (std::uint64_t{left} << 32U | right) * std::uint64_t{0x9E3779B97F4A7C15};
  return static_cast<std::size_t>(mixed >> 32U) & (table_.size() - 1);
}

TermId Terms::intern(TermId left, TermId right, Epoch origin) {
  std::size_t at = home(left, right);
  while (table_[at] != 0) {
    const Term& term = compound(table_[at]);
    if (term.left == left && term.right == right) return table_[at];
    at = (at + 1) & (table_.size() - 1);
  }
  const auto name = first_compound_ + static_cast<TermId>(terms_.size());
  terms_.push_back({left, right, origin});
  table_[at] = name;
  if (terms_.size() * 2 > table_.size()) grow();
  return name;
}

void Terms::grow() {
  table_.assign(table_.size() * 2, 0);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    std::size_t at = home(terms_[i].left, terms_[i].right);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = first_compound_ + static_cast<TermId>(i);
  }
}

Epoch Terms::departure(TermId term) const {
  Epoch first = 0;
  while (!is_leaf(term) && compound(term).origin != 0) {
    first = compound(term).origin;
    term = compound(term).left;
  }
  return first;
}

std::optional<Fault> Terms::fault_of(TermId term) const {
  if (term < kFaults) return static_cast<Fault>(term);
  if (is_leaf(term) || compound(term).right == kRounding) return std::nullopt;
  if ((compound(term).right & kFaulty) == 0) return std::nullopt;
  return static_cast<Fault>(compound(term).left);
}

// The additions of a sum whose right operands are all inputs; false for any other.
bool Terms::addends(TermId term, std::vector<Addend>& out) const {
  bool rounded = false;
  while (true) {
    const bool leaf = is_leaf(term);
    const TermId added = leaf ? term : compound(term).right;
    if (added == kRounding) {
      rounded = true;
    } else {
      if (!is_leaf(added)) return false;
      const auto index = static_cast<int>(added - kFaults);
      out.push_back({index % world_, index / world_ + 1, rounded});
      rounded = false;
    }
    if (leaf) break;
    term = compound(term).left;
  }
  std::reverse(out.begin(), out.end());
  return true;
}

namespace {

std::string_view phrase(Fault fault) {
  switch (fault) {
    case Fault::kUnwritten:
      return "no step has written what they hold";
    case Fault::kElement:
      return "an add takes BF16 for FP32 or FP32 for BF16";
    case Fault::kMisplaced:
      return "different elements are added to each other";
    case Fault::kFragmented:
      return "the contents are too fragmented to follow";
  }
  std::abort();
}

}  // namespace

std::string Terms::difference(TermId term, TermId declared) const {
  if (const auto fault = fault_of(term)) return std::string(phrase(*fault));
  std::vector<Addend> have;
  std::vector<Addend> want;
  if (!addends(term, have)) return "partial sums are added to each other";
  addends(declared, want);
  const auto times = [](const std::vector<Addend>& sum, int rank) {
    return std::count_if(sum.begin(), sum.end(), [&](const Addend& a) { return a.rank == rank; });
  };
  for (const Addend& addend : want) {
    if (times(have, addend.rank) == 0) {
      return fmt::format("the input of rank {} is dropped", addend.rank);
    }
    if (times(have, addend.rank) > 1) {
      return fmt::format("the input of rank {} is added twice", addend.rank);
    }
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (have[i].rank != want[i].rank) {
      return fmt::format("the input of rank {} is added where that of rank {} is due", have[i].rank,
                         want[i].rank);
    }
    if (have[i].call != want[i].call) {
      return fmt::format("the input of rank {} is that of call {}", have[i].rank, have[i].call);
    }
    if (have[i].rounded != want[i].rounded) {
      return fmt::format("the sum is {}rounded after rank {}", want[i].rounded ? "not " : "",
                         have[i].rank);
    }
  }
  return "the sum is rounded twice";
}

TermId declared_term(const Schedule& schedule, Terms& terms, int shard, int call) {
  const bool by_rank = schedule.arithmetic == Arithmetic::kFp32RankOrder;
  const bool every_hop = schedule.arithmetic == Arithmetic::kBf16HopSum;
  const auto rank_at = [&](int hop) {
    if (by_rank) return hop;
    return schedule.order[static_cast<std::size_t>((shard + hop) % schedule.world)];
  };
  TermId term = terms.input(rank_at(0), call);
  for (int hop = 1; hop < schedule.world; ++hop) {
    term = terms.sum(term, terms.input(rank_at(hop), call), 0);
    if (every_hop || hop + 1 == schedule.world) term = terms.rounded(term, 0);
  }
  return term;
}

}  // namespace kimi3::proof
