// Files in, hashes out: the work on several threads, the results in the order in which the files
// came, whatever the number of threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "exporter/file_hash.h"
#include "exporter/problem.h"
#include "exporter/run_control.h"

namespace kimi3 {

struct FileJob {
  std::string path;
  std::int64_t size = 0;
  std::string expected_sha256;     // where one checks
  std::string sha256;              // the result
  std::optional<Problem> problem;  // with one from the start, there is nothing to do
};

class HashPipeline {
 public:
  // On one of the worker threads. What it throws is thrown to the caller of push or finish when the
  // job's turn has come.
  using Work = std::function<void(FileJob&, HashProgress&)>;
  // On the caller's thread, in order.
  using Done = std::function<void(const FileJob&)>;

  // `total` is what progress is told to expect, in bytes.
  HashPipeline(const RunControl& control, std::int64_t total, Work work, Done done);
  // Ends the work that is under way, without its results.
  ~HashPipeline();
  HashPipeline(const HashPipeline&) = delete;
  HashPipeline& operator=(const HashPipeline&) = delete;

  // Takes a job; waits where too many are under way. Throws kMachine where asked to stop.
  void push(FileJob job);
  // Waits for all. Nothing may be pushed afterwards.
  void finish();

  std::int64_t bytes_hashed() const { return progress_.bytes; }

 private:
  struct Slot {
    FileJob job;
    std::exception_ptr failure;
    bool ready = false;
  };

  void run_worker();
  // Hands out what is ready at the front; with `wait`, waits for some first, but not long.
  void deliver(bool wait);
  void report_progress();
  void stop_workers() noexcept;

  const RunControl& control_;
  std::int64_t total_;
  Work work_;
  Done done_;
  HashProgress progress_;

  std::mutex mutex_;
  std::condition_variable work_available_;
  std::condition_variable front_ready_;
  std::deque<std::unique_ptr<Slot>> slots_;  // in order, from the first that was not handed out
  std::deque<Slot*> waiting_;                // of these, those that no worker has taken
  std::size_t path_bytes_ = 0;               // of the jobs in slots_
  bool closed_ = false;

  std::chrono::steady_clock::time_point reported_{};
  std::vector<std::thread> workers_;
};

}  // namespace kimi3
