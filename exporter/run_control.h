// What every long operation on a package takes besides its request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace kimi3 {

struct RunControl {
  // Threads that hash; 0 is one for each core. The result does not depend on it.
  int workers = 0;
  // Called on the thread that called the operation, a few times a second and once at the end, with
  // the bytes hashed so far and those there are.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  // Where it becomes true, the operation cleans up and throws kMachine within a block or so.
  const std::atomic<bool>* stop = nullptr;
  // How long to wait for another writer of the same package.
  std::chrono::milliseconds lock_limit = std::chrono::seconds(10);
};

// Throws kMachine once the operation was asked to stop.
void check_stop(const RunControl& control);

}  // namespace kimi3
