#include "runtime/plan/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "runtime/plan/small_file.h"
#include "runtime/plan/text.h"
#include "runtime/plan/yaml_bytes.h"
#include "runtime/plan/yaml_scalar.h"

namespace kimi3 {
namespace {

constexpr std::string_view kNoAliases = "aliases are not accepted";

// Whether the quote that `source` starts with is closed in it; yaml-cpp takes the end of the file,
// after a line end, for the other one.
bool is_closed(std::string_view source) {
  const char quote = source[0];
  for (std::size_t i = 1; i < source.size(); ++i) {
    if (quote == '"' && source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      const bool doubled = quote == '\'' && source.substr(i + 1).starts_with(quote);
      if (!doubled) return true;
      ++i;
    }
  }
  return false;
}

// Builds the tree from yaml-cpp's events and refuses, as they come, those that the subset lacks.
class TreeBuilder final : public YAML::EventHandler {
 public:
  // `syntax_hint` goes with errors that may come from one far above.
  TreeBuilder(std::string_view bytes, Document& document, std::string syntax_hint)
      : bytes_(bytes), document_(&document), syntax_hint_(std::move(syntax_hint)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!std::exchange(started_, true)) return;
    // Where yaml-cpp cannot go on it begins another document, without an end.
    const bool marked = source_at(mark).starts_with("---");
    refuse(mark, marked ? "a second document" : "text after the end of the document");
  }

  void OnDocumentEnd() override {}

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, kNoAliases); }

  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    refuse(mark, "anchors are not accepted");
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node = make_node(NodeKind::kNull, mark, "?");
    node.text = null_at(mark);
    if (!open_.empty()) check_null(open_.back(), mark, node);
    add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const bool plain = tag == "?";
    Node node = make_node(plain ? classify_plain_scalar(value) : NodeKind::kString, mark, tag);
    node.text = value;
    const std::string_view source = source_at(mark);
    if ((source.starts_with('"') || source.starts_with('\'')) && !is_closed(source)) {
      refuse(mark, "a quote that is not closed");
    }
    // Escapes can spell what the byte pass refuses; yaml-cpp even makes invalid UTF-8 of some.
    if (!is_plain_text(value)) {
      refuse(mark, fmt::format("an escape stands for a control character: {}", quoted(value)));
    }
    if (awaits_key()) {
      if (plain && value == "<<") refuse(mark, "merge keys are not accepted");
      if (follows_question_mark(mark)) refuse(mark, "keys after '?' are not accepted");
      open_.back().key_pos = mark.pos;
    }
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    open(make_node(NodeKind::kSequence, mark, tag), style);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(make_node(NodeKind::kMapping, mark, tag), style);
  }

  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    std::set<std::string> keys;
    Node key;
    bool has_key = false;  // `key` waits for its value
    int key_pos = 0;       // the offset of `key`
    bool is_block = false;
  };

  SourceLocation locate(const YAML::Mark& mark) const {
    return {document_->file, mark.line + 1, mark.column + 1};
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view what) const {
    throw malformed_at(locate(mark), what);
  }

  std::string_view source_at(const YAML::Mark& mark) const {
    const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0));
    return bytes_.substr(std::min(offset, bytes_.size()));
  }

  Node make_node(NodeKind kind, const YAML::Mark& mark, std::string_view tag) const {
    // yaml-cpp gives "!" for quoted scalars and for the tag `!` alike; the source tells.
    const bool tagged = (tag != "?" && tag != "!") || source_at(mark).starts_with('!');
    if (tagged) refuse(mark, "tags are not accepted");
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  // The null that is written at `mark`; empty where none is.
  std::string_view null_at(const YAML::Mark& mark) const {
    const std::string_view source = source_at(mark);
    for (const std::string_view spelling : {"~", "null", "Null", "NULL"}) {
      if (!source.starts_with(spelling)) continue;
      const std::string_view next = source.substr(spelling.size(), 1);
      if (std::string_view(" \n,]}").find(next) != std::string_view::npos) return spelling;
    }
    return {};
  }

  // For a value that is not there the mark is that of whatever comes next, on another line maybe,
  // or that of its key where no colon came: yaml-cpp takes such a key at the end of a file, and a
  // comma after a comma, for nulls.
  void check_null(const Open& parent, const YAML::Mark& mark, Node& node) const {
    if (parent.has_key && mark.pos == parent.key_pos) {
      throw malformed_at(locate(mark), "a key without ':'", syntax_hint_);
    }
    if (!node.text.empty()) return;
    if (parent.node.kind == NodeKind::kSequence && !parent.is_block) {
      throw malformed_at(locate(mark), "an empty item", syntax_hint_);
    }
    const Node& place = parent.has_key ? parent.key : parent.node;
    node.line = place.line;
    node.column = place.column;
  }

  bool awaits_key() const {
    return !open_.empty() && open_.back().node.kind == NodeKind::kMapping && !open_.back().has_key;
  }

  bool follows_question_mark(const YAML::Mark& mark) const {
    // In a block all keys start in the column of their mapping, unless a `?` stands before them.
    const Open& mapping = open_.back();
    if (mapping.is_block) return mark.column + 1 != mapping.node.column;
    std::string_view before = bytes_.substr(0, bytes_.size() - source_at(mark).size());
    before = before.substr(0, before.find_last_not_of(' ') + 1);
    return before.ends_with('?');
  }

  void open(Node node, YAML::EmitterStyle::value style) {
    if (awaits_key()) refuse_key(node);
    if (open_.size() == static_cast<std::size_t>(kMaxDocumentDepth)) {
      throw malformed_at(document_->locate(node),
                         fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
    }
    open_.push_back({});
    open_.back().node = std::move(node);
    open_.back().is_block = style == YAML::EmitterStyle::Block;
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      document_->root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == NodeKind::kSequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.members.push_back({std::move(parent.key), std::move(node)});
      parent.has_key = false;
    } else {
      check_key(parent, node);
      parent.key = std::move(node);
      parent.has_key = true;
    }
  }

  [[noreturn]] void refuse_key(const Node& node) const {
    throw malformed_at(document_->locate(node), "a key must be a string", syntax_hint_);
  }

  void check_key(Open& mapping, const Node& key) const {
    if (key.kind != NodeKind::kString) refuse_key(key);
    if (!mapping.keys.insert(key.text).second) {
      throw malformed_at(document_->locate(key),
                         fmt::format("{} is given twice", quoted(key.text)));
    }
  }

  std::string_view bytes_;
  Document* document_;
  std::string syntax_hint_;
  std::vector<Open> open_;
  bool started_ = false;
};

std::string unclosed_bracket_hint(const std::optional<SourceLocation>& bracket) {
  if (!bracket) return {};
  return fmt::format("perhaps the bracket at line {}, column {} is not closed", bracket->line,
                     bracket->column);
}

// One of yaml-cpp's messages ends in a byte of the file.
std::string printable(std::string_view message) {
  const std::string_view bad_escape(YAML::ErrorMsg::INVALID_ESCAPE);
  if (!message.starts_with(bad_escape)) return std::string(message);
  return fmt::format("{}{}", bad_escape, quoted(message.substr(bad_escape.size())));
}

void parse(std::string_view bytes, TreeBuilder& builder, const SourceLocation& start) {
  std::istringstream stream{std::string(bytes)};
  YAML::Parser parser(stream);
  if (!parser.HandleNextDocument(builder)) throw malformed_at(start, "no document in the file");
  parser.HandleNextDocument(builder);  // which refuses that there is one
}

}  // namespace

Document read_yaml(std::string_view bytes, std::string file) {
  const std::string hint = unclosed_bracket_hint(check_yaml_bytes(bytes, file));
  Document document{std::move(file), {}};
  TreeBuilder builder(bytes, document, hint);
  try {
    parse(bytes, builder, {document.file, 1, 1});
  } catch (const YAML::Exception& error) {
    // A mark that yaml-cpp does not know is -1:-1, so line 0: the whole file.
    const SourceLocation where{document.file, error.mark.line + 1, error.mark.column + 1};
    if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) throw malformed_at(where, kNoAliases);
    throw malformed_at(where, fmt::format("not valid YAML: {}", printable(error.msg)), hint);
  }
  return document;
}

Document read_yaml_file(const std::string& path) {
  return read_yaml(read_small_file(path, kMaxYamlBytes), path);
}

}  // namespace kimi3
