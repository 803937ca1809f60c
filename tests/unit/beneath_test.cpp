// Opening beneath a directory, by the kernel and step by step: the same results.
#include "runtime/plan/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"
#include "tests/support/refusal.h"
#include "tests/support/tool.h"

namespace kimi3::test {
namespace {

namespace fs = std::filesystem;

TEST(ArtifactPath, FaultsAreNamed) {
  const auto fault = [](std::string_view path) { return artifact_path_fault(path).value_or("-"); };
  EXPECT_EQ(fault("a"), "-");
  EXPECT_EQ(fault("a b/\"c\"/é/日本/.hidden/..."), "-");
  EXPECT_EQ(fault(""), "is empty");
  EXPECT_EQ(fault("/a"), "is absolute");
  EXPECT_EQ(fault("a/"), "has an empty component");
  EXPECT_EQ(fault("a//b"), "has an empty component");
  EXPECT_EQ(fault("./a"), "has the component '.'");
  EXPECT_EQ(fault("a/../b"), "has the component '..'");
  EXPECT_EQ(fault("a\\b"), "has a backslash");
  EXPECT_EQ(fault("a\tb"), "has a control character");
  EXPECT_EQ(fault(std::string_view("a\0b", 3)), "has a control character");
  EXPECT_EQ(fault("a\x7F"), "has a control character");
  EXPECT_EQ(fault("a\xC2\x85"), "has a control character");
  EXPECT_EQ(fault("a\x80"), "is not valid UTF-8");
  EXPECT_EQ(fault("\xED\xA0\x80"), "is not valid UTF-8");
  EXPECT_EQ(fault("\xC0\xAF"), "is not valid UTF-8");
  EXPECT_EQ(fault(std::string(255, 'a')), "-");
  EXPECT_EQ(fault(std::string(256, 'a')), "has a component of more than 255 bytes");
  std::string deep;
  for (int i = 0; i < 64; ++i) deep += "d/";
  EXPECT_EQ(fault(deep.substr(0, deep.size() - 1)), "-");
  EXPECT_EQ(fault(deep + "d"), "has more than 64 components");
  std::string wide;
  while (wide.size() < 4096) wide += std::string(254, 'a') + "/";
  EXPECT_EQ(fault(wide.substr(0, 4096)), "-");
  EXPECT_EQ(fault(wide.substr(0, 4096) + "a"), "has more than 4096 bytes");
  for (const char* const name : {"manifest.json", "reduction_plan.yaml", ".kimi3-export",
                                 ".kimi3-export.0123456789abcdef", "manifest.json/a"}) {
    EXPECT_EQ(fault(name), "has a reserved name") << name;
  }
  EXPECT_EQ(fault("a/manifest.json"), "-");
  EXPECT_EQ(fault("Manifest.json"), "-");
}

TEST(Resolution, TheKernelIsAskedWhereItCan) {
  struct {
    std::uint64_t flags = O_RDONLY;
    std::uint64_t mode = 0;
    std::uint64_t resolve = 0;
  } how;
  const long opened = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how);
  EXPECT_EQ(supported_resolution(), opened >= 0 ? Resolution::kKernel : Resolution::kStepByStep);
  if (opened >= 0) close(static_cast<int>(opened));
}

class Beneath : public testing::TestWithParam<Resolution> {
 protected:
  void SetUp() override {
    if (GetParam() == Resolution::kKernel && supported_resolution() != Resolution::kKernel) {
      GTEST_SKIP() << "this system permits no openat2";
    }
    write_text(directory_ / "root/a/b/file", "content");
    write_text(directory_ / "outside", "secret");
    fs::create_symlink("b", directory_ / "root/a/inside");
    fs::create_symlink("../../outside", directory_ / "root/a/out");
    fs::create_symlink("nowhere", directory_ / "root/a/dangling");
    fs::create_symlink("/proc/self/root", directory_ / "root/magic");
    ASSERT_EQ(mkfifo((directory_ / "root/fifo").c_str(), 0600), 0);
    root_ = open_directory((directory_ / "root").string());
  }

  // 0, or the error number.
  int attempt(std::string_view path, int flags = O_RDONLY) {
    const int opened = open_beneath(root_.get(), path, flags, 0600, GetParam());
    if (opened < 0) return -opened;
    const FileDescriptor file(opened);
    EXPECT_NE(fcntl(opened, F_GETFD) & FD_CLOEXEC, 0);
    return 0;
  }

  TempDir directory_;
  FileDescriptor root_;
};

TEST_P(Beneath, OpensFilesAndDirectories) {
  EXPECT_EQ(attempt("a/b/file"), 0);
  EXPECT_EQ(attempt("a/b", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(attempt("a/b/none"), ENOENT);
  EXPECT_EQ(attempt("a/none/file"), ENOENT);
  EXPECT_EQ(attempt("a/b/file/x"), ENOTDIR);
  EXPECT_EQ(attempt("a/b/file", O_RDONLY | O_DIRECTORY), ENOTDIR);
}

TEST_P(Beneath, NeverFollowsALink) {
  for (const char* const path :
       {"a/inside", "a/inside/file", "a/out", "a/dangling", "magic", "magic/etc/passwd"}) {
    EXPECT_EQ(attempt(path), ELOOP) << path;
  }
  EXPECT_EQ(attempt("a/inside", O_RDONLY | O_DIRECTORY), ELOOP);
}

TEST_P(Beneath, NeverLeaves) {
  EXPECT_EQ(attempt("../outside"), EXDEV);
  EXPECT_EQ(attempt("a/../../outside"), EXDEV);
  EXPECT_EQ(attempt((directory_ / "outside").string()), EXDEV);
  EXPECT_EQ(attempt("/"), EXDEV);
  EXPECT_EQ(attempt(std::string_view("a/b/file\0/..", 12)), EINVAL);
}

TEST_P(Beneath, AFifoDoesNotHang) { EXPECT_EQ(attempt("fifo"), 0); }

TEST_P(Beneath, CreatesWhatIsNotThere) {
  EXPECT_EQ(attempt("a/b/new", O_RDWR | O_CREAT | O_EXCL), 0);
  EXPECT_EQ(attempt("a/b/new", O_RDWR | O_CREAT | O_EXCL), EEXIST);
  EXPECT_EQ(attempt("a/dangling", O_RDWR | O_CREAT | O_EXCL), EEXIST);
  EXPECT_EQ(attempt("a/inside/new", O_RDWR | O_CREAT | O_EXCL), ELOOP);
  EXPECT_FALSE(fs::exists(directory_ / "root/a/nowhere"));
}

INSTANTIATE_TEST_SUITE_P(Both, Beneath,
                         testing::Values(Resolution::kKernel, Resolution::kStepByStep),
                         [](const auto& tested) {
                           return tested.param == Resolution::kKernel ? "Kernel" : "StepByStep";
                         });

TEST(OpenRegularFile, SaysWhatElseItIs) {
  const TempDir directory;
  write_text(directory / "file", "");
  fs::create_symlink("file", directory / "link");
  fs::create_directory(directory / "folder");
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  const FileDescriptor root = open_directory(directory.path().string());
  const auto what = [&](const std::string& name) {
    return refusal([&] { open_regular_file(root.get(), name, "shown"); });
  };
  EXPECT_EQ(what("file"), "accepted");
  EXPECT_EQ(what("link"), "shown: is a symbolic link");
  EXPECT_EQ(what("folder"), "shown: is a directory");
  EXPECT_EQ(what("fifo"), "shown: is a FIFO");
  EXPECT_EQ(what("none"), "shown: no such file");
  EXPECT_EQ(refusal([&] { open_directory((directory / "fifo").string()); }),
            "'" + (directory / "fifo").string() + "': not a directory");
}

}  // namespace
}  // namespace kimi3::test
