#include "runtime/plan/canonical_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kimi3/error.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
constexpr std::size_t kMaxNumberBytes = 32;

}  // namespace

CanonicalScanner::CanonicalScanner(std::string file, const ByteSource& source,
                                   std::size_t max_string)
    : file_(std::move(file)), source_(source), max_string_(max_string), block_(kBlockBytes) {}

bool CanonicalScanner::at_end() {
  if (next_ < filled_) return false;
  filled_ = source_(block_);
  next_ = 0;
  hash_.update(std::string_view(block_.data(), filled_));
  return filled_ == 0;
}

void CanonicalScanner::advance() {
  const char byte = block_[next_];
  check_byte(byte);
  ++next_;
  ++taken_;
  match(byte);
}

void CanonicalScanner::check_byte(char byte) {
  // The parser would take a NUL for the end of the file, and skip white space.
  if (static_cast<unsigned char>(byte) < 0x20U) {
    refuse(taken_, fmt::format("the byte {} is not canonical JSON", quoted({&byte, 1})));
  }
  if (in_string_) {
    check_in_string(byte);
    return;
  }
  if (byte == ' ') refuse(taken_, "white space between values is not canonical JSON");
  if (byte == '"') {
    in_string_ = true;
    token_ = 0;
  } else if (std::string_view("{}[],:").find(byte) != std::string_view::npos) {
    token_ = 0;
  } else if (++token_ > kMaxNumberBytes) {
    refuse(taken_, fmt::format("a number of more than {} digits", kMaxNumberBytes));
  }
}

void CanonicalScanner::check_in_string(char byte) {
  if (escaped_) {
    escaped_ = false;
  } else if (byte == '\\') {
    escaped_ = true;
  } else if (byte == '"') {
    in_string_ = false;
    token_ = 0;
    return;
  }
  if (++token_ > max_string_) {
    refuse(taken_, fmt::format("a string of more than {} bytes", max_string_));
  }
}

void CanonicalScanner::match(char byte) {
  if (expected_from_ == expected_.size()) {
    unmatched_ += byte;
    return;
  }
  if (expected_[expected_from_] != byte) refuse_form();
  ++matched_;
  if (++expected_from_ == expected_.size()) {
    expected_.clear();
    expected_from_ = 0;
  }
}

void CanonicalScanner::expect(std::string_view canonical) {
  const std::size_t common = std::min(canonical.size(), unmatched_.size());
  const auto differing =
      std::mismatch(canonical.begin(), canonical.begin() + static_cast<std::ptrdiff_t>(common),
                    unmatched_.begin());
  matched_ += differing.first - canonical.begin();
  if (differing.first != canonical.begin() + static_cast<std::ptrdiff_t>(common)) refuse_form();
  unmatched_.erase(0, common);
  expected_.append(canonical.substr(common));
}

std::string CanonicalScanner::finish() {
  if (!unmatched_.empty() || !expected_.empty()) refuse_form();
  return hash_.finish();
}

void CanonicalScanner::refuse(std::int64_t offset, std::string_view what) const {
  throw malformed_at({file_, 1, offset + 1}, what);
}

void CanonicalScanner::refuse_form() const {
  refuse(matched_, "this is not how canonical JSON (RFC 8785) writes it");
}

}  // namespace kimi3
