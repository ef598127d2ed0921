#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What others measured on real chips, and why a machine differs: files of data/ (docs/results/fidelity.md, "Data").
namespace castor::workloads::fidelity {

/// How a figure is compared with a published value.
enum class Rule : std::uint8_t {
  kShare,  ///< within a share of it (judge.h)
  kEqual,  ///< a count: equal
};

/// What is measured: a figure of a microbenchmark, "chains.int_add".
struct Row {
  std::string name, title, unit;
  Rule rule = Rule::kShare;

  /// The benchmark, "chains".
  [[nodiscard]] std::string benchmark() const { return name.substr(0, name.find('.')); }
};

struct Source {
  std::string name, authors, title, where;
};

/// How sure a value is.
enum class Standing : std::uint8_t {
  kRead,    ///< read at its source
  kQuoted,  ///< quoted by others, or from the literature and not read again
  kModel,   ///< parameter of a model or compiler: nothing that was measured, never shown as such
};
/// "read", "quoted", "model".
[[nodiscard]] const char* text(Standing standing);

/// A published value, or an interval that its source gives.
struct Value {
  std::string row;
  double low = 0, high = 0;
  std::string chip;    ///< on which it was measured
  std::string source;  ///< Source::name
  std::string place;   ///< table, figure, file
  Standing standing = Standing::kRead;
  std::vector<std::string> set;  ///< keys of the machine that were set from this value
  /// Keys that decide the row and were set from other rows of the same source, or limits that it is the quotient of:
  /// agreement is arithmetic, no prediction.
  std::vector<std::string> follows;

  [[nodiscard]] bool predicted() const { return set.empty() && follows.empty(); }
};

/// Why a machine differs from a value.
struct Reason {
  std::string row, text;
  std::string missing;  ///< feature that the machine has not; may be empty
};

/// Latency of dependent loads over the size of the ring.
struct Curve {
  struct Point {
    double kib = 0, clocks = 0;
  };
  std::string chip, source, place;
  Standing standing = Standing::kRead;
  std::vector<Point> points;
};

/// A machine that stands for a chip, and what is known of that chip or of others of its generation.
struct Chip {
  std::string machine, chip, generation;
  std::string like;  ///< machine whose values and reasons hold here too, where they do not depend on the board
  double clocks_per_tick = 1;  ///< clock() of the chip counts so many in a tick of the machine's SMs
  std::vector<Value> values;   ///< of several of one row the first is compared
  std::vector<Reason> reasons;
  Curve curve;  ///< without points: not known

  /// The first value of the row that was measured; nullptr if there is none.
  [[nodiscard]] const Value* value_of(std::string_view row) const;
  [[nodiscard]] const Reason* reason_of(std::string_view row) const;
};

struct Published {
  std::vector<Row> rows;
  std::vector<Source> sources;
  std::vector<Chip> chips;  ///< by machine

  [[nodiscard]] const Row* find_row(std::string_view name) const;
  [[nodiscard]] const Source* find_source(std::string_view name) const;
  [[nodiscard]] const Chip* find_chip(std::string_view machine) const;
};

struct DataFile {
  std::string name, text;
};
/// The files that are compiled in.
[[nodiscard]] const std::vector<DataFile>& data_files();
/// The *.yaml of a folder, by name. Errors: InputError if it cannot be read or has none.
[[nodiscard]] std::vector<DataFile> data_files_of(const std::string& folder);

/// Reads rows.yaml and a file for each chip. Errors: InputError with file, line and column for what is unknown, missing
/// or there twice, numbers out of range, values of no row or no source, and reasons for rows without a value.
[[nodiscard]] Published read_published(const std::vector<DataFile>& files);

}  // namespace castor::workloads::fidelity
