#include "tests/support/tool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kimi3::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become(const ToolRun& run, const Pipe& out, const Pipe& err) {
  std::vector<std::string> words{run.program};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  const auto argv = pointers(words);
  const auto envp = pointers(run.environment);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  if (chdir(run.directory.c_str()) == 0) execve(run.program.c_str(), argv.data(), envp.data());
  _exit(127);
}

// Reads both pipes until they close or time is up; a child that writes much must not block.
bool drain(int out, int err, ToolResult& result, Clock::time_point deadline) {
  std::array<pollfd, 2> fds{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || poll(fds.data(), fds.size(), static_cast<int>(left)) == 0) return false;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t size = read(fds[i].fd, buffer.data(), buffer.size());
      if (size <= 0) fds[i].fd = -1;
      if (size > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(size));
    }
  }
  return true;
}

}  // namespace

ToolResult run_tool(const ToolRun& run) {
  const Pipe out;
  const Pipe err;
  const pid_t child = fork();
  if (child == 0) become(run, out, err);
  close(out.ends[1]);
  close(err.ends[1]);
  ToolResult result;
  if (!drain(out.ends[0], err.ends[0], result, Clock::now() + run.limit)) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(out.ends[0]);
  close(err.ends[0]);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TempDir::TempDir() {
  std::string name = (fs::temp_directory_path() / "kimi3-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  ASSERT_TRUE(file.flush().good()) << path;
}

std::vector<std::string> list_files(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    names.push_back(fs::relative(entry.path(), directory).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kimi3::test
