#include "platforms/experiments/run_table.h"

#include <cstddef>
#include <map>
#include <utility>

#include "castor/base/error.h"

namespace castor::platforms::experiments {
namespace {

constexpr const char *kRun = "run", *kParameters = "parameters", *kResult = "result", *kFile = "file";

using Row = std::vector<std::string>;

/// Columns in the order of their first occurrence, and rows of cells.
class Cells {
 public:
  void begin_row() { rows_.emplace_back(); }
  void set(const std::string& column, std::string cell) {
    const auto found = index_.emplace(column, columns_.size());
    if (found.second) columns_.push_back(column);
    Row& row = rows_.back();
    if (row.size() <= found.first->second) row.resize(found.first->second + 1);
    row[found.first->second] = std::move(cell);
  }
  [[nodiscard]] std::string text() const {
    std::string out = line(columns_);
    for (Row row : rows_) {
      row.resize(columns_.size());
      out += line(row);
    }
    return out;
  }

 private:
  static std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
    std::string out = "\"";
    for (const char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  }
  static std::string line(const Row& row) {
    std::string out;
    for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + quoted(row[i]);
    return out + "\n";
  }

  Row columns_;
  std::map<std::string, std::size_t> index_;
  std::vector<Row> rows_;
};

// Returns the cell of a value. A string that looks like JSON is quoted, to distinguish it from the JSON value.
std::string cell_of(const Json& value) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return text.empty() || Json::accept(text) ? value.dump() : text;
}

Json value_of(const std::string& cell) {
  Json value = Json::parse(cell, nullptr, false);
  return value.is_discarded() ? Json(cell) : value;
}

// Escapes a part of an object's path: '/' becomes "~1", as in a JSON pointer.
std::string escaped(const std::string& key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

std::string unescaped(const std::string& part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool code = part[i] == '~' && i + 1 < part.size();
    out += !code ? part[i] : part[i + 1] == '1' ? '/' : '~';
    if (code) ++i;
  }
  return out;
}

void add(const std::string& path, const Json& object, Cells& cells) {
  for (const auto& [key, value] : object.items()) {
    const std::string column = path + "/" + escaped(key);
    if (value.is_object() && !value.empty()) {
      add(column, value, cells);
    } else {
      cells.set(column, cell_of(value));
    }
  }
}

void set(const std::string& path, const std::string& cell, Json& object) {
  const std::size_t slash = path.find('/');
  Json& value = object[unescaped(path.substr(0, slash))];
  if (slash == std::string::npos) {
    value = value_of(cell);
  } else {
    set(path.substr(slash + 1), cell, value);
  }
}

/// Parser of comma-separated values. A last line without line end, or an unclosed quote, is an error.
class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] Row row() {
    Row out;
    do out.push_back(cell());
    while (text_[at_++] == ',');
    ++line_;
    return out;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::InputError(base::SourceLocation{name_}, "row " + std::to_string(line_) + ": " + what);
  }

 private:
  std::string cell() {
    std::string out;
    const bool quotes = at_ < text_.size() && text_[at_] == '"';
    if (quotes) ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quotes && c == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      } else if (!quotes && (c == ',' || c == '\n')) {
        break;
      }
      out += c;
      ++at_;
    }
    if (quotes) ++at_;
    if (at_ >= text_.size() || (text_[at_] != ',' && text_[at_] != '\n')) fail("it has no end");
    return out;
  }

  const std::string &text_, &name_;
  std::size_t at_ = 0, line_ = 1;
};

Run run_of(const Row& columns, const Row& row, const Reader& reader) {
  Run run;
  Json parts = {{kParameters, Json::object()}, {kResult, Json::object()}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (row[i].empty()) continue;
    if (columns[i] == kRun) {
      run.name = row[i];
    } else {
      set(columns[i], row[i], parts);
    }
  }
  if (run.name.empty()) reader.fail("it has no run");
  run.parameters = std::move(parts[kParameters]);
  run.result = std::move(parts[kResult]);
  return run;
}

}  // namespace

std::string write_runs(const std::vector<Run>& runs) {
  Cells cells;
  for (const Run& run : runs) {
    cells.begin_row();
    cells.set(kRun, run.name);
    Json parameters = run.parameters;
    parameters.erase(kFile);
    add(kParameters, parameters, cells);
    add(kResult, run.result, cells);
  }
  return cells.text();
}

std::vector<Run> read_runs(const std::string& text, const std::string& name) {
  Reader reader(text, name);
  if (reader.at_end()) reader.fail("there is none");
  const Row columns = reader.row();
  std::vector<Run> runs;
  while (!reader.at_end()) {
    const Row row = reader.row();
    if (row.size() != columns.size()) reader.fail("it has another number of cells than the first one");
    runs.push_back(run_of(columns, row, reader));
  }
  return runs;
}

}  // namespace castor::platforms::experiments
