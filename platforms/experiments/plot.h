#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/spread.h"

namespace castor::platforms::experiments {

/// A picture: groups of bars, or lines over x. Values that are not finite are omitted. All pictures have one style.
/// They have at most `kMostSeries` series, which are distinguishable in grey. Groups of bars have bands behind them and
/// names below; arrow heads mark intervals that extend beyond the axis.
struct Plot {
  static constexpr std::size_t kMostSeries = 8;  ///< not counting series of a source
  enum class Kind : std::uint8_t { kBars, kLines };
  struct Series {
    std::string name;
    std::vector<double> values;           ///< by group for bars, y for lines
    std::vector<double> confidence = {};  ///< bars only, by group: half of the interval around the value; may be empty
    /// Bars only, by group: the source's value, drawn as a mark on the bar; may be empty
    std::vector<double> source = {};
    std::vector<double> x = {};  ///< lines only: x values
    bool marks = false;          ///< lines only: draws points without a line, for values of a source
    /// Adds the value of one more group. `published`: the source's value, or NaN.
    void add(const workloads::Spread& figure, double published);
  };
  Kind kind = Kind::kBars;
  std::string file;  ///< file name without extension
  std::string title, x_label, y_label;
  double base = 0;     ///< bars only: value at which bars begin; the axis need not include 0
  bool log_x = false;  ///< lines only: x axis is logarithmic to the base 2
  /// Logarithmic y axis; for bars, values are logarithms to the base 2 and the axis shows the original figures
  bool log_y = false;
  bool percent = false;  ///< values are percentages: the axis ends at 100, and begins at 0 unless a value is below
  std::vector<std::string> groups;  ///< bars only: names of the groups
  std::vector<Series> series;
};

/// Keeps at most `kMostSeries` series, preferring those named in `first`. The title then says how many there were.
void limit_series(Plot& plot, const std::vector<std::string>& first = {});

/// Returns an SVG of gnuplot without its invisible parts: comments, indents, empty groups, unused symbols.
[[nodiscard]] std::string compact_svg(const std::string& svg);

/// Returns the gnuplot script, including the data, that draws <file>.svg.
[[nodiscard]] std::string gnuplot_script(const Plot& plot);

}  // namespace castor::platforms::experiments
