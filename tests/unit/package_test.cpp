// Packages as they are written and checked: what is in them, what is not, and what is refused.
#include "exporter/package.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <functional>

#include "exporter/file_publication.h"
#include "kimi3/error.h"
#include "runtime/plan/sha256.h"
#include "tests/support/package_fixture.h"

namespace kimi3::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(PackageTest, HoldsTheArtifactsAManifestAndThePlan) {
  write_artifacts();
  const WriteResult result = export_to(package());
  EXPECT_THAT(list_files(package()),
              ElementsAre("graphs", "graphs.txt", "graphs/prefill-2048.bin", "manifest.json",
                          "reduction_plan.yaml", "weights", "weights/0.bin", "weights/empty"));
  EXPECT_EQ(read_text(package() / "weights/0.bin"), std::string(700'000, 'w'));
  const auto entry = [](const std::string& path, const std::string& text) {
    return R"({"path":")" + path + R"(","sha256":")" + sha256_hex(text) + R"(","size":)" +
           std::to_string(text.size()) + "}";
  };
  const std::string manifest =
      R"({"files":[)" + entry("graphs.txt", "list of graphs") + "," +
      entry("graphs/prefill-2048.bin", "graph") + "," +
      entry("weights/0.bin", std::string(700'000, 'w')) + "," + entry("weights/empty", "") +
      R"(],"overlay":["reduction_plan.yaml"],"schema":"kimi3.package/1",)" +
      R"("variant":{"name":"k31","settings":{"key":"1"}}})";
  EXPECT_EQ(read_text(package() / "manifest.json"), manifest);
  EXPECT_EQ(result.manifest.identity, "sha256:" + sha256_hex(manifest));
  EXPECT_EQ(result.manifest.files, 4);
  EXPECT_EQ(result.manifest.bytes, 700'019);
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_EQ(read_text(package() / "reduction_plan.yaml"),
            "plan for " + result.manifest.identity + "\n");
  EXPECT_THAT(list_files(directory_.path()), testing::Not(testing::Contains(HasSubstr(".kimi3"))));
}

TEST_F(PackageTest, VerifiesAsItWasWritten) {
  write_artifacts();
  const WriteResult result = export_to(package());
  const VerifyReport report = verify();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.manifest.identity, result.manifest.identity);
  EXPECT_EQ(report.files_sound, 4);
  EXPECT_EQ(report.bytes_hashed, 700'019);
  const VerifyReport quick = verify({.quick = true});
  EXPECT_TRUE(quick.ok());
  EXPECT_EQ(quick.bytes_hashed, 0);
}

TEST_F(PackageTest, DigestsAreThoseOfSha256sum) {
  write_artifacts();
  const WriteResult result = export_to(package());
  const ToolResult sum = run_tool({.program = "/usr/bin/sha256sum",
                                   .arguments = {"manifest.json", "weights/0.bin"},
                                   .environment = {},
                                   .directory = package()});
  EXPECT_EQ(sum.out, result.manifest.identity.substr(7) + "  manifest.json\n" +
                         sha256_hex(std::string(700'000, 'w')) + "  weights/0.bin\n");
}

TEST_F(PackageTest, EveryKindOfDifferenceIsListedByPath) {
  write_artifacts();
  export_to(package());
  write_text(package() / "weights/0.bin", std::string(699'999, 'w') + "x");
  write_text(package() / "graphs.txt", "list");
  fs::remove(package() / "weights/empty");
  write_text(package() / "graphs/extra", "");
  fs::create_symlink("graphs.txt", package() / "link");
  fs::create_directory(package() / "hollow");
  const VerifyReport report = verify();
  EXPECT_FALSE(report.ok());
  EXPECT_FALSE(report.unreadable);
  EXPECT_THAT(problems(report),
              ElementsAre("wrong size graphs.txt", "extra graphs/extra", "refused type hollow",
                          "refused type link", "changed weights/0.bin", "missing weights/empty"));
  EXPECT_EQ(report.problem_count, 6);
  EXPECT_EQ(report.problems[0].detail, "4 bytes, not 14");
  EXPECT_EQ(report.problems[2].detail,
            "'" + (package() / "hollow").string() + "' is an empty directory");
  EXPECT_EQ(report.problems[3].detail,
            "'" + (package() / "link").string() + "' is a symbolic link");
  // Without hashes the change that kept the size is not seen, and the others are.
  EXPECT_EQ(problems(verify({.quick = true})).size(), 5U);
}

TEST_F(PackageTest, TheExpectedIdentityIsCompared) {
  write_artifacts();
  const std::string identity = export_to(package()).manifest.identity;
  EXPECT_TRUE(verify({.expected_identity = identity}).ok());
  const VerifyReport report = verify({.expected_identity = format_digest(sha256_hex("other"))});
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.identity_differs);
  EXPECT_THAT(report.problems, IsEmpty());
  for (const std::string text : {"", "sha256:", "SHA256:00"}) {
    EXPECT_THAT(message_of([&] { verify({.expected_identity = text}); }, ErrorKind::kMalformed),
                HasSubstr("the expected identity '" + text + "' is not"));
  }
}

TEST_F(PackageTest, NothingIsVerifiedByAccident) {
  EXPECT_EQ(message_of([&] { verify(); }, ErrorKind::kMalformed),
            "'" + package().string() + "': no such directory");
  fs::create_directory(package());
  EXPECT_EQ(message_of([&] { verify(); }, ErrorKind::kMalformed),
            "'" + package().string() + "' is no package: it has no manifest.json");
  write_text(package() / "manifest.json", "");
  EXPECT_EQ(message_of([&] { verify(); }, ErrorKind::kMalformed),
            (package() / "manifest.json").string() + ":1:1: this is not JSON");
  write_text(package() / "manifest.json",
             R"({"files":[],"overlay":["reduction_plan.yaml"],"schema":"kimi3.package/1",)"
             R"("variant":{}})");
  EXPECT_EQ(message_of([&] { verify(); }, ErrorKind::kMalformed),
            (package() / "manifest.json").string() + ":1:1: a package has at least one file");
  fs::remove_all(package());
  write_artifacts();
  export_to(package());
  fs::remove(package() / "reduction_plan.yaml");
  EXPECT_THAT(problems(verify()), ElementsAre("missing reduction_plan.yaml"));
}

TEST_F(PackageTest, TemporariesOfACrashAreNoProblemAndOthersAre) {
  write_artifacts();
  export_to(package());
  write_text(package() / ".kimi3-export.0123456789abcdef", "left behind");
  EXPECT_TRUE(verify().ok());
  write_text(package() / ".kimi3-export.hidden", "smuggled");
  EXPECT_THAT(problems(verify()), ElementsAre("refused type .kimi3-export.hidden"));
}

// Everything that may differ between two machines or two days.
TEST_F(PackageTest, IsTheSameBytesWhateverTheCircumstances) {
  write_artifacts();
  export_to(package());
  const std::string manifest = read_text(package() / "manifest.json");
  const auto expect_same = [&](const std::string& what) {
    export_to(directory_ / "again");
    EXPECT_EQ(read_text(directory_ / "again/manifest.json"), manifest) << what;
    EXPECT_EQ(list_files(directory_ / "again"), list_files(package())) << what;
    fs::remove_all(directory_ / "again");
  };
  for (const int workers : {1, 2, 7}) {
    const RunControl control{.workers = workers};
    export_to(directory_ / "again", control);
    EXPECT_EQ(read_text(directory_ / "again/manifest.json"), manifest);
    fs::remove_all(directory_ / "again");
  }
  for (const mode_t mask : {022U, 077U, 0U}) {
    const mode_t before = umask(mask);
    expect_same("umask");
    umask(before);
  }
  for (const char* const locale : {"C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    setenv("TZ", "Pacific/Kiritimati", 1);
    expect_same(locale);
  }
  std::setlocale(LC_ALL, "C");
  unsetenv("TZ");
  for (const auto& entry : fs::recursive_directory_iterator(artifacts())) {
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1000));
    fs::permissions(entry.path(), fs::perms::owner_all);
  }
  expect_same("touched");
  const fs::path here = fs::current_path();
  fs::current_path(artifacts() / "graphs");
  expect_same("working directory");
  fs::current_path(here);
}

TEST_F(PackageTest, TheOrderOfCreationDoesNotCount) {
  write_artifacts();
  const std::string identity = export_to(package()).manifest.identity;
  fs::remove_all(artifacts());
  write_artifact("weights/empty", "");
  write_artifact("weights/0.bin", std::string(700'000, 'w'));
  write_artifact("graphs.txt", "list of graphs");
  write_artifact("graphs/prefill-2048.bin", "graph");
  EXPECT_EQ(export_to(directory_ / "again").manifest.identity, identity);
}

TEST_F(PackageTest, ContentsNamesAndSettingsCount) {
  write_artifacts();
  const std::string identity = export_to(package()).manifest.identity;
  const auto identity_after = [&](const std::function<void()>& change) {
    fs::remove_all(artifacts());
    write_artifacts();
    change();
    return export_to(package()).manifest.identity;
  };
  EXPECT_EQ(identity_after([] {}), identity);
  EXPECT_NE(identity_after([&] { write_artifact("graphs.txt", "list of grapht"); }), identity);
  EXPECT_NE(identity_after([&] { fs::rename(artifacts() / "graphs.txt", artifacts() / "g"); }),
            identity);
  EXPECT_NE(identity_after([&] {
              write_artifact("graphs.txt", "graph");
              write_artifact("graphs/prefill-2048.bin", "list of graphs");
            }),
            identity);
  const WriteResult other =
      export_package({.artifacts = artifacts().string(), .out = (directory_ / "b").string()},
                     variant("2"), plan_of("plan"));
  EXPECT_NE(other.manifest.identity, identity);
}

// One artifact directory with something that no package may hold, and what the refusal says of it.
class RefusedArtifact : public PackageTest {
 protected:
  void expect_refused(const std::string& path, const std::string& what) {
    const auto run = [&] { export_to(package()); };
    EXPECT_EQ(message_of(run, ErrorKind::kMalformed),
              "'" + artifacts().string() + "/" + path + "' " + what);
    EXPECT_FALSE(fs::exists(package()));
    EXPECT_THAT(list_files(directory_.path()),
                testing::Not(testing::Contains(testing::StartsWith(".kimi3-export"))));
  }
  void SetUp() override { write_artifacts(); }
};

TEST_F(RefusedArtifact, SymbolicLinks) {
  for (const char* const target : {"graphs.txt", "/etc/passwd", "nowhere", "graphs", ".."}) {
    fs::create_symlink(target, artifacts() / "weights/link");
    expect_refused("weights/link", "is a symbolic link");
    fs::remove(artifacts() / "weights/link");
  }
}

TEST_F(RefusedArtifact, FifosSocketsAndDevices) {
  ASSERT_EQ(mkfifo((artifacts() / "a").c_str(), 0600), 0);
  expect_refused("a", "is a FIFO");
  fs::remove(artifacts() / "a");

  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (artifacts() / "a").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused("a", "is a socket");
  close(socket);
  fs::remove(artifacts() / "a");

  if (mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "not permitted";
  expect_refused("a", "is a character device");
}

TEST_F(RefusedArtifact, EmptyDirectories) {
  fs::create_directories(artifacts() / "weights/hollow");
  expect_refused("weights/hollow", "is an empty directory");
}

TEST_F(RefusedArtifact, NamesThatAreNotPortable) {
  write_artifact(R"(a\b)", "");
  expect_refused(R"(a\\b)", "has a backslash");
  fs::remove(artifacts() / R"(a\b)");
  write_artifact("a\nb", "");
  expect_refused(R"(a\nb)", "has a control character");
  fs::remove(artifacts() / "a\nb");
  write_artifact("a\x7F", "");
  expect_refused(R"(a\x7F)", "has a control character");
  fs::remove(artifacts() / "a\x7F");
  write_artifact("a\xFF", "");
  expect_refused(R"(a\xFF)", "is not valid UTF-8");
  fs::remove(artifacts() / "a\xFF");
  std::string deep = "d";
  for (int i = 1; i < 64; ++i) deep += "/d";
  write_artifact(deep + "/file", "");
  expect_refused(deep + "/file", "has more than 64 components");
}

TEST_F(RefusedArtifact, ReservedNames) {
  for (const std::string name : {"manifest.json", "reduction_plan.yaml",
                                 ".kimi3-export.0123456789abcdef", ".kimi3-export-notes"}) {
    write_artifact(name, "");
    expect_refused(name, "has a reserved name");
    fs::remove(artifacts() / name);
  }
  write_artifact("weights/manifest.json", "");
  EXPECT_TRUE(export_to(package()).notes.empty());
}

TEST_F(RefusedArtifact, NamesThatDifferOnlyInCaseOnRequest) {
  write_artifact("weights/Empty", "");
  EXPECT_EQ(export_to(package()).manifest.files, 5);
  const auto run = [&] {
    export_package({artifacts().string(), package().string(), true}, variant(), plan_of("plan"));
  };
  EXPECT_EQ(message_of(run, ErrorKind::kMalformed),
            "'" + artifacts().string() + "/weights/Empty' differs from another name only in case");
  fs::remove(artifacts() / "weights/Empty");
  write_artifact("Weights", "");
  EXPECT_EQ(message_of(run, ErrorKind::kMalformed),
            "'" + artifacts().string() + "/Weights' differs from another name only in case");
}

TEST_F(PackageTest, WithoutArtifactsThereIsNoPackage) {
  EXPECT_EQ(message_of([&] { export_to(package()); }, ErrorKind::kMalformed),
            "'" + artifacts().string() + "': no such directory");
  fs::create_directory(artifacts());
  EXPECT_EQ(message_of([&] { export_to(package()); }, ErrorKind::kMalformed),
            "'" + artifacts().string() + "' holds no files");
  EXPECT_THAT(list_files(directory_.path()), ElementsAre("artifacts"));
}

TEST_F(PackageTest, OnlyAPackageOfOursIsReplaced) {
  write_artifacts();
  const auto refusal = [&] {
    return message_of([&] { export_to(package()); }, ErrorKind::kMalformed);
  };
  const std::string shown = "'" + package().string() + "'";
  fs::create_directory(package());
  EXPECT_EQ(refusal(), shown + " exists and may not be replaced: " + shown +
                           " is no package: it has no manifest.json");
  write_text(package() / "notes.txt", "mine");
  EXPECT_THAT(refusal(), HasSubstr("it has no manifest.json"));
  EXPECT_EQ(read_text(package() / "notes.txt"), "mine");
  fs::remove_all(package());
  write_text(package(), "a file");
  EXPECT_EQ(refusal(), shown + " exists and is a regular file, not a package");
  fs::remove(package());
  fs::create_symlink("elsewhere", package());
  EXPECT_EQ(refusal(), shown + " exists and is a symbolic link, not a package");
  fs::remove(package());
  export_to(package());
  write_text(package() / "graphs/notes.txt", "mine");
  EXPECT_EQ(refusal(), shown +
                           " exists and holds 'graphs/notes.txt', which its manifest does not "
                           "list");
  EXPECT_EQ(read_text(package() / "graphs/notes.txt"), "mine");
  fs::remove(package() / "graphs/notes.txt");
  write_artifact("graphs.txt", "another list");
  export_to(package());
  EXPECT_EQ(read_text(package() / "graphs.txt"), "another list");
  EXPECT_TRUE(verify().ok());
  EXPECT_THAT(list_files(directory_.path()), testing::Not(testing::Contains(HasSubstr(".kimi3"))));
}

TEST_F(PackageTest, AnOddTargetIsRefused) {
  write_artifacts();
  const auto refusal = [&](const std::string& out) {
    return message_of([&] { export_to(out); }, ErrorKind::kMalformed);
  };
  EXPECT_EQ(refusal("/"), "'/' does not name anything to write");
  EXPECT_EQ(refusal("x/.."), "'x/..' does not name anything to write");
  EXPECT_EQ(refusal((directory_ / "no/where").string()),
            "'" + (directory_ / "no").string() + "': no such directory");
  const std::string inside = (artifacts() / "weights/package").string();
  EXPECT_EQ(refusal(inside), "'" + inside + "' lies within the artifacts");
  EXPECT_THAT(refusal(artifacts().string()), HasSubstr("it has no manifest.json"));
}

TEST_F(PackageTest, ATargetMayEndInASlash) {
  write_artifacts();
  export_to(package().string() + "//");
  EXPECT_TRUE(verify().ok());
}

TEST_F(PackageTest, TheManifestOfAPackageIsNoArtifact) {
  write_artifacts();
  export_to(package());
  const auto run = [&] {
    export_package({package().string(), (directory_ / "b").string()}, variant(), plan_of("plan"));
  };
  EXPECT_EQ(message_of(run, ErrorKind::kMalformed),
            "'" + (package() / "manifest.json").string() + "' has a reserved name");
}

TEST_F(PackageTest, InPlaceTheArtifactsBecomeThePackage) {
  write_artifacts();
  const std::string identity = export_to(package()).manifest.identity;
  const auto in_place = [&](const std::string& plan) {
    return export_package({.artifacts = artifacts().string()}, variant(), plan_of(plan));
  };
  const std::string content = read_text(artifacts() / "weights/0.bin");
  EXPECT_EQ(in_place("plan").manifest.identity, identity);
  EXPECT_EQ(list_files(artifacts()), list_files(package()));
  EXPECT_TRUE(verify_package(artifacts().string(), {}).ok());
  // Again, over what is a package now.
  write_artifact("graphs.txt", "another list");
  EXPECT_NE(in_place("other plan").manifest.identity, identity);
  EXPECT_EQ(list_files(artifacts()), list_files(package()));
  EXPECT_TRUE(verify_package(artifacts().string(), {}).ok());
  EXPECT_THAT(read_text(artifacts() / "reduction_plan.yaml"),
              testing::StartsWith("other plan for"));
}

TEST_F(PackageTest, InPlaceANameThatIsReservedIsNotOverwritten) {
  write_artifacts();
  const auto refusal = [&] {
    return message_of(
        [&] { export_package({.artifacts = artifacts().string()}, variant(), plan_of("plan")); },
        ErrorKind::kMalformed);
  };
  write_artifact("reduction_plan.yaml", "mine");
  EXPECT_EQ(refusal(),
            "'" + (artifacts() / "reduction_plan.yaml").string() + "' has a reserved name");
  write_artifact("manifest.json", "mine");
  EXPECT_EQ(refusal(), (artifacts() / "manifest.json").string() + ":1:1: this is not JSON");
  EXPECT_EQ(read_text(artifacts() / "manifest.json"), "mine");
  EXPECT_EQ(read_text(artifacts() / "reduction_plan.yaml"), "mine");
}

TEST_F(PackageTest, BakingReplacesThePlanAlone) {
  write_artifacts();
  const std::string identity = export_to(package()).manifest.identity;
  write_text(package() / ".kimi3-export.0123456789abcdef", "left behind");
  const WriteResult result = replace_plan(package().string(), plan_of("another"));
  EXPECT_EQ(result.manifest.identity, identity);
  EXPECT_EQ(read_text(package() / "reduction_plan.yaml"), "another for " + identity + "\n");
  EXPECT_EQ(list_files(package()).size(), 8U);
  EXPECT_TRUE(verify({.expected_identity = identity}).ok());
  fs::remove(package() / "reduction_plan.yaml");
  replace_plan(package().string(), plan_of("third"));
  EXPECT_EQ(read_text(package() / "reduction_plan.yaml"), "third for " + identity + "\n");
}

TEST_F(PackageTest, ABakeThatIsRefusedLeavesEverythingAsItWas) {
  write_artifacts();
  export_to(package());
  const auto before = list_files(package());
  const std::string plan = read_text(package() / "reduction_plan.yaml");
  const auto fail = [](const ManifestSummary&) -> std::string { throw mismatch("no plan"); };
  EXPECT_EQ(message_of([&] { replace_plan(package().string(), fail); }, ErrorKind::kMismatch),
            "no plan");
  const auto long_plan = [](const ManifestSummary&) { return std::string(262'145, '#'); };
  EXPECT_EQ(message_of([&] { replace_plan(package().string(), long_plan); }, ErrorKind::kMalformed),
            "the plan takes 262145 bytes, more than 262144");
  EXPECT_EQ(read_text(package() / "reduction_plan.yaml"), plan);
  EXPECT_EQ(list_files(package()), before);
  EXPECT_EQ(
      message_of([&] { replace_plan(artifacts().string(), plan_of("")); }, ErrorKind::kMalformed),
      "'" + artifacts().string() + "' is no package: it has no manifest.json");
}

TEST_F(PackageTest, ARefusedExportLeavesNothing) {
  write_artifacts();
  const auto fail = [](const ManifestSummary&) -> std::string { throw mismatch("no plan"); };
  const auto run = [&] {
    export_package({artifacts().string(), package().string()}, variant(), fail);
  };
  EXPECT_EQ(message_of(run, ErrorKind::kMismatch), "no plan");
  EXPECT_FALSE(fs::exists(package()));
  EXPECT_EQ(list_files(directory_.path()).size(), 1 + list_files(artifacts()).size());
}

TEST_F(PackageTest, AnInterruptedExportLeavesNothing) {
  write_artifacts();
  std::atomic<bool> stop = false;
  std::int64_t expected = 0;
  const RunControl control{.workers = 1,
                           .progress =
                               [&](std::int64_t, std::int64_t total) {
                                 expected = total;
                                 stop = true;
                               },
                           .stop = &stop};
  EXPECT_EQ(message_of([&] { export_to(package(), control); }, ErrorKind::kMachine),
            "stopped before it was done");
  EXPECT_EQ(expected, 700'019);
  EXPECT_FALSE(fs::exists(package()));
  EXPECT_EQ(list_files(directory_.path()).size(), 1 + list_files(artifacts()).size());
}

TEST_F(PackageTest, ProgressEndsWithAllBytes) {
  write_artifacts();
  std::int64_t last = -1;
  RunControl control;
  control.progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, 700'019);
    last = done;
  };
  export_to(package(), control);
  EXPECT_EQ(last, 700'019);
}

TEST_F(PackageTest, StaleTemporariesBesideTheTargetAreRemovedAndLiveOnesStay) {
  write_artifacts();
  const fs::path stale = directory_ / ".kimi3-export.0000000000000000";
  const fs::path live = directory_ / ".kimi3-export.1111111111111111";
  const fs::path other = directory_ / ".kimi3-export.notes";
  write_text(stale / "deep/er/file", "x");
  write_text(live / "file", "x");
  write_text(other / "file", "x");
  const int lock = ::open(live.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(real_file_system().lock(lock), 0);
  EXPECT_THAT(export_to(package()).notes, IsEmpty());
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(live / "file"));
  EXPECT_TRUE(fs::exists(other / "file"));
  close(lock);
  export_to(package());
  EXPECT_FALSE(fs::exists(live));
}

TEST_F(PackageTest, FilesAreReplacedAtOnce) {
  const fs::path file = directory_ / "out.txt";
  publish_file(file.string(), "first");
  publish_file(file.string(), "second");
  EXPECT_EQ(read_text(file), "second");
  EXPECT_THAT(list_files(directory_.path()), ElementsAre("out.txt"));
  EXPECT_EQ(
      message_of([&] { publish_file(directory_.path().string(), ""); }, ErrorKind::kMalformed),
      "'" + directory_.path().string() + "' is a directory, not a regular file");
}

}  // namespace
}  // namespace kimi3::test
