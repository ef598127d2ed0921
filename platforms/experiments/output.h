#pragma once

#include <string>
#include <vector>

#include "castor/base/output_file.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/plot.h"

namespace castor::platforms::experiments {

/// Text in rows and columns.
struct Table {
  std::string title;
  std::string note;  ///< text below the table; may be empty
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  /// Returns the table as Markdown, with title and note. `aligned`: cells are padded to the width of their column.
  [[nodiscard]] std::string markdown(bool aligned = true) const;
};

/// Draws <folder>/<file>.svg with gnuplot from <file>.gp, which is not deleted afterwards. Without gnuplot, writes only
/// the script and returns false. Throws InputError if a file cannot be written.
[[nodiscard]] bool draw(const Plot& plot, const std::string& folder);
using base::write_file;

/// Tables, claims and pictures that an experiment reports. They are written to one document in a folder, and kept in
/// memory for the experiment's page.
class Output {
 public:
  /// A table and the heading above it.
  struct Placed {
    std::string heading;
    Table table;
  };

  /// `folder`: folder of pictures and document; "": nothing is written. `echo`: tables are also printed. `all_claims`:
  /// includes claims that the runs do not measure.
  Output(std::string folder, bool echo, bool all_claims)
      : folder_(std::move(folder)), echo_(echo), all_claims_(all_claims) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const Table& table);
  /// Adds the claims with their verdicts. `summary`: the number of claims by verdict. `constructed`: ids of the claims
  /// that hold by construction.
  void claims(const Table& table, const std::string& summary, const std::vector<std::string>& constructed);
  void plot(Plot plot);
  /// Writes parameters and results of all runs, one line each, to <name>.csv and <name>.json.
  void data(const std::string& name, const std::vector<Run>& runs);
  /// Writes the collected tables and claims to <name>.md.
  void close(const std::string& name);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] bool all_claims() const { return all_claims_; }

  [[nodiscard]] const std::vector<Placed>& tables() const { return tables_; }
  [[nodiscard]] const std::vector<Plot>& plots() const { return plots_; }
  /// Returns summary and table of the claims as Markdown; "" if there are no claims.
  [[nodiscard]] const std::string& claims() const { return claims_; }
  [[nodiscard]] const Table& claims_table() const { return claims_table_; }
  [[nodiscard]] const std::vector<std::string>& constructed() const { return constructed_; }

 private:
  void write(const std::string& name, const std::string& text) const;

  std::string folder_;
  bool echo_, all_claims_;
  std::string document_, heading_, claims_;
  Table claims_table_;
  std::vector<std::string> constructed_;
  std::vector<Placed> tables_;
  std::vector<Plot> plots_;
};

/// Returns a number with `digits` digits after the decimal point, in its shortest form.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace castor::platforms::experiments
