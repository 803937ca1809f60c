#include "runtime/plan/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
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

// Builds the tree from yaml-cpp's events and refuses, as they come, those that the subset lacks.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view bytes, Document& document) : bytes_(bytes), document_(&document) {}

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
    const std::string_view source = source_at(mark);
    for (const std::string_view spelling : {"~", "null", "Null", "NULL"}) {
      if (source.starts_with(spelling)) node.text = spelling;
    }
    // The mark of a value that is not there is that of whatever comes next, on another line maybe.
    if (node.text.empty() && !open_.empty()) move_to(open_.back(), node);
    add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const bool plain = tag == "?";
    Node node = make_node(plain ? classify_plain_scalar(value) : NodeKind::kString, mark, tag);
    node.text = value;
    // Escapes can spell what the byte pass refuses; yaml-cpp even makes invalid UTF-8 of some.
    if (!is_plain_text(value)) {
      refuse(mark,
             fmt::format("escapes of control characters are not accepted: {}", quoted(value)));
    }
    if (awaits_key()) {
      if (plain && value == "<<") refuse(mark, "merge keys are not accepted");
      if (follows_question_mark(mark)) refuse(mark, "keys after '?' are not accepted");
    }
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(make_node(NodeKind::kSequence, mark, tag));
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(make_node(NodeKind::kMapping, mark, tag));
    open_.back().is_block = style == YAML::EmitterStyle::Block;
  }

  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    std::set<std::string> keys;
    Node key;
    bool has_key = false;  // `key` waits for its value
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

  static void move_to(const Open& parent, Node& node) {
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

  void open(Node node) {
    if (awaits_key()) refuse_key(node);
    if (open_.size() == static_cast<std::size_t>(kMaxDocumentDepth)) {
      throw malformed_at(document_->locate(node),
                         fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
    }
    open_.push_back({});
    open_.back().node = std::move(node);
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
    throw malformed_at(document_->locate(node), "a key must be a string");
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
  std::vector<Open> open_;
  bool started_ = false;
};

Error translate(const YAML::Exception& error, const Document& document) {
  // A mark that yaml-cpp does not know is -1:-1, so line 0: the whole file.
  const SourceLocation where{document.file, error.mark.line + 1, error.mark.column + 1};
  return malformed_at(where, error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR
                                 ? std::string(kNoAliases)
                                 : fmt::format("not valid YAML: {}", error.msg));
}

}  // namespace

Document read_yaml(std::string_view bytes, std::string file) {
  check_yaml_bytes(bytes, file);
  Document document{std::move(file), {}};
  TreeBuilder builder(bytes, document);
  try {
    std::istringstream stream{std::string(bytes)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw malformed_at({document.file, 1, 1}, "no document in the file");
    }
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    throw translate(error, document);
  }
  return document;
}

Document read_yaml_file(const std::string& path) {
  return read_yaml(read_small_file(path, kMaxYamlBytes), path);
}

}  // namespace kimi3
