#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Values that others measured on real chips, and the reasons why a machine differs from them. They are read from the
/// files in data/ (docs/results/fidelity.md, "Data").
namespace castor::workloads::fidelity {

/// How a figure is compared with a published value.
enum class Rule : std::uint8_t {
  kShare,  ///< equal within a tolerance (judge.h)
  kEqual,  ///< a count, which must be equal
};

/// A measured figure of a microbenchmark, such as "chains.int_add".
struct Row {
  std::string name, title, unit;
  Rule rule = Rule::kShare;

  /// Returns the name of the benchmark, such as "chains".
  [[nodiscard]] std::string benchmark() const { return name.substr(0, name.find('.')); }
};

/// A publication with measured values: short name, authors, title, and where it was published.
struct Source {
  std::string name, authors, title, where;
};

/// How reliable a published value is.
enum class Standing : std::uint8_t {
  kRead,    ///< read at its source
  kQuoted,  ///< quoted by others, or from the literature without a second check
  kModel,   ///< parameter of a model or compiler, not a measurement; never shown as one
};
/// "read", "quoted", "model".
[[nodiscard]] const char* text(Standing standing);

/// A published value, or an interval that its source gives.
struct Value {
  std::string row;
  double low = 0, high = 0;
  std::string chip;    ///< chip on which it was measured
  std::string source;  ///< Source::name
  std::string place;   ///< table, figure or file in the source
  Standing standing = Standing::kRead;
  std::vector<std::string> set;  ///< machine keys that were set from this value
  /// Machine keys that decide the row and were set from other rows of the same source, or limits whose quotient the row
  /// is. Agreement is then arithmetic and no prediction.
  std::vector<std::string> follows;

  [[nodiscard]] bool predicted() const { return set.empty() && follows.empty(); }
};

/// The reason why a machine differs from a published value.
struct Reason {
  std::string row, text;
  std::string missing;  ///< feature that the machine lacks; may be empty
};

/// Latency of dependent loads as a function of the size of the pointer ring.
struct Curve {
  struct Point {
    double kib = 0, clocks = 0;
  };
  std::string chip, source, place;
  Standing standing = Standing::kRead;
  std::vector<Point> points;
};

/// A machine that models a chip, and the values known for that chip or for others of its generation.
struct Chip {
  std::string machine, chip, generation;
  std::string like;            ///< machine whose values and reasons apply here too, unless they depend on the board
  double clocks_per_tick = 1;  ///< clocks that the chip's clock() counts per tick of the machine's SMs
  std::vector<Value> values;   ///< if a row has several values, the first is compared
  std::vector<Reason> reasons;
  Curve curve;  ///< empty if no curve was published

  /// Returns the first measured value of the row (not of a model); nullptr if there is none.
  [[nodiscard]] const Value* value_of(std::string_view row) const;
  /// Returns the reason why the machine differs in a row; nullptr if there is none.
  [[nodiscard]] const Reason* reason_of(std::string_view row) const;
};

/// All published values: the rows, their sources, and the chips.
struct Published {
  std::vector<Row> rows;
  std::vector<Source> sources;
  std::vector<Chip> chips;  ///< sorted by machine

  /// Returns the row, source or chip of a name; nullptr if there is none.
  [[nodiscard]] const Row* find_row(std::string_view name) const;
  [[nodiscard]] const Source* find_source(std::string_view name) const;
  [[nodiscard]] const Chip* find_chip(std::string_view machine) const;
};

/// A data file in YAML: name and contents.
struct DataFile {
  std::string name, text;
};
/// Returns the files that are compiled in.
[[nodiscard]] const std::vector<DataFile>& data_files();
/// Returns the *.yaml files of a folder, sorted by name. Throws InputError if the folder cannot be read or has none.
[[nodiscard]] std::vector<DataFile> data_files_of(const std::string& folder);

/// Reads rows.yaml and a file for each chip. Throws InputError with file, line and column for unknown, missing or
/// duplicate items, numbers out of range, values of unknown rows or sources, and reasons for rows without a value.
[[nodiscard]] Published read_published(const std::vector<DataFile>& files);

}  // namespace castor::workloads::fidelity
