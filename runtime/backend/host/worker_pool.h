// The threads that a runtime keeps: as many as cores, asleep between reductions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace kimi3::host {

// Something done in independent parts.
class PartedTask {
 public:
  virtual void run_part(std::int64_t part) const noexcept = 0;

 protected:
  ~PartedTask() = default;
};

// Runs tasks on the calling thread and, where they are free, on its own. Tasks of different lanes
// may run at once, called from different threads; a lane takes one at a time. Nothing is allocated
// or locked in run(), and its only system calls wake threads and wait for the last part.
class WorkerPool {
 public:
  // `workers` threads in all, the caller's among them: workers - 1 are started.
  // Throws kMachine where a thread cannot be started.
  WorkerPool(int workers, int lanes);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  // Runs parts 0 … parts-1 of `task`, each once; all are done when it returns.
  void run(int lane, const PartedTask& task, std::int64_t parts);

 private:
  // Where a lane's task is offered. `state` has the bit kOpen while parts may be taken, and counts
  // the helpers that look at the offer: the caller takes it back and waits for the count to fall to
  // zero.
  struct alignas(64) Offer {
    std::atomic<std::uint32_t> state{0};
    const PartedTask* task = nullptr;
    std::int64_t parts = 0;
    alignas(64) std::atomic<std::int64_t> next{0};
  };

  static void take_parts(Offer& offer);
  static void help(Offer& offer);
  void serve();
  void stop();

  std::unique_ptr<Offer[]> offers_;
  int lanes_;
  std::atomic<std::uint32_t> calls_{0};  // counts offers; the helpers sleep on it
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace kimi3::host
