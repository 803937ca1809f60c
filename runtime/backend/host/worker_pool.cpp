#include "runtime/backend/host/worker_pool.h"

#include <fmt/format.h>
#include <signal.h>

#include <cfenv>
#include <system_error>

#include "kimi3/error.h"

namespace kimi3::host {
namespace {

constexpr std::uint32_t kOpen = std::uint32_t{1} << 31U;

// A server's signals are for its own threads: what is started inside this scope never takes one.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

WorkerPool::WorkerPool(int workers, int lanes)
    : offers_(std::make_unique<Offer[]>(static_cast<std::size_t>(lanes))), lanes_(lanes) {
  const SignalsBlocked signals_blocked;
  try {
    for (int i = 1; i < workers; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error& error) {
    stop();
    throw machine_failure(fmt::format("cannot start worker thread {} of {}: {}",
                                      threads_.size() + 1, workers, error.code().message()));
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  stopping_.store(true);
  calls_.fetch_add(1);
  calls_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::run(int lane, const PartedTask& task, std::int64_t parts) {
  Offer& offer = offers_[static_cast<std::size_t>(lane)];
  offer.task = &task;
  offer.parts = parts;
  offer.next.store(0, std::memory_order_relaxed);
  offer.state.fetch_or(kOpen, std::memory_order_release);
  if (parts > 1 && !threads_.empty()) {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }
  take_parts(offer);
  std::uint32_t state = offer.state.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  while (state != 0) {
    offer.state.wait(state, std::memory_order_acquire);
    state = offer.state.load(std::memory_order_acquire);
  }
}

void WorkerPool::take_parts(Offer& offer) {
  for (;;) {
    const std::int64_t part = offer.next.fetch_add(1, std::memory_order_relaxed);
    if (part >= offer.parts) return;
    offer.task->run_part(part);
  }
}

void WorkerPool::help(Offer& offer) {
  if ((offer.state.load(std::memory_order_relaxed) & kOpen) == 0) return;
  if ((offer.state.fetch_add(1, std::memory_order_acquire) & kOpen) != 0) take_parts(offer);
  if (offer.state.fetch_sub(1, std::memory_order_acq_rel) == 1) offer.state.notify_all();
}

void WorkerPool::serve() {
  // A thread inherits its creator's floating-point modes; the sums are in the default ones.
  std::fesetenv(FE_DFL_ENV);
  for (;;) {
    const std::uint32_t seen = calls_.load(std::memory_order_acquire);
    for (int lane = 0; lane < lanes_; ++lane) help(offers_[static_cast<std::size_t>(lane)]);
    if (stopping_.load(std::memory_order_acquire)) return;
    calls_.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace kimi3::host
