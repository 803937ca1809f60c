// What can go wrong, as a type: every failure of this project is a kimi3::Error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace kimi3 {

// The kind decides the exit status of a program: the enumerators' values are the statuses.
enum class ErrorKind {
  kMismatch = 1,   // well-formed, but does not hold: an identity differs, an element is wrong
  kMalformed = 2,  // the request or an input is malformed
  kMachine = 3,    // the machine failed, or it could not be checked: I/O, permission, a dead peer
};

// A place in a file. Lines and columns count from 1, columns in bytes; line 0 is the whole file.
struct SourceLocation {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

// "FILE:LINE:COLUMN", or "FILE" where the line is 0.
std::string to_string(const SourceLocation& where);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = {});
  Error(ErrorKind kind, const SourceLocation& where, std::string_view message,
        std::string hint = {});

  ErrorKind kind() const noexcept { return kind_; }
  // The whole line, the location first where there is one.
  const char* what() const noexcept override { return message_.c_str(); }
  // What the user might do about it; may be empty.
  const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorKind kind_;
  std::string message_;
  std::string hint_;
};

Error mismatch(std::string message, std::string hint = {});
Error malformed(std::string message, std::string hint = {});
Error malformed_at(const SourceLocation& where, std::string_view message, std::string hint = {});
Error machine_failure(std::string message, std::string hint = {});
// "cannot ACTION PATH: <what errno means>", of kind kMachine.
Error system_failure(std::string_view action, std::string_view path, int error_number);

}  // namespace kimi3
