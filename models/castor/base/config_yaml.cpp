#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "castor/base/config.h"

namespace castor::base {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxNodes = 20'000;
constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxText = 1'000;

const char* const kFormHint = "write key: value, or key: [value, unit, \"origin\"]";

/// Returns line and column (from 1) of the byte at `offset`.
SourceLocation locate(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return {file, static_cast<int>(lines) + 1, static_cast<int>(column) + 1};
}

/// Returns the length of the UTF-8 sequence at `offset`, 0 if it is invalid (also overlong, a surrogate or above
/// 10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const unsigned first = byte(offset);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i, low = 0x80, high = 0xbf) {
    if (byte(offset + i) < low || byte(offset + i) > high) return 0;
  }
  return length;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

void check_text(std::string_view text, const std::string& file) {
  if (text.size() > kMaxBytes) {
    throw InputError({file, 0, 0}, "the file is larger than " + std::to_string(kMaxBytes) + " bytes",
                     "a machine file has a few hundred lines");
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) throw InputError(locate(text, i, file), "the text is not UTF-8", "save the file as UTF-8");
    const char c = text[i];
    if (is_control(c) && c != '\n' && c != '\r' && c != '\t') {
      throw InputError(locate(text, i, file), "byte " + std::to_string(static_cast<int>(c)) + " in a text file",
                       "this is no machine file");
    }
    i += length;
  }
}

struct Node {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMap };
  Kind kind = Kind::kScalar;
  SourceLocation where;
  std::string text;
  std::vector<Node> children;  // kMap: key, value, key, value, ...
};

/// Builds the tree from the events of the YAML parser. Unlike the library's own tree, this one detects anchors,
/// aliases, tags and duplicate keys. It refuses a file that is nested deeper or larger than any machine file.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override { (void)mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add_scalar(mark, "?", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    (void)anchor;
    refuse_anchor(mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add_scalar(mark, tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    (void)style;
    open(mark, tag, anchor, Node::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    (void)style;
    open(mark, tag, anchor, Node::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] SourceLocation place(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 0, 0};
    return {file_, mark.line + 1, mark.column + 1};
  }
  [[nodiscard]] Node& root() { return root_; }

 private:
  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    throw InputError(place(mark), "anchors and aliases are not used in machine files", "write the value again");
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse_anchor(mark);
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw InputError(place(mark), "tag \"" + printable(tag) + "\" is not used in machine files", kFormHint);
    }
    if (++nodes_ > kMaxNodes) {
      throw InputError(place(mark), "more than " + std::to_string(kMaxNodes) + " values",
                       "a machine file has a few hundred");
    }
  }

  Node& add(const YAML::Mark& mark, Node::Kind kind) {
    Node* node = &root_;
    if (!open_.empty()) {
      node = &open_.back().children.emplace_back();
    }
    node->kind = kind;
    node->where = place(mark);
    return *node;
  }

  void add_scalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) {
    check(mark, tag, anchor);
    if (value.size() > kMaxText) {
      throw InputError(place(mark), "a value of " + std::to_string(value.size()) + " characters", kFormHint);
    }
    if (std::any_of(value.begin(), value.end(), is_control)) {
      throw InputError(place(mark), "control character in \"" + printable(value, 40) + '"', kFormHint);
    }
    add(mark, Node::Kind::kScalar).text = value;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check(mark, tag, anchor);
    if (open_.size() == kMaxDepth) {
      throw InputError(place(mark), "nested more than " + std::to_string(kMaxDepth) + " deep", kFormHint);
    }
    Node node;
    node.kind = kind;
    node.where = place(mark);
    open_.push_back(std::move(node));
  }

  void close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    (open_.empty() ? root_ : open_.back().children.emplace_back()) = std::move(node);
  }

  const std::string& file_;
  Node root_;
  std::vector<Node> open_;
  std::size_t nodes_ = 0;
};

/// Turns the tree of a file into a ConfigDocument.
class Reader {
 public:
  explicit Reader(const std::string& file) { document_.where = {file, 0, 0}; }

  ConfigDocument read(const Node& root) {
    if (root.kind != Node::Kind::kMap) throw InputError(root.where, "the file is not a list of keys", kFormHint);
    read_map(root, "");
    return std::move(document_);
  }

 private:
  void read_map(const Node& map, const std::string& prefix) {
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const Node& key_node = map.children[i];
      const Node& value = map.children[i + 1];
      if (key_node.kind != Node::Kind::kScalar || key_node.text.empty()) {
        throw InputError(key_node.where, "a key that is not a word", kFormHint);
      }
      const std::string key = prefix + key_node.text;
      if (value.kind == Node::Kind::kMap) {
        if (key_node.text == "machine" || key_node.text == "title" || key_node.text == "extends") {
          throw InputError(value.where, "key " + key_node.text + ": expected a word", kFormHint);
        }
        read_map(value, key + '.');
        continue;
      }
      if (!keys_.insert(key).second) {
        throw InputError(key_node.where, "key \"" + printable(key) + "\" is given twice", "keep one of them");
      }
      if (!read_header(key, value)) read_entry(key, value);
    }
  }

  bool read_header(const std::string& key, const Node& value) {
    std::string* target = nullptr;
    if (key == "machine") target = &document_.name;
    if (key == "title") target = &document_.title;
    if (key == "extends") target = &document_.extends;
    if (target == nullptr) return false;
    if (value.kind != Node::Kind::kScalar || value.text.empty()) {
      throw InputError(value.where, "key " + key + ": expected a word", kFormHint);
    }
    *target = value.text;
    if (key == "extends") document_.extends_where = value.where;
    return true;
  }

  void read_entry(const std::string& key, const Node& node) {
    ConfigEntry entry;
    entry.key = key;
    entry.where = node.where;
    const Node* value = &node;
    if (node.kind == Node::Kind::kSequence) {
      if (node.children.empty() || node.children.size() > 3) {
        throw InputError(node.where, "key " + printable(key) + ": " + std::to_string(node.children.size()) + " items",
                         kFormHint);
      }
      value = &node.children.front();
      entry.where = value->where;
      if (node.children.size() > 1) entry.unit = word(key, node.children[1], "unit");
      if (node.children.size() > 2) entry.origin = word(key, node.children[2], "origin");
    }
    if (value->kind == Node::Kind::kSequence) {
      entry.is_list = true;
      for (const Node& item : value->children) entry.words.push_back(word(key, item, "name"));
    } else {
      entry.words.push_back(word(key, *value, "value"));
    }
    document_.entries.push_back(std::move(entry));
  }

  static std::string word(const std::string& key, const Node& node, const char* what) {
    if (node.kind != Node::Kind::kScalar || node.text.empty()) {
      throw InputError(node.where, "key " + printable(key) + ": " + what + " is empty or not a word", kFormHint);
    }
    return node.text;
  }

  ConfigDocument document_;
  std::unordered_set<std::string> keys_;
};

/// Returns `text` as a YAML flow scalar: plain if that is safe, else in double quotes.
std::string scalar(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/';
  });
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string value_text(const ConfigValue& value) {
  if (value.type != ValueType::kNames) return scalar(value.entry.words.front());
  std::string out = "[";
  for (const std::string& name : value.names) out += (out.size() > 1 ? ", " : "") + scalar(name);
  return out + ']';
}

std::string group_of(const std::string& key) { return key.substr(0, key.find('.')); }

}  // namespace

ConfigDocument parse_config(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  check_text(text, file);
  Builder builder(file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw InputError({file, 0, 0}, "the file is empty", kFormHint);
    Builder second(file);
    if (parser.HandleNextDocument(second)) {
      throw InputError(second.root().where, "a second document in the file", "one machine per file: remove the ---");
    }
  } catch (const YAML::Exception& error) {
    throw InputError(builder.place(error.mark), "not YAML: " + printable(error.msg), kFormHint);
  }
  return Reader(file).read(builder.root());
}

ConfigDocument read_config(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad() || (stream.fail() && !stream.eof())) {
    throw InputError({path, 0, 0}, "the file cannot be read", "check the name and the permissions");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_config(text, path);
}

std::string Config::to_yaml() const {
  std::size_t width = 0;
  for (const ConfigValue& value : values_) width = std::max(width, value.entry.key.size());
  std::string out = "machine: " + scalar(name_) + '\n';
  if (!title_.empty()) out += "title: " + scalar(title_) + '\n';
  std::string group;
  for (const ConfigValue& value : values_) {
    const ConfigEntry& entry = value.entry;
    if (group_of(entry.key) != group) {
      group = group_of(entry.key);
      out += '\n';
    }
    out += entry.key + ": " + std::string(width - entry.key.size(), ' ') + '[' + value_text(value);
    out += ", " + scalar(entry.unit);
    if (!entry.origin.empty()) out += ", " + scalar(entry.origin);
    out += "]\n";
  }
  return out;
}

std::string Config::to_json(int indent) const {
  using Json = nlohmann::ordered_json;
  Json keys = Json::object();
  for (const ConfigValue& value : values_) {
    Json shown;
    switch (value.type) {
      case ValueType::kOptionalInteger:
        shown = value.none ? Json(nullptr) : Json(value.integer);
        break;
      case ValueType::kInteger:
        shown = value.integer;
        break;
      case ValueType::kReal:
        shown = value.real;
        break;
      case ValueType::kBoolean:
        shown = value.integer != 0;
        break;
      case ValueType::kNames:
        shown = value.names;
        break;
      case ValueType::kChoice:
      case ValueType::kVersion:
      case ValueType::kName:
      case ValueType::kFile:
        shown = value.entry.words.front();
        break;
    }
    keys[value.entry.key] = {{"value", shown}, {"unit", value.entry.unit}, {"origin", value.entry.origin}};
  }
  return Json{{"machine", name_}, {"title", title_}, {"keys", keys}}.dump(indent);
}

}  // namespace castor::base
