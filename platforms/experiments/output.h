#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/plot.h"

namespace castor::platforms::experiments {

/// Text in rows and columns.
struct Table {
  std::string title;
  std::string note;  ///< below the table; may be empty
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  /// As Markdown, columns aligned.
  [[nodiscard]] std::string markdown() const;
};

/// The folder into which an experiment writes; everything also goes into one document.
class Output {
 public:
  /// `echo`: tables are printed too. `all_claims`: also those that the runs do not measure.
  Output(std::string folder, bool echo, bool all_claims)
      : folder_(std::move(folder)), echo_(echo), all_claims_(all_claims) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const Table& table);
  /// <file>.svg by gnuplot, from <file>.gp, which stays beside it. Without gnuplot only that.
  void plot(const Plot& plot);
  /// Parameters and results of all runs, one line each: <name>.csv and <name>.json.
  void data(const std::string& name, const std::vector<Run>& runs);
  /// Writes what was collected to <name>.md.
  void close(const std::string& name);
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] bool all_claims() const { return all_claims_; }

 private:
  void write(const std::string& name, const std::string& text) const;

  std::string folder_;
  bool echo_, all_claims_;
  std::string document_;
};

/// Shortest text of a number with so many digits behind the point.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace castor::platforms::experiments
