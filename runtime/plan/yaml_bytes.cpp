#include "runtime/plan/yaml_bytes.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "kimi3/error.h"
#include "runtime/plan/text.h"
#include "runtime/plan/yaml_reader.h"

namespace kimi3 {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// What has to be refused before yaml-cpp sees it, for its scanner runs far ahead of its events.
class BytePass {
 public:
  BytePass(std::string_view bytes, const std::string& file) : rest_(bytes), where_{file, 1, 1} {}

  std::optional<SourceLocation> run() {
    if (rest_.size() > kMaxYamlBytes) {
      throw malformed_at({where_.file, 0, 0}, fmt::format("larger than {} bytes", kMaxYamlBytes));
    }
    if (rest_.starts_with(kByteOrderMark)) refuse("a byte order mark");
    while (!rest_.empty()) step();
    if (open_.empty()) return std::nullopt;
    return open_.back();
  }

 private:
  [[noreturn]] void refuse(std::string_view what, std::string hint = {}) const {
    throw malformed_at(where_, what, std::move(hint));
  }

  void step() {
    const std::string_view character = first_character(rest_);
    if (character.empty())
      refuse(fmt::format("invalid UTF-8: byte {}", quoted(rest_.substr(0, 1))));
    if (character == "\n") {
      ++where_.line;
      where_.column = 0;
    } else if (is_control_character(character)) {
      refuse_control(character);
    }
    if (character == "%" && where_.column == 1) refuse("directives are not accepted");
    count_bracket(character[0]);
    where_.column += static_cast<std::int64_t>(character.size());
    rest_.remove_prefix(character.size());
  }

  [[noreturn]] void refuse_control(std::string_view character) const {
    std::string hint;
    if (character == "\t") hint = "use spaces instead of tabs";
    if (character == "\r") hint = "end lines with LF alone";
    refuse(fmt::format("control character {}", quoted(character)), std::move(hint));
  }

  void count_bracket(char c) {
    if (c == '[' || c == '{') open_.push_back(where_);
    if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
    if (open_.size() > static_cast<std::size_t>(kMaxDocumentDepth)) {
      refuse(fmt::format("more than {} unclosed brackets", kMaxDocumentDepth));
    }
  }

  std::string_view rest_;
  SourceLocation where_;
  std::vector<SourceLocation> open_;
};

}  // namespace

std::optional<SourceLocation> check_yaml_bytes(std::string_view bytes, const std::string& file) {
  return BytePass(bytes, file).run();
}

}  // namespace kimi3
