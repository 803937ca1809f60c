#include "exporter/hash_pipeline.h"

#include <algorithm>
#include <utility>

#include "kimi3/error.h"

namespace kimi3 {
namespace {

// What may be under way: much, so that small files behind a large one keep the workers busy, and
// bounded, since the results wait in memory for the large one.
constexpr std::size_t kMaxSlots = 16384;
constexpr std::size_t kMaxPathBytesUnderWay = std::size_t{4} * 1024 * 1024;

constexpr auto kTick = std::chrono::milliseconds(100);

int worker_count(const RunControl& control) {
  if (control.workers > 0) return control.workers;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

void check_stop(const RunControl& control) {
  if (control.stop != nullptr && control.stop->load(std::memory_order_relaxed)) {
    throw machine_failure("stopped before it was done");
  }
}

HashPipeline::HashPipeline(const RunControl& control, std::int64_t total, Work work, Done done)
    : control_(control), total_(total), work_(std::move(work)), done_(std::move(done)) {
  try {
    for (int i = worker_count(control); i > 0; --i) workers_.emplace_back([this] { run_worker(); });
  } catch (...) {
    stop_workers();
    throw;
  }
}

HashPipeline::~HashPipeline() { stop_workers(); }

void HashPipeline::stop_workers() noexcept {
  progress_.abort = true;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();
  }
  work_available_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void HashPipeline::push(FileJob job) {
  while (slots_.size() >= kMaxSlots || path_bytes_ >= kMaxPathBytesUnderWay) deliver(true);
  auto slot = std::make_unique<Slot>();
  slot->job = std::move(job);
  slot->ready = slot->job.problem.has_value();
  path_bytes_ += slot->job.path.size();
  {
    const std::lock_guard lock(mutex_);
    if (!slot->ready) waiting_.push_back(slot.get());
    slots_.push_back(std::move(slot));
  }
  work_available_.notify_one();
  deliver(false);
}

void HashPipeline::finish() {
  while (!slots_.empty()) deliver(true);
  if (control_.progress) control_.progress(progress_.bytes, total_);
}

void HashPipeline::deliver(bool wait) {
  check_stop(control_);
  report_progress();
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !slots_.empty() && slots_.front()->ready; };
  if (wait) front_ready_.wait_for(lock, kTick, ready);
  while (ready()) {
    const std::unique_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    lock.unlock();
    path_bytes_ -= slot->job.path.size();
    if (slot->failure) std::rethrow_exception(slot->failure);
    done_(slot->job);
    lock.lock();
  }
}

void HashPipeline::report_progress() {
  const auto now = std::chrono::steady_clock::now();
  if (!control_.progress || now - reported_ < kTick) return;
  reported_ = now;
  control_.progress(progress_.bytes, total_);
}

void HashPipeline::run_worker() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_available_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Slot* slot = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    try {
      work_(slot->job, progress_);
    } catch (...) {
      slot->failure = std::current_exception();
    }
    lock.lock();
    slot->ready = true;
    if (slot == slots_.front().get()) front_ready_.notify_one();
  }
}

}  // namespace kimi3
