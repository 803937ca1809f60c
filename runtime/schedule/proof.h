// Shows that a schedule is right for every interleaving of its lanes, or says why it is not.
//
// The checker reads nothing but the data structure: it knows of no ring and of no two-shot. It
// follows three back-to-back calls of all ranks without a barrier between them; the caller's write
// of each input and read of each output are steps of the compute lane. It shows, for one pair of
// caller buffers, for two pairs in turn and in place:
//   memory    every reference lies inside its buffer, and fits the step that makes it
//   progress  no lane waits for ever; every signal is consumed by exactly one wait; the signals of
//             a flag are ordered among themselves, and so are its waits
//   races     of two accesses to a byte, one of them a write, one happens before the other
//   values    every output element is the declared sum: which inputs, in which order, rounded where
// docs/schedules.md has the argument why one walk through the schedule decides all interleavings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/schedule/schedule.h"

namespace kimi3 {

enum class Property : std::uint8_t { kMemory, kProgress, kRaces, kValues };

// Where the caller keeps what is reduced.
enum class CallerBuffers : std::uint8_t {
  kOnePair,   // the same input and the same output in every call
  kTwoPairs,  // two inputs and two outputs, used in turn
  kInPlace,   // one buffer, which is both
};
inline constexpr std::array kCallerBuffers{CallerBuffers::kOnePair, CallerBuffers::kTwoPairs,
                                           CallerBuffers::kInPlace};

std::string_view to_string(Property property);
std::string_view to_string(CallerBuffers buffers);

inline constexpr int kProvenCalls = 3;

// A step that a refusal names.
struct StepReference {
  int rank = 0;
  Lane lane{};
  // Edge::kEntry is the start of the call on that lane, where the caller writes its input; the
  // number of steps in the lane is its end, where the caller reads its output.
  std::int32_t index = 0;
  int call = 1;                  // 1 to kProvenCalls
  std::optional<StepKind> kind;  // none: the start or the end of the call
  std::optional<Region> region;  // the bytes in question, where it is about bytes

  friend bool operator==(const StepReference&, const StepReference&) = default;
};

struct Refusal {
  Property property{};
  std::optional<CallerBuffers> buffers;  // none: it fails wherever the caller's buffers are
  std::optional<StepReference> first;
  std::optional<StepReference> second;
  std::string message;  // one line that names property, steps and bytes
};

struct ProofResult {
  std::optional<Refusal> refusal;
  std::int64_t steps = 0;  // of all ranks in one call
  // Pairs of accesses to one run of bytes, one a write and neither other between them, that were
  // shown to be ordered; all other conflicting pairs follow from them.
  std::int64_t ordered_pairs = 0;

  bool proven() const { return !refusal; }
};

// Never throws for a bad schedule, whatever numbers its fields hold.
ProofResult prove(const Schedule& schedule);

// Proves what make_schedule makes of a request, each request once: the graphs of a plan share
// shapes. Throws what make_schedule throws.
class Prover {
 public:
  const ProofResult& prove(const ScheduleRequest& request);

 private:
  using Key = std::tuple<Algorithm, Arithmetic, int, int, std::int64_t, std::vector<int>>;
  std::map<Key, ProofResult> results_;
};

}  // namespace kimi3
