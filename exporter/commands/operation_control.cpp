#include "exporter/commands/operation_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

namespace kimi3 {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxWorkers = 1024;
constexpr std::array<std::string_view, 3> kProgressWords{"auto", "always", "never"};

// What a signal handler may touch: lock-free, and there for the whole run of the program.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interruption(int /*signal*/) { interrupted = true; }

void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

class OperationControl::ProgressLine {
 public:
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }

  void draw(std::int64_t done, std::int64_t total) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    const double left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
    const auto percent =
        total > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 100.0;
    fmt::print(stderr, "\r\x1b[K{:5.1f} %  {:.2f} of {:.2f} GB  {:.2f} GB/s  {} left", percent,
               static_cast<double>(done) / 1e9, static_cast<double>(total) / 1e9, rate / 1e9,
               time_left(left));
    drawn_ = true;
  }

 private:
  Clock::time_point start_ = Clock::now();
  bool drawn_ = false;
};

void add_control_options(po::options_description& options) {
  options.add_options()("workers", po::value<std::string>()->value_name("N"),
                        "threads that hash; the default is one for each core");
  options.add_options()("progress", po::value<std::string>()->value_name("WHEN"),
                        "auto (on a terminal), always or never");
}

OperationControl::OperationControl(const Arguments& arguments) {
  if (arguments.has("workers")) {
    control_.workers = static_cast<int>(integer_option(arguments, "workers", 1, kMaxWorkers));
  }
  const std::string progress =
      arguments.has("progress") ? word_option(arguments, "progress", kProgressWords) : "auto";
  if (progress == "always" || (progress == "auto" && isatty(STDERR_FILENO) == 1)) {
    line_ = std::make_unique<ProgressLine>();
    control_.progress = [this](std::int64_t done, std::int64_t total) { line_->draw(done, total); };
  }
  control_.stop = &interrupted;
  handle_signals(note_interruption);
}

OperationControl::~OperationControl() { handle_signals(SIG_DFL); }

}  // namespace kimi3
