// Runs a program as a user would: arguments, environment, working directory; exit status and
// output.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kimi3::test {

struct ToolResult {
  int status = -1;  // exit status; 128 + signal where one ended it
  std::string out;
  std::string err;
};

struct ToolRun {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=VALUE", and nothing of the test's own
  std::filesystem::path directory = ".";
  std::chrono::seconds limit{60};  // then it is killed, and the status is 137
};

ToolResult run_tool(const ToolRun& run);

// A directory that is gone, with what it holds, at the end of the test.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
// Creates the folders above it too.
void write_text(const std::filesystem::path& path, std::string_view text);
// Every path below `directory`, relative and sorted: to see that nothing was left behind.
std::vector<std::string> list_files(const std::filesystem::path& directory);

}  // namespace kimi3::test
