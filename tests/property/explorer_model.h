// A schedule as the explorer runs it: every lane's events over three calls, and where in memory
// each of them reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/schedule/schedule.h"

namespace kimi3::explorer {

inline constexpr int kCalls = 3;

// Where the caller keeps input and output.
enum class Buffers { kOnePair, kTwoPairs, kInPlace };

// Half-open, in units of two bytes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool meets(const Span& other) const {
    return begin < end && other.begin < other.end && begin < other.end && other.begin < end;
  }
  friend bool operator==(const Span&, const Span&) = default;
};

struct Gate {
  std::size_t lane = 0;
  std::size_t events = 0;  // how many of that lane must be done
};

// A step of one call, or the start or the end of one.
struct Event {
  int rank = 0;
  Lane lane{};
  std::int32_t index = 0;  // -1: the start; the number of steps: the end
  int call = 0;            // from 0
  const Step* step = nullptr;
  std::vector<Element> elements;  // of what it reads
  std::vector<Span> reads;
  Span write;
  std::vector<Gate> gates;
  std::optional<std::size_t> signals;  // the flag, of those of all ranks
  std::optional<std::size_t> waits;

  std::string name() const;
};

// Whether it matters which of the two comes first.
bool conflict(const Event& a, const Event& b);

class Model {
 public:
  // Structural edges order nothing that may be relied on; with `hold_back` they are kept anyway.
  Model(const Schedule& schedule, Buffers buffers, bool hold_back);

  // By rank and lane. An event points into the schedule.
  const std::vector<std::vector<Event>>& lanes() const { return lanes_; }
  std::size_t flags() const;
  std::size_t memory_size() const;
  // What needs no execution to be wrong: an access outside its buffer; empty if nothing is.
  const std::string& fault() const { return fault_; }

 private:
  std::size_t rank_size() const;
  std::size_t buffer_begin(const Region& region, int call) const;
  Span span_of(const Region& region, int call) const;
  void check_inside(const Region& region, const Event& event);
  void append_call(int rank, Lane lane, int call);
  void append_edge(int rank, const Edge& edge);
  Event step_event(int rank, Lane lane, std::int32_t index, int call);

  const Schedule& schedule_;
  Buffers buffers_;
  std::vector<std::vector<Event>> lanes_;
  std::string fault_;
};

}  // namespace kimi3::explorer
