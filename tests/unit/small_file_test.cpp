#include "runtime/plan/small_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/refusal.h"
#include "tests/support/tool.h"

namespace kimi3 {
namespace {

class SmallFile : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (dir_ / name).string(); }
  std::string refusal(const std::string& path, ErrorKind kind = ErrorKind::kMalformed) const {
    const std::string text = test::refusal([&] { read_small_file(path, 10); }, kind);
    const std::size_t at = text.find(path);
    return at == std::string::npos ? text
                                   : text.substr(0, at) + "PATH" + text.substr(at + path.size());
  }

  test::TempDir dir_;
};

TEST_F(SmallFile, IsReadAsItIs) {
  const std::string content("a\0\xFF\n", 4);
  test::write_text(dir_ / "f", content);
  EXPECT_EQ(read_small_file(path("f"), 10), content);
  test::write_text(dir_ / "f", "");
  EXPECT_EQ(read_small_file(path("f"), 10), "");
}

TEST_F(SmallFile, HasALimit) {
  test::write_text(dir_ / "f", "0123456789");
  EXPECT_EQ(read_small_file(path("f"), 10), "0123456789");
  test::write_text(dir_ / "f", "0123456789a");
  EXPECT_EQ(refusal(path("f")), "PATH: larger than 10 bytes");
  EXPECT_EQ(refusal("/dev/zero"), "PATH: is a character device, not a file");
}

TEST_F(SmallFile, IsARegularFile) {
  std::filesystem::create_directory(dir_ / "d");
  EXPECT_EQ(refusal(path("d")), "PATH: is a directory, not a file");
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  EXPECT_EQ(refusal(path("p")), "PATH: is a FIFO, not a file");
}

TEST_F(SmallFile, TheSystemMayRefuse) {
  EXPECT_EQ(refusal(path("f"), ErrorKind::kMachine), "cannot open PATH: No such file or directory");
  test::write_text(dir_ / "f", "");
  EXPECT_EQ(refusal(path("f/g"), ErrorKind::kMachine), "cannot open PATH: Not a directory");
  // A file that opens and cannot be read.
  EXPECT_EQ(refusal("/proc/self/mem", ErrorKind::kMachine), "cannot read PATH: Input/output error");
}

}  // namespace
}  // namespace kimi3
