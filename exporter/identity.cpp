#include "exporter/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include "exporter/file_calls.h"
#include "exporter/file_hash.h"
#include "exporter/hash_pipeline.h"
#include "exporter/inventory.h"
#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

std::string size_detail(std::int64_t found, std::int64_t listed) {
  return fmt::format("{} bytes, not {}", found, listed);
}

// Hashes the file of a job and says what is wrong with it.
void check_file(FileSystem& files, int package, const std::string& shown, FileJob& job,
                HashProgress& progress) {
  const std::string shown_file = quoted_path(join_path(shown, job.path));
  const auto fail = [&](ProblemKind kind, std::string detail) {
    job.problem = Problem{kind, job.path, std::move(detail)};
  };
  try {
    const OpenedFile artifact = open_file(files, package, job.path, shown_file);
    const std::int64_t found = artifact.status.st_size;
    if (found != job.size) {
      fail(ProblemKind::kWrongSize, size_detail(found, job.size));
      return;
    }
    job.sha256 = hash_file(files, artifact, shown_file, progress);
    if (job.sha256 != job.expected_sha256) {
      fail(ProblemKind::kChanged,
           fmt::format("sha256 {}, not {}", job.sha256, job.expected_sha256));
    }
  } catch (const Error& error) {
    const bool malformed = error.kind() == ErrorKind::kMalformed;
    fail(malformed ? ProblemKind::kRefusedType : ProblemKind::kUnreadable, error.what());
  }
}

// What the manifest and a look at the directory say about one path.
FileJob job_for(const ManifestEntry* entry, const WalkItem* item) {
  FileJob job;
  job.path = entry != nullptr ? entry->path : item->path;
  if (item != nullptr && item->problem) {
    job.problem = item->problem;
  } else if (entry == nullptr) {
    job.problem = Problem{ProblemKind::kExtra, job.path, {}};
  } else if (item == nullptr) {
    job.problem = Problem{ProblemKind::kMissing, job.path, {}};
  } else {
    job.size = entry->size;
    job.expected_sha256 = entry->sha256;
    if (item->size != entry->size) {
      job.problem =
          Problem{ProblemKind::kWrongSize, job.path, size_detail(item->size, entry->size)};
    }
  }
  return job;
}

void add_problem(VerifyReport& report, const Problem& problem) {
  ++report.problem_count;
  if (problem.kind == ProblemKind::kUnreadable) report.unreadable = true;
  if (report.problems.size() < kMaxProblems) report.problems.push_back(problem);
}

void check_plan_is_there(FileSystem& files, int package, const std::string& shown,
                         VerifyReport& report) {
  struct stat status {};
  const std::string name(kPlanName);
  const int examined = files.status_at(package, name, status);
  // Another type than a regular file was met by the walk.
  if (examined == -ENOENT) add_problem(report, {ProblemKind::kMissing, name, {}});
  if (examined == -ENOENT || examined == 0) return;
  const Error error = system_failure("examine", quoted_path(join_path(shown, name)), -examined);
  add_problem(report, {ProblemKind::kUnreadable, name, error.what()});
}

}  // namespace

VerifyReport verify_package(const std::string& package, const VerifyOptions& options,
                            const RunControl& control, FileSystem& files) {
  if (options.expected_identity && !is_digest(*options.expected_identity)) {
    throw malformed(
        fmt::format("the expected identity {} is not 'sha256:' and 64 hexadecimal "
                    "digits in lower case",
                    quoted(*options.expected_identity)));
  }
  const FileDescriptor root = open_root(files, package);
  VerifyReport report;
  report.manifest = read_package_manifest(files, root.get(), package);
  report.identity_differs =
      options.expected_identity && *options.expected_identity != report.manifest.identity;
  HashPipeline pipeline(
      control, options.quick ? 0 : report.manifest.bytes,
      [&](FileJob& job, HashProgress& progress) {
        if (!options.quick) check_file(files, root.get(), package, job, progress);
      },
      [&](const FileJob& job) {
        if (job.problem) {
          add_problem(report, *job.problem);
        } else {
          ++report.files_sound;
        }
      });
  const ManifestSummary again = take_inventory(
      files, root.get(), package, [&](const ManifestEntry* entry, const WalkItem* item) {
        pipeline.push(job_for(entry, item));
      });
  pipeline.finish();
  if (again.identity != report.manifest.identity) {
    throw machine_failure(fmt::format("{} changed while it was read", quoted_path(package)));
  }
  check_plan_is_there(files, root.get(), package, report);
  report.bytes_hashed = pipeline.bytes_hashed();
  std::sort(report.problems.begin(), report.problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.path, a.kind) < std::tie(b.path, b.kind);
  });
  return report;
}

}  // namespace kimi3
