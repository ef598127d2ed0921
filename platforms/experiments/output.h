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
  std::string note;  ///< below the table; may be empty
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  /// As Markdown, with title and note. `aligned`: columns are padded to one width.
  [[nodiscard]] std::string markdown(bool aligned = true) const;
};

/// Draws <folder>/<file>.svg by gnuplot, from <file>.gp, which stays beside it. False without gnuplot: the script alone
/// is written. Errors: InputError if it cannot be.
[[nodiscard]] bool draw(const Plot& plot, const std::string& folder);
using base::write_file;

/// Tables, claims and pictures that an experiment reports. They go into one document in a folder, and are kept for the
/// experiment's page.
class Output {
 public:
  /// A table and the heading that it stands under.
  struct Placed {
    std::string heading;
    Table table;
  };

  /// `folder`: for pictures and the document; "": nothing is written. `echo`: tables are printed too. `all_claims`:
  /// also those that the runs do not measure.
  Output(std::string folder, bool echo, bool all_claims)
      : folder_(std::move(folder)), echo_(echo), all_claims_(all_claims) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const Table& table);
  /// The claims with their verdicts. `summary`: how many there are of each verdict. `constructed`: those that hold by
  /// construction if they hold.
  void claims(const Table& table, const std::string& summary, const std::vector<std::string>& constructed);
  void plot(Plot plot);
  /// Parameters and results of all runs, one line each: <name>.csv and <name>.json.
  void data(const std::string& name, const std::vector<Run>& runs);
  /// Writes what was collected to <name>.md.
  void close(const std::string& name);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] bool all_claims() const { return all_claims_; }

  [[nodiscard]] const std::vector<Placed>& tables() const { return tables_; }
  [[nodiscard]] const std::vector<Plot>& plots() const { return plots_; }
  /// Summary and table of the claims as Markdown; "" if there are none.
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

/// Shortest text of a number with so many digits behind the point.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace castor::platforms::experiments
