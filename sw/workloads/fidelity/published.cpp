#include "workloads/fidelity/published.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>

#include "castor/base/config.h"
#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::workloads::fidelity {
namespace {

using base::InputError;
using base::printable;
using base::SourceLocation;
using Words = std::vector<std::string>;

constexpr double kLargest = 1e9;

/// Parser of one data file.
class Reader {
 public:
  explicit Reader(const DataFile& file) : file_(file.name) {
    try {
      root_ = YAML::Load(file.text);
    } catch (const YAML::Exception& error) {
      fail(error.mark, error.msg);
    }
    if (!root_.IsMap()) fail(root_, "no keys with values");
  }

  void rows(Published& out) const {
    keys(root_, {"sources", "rows"}, {});
    for (const YAML::Node& node : list(root_, "sources")) {
      keys(node, {"source", "authors", "title", "where"}, {});
      Source source{word(node, "source"), word(node, "authors"), word(node, "title"), word(node, "where")};
      if (out.find_source(source.name) != nullptr) fail(node, "source '" + source.name + "' stands twice");
      out.sources.push_back(std::move(source));
    }
    for (const YAML::Node& node : list(root_, "rows")) {
      keys(node, {"row", "title", "unit"}, {"rule"});
      Row row{word(node, "row"), word(node, "title"), word(node, "unit"), Rule::kShare};
      if (row.name.find('.') == std::string::npos) fail(node, "a row is called benchmark.figure");
      if (out.find_row(row.name) != nullptr) fail(node, "row '" + row.name + "' stands twice");
      if (node["rule"]) row.rule = one_of(node, "rule", {"share", "equal"}) == 0 ? Rule::kShare : Rule::kEqual;
      out.rows.push_back(std::move(row));
    }
  }

  [[nodiscard]] Chip chip(const Published& known) const {
    keys(root_, {"machine", "chip", "generation", "clocks_per_tick", "values"}, {"like", "reasons", "curve"});
    Chip out;
    out.machine = word(root_, "machine");
    out.chip = word(root_, "chip");
    out.generation = word(root_, "generation");
    if (root_["like"]) out.like = word(root_, "like");
    out.clocks_per_tick = number(root_, "clocks_per_tick");
    for (const YAML::Node& node : list(root_, "values")) out.values.push_back(value(node, known, out));
    if (root_["reasons"]) {
      for (const YAML::Node& node : list(root_, "reasons")) out.reasons.push_back(reason(node, known, out));
    }
    if (root_["curve"]) out.curve = curve(root_["curve"], known);
    return out;
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message, const std::string& hint = {}) const {
    throw InputError(SourceLocation{file_, mark.is_null() ? 0 : mark.line + 1, mark.is_null() ? 0 : mark.column + 1},
                     message, hint);
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message, const std::string& hint = {}) const {
    fail(node.Mark(), message, hint);
  }

  void keys(const YAML::Node& map, std::initializer_list<const char*> needed,
            std::initializer_list<const char*> allowed) const {
    if (!map.IsMap()) fail(map, "no keys with values");
    Words known(needed.begin(), needed.end());
    known.insert(known.end(), allowed.begin(), allowed.end());
    std::set<std::string> seen;
    for (const auto& pair : map) {
      const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : std::string();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(pair.first, "unknown key '" + printable(key) + "'", "known here: " + base::joined(known, ", "));
      }
      if (!seen.insert(key).second) fail(pair.first, "key '" + key + "' stands twice");
    }
    for (const char* const key : needed) {
      if (!map[key]) fail(map, "key '" + std::string(key) + "' is missing");
    }
  }

  [[nodiscard]] std::string scalar(const YAML::Node& node, const char* what) const {
    if (!node.IsScalar() || node.Scalar().empty()) fail(node, std::string(what) + " is no text");
    return node.Scalar();
  }

  [[nodiscard]] std::string word(const YAML::Node& map, const char* key) const { return scalar(map[key], key); }

  [[nodiscard]] std::size_t one_of(const YAML::Node& map, const char* key, const Words& words) const {
    const auto found = std::find(words.begin(), words.end(), word(map, key));
    if (found == words.end()) fail(map[key], std::string(key) + " is not known", "one of " + base::joined(words, ", "));
    return static_cast<std::size_t>(found - words.begin());
  }

  [[nodiscard]] double number(const YAML::Node& node) const {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    double out = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size() || !(out > 0) ||
        out > kLargest) {
      fail(node, "'" + printable(text) + "' is no number above 0");
    }
    return out;
  }

  [[nodiscard]] double number(const YAML::Node& map, const char* key) const { return number(map[key]); }

  [[nodiscard]] YAML::Node list(const YAML::Node& map, const char* key) const {
    const YAML::Node node = map[key];
    if (!node.IsSequence() || node.size() == 0) fail(node, std::string(key) + " is no list with at least one entry");
    return node;
  }

  [[nodiscard]] Standing standing(const YAML::Node& map) const {
    return static_cast<Standing>(one_of(map, "class", {"read", "quoted", "model"}));
  }

  [[nodiscard]] std::string source(const YAML::Node& map, const Published& known) const {
    std::string name = word(map, "source");
    if (known.find_source(name) == nullptr) fail(map["source"], "no source '" + printable(name) + "' in rows.yaml");
    return name;
  }

  [[nodiscard]] std::string row(const YAML::Node& map, const Published& known) const {
    std::string name = word(map, "row");
    if (known.find_row(name) == nullptr) fail(map["row"], "no row '" + printable(name) + "' in rows.yaml");
    return name;
  }

  [[nodiscard]] Value value(const YAML::Node& node, const Published& known, const Chip& chip) const {
    keys(node, {"row", "value", "chip", "source", "place", "class"}, {"set", "follows"});
    Value out;
    out.row = row(node, known);
    if (node["value"].IsSequence()) {
      if (node["value"].size() != 2) fail(node["value"], "an interval has two ends");
      out.low = number(node["value"][0]);
      out.high = number(node["value"][1]);
      if (out.low > out.high) fail(node["value"], "the ends of the interval are in the wrong order");
    } else {
      out.low = out.high = number(node, "value");
    }
    out.chip = word(node, "chip");
    out.source = source(node, known);
    out.place = word(node, "place");
    out.standing = standing(node);
    if (node["set"] && node["follows"]) fail(node["follows"], "the row is set already");
    out.set = deciding(node, "set", out, chip);
    out.follows = deciding(node, "follows", out, chip);
    return out;
  }

  /// Returns the machine keys listed under `how` that decide the row of a value. Throws InputError for a value of a
  /// model, and for a value that is not the first of its row.
  [[nodiscard]] Words deciding(const YAML::Node& node, const char* how, const Value& value, const Chip& chip) const {
    Words out;
    if (!node[how]) return out;
    for (const YAML::Node& key : list(node, how)) out.push_back(scalar(key, "a key"));
    if (value.standing == Standing::kModel) fail(node[how], "a parameter of a model sets nothing");
    if (chip.value_of(value.row) != nullptr) fail(node[how], "not the value that is compared", "that is the first one");
    return out;
  }

  [[nodiscard]] Reason reason(const YAML::Node& node, const Published& known, const Chip& chip) const {
    keys(node, {"row", "reason"}, {"missing"});
    Reason out{row(node, known), word(node, "reason"), node["missing"] ? word(node, "missing") : ""};
    if (chip.value_of(out.row) == nullptr) fail(node["row"], "a reason for a row without a value");
    if (chip.reason_of(out.row) != nullptr) fail(node["row"], "two reasons for one row");
    return out;
  }

  [[nodiscard]] Curve curve(const YAML::Node& node, const Published& known) const {
    keys(node, {"chip", "source", "place", "class", "points"}, {});
    Curve out;
    out.chip = word(node, "chip");
    out.source = source(node, known);
    out.place = word(node, "place");
    out.standing = standing(node);
    if (out.standing == Standing::kModel) fail(node["class"], "a curve is measured");
    for (const YAML::Node& point : list(node, "points")) {
      if (!point.IsSequence() || point.size() != 2) fail(point, "a point is [KiB, clocks]");
      out.points.push_back({number(point[0]), number(point[1])});
      const std::size_t size = out.points.size();
      if (size > 1 && out.points[size - 2].kib >= out.points[size - 1].kib) fail(point, "points go by size");
    }
    return out;
  }

  const std::string& file_;
  YAML::Node root_;
};

/// Returns whether the row (time or bandwidth) depends on the board and not only on the chip.
bool belongs_to_the_board(const Row& row) { return row.unit == "GB/s" || row.unit == "us"; }

/// Adds values and reasons of another chip to `chip`, which is declared to be like the other chip, for rows without a
/// value of their own.
void complete(Chip& chip, const Chip& other, const Published& published) {
  const Chip own = chip;
  for (const Value& value : other.values) {
    if (own.value_of(value.row) == nullptr && !belongs_to_the_board(*published.find_row(value.row))) {
      chip.values.push_back(value);
    }
  }
  for (const Reason& reason : other.reasons) {
    if (own.reason_of(reason.row) == nullptr && chip.value_of(reason.row) != nullptr) chip.reasons.push_back(reason);
  }
  if (chip.curve.points.empty()) chip.curve = other.curve;
}

template <class Items, class Member>
auto find(const Items& items, std::string_view name, Member member) -> decltype(items.data()) {
  for (const auto& item : items) {
    if (item.*member == name) return &item;
  }
  return nullptr;
}

}  // namespace

const char* text(Standing standing) {
  switch (standing) {
    case Standing::kRead:
      return "read";
    case Standing::kQuoted:
      return "quoted";
    case Standing::kModel:
      return "model";
  }
  return "";
}

const Value* Chip::value_of(std::string_view row) const {
  for (const Value& value : values) {
    if (value.row == row && value.standing != Standing::kModel) return &value;
  }
  return nullptr;
}

const Reason* Chip::reason_of(std::string_view row) const { return find(reasons, row, &Reason::row); }
const Row* Published::find_row(std::string_view name) const { return find(rows, name, &Row::name); }
const Source* Published::find_source(std::string_view name) const { return find(sources, name, &Source::name); }
const Chip* Published::find_chip(std::string_view machine) const { return find(chips, machine, &Chip::machine); }

std::vector<DataFile> data_files_of(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<DataFile> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    out.push_back({entry.path().string(), {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  if (failed || out.empty()) {
    throw InputError(SourceLocation{folder}, "no folder with *.yaml", "rows.yaml and a file for each chip");
  }
  std::sort(out.begin(), out.end(), [](const DataFile& a, const DataFile& b) { return a.name < b.name; });
  return out;
}

Published read_published(const std::vector<DataFile>& files) {
  const auto is_rows = [](const DataFile& file) {
    return file.name == "rows.yaml" ||
           (file.name.size() > 10 && file.name.substr(file.name.size() - 10) == "/rows.yaml");
  };
  Published out;
  const auto rows = std::find_if(files.begin(), files.end(), is_rows);
  if (rows == files.end()) throw InputError("no rows.yaml among the files of published values");
  Reader(*rows).rows(out);
  for (const DataFile& file : files) {
    if (is_rows(file)) continue;
    Chip chip = Reader(file).chip(out);
    if (out.find_chip(chip.machine) != nullptr) {
      throw InputError(SourceLocation{file.name}, "a second file for machine " + chip.machine);
    }
    out.chips.push_back(std::move(chip));
  }
  std::sort(out.chips.begin(), out.chips.end(), [](const Chip& a, const Chip& b) { return a.machine < b.machine; });
  for (Chip& chip : out.chips) {
    if (chip.like.empty()) continue;
    const Chip* const other = out.find_chip(chip.like);
    if (other == nullptr || !other->like.empty()) {
      throw InputError(chip.machine + " is like '" + printable(chip.like) + "'",
                       "a machine that has a file of its own values");
    }
    complete(chip, *other, out);
  }
  return out;
}

}  // namespace castor::workloads::fidelity
