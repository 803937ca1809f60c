// What memory holds, as terms: sums of the ranks' inputs, in an order and rounded at places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/schedule/proof_program.h"
#include "runtime/schedule/schedule.h"

namespace kimi3::proof {

// A moment of a lane: lane << 16 | time, where a lane's first node of the first call has time 1.
using Epoch = std::uint32_t;

using TermId = std::uint32_t;

// Why bytes are no sum of inputs.
enum class Fault : std::uint8_t {
  kUnwritten,   // no step has written them
  kElement,     // an add read BF16 as FP32, or FP32 as BF16, or between two elements
  kMisplaced,   // an add added different elements of the payload
  kFragmented,  // neighbours in one cell hold different terms
};

// Terms are interned: equal sums have equal names. As every input is a term of its own in every
// call, a stale value never equals a fresh one.
class Terms {
 public:
  Terms(int world, int calls, Arena& arena);

  static constexpr TermId kUnwritten = static_cast<TermId>(Fault::kUnwritten);

  TermId input(int rank, int call) const {
    return kFaults + static_cast<TermId>((call - 1) * world_ + rank);
  }
  // A term that is new was made by `origin`; what the declared arithmetic makes has origin 0.
  TermId sum(TermId left, TermId right, Epoch origin) { return intern(left, right, origin); }
  TermId rounded(TermId term, Epoch origin) { return intern(term, kRounding, origin); }

  TermId faulty(Fault fault, Epoch origin) {
    return intern(static_cast<TermId>(fault), kFaulty | origin, origin);
  }

  // Which step first departed from the declared terms on the way to `term`; 0: none.
  Epoch departure(TermId term) const;
  // How `term` differs from `declared`, as a phrase: "the input of rank 2 is dropped".
  std::string difference(TermId term, TermId declared) const;

 private:
  static constexpr TermId kFaults = 4;
  static constexpr TermId kRounding = ~TermId{0};
  static constexpr TermId kFaulty = TermId{1} << 31U;

  struct Term {
    TermId left = 0;   // where `right` is kFaulty | origin: the Fault
    TermId right = 0;  // kRounding: `left`, rounded to BF16
    Epoch origin = 0;
  };
  struct Addend {
    int rank = 0;
    int call = 0;
    bool rounded = false;  // after it was added
  };

  TermId intern(TermId left, TermId right, Epoch origin);
  void grow();
  std::size_t home(TermId left, TermId right) const;
  bool is_leaf(TermId term) const { return term < first_compound_; }
  std::optional<Fault> fault_of(TermId term) const;
  const Term& compound(TermId term) const { return terms_[term - first_compound_]; }
  bool addends(TermId term, std::vector<Addend>& out) const;

  int world_;
  TermId first_compound_;
  Array<Term> terms_;    // by name, from first_compound_ on
  Array<TermId> table_;  // open addressing; 0 is empty
};

// The term of every output element of `shard` after `call`: the specification.
TermId declared_term(const Schedule& schedule, Terms& terms, int shard, int call);

}  // namespace kimi3::proof
