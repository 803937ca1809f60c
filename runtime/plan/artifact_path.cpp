#include "runtime/plan/artifact_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20U || byte == 0x7FU;
}

// U+0080 to U+009F, in text that is valid UTF-8.
bool has_c1_control(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) == 0xC2U &&
        static_cast<unsigned char>(text[i + 1]) < 0xA0U) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> component_fault(std::string_view component) {
  if (component.empty()) return "has an empty component";
  if (component == "." || component == "..") {
    return fmt::format("has the component '{}'", component);
  }
  if (component.size() > kMaxComponentBytes) {
    return fmt::format("has a component of more than {} bytes", kMaxComponentBytes);
  }
  if (component.find('\\') != std::string_view::npos) return "has a backslash";
  if (!is_valid_utf8(component)) return "is not valid UTF-8";
  if (std::any_of(component.begin(), component.end(), is_control) || has_c1_control(component)) {
    return "has a control character";
  }
  return std::nullopt;
}

std::optional<std::string> artifact_path_fault(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.size() > kMaxPathBytes) return fmt::format("has more than {} bytes", kMaxPathBytes);
  if (path.front() == '/') return "is absolute";
  if (is_reserved_name(path.substr(0, path.find('/')))) return "has a reserved name";
  std::size_t depth = 0;
  for (std::size_t start = 0; start <= path.size(); ++depth) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (auto fault = component_fault(path.substr(start, end - start))) return fault;
    start = end + 1;
  }
  if (depth > kMaxPathDepth) return fmt::format("has more than {} components", kMaxPathDepth);
  return std::nullopt;
}

bool is_reserved_name(std::string_view root_name) {
  return root_name == kManifestName || root_name == kPlanName ||
         root_name.starts_with(kTemporaryPrefix);
}

std::string fold_ascii_case(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

std::optional<std::string> PathSequence::fault_of_next(std::string_view path) {
  if (!previous_.empty() && path == previous_) return "is listed twice";
  if (path < previous_) return fmt::format("comes after {}", quoted(previous_));
  // In order of bytes, all paths between a prefix of this one and this one start with that prefix.
  while (!prefixes_.empty() &&
         !path.starts_with(std::string_view(previous_).substr(0, prefixes_.back()))) {
    prefixes_.pop_back();
  }
  for (const std::size_t size : prefixes_) {
    if (path[size] == '/') {
      return fmt::format("lies beneath {}, which is a file", quoted(path.substr(0, size)));
    }
  }
  previous_ = path;
  prefixes_.push_back(path.size());
  return std::nullopt;
}

}  // namespace kimi3
