// What may be the path of an artifact inside a package: relative, '/'-separated, valid UTF-8, the
// same on every machine. One set of rules for those who write manifests and those who read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kimi3 {

inline constexpr std::size_t kMaxPathBytes = 4096;
inline constexpr std::size_t kMaxComponentBytes = 255;
inline constexpr std::size_t kMaxPathDepth = 64;  // components

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kPlanName = "reduction_plan.yaml";
// Whatever starts with this at the root of a package, or beside one, is a temporary of ours.
inline constexpr std::string_view kTemporaryPrefix = ".kimi3-export";

// What is wrong with `path`, to follow its name in a message ("has the component '..'"); nothing
// where an artifact may have it.
std::optional<std::string> artifact_path_fault(std::string_view path);

// Of one component, wherever it stands: empty, '.', '..', too long, or with bytes that no artifact
// may have in its name.
std::optional<std::string> component_fault(std::string_view component);

// Names at the root of a package that no artifact may have: the manifest, the overlay and
// temporaries.
bool is_reserved_name(std::string_view root_name);

// `text` with A-Z as a-z. Other letters stay: which of them a file system takes for equal differs
// from one to the next.
std::string fold_ascii_case(std::string_view text);

// Takes the paths of a manifest in order and says what is wrong with the next one, given those
// before it: out of order, repeated, or beneath a path that is a file.
class PathSequence {
 public:
  std::optional<std::string> fault_of_next(std::string_view path);

 private:
  std::string previous_;
  // The sizes of the earlier paths that the previous one starts with, itself included.
  std::vector<std::size_t> prefixes_;
};

}  // namespace kimi3
