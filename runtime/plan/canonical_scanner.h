// Between the bytes of a file and a JSON parser: hands the bytes on one by one, refuses what no
// canonical JSON has before the parser can be made to hold it, and compares the bytes with the
// canonical form of what was parsed from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/manifest.h"
#include "runtime/plan/sha256.h"

namespace kimi3 {

class CanonicalScanner {
 public:
  // `max_string` bounds every string as it stands in the file, quotes not counted.
  CanonicalScanner(std::string file, const ByteSource& source, std::size_t max_string);

  bool at_end();
  char current() const { return block_[next_]; }
  // Takes the current byte; throws kMalformed for a byte or a token that canonical JSON cannot
  // have.
  void advance();

  // The next bytes of the canonical form. Throws kMalformed at the first that the file has not.
  void expect(std::string_view canonical);
  // After the parser's end: every byte was expected. The hash of the file.
  std::string finish();

  // Bytes taken, and bytes known to be canonical: columns count from 1.
  std::int64_t taken() const { return taken_; }
  std::int64_t matched() const { return matched_; }
  // Throws kMalformed at the byte with this offset.
  [[noreturn]] void refuse(std::int64_t offset, std::string_view what) const;

 private:
  void check_byte(char byte);
  void check_in_string(char byte);
  void match(char byte);
  [[noreturn]] void refuse_form() const;

  std::string file_;
  const ByteSource& source_;
  std::size_t max_string_;
  Sha256 hash_;
  std::vector<char> block_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t matched_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  std::size_t token_ = 0;  // bytes of the current string, number or word
  // Of these two, one is always empty: the parser is ahead of the canonical form by a token, or
  // the form is ahead of the parser by a bracket.
  std::string unmatched_;
  std::string expected_;
  std::size_t expected_from_ = 0;
};

}  // namespace kimi3
