#include <fmt/format.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kimi3/error.h"
#include "runtime/plan/canonical_json.h"
#include "runtime/plan/canonical_scanner.h"
#include "runtime/plan/manifest.h"
#include "runtime/plan/manifest_ledger.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 4> kSections{"files", "overlay", "schema", "variant"};
constexpr std::size_t kFiles = 0;
constexpr std::size_t kOverlay = 1;
constexpr std::size_t kSchema = 2;
constexpr std::size_t kVariant = 3;
// A path with every byte escaped, and the rest of its entry.
constexpr std::size_t kMaxEntryBytes = 2 * kMaxPathBytes + 256;

// How the parser reaches the scanner.
class ScannerIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit ScannerIterator(CanonicalScanner* scanner) : scanner_(scanner) {}
  char operator*() const { return scanner_->current(); }
  ScannerIterator& operator++() {
    scanner_->advance();
    return *this;
  }
  // Only ever compared with the end.
  bool operator==(const ScannerIterator&) const { return scanner_->at_end(); }
  bool operator!=(const ScannerIterator&) const { return !scanner_->at_end(); }

 private:
  CanonicalScanner* scanner_;
};

// Takes the parser's events, writes the canonical form of each for the scanner to compare, and
// interprets the manifest in pieces of bounded size: an entry, or what stands behind another key.
class ManifestHandler : public nlohmann::json_sax<Json> {
 public:
  ManifestHandler(CanonicalScanner& scanner, const EntryCallback& entry)
      : scanner_(scanner), entry_(entry) {}

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    if (value < -kMaxJsonInteger) refuse_number();
    return scalar(std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > std::uint64_t{kMaxJsonInteger}) refuse_number();
    return scalar(std::to_string(value));
  }
  bool number_float(number_float_t, const string_t&) override { refuse_number(); }
  bool string(string_t& value) override { return scalar(canonical_string(value)); }
  bool binary(binary_t&) override { refuse("binary data"); }

  bool start_object(std::size_t) override { return open("{", /*object=*/true); }
  bool start_array(std::size_t) override { return open("[", /*object=*/false); }
  bool end_object() override { return close("}"); }
  bool end_array() override { return close("]"); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (level.count > 0) emit(",");
    if (!is_ascii(name)) refuse(fmt::format("the key {} is not ASCII", kimi3::quoted(name)));
    if (levels_.size() == 1) {
      enter_section(name);
    } else if (level.count > 0 && name <= level.last_key) {
      refuse(fmt::format("the key {} is repeated or out of order", kimi3::quoted(name)));
    }
    ++level.count;
    level.last_key = name;
    emit(canonical_string(name) + ":");
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    scanner_.refuse(std::max<std::int64_t>(scanner_.taken() - 1, 0), "this is not JSON");
  }

  // Where the parser has reached its end: what all of it said.
  ManifestSummary finish() {
    if (ledger_.files() == 0) scanner_.refuse(0, "a package has at least one file");
    summary_.identity = format_digest(scanner_.finish());
    summary_.files = ledger_.files();
    summary_.bytes = ledger_.bytes();
    return std::move(summary_);
  }

 private:
  struct Level {
    bool object = false;
    std::size_t count = 0;
    std::string last_key;
  };

  // How many containers stand around a piece.
  std::size_t piece_depth() const { return section_ == kFiles ? 2 : 1; }

  [[noreturn]] void refuse(std::string_view what) const {
    scanner_.refuse(scanner_.matched(), what);
  }
  [[noreturn]] void refuse_piece(std::string_view what) const { scanner_.refuse(piece_at_, what); }
  [[noreturn]] void refuse_number() {
    begin_value(/*object=*/false, /*array=*/false);
    refuse("a number that is not an integer from -(2^53-1) to 2^53-1");
  }

  void enter_section(std::string_view name) {
    const std::size_t next = levels_.front().count;
    if (next == kSections.size()) refuse(fmt::format("unknown key {}", kimi3::quoted(name)));
    if (name != kSections[next]) {
      refuse(fmt::format("the key {} where {} is expected", kimi3::quoted(name),
                         kimi3::quoted(kSections[next])));
    }
    section_ = next;
  }

  void emit(std::string_view text) {
    scanner_.expect(text);
    if (levels_.size() > piece_depth()) keep(text);
  }

  void keep(std::string_view text) {
    const std::size_t limit = section_ == kVariant ? kMaxVariantBytes : kMaxEntryBytes;
    if (text.size() > limit - piece_.size()) {
      refuse(fmt::format("more than {} bytes in one of {}", limit,
                         kimi3::quoted(kSections[section_])));
    }
    piece_ += text;
  }

  void begin_value(bool object, bool array) {
    if (levels_.empty()) {
      if (!object) refuse("a manifest is an object");
      return;
    }
    Level& level = levels_.back();
    if (!level.object && level.count++ > 0) emit(",");
    if (levels_.size() < piece_depth() && !array) refuse("the files are not an array");
    if (levels_.size() == piece_depth()) {
      piece_.clear();
      piece_at_ = scanner_.matched();
    }
  }

  bool scalar(const std::string& text) {
    begin_value(/*object=*/false, /*array=*/false);
    scanner_.expect(text);
    keep(text);
    if (levels_.size() == piece_depth()) interpret();
    return true;
  }

  bool open(std::string_view bracket, bool object) {
    begin_value(object, !object);
    if (levels_.size() > kMaxVariantDepth) {
      refuse(fmt::format("more than {} containers in one another", kMaxVariantDepth));
    }
    scanner_.expect(bracket);
    if (levels_.size() >= piece_depth()) keep(bracket);
    levels_.push_back({object, 0, {}});
    return true;
  }

  bool close(std::string_view bracket) {
    const std::size_t count = levels_.back().count;
    levels_.pop_back();
    if (levels_.empty() && count < kSections.size()) {
      refuse(fmt::format("the key {} is missing", kimi3::quoted(kSections[count])));
    }
    scanner_.expect(bracket);
    if (levels_.size() < piece_depth()) return true;
    keep(bracket);
    if (levels_.size() == piece_depth()) interpret();
    return true;
  }

  void interpret() {
    const Json value = Json::parse(piece_);
    if (section_ == kFiles) {
      interpret_entry(value);
    } else if (section_ == kOverlay) {
      if (value != Json::array({kPlanName})) {
        refuse_piece(fmt::format("the overlay is not [\"{}\"]", kPlanName));
      }
    } else if (section_ == kSchema) {
      if (value != kPackageSchema) {
        refuse_piece(fmt::format("the schema {} is not \"{}\"", piece_, kPackageSchema));
      }
    } else {
      if (!value.is_object()) refuse_piece("the variant is not an object");
      summary_.variant_json = piece_;
    }
  }

  void interpret_entry(const Json& value) {
    const bool formed = value.is_object() && value.size() == 3 && value.contains("path") &&
                        value.contains("sha256") && value.contains("size") &&
                        value["path"].is_string() && value["sha256"].is_string() &&
                        value["size"].is_number_integer();
    if (!formed)
      refuse_piece("a file is {\"path\": string, \"sha256\": string, \"size\": integer}");
    const ManifestEntry entry{value["path"].get<std::string>(), value["size"].get<std::int64_t>(),
                              value["sha256"].get<std::string>()};
    if (const auto fault = ledger_.enter(entry)) refuse_piece(*fault);
    if (entry_) entry_(entry);
  }

  CanonicalScanner& scanner_;
  const EntryCallback& entry_;
  ManifestLedger ledger_;
  ManifestSummary summary_;
  std::vector<Level> levels_;
  std::size_t section_ = kFiles;
  std::string piece_;
  std::int64_t piece_at_ = 0;
};

}  // namespace

ManifestSummary read_manifest(const std::string& file, const ByteSource& source,
                              const EntryCallback& entry) {
  CanonicalScanner scanner(file, source, kMaxVariantBytes);
  ManifestHandler handler(scanner, entry);
  Json::sax_parse(ScannerIterator(&scanner), ScannerIterator(nullptr), &handler);
  return handler.finish();
}

}  // namespace kimi3
