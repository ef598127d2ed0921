#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

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

/// Groups of bars, or lines over x.
struct Plot {
  enum class Kind : std::uint8_t { kBars, kLines };
  struct Series {
    std::string name;
    std::vector<double> values;  ///< by group, or y
    std::vector<double> errors;  ///< of bars: standard deviation, may be empty
    std::vector<double> x;       ///< lines only
  };
  Kind kind = Kind::kBars;
  std::string file;  ///< without extension
  std::string title, x_label, y_label;
  bool log_x = false;  ///< lines only; to the base 2
  bool log_y = false;
  std::vector<std::string> groups;  ///< bars only
  std::vector<Series> series;
};

/// The folder into which an experiment writes; everything also goes into one document.
class Output {
 public:
  /// `echo`: tables are printed too.
  Output(std::string folder, bool echo) : folder_(std::move(folder)), echo_(echo) {}

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

 private:
  void write(const std::string& name, const std::string& text) const;

  std::string folder_;
  bool echo_;
  std::string document_;
};

/// Shortest text of a number with so many digits behind the point.
[[nodiscard]] std::string fixed(double value, int digits);

}  // namespace castor::platforms::experiments
