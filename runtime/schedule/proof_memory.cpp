#include "runtime/schedule/proof_memory.h"

#include <algorithm>
#include <cstdlib>

namespace kimi3::proof {
namespace {

// How many payloads of a rank there are.
std::uint32_t count_planes(CallerBuffers buffers) {
  switch (buffers) {
    case CallerBuffers::kOnePair:
      return 2;
    case CallerBuffers::kTwoPairs:
      return 4;
    case CallerBuffers::kInPlace:
      return 1;
  }
  std::abort();
}

}  // namespace

Specification::Specification(const Schedule& schedule, Terms& terms, Arena& arena)
    : shards(declared_shards(schedule)),
      shard_bytes(schedule.elements / shards * element_bytes(Element::kBf16)),
      declared(&arena) {
  declared.reserve(static_cast<std::size_t>(shards * kProvenCalls));
  for (int call = 1; call <= kProvenCalls; ++call) {
    for (int shard = 0; shard < shards; ++shard) {
      declared.push_back(declared_term(schedule, terms, shard, call));
    }
  }
}

Memory::Memory(const Program& program, Terms& terms, const Specification& specification,
               CallerBuffers buffers, Arena& arena)
    : program_(program),
      terms_(terms),
      specification_(specification),
      buffers_(buffers),
      cells_(program.slot_cells + std::size_t{count_planes(buffers)} * program.payload_cells,
             &arena),
      readers_(1, &arena),
      operands_(&arena) {
  std::uint32_t plane = 0;
  for (auto& of_call : planes_) {
    for (std::uint32_t& offset : of_call) {
      offset = plane++ % count_planes(buffers) * program.payload_cells;
    }
  }
}

Memory::Cursor Memory::cursor(const CellRun& run, int call) const {
  return {cells_.data() + address(run, call), program_.cell_bytes.data() + run.first, run.element};
}

Memory::Stretch Memory::Cursor::read(std::int64_t begin, std::int64_t end) {
  while (cell_begin_ + *bytes_ <= begin) {
    cell_begin_ += *bytes_++;
    ++cells_;
  }
  const Content content = cells_->content.from(begin - cell_begin_);
  std::int64_t cell_end = cell_begin_ + *bytes_;
  for (std::ptrdiff_t next = 1; cell_end < end; cell_end += bytes_[next++]) {
    const Content& follower = cells_[next].content;
    const bool continues =
        content.faulty() ? follower.faulty() : follower == content.from(cell_end - begin);
    if (!continues) return {content, cell_end};
  }
  return {content, end};
}

bool Memory::race(Epoch earlier, bool earlier_writes, bool later_writes, std::uint32_t cell) {
  finding_ = {.property = Property::kRaces,
              .earlier = earlier,
              .earlier_writes = earlier_writes,
              .later_writes = later_writes,
              .cell = cell};
  return false;
}

bool Memory::read(const CellRun& run, const Moment& now) {
  Cell* cell = cells_.data() + address(run, now.call);
  for (std::uint32_t i = 0; i < run.count; ++i, ++cell) {
    if (!happened_before(cell->written, now.clock)) {
      return race(cell->written, true, false, run.first + i);
    }
    ordered_pairs_ += cell->written != 0 ? 1 : 0;
    remember_reader(*cell, now);
  }
  return true;
}

// A reader that happened before this one needs no memory: who comes after this one comes after it.
void Memory::remember_reader(Cell& cell, const Moment& now) {
  if (happened_before(cell.read, now.clock)) {
    cell.read = now.epoch;
    return;
  }
  std::uint32_t name = free_reader_;
  if (name != 0) {
    free_reader_ = readers_[name].next;
  } else {
    name = static_cast<std::uint32_t>(readers_.size());
    readers_.emplace_back();
  }
  readers_[name] = {now.epoch, cell.more_readers};
  cell.more_readers = name;
}

bool Memory::write(const CellRun& run, const Moment& now) {
  Cell* cell = cells_.data() + address(run, now.call);
  for (std::uint32_t i = 0; i < run.count; ++i, ++cell) {
    if (!happened_before(cell->written, now.clock)) {
      return race(cell->written, true, true, run.first + i);
    }
    ordered_pairs_ += cell->written != 0 ? 1 : 0;
    if (!forget_readers(*cell, run.first + i, now)) return false;
    cell->written = now.epoch;
  }
  return true;
}

bool Memory::forget_readers(Cell& cell, std::uint32_t name, const Moment& now) {
  if (!happened_before(cell.read, now.clock)) return race(cell.read, false, true, name);
  ordered_pairs_ += cell.read != 0 && cell.read != now.epoch ? 1 : 0;
  cell.read = 0;
  while (cell.more_readers != 0) {
    Reader& reader = readers_[cell.more_readers];
    if (!happened_before(reader.epoch, now.clock)) return race(reader.epoch, false, true, name);
    ordered_pairs_ += reader.epoch != now.epoch ? 1 : 0;
    const std::uint32_t next = reader.next;
    reader.next = free_reader_;
    free_reader_ = cell.more_readers;
    cell.more_readers = next;
  }
  return true;
}

// Gives every cell of `run` what `combine` finds for its bytes, which are counted from the run's
// begin.
template <typename Combine>
void Memory::fill(const CellRun& run, const Moment& now, Combine combine) {
  Cell* cell = cells_.data() + address(run, now.call);
  std::int64_t begin = 0;
  for (std::uint32_t name = run.first; name < run.first + run.count; ++name, ++cell) {
    const std::int64_t end = begin + program_.cell_bytes[name];
    Stretch stretch = combine(begin, end);
    cell->content = stretch.content;
    while (stretch.end < end) {
      cell->content = {terms_.faulty(Fault::kFragmented, now.epoch)};
      cuts_.push_back({program_.buffer_of(name), program_.cell_begins[name] + stretch.end - begin});
      stretch = combine(stretch.end, end);
    }
    begin = end;
  }
}

bool Memory::copy(const Node& node, const Moment& now) {
  const CellRun& dst = program_.runs[node.first_run];
  const CellRun& source = program_.runs[node.first_run + 1];
  if (!read(source, now) || !write(dst, now)) return false;
  Cursor from = cursor(source, now.call);
  fill(dst, now, [&](std::int64_t begin, std::int64_t end) { return from.read(begin, end); });
  return true;
}

bool Memory::add(const Node& node, const Moment& now) {
  const CellRun& dst = program_.runs[node.first_run];
  operands_.clear();
  for (int i = 1; i <= node.step->operand_count; ++i) {
    const CellRun& operand = program_.runs[node.first_run + static_cast<std::uint32_t>(i)];
    if (!read(operand, now)) return false;
    operands_.push_back(cursor(operand, now.call));
  }
  if (!write(dst, now)) return false;
  fill(dst, now,
       [&](std::int64_t begin, std::int64_t end) { return sum(begin, end, dst.element, now); });
  return true;
}

// What bytes [begin, end) of the dst become; its cells may cut an element in two.
Memory::Stretch Memory::sum(std::int64_t begin, std::int64_t end, Element to, const Moment& now) {
  const std::int64_t size = element_bytes(to);
  const std::int64_t first = begin / size;
  std::int64_t last = (end + size - 1) / size;
  Addend total;
  for (Cursor& operand : operands_) {
    const std::int64_t bytes = element_bytes(operand.element());
    const Stretch stretch = operand.read(first * bytes, last * bytes);
    const bool torn = stretch.end / bytes == first;
    last = torn ? first + 1 : stretch.end / bytes;
    const Addend value = torn ? Addend{terms_.faulty(Fault::kElement, now.epoch), kNowhere}
                              : addend(stretch.content, operand.element(), now);
    total = &operand == &operands_.front() ? value : plus(total, value, now);
  }
  const std::int64_t uniform_end = std::min(end, last * size);
  if (total.index == kNowhere) return {{total.term, to, kNowhere}, uniform_end};
  if (to == Element::kBf16) total.term = terms_.rounded(total.term, now.epoch);
  return {{total.term, to, (total.index - first) * size + begin}, uniform_end};
}

Memory::Addend Memory::addend(const Content& content, Element element, const Moment& now) {
  if (content.faulty()) return {content.term, kNowhere};
  const std::int64_t bytes = element_bytes(element);
  if (content.element != element || content.position % bytes != 0) {
    return {terms_.faulty(Fault::kElement, now.epoch), kNowhere};
  }
  return {content.term, content.position / bytes};
}

Memory::Addend Memory::plus(const Addend& left, const Addend& right, const Moment& now) {
  if (left.index == kNowhere) return left;
  if (right.index == kNowhere) return right;
  if (left.index != right.index) return {terms_.faulty(Fault::kMisplaced, now.epoch), kNowhere};
  return {terms_.sum(left.term, right.term, now.epoch), left.index};
}

bool Memory::caller_writes(int rank, const Moment& now) {
  const CellRun& payload = program_.payloads[static_cast<std::size_t>(rank)];
  if (!write(payload, now)) return false;
  const Content input{terms_.input(rank, now.call), Element::kBf16, 0};
  fill(payload, now, [&](std::int64_t begin, std::int64_t end) {
    return Stretch{input.from(begin), end};
  });
  return true;
}

bool Memory::caller_reads(int rank, const Moment& now) {
  CellRun output = program_.payloads[static_cast<std::size_t>(rank)];
  output.space = Space::kOutput;
  if (!read(output, now)) return false;
  const Cell* cell = cells_.data() + address(output, now.call);
  std::int64_t shard = 0;
  for (std::uint32_t name = output.first; name < output.first + output.count; ++name, ++cell) {
    const std::int64_t byte = program_.cell_begins[name];
    if (byte == (shard + 1) * specification_.shard_bytes) ++shard;
    const TermId declared = specification_.at(shard, now.call);
    if (cell->content == Content{declared, Element::kBf16, byte}) continue;
    const Epoch departure = terms_.departure(cell->content.term);
    finding_ = {.property = Property::kValues,
                .earlier = departure != 0 ? departure : cell->written,
                .cell = name,
                .content = cell->content,
                .declared = declared};
    return false;
  }
  return true;
}

}  // namespace kimi3::proof
