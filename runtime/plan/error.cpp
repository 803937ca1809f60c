#include "kimi3/error.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace kimi3 {

std::string to_string(const SourceLocation& where) {
  if (where.line == 0) return where.file;
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

Error::Error(ErrorKind kind, const SourceLocation& where, std::string_view message,
             std::string hint)
    : Error(kind, fmt::format("{}: {}", to_string(where), message), std::move(hint)) {}

Error mismatch(std::string message, std::string hint) {
  return {ErrorKind::kMismatch, std::move(message), std::move(hint)};
}

Error malformed(std::string message, std::string hint) {
  return {ErrorKind::kMalformed, std::move(message), std::move(hint)};
}

Error malformed_at(const SourceLocation& where, std::string_view message, std::string hint) {
  return {ErrorKind::kMalformed, where, message, std::move(hint)};
}

Error machine_failure(std::string message, std::string hint) {
  return {ErrorKind::kMachine, std::move(message), std::move(hint)};
}

Error system_failure(std::string_view action, std::string_view path, int error_number) {
  // generic_category's text, unlike strerror's, does not depend on the locale.
  return machine_failure(
      fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(error_number)));
}

}  // namespace kimi3
