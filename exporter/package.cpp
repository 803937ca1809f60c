#include "exporter/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "exporter/artifact_walk.h"
#include "exporter/file_calls.h"
#include "exporter/file_hash.h"
#include "exporter/file_publication.h"
#include "exporter/hash_pipeline.h"
#include "exporter/inventory.h"
#include "exporter/publication.h"
#include "exporter/temporary.h"
#include "kimi3/error.h"
#include "runtime/plan/artifact_path.h"
#include "runtime/plan/package_directory.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

// An artifact directory and how it is walked.
struct Source {
  FileSystem& files;
  int root = -1;
  std::string shown;
  WalkOptions options;

  std::string shown_file(std::string_view path) const {
    return quoted_path(join_path(shown, path));
  }
};

struct Totals {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

// Everything that is refused is refused here, before the first byte is read.
Totals survey(const Source& source, const RunControl& control) {
  ArtifactWalk walk(source.files, source.root, source.shown, source.options);
  Totals totals;
  for (WalkItem item; next_artifact(walk, item);) {
    check_stop(control);
    ++totals.count;
    totals.bytes += item.size;
  }
  if (totals.count == 0) {
    throw malformed(fmt::format("{} holds no files", quoted_path(source.shown)));
  }
  return totals;
}

// Makes the directories that a path lies in. Paths come in order, so what they share with the one
// before is there.
class ParentMaker {
 public:
  ParentMaker(FileSystem& files, int root, std::string shown)
      : files_(files), root_(root), shown_(std::move(shown)) {}

  void make_for(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string_view with_slash = std::string_view(path).substr(0, slash + 1);
      if (!previous_.starts_with(with_slash)) make(path.substr(0, slash));
    }
    previous_ = path;
  }

 private:
  void make(const std::string& path) {
    const std::string shown = quoted_path(join_path(shown_, path));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
      checked(files_.make_directory(root_, path), "create", shown);
      return;
    }
    const FileDescriptor parent =
        open_subdirectory(files_, root_, std::string_view(path).substr(0, slash), shown);
    checked(files_.make_directory(parent.get(), path.substr(slash + 1)), "create", shown);
  }

  FileSystem& files_;
  int root_;
  std::string shown_;
  std::string previous_;
};

// Hashes all artifacts with `work` and writes the manifest to an open file; `before` is called on
// this thread before each job.
ManifestSummary write_manifest(const Source& source, const Totals& expected,
                               const nlohmann::json& variant, int manifest,
                               const std::string& shown_manifest,
                               const std::function<void(const std::string&)>& before,
                               const HashPipeline::Work& work, const RunControl& control) {
  ManifestWriter writer(
      [&](std::string_view bytes) { write_all(source.files, manifest, bytes, shown_manifest); },
      variant);
  HashPipeline pipeline(control, expected.bytes, work, [&](const FileJob& job) {
    writer.add({job.path, job.size, job.sha256});
  });
  ArtifactWalk walk(source.files, source.root, source.shown, source.options);
  for (WalkItem item; next_artifact(walk, item);) {
    before(item.path);
    pipeline.push({item.path, item.size, {}, {}, {}});
  }
  pipeline.finish();
  ManifestSummary summary = writer.finish();
  if (summary.files != expected.count || summary.bytes != expected.bytes) {
    throw machine_failure(fmt::format("{} changed while it was read", quoted_path(source.shown)),
                          "run again when nothing writes to it");
  }
  checked(source.files.sync(manifest), "sync", shown_manifest);
  return summary;
}

// A large file is synced by itself, so that what waits in memory stays little while hundreds of
// gigabytes are written; sync_tree takes care of the small ones together.
void sync_if_large(FileSystem& files, int file, std::int64_t size, const std::string& shown) {
  constexpr std::int64_t kLarge = 1 << 20;
  if (size >= kLarge) checked(files.sync(file), "sync", shown);
}

std::string checked_plan(const PlanText& plan_text, const ManifestSummary& manifest) {
  std::string text = plan_text(manifest);
  if (text.size() > kMaxYamlBytes) {
    throw malformed(
        fmt::format("the plan takes {} bytes, more than {}", text.size(), kMaxYamlBytes));
  }
  return text;
}

FileDescriptor create_file(FileSystem& files, int directory, std::string_view path,
                           const std::string& shown) {
  return FileDescriptor(static_cast<int>(checked(files.create(directory, path), "create", shown)));
}

WriteResult export_copy(const ExportRequest& request, const nlohmann::json& variant,
                        const PlanText& plan_text, const RunControl& control, FileSystem& files) {
  const FileDescriptor root = open_root(files, request.artifacts);
  const Source source{files,
                      root.get(),
                      request.artifacts,
                      {.refuse_case_collisions = request.refuse_case_collisions}};
  const Totals totals = survey(source, control);
  Publication publication(files, request.out, root.get(), control);
  const int target = publication.directory();
  const auto shown = [&](std::string_view path) {
    return quoted_path(join_path(publication.path(), path));
  };
  const auto copy = [&](FileJob& job, HashProgress& progress) {
    const std::string shown_source = source.shown_file(job.path);
    const OpenedFile artifact = open_file(files, root.get(), job.path, shown_source);
    const FileDescriptor written = create_file(files, target, job.path, shown(job.path));
    job.size = artifact.status.st_size;
    job.sha256 =
        copy_and_hash_file(files, artifact, shown_source, written.get(), shown(job.path), progress);
  };
  ParentMaker parents(files, target, publication.path());
  WriteResult result;
  {
    const FileDescriptor manifest = create_file(files, target, kManifestName, shown(kManifestName));
    result.manifest = write_manifest(
        source, totals, variant, manifest.get(), shown(kManifestName),
        [&](const std::string& path) { parents.make_for(path); }, copy, control);
  }
  {
    const std::string text = checked_plan(plan_text, result.manifest);
    const FileDescriptor plan = create_file(files, target, kPlanName, shown(kPlanName));
    write_all(files, plan.get(), text, shown(kPlanName));
    checked(files.sync(plan.get()), "sync", shown(kPlanName));
  }
  publication.publish();
  result.notes = publication.notes();
  return result;
}

bool has_manifest(FileSystem& files, int package, const std::string& shown) {
  struct stat status {};
  const int examined = files.status_at(package, std::string(kManifestName), status);
  if (examined == -ENOENT) return false;
  checked(examined, "examine", quoted_path(join_path(shown, kManifestName)));
  read_package_manifest(files, package, shown);
  return true;
}

WriteResult export_in_place(const ExportRequest& request, const nlohmann::json& variant,
                            const PlanText& plan_text, const RunControl& control,
                            FileSystem& files) {
  const std::string& shown = request.artifacts;
  const FileDescriptor root = open_locked(files, shown, control);
  WriteResult result;
  result.notes = remove_stale(files, root.get(), shown);
  // The names of manifest and plan are reserved, unless this is a package already.
  Source source{files,
                root.get(),
                shown,
                {has_manifest(files, root.get(), shown), request.refuse_case_collisions}};
  const Totals totals = survey(source, control);
  source.options.package = true;  // passes over the temporaries that are written now
  const auto hash = [&](FileJob& job, HashProgress& progress) {
    const std::string shown_file = source.shown_file(job.path);
    const OpenedFile artifact = open_file(files, root.get(), job.path, shown_file);
    job.size = artifact.status.st_size;
    job.sha256 = hash_file(files, artifact, shown_file, progress);
    sync_if_large(files, artifact.file.get(), job.size, shown_file);
  };
  FilePublication manifest(files, root.get(), shown, kManifestName);
  result.manifest = write_manifest(
      source, totals, variant, manifest.file(), manifest.shown_file(), [](const std::string&) {},
      hash, control);
  FilePublication plan(files, root.get(), shown, kPlanName);
  plan.write(checked_plan(plan_text, result.manifest));
  sync_tree(files, root.get(), shown);
  check_stop(control);
  // In this order: a plan without a manifest could be anybody's file of that name.
  manifest.swap_in();
  try {
    plan.swap_in();
    plan.sync_swap();
  } catch (...) {
    manifest.undo();
    throw;
  }
  plan.settle(result.notes);
  manifest.settle(result.notes);
  return result;
}

}  // namespace

WriteResult export_package(const ExportRequest& request, const nlohmann::json& variant,
                           const PlanText& plan_text, const RunControl& control,
                           FileSystem& files) {
  return request.out.empty() ? export_in_place(request, variant, plan_text, control, files)
                             : export_copy(request, variant, plan_text, control, files);
}

WriteResult replace_plan(const std::string& package, const PlanText& plan_text,
                         const RunControl& control, FileSystem& files) {
  const FileDescriptor root = open_locked(files, package, control);
  WriteResult result;
  result.manifest = read_package_manifest(files, root.get(), package);
  result.notes = remove_stale(files, root.get(), package);
  const std::string text = checked_plan(plan_text, result.manifest);
  FilePublication plan(files, root.get(), package, kPlanName);
  plan.write(text);
  check_stop(control);
  plan.swap_in();
  plan.sync_swap();
  plan.settle(result.notes);
  return result;
}

}  // namespace kimi3
