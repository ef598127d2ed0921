#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/spread.h"

namespace castor::platforms::experiments {

/// Groups of bars, or lines over x. A figure that is no number is left out. All pictures have one style: at most
/// `kMostSeries` series, which can be told apart in grey, bands behind the groups of bars with their names below, and
/// arrow heads where an interval goes on beyond the axis.
struct Plot {
  static constexpr std::size_t kMostSeries = 8;  ///< without those of a source
  enum class Kind : std::uint8_t { kBars, kLines };
  struct Series {
    std::string name;
    std::vector<double> values;           ///< by group, or y
    std::vector<double> confidence = {};  ///< of bars, by group: half of the interval around the value; may be empty
    std::vector<double> source = {};  ///< of bars, by group: what the source has, as a mark on the bar; may be empty
    std::vector<double> x = {};       ///< lines only
    bool marks = false;               ///< lines only: points alone, of a source
    /// One more group. `published`: NaN without.
    void add(const workloads::Spread& figure, double published);
  };
  Kind kind = Kind::kBars;
  std::string file;  ///< without extension
  std::string title, x_label, y_label;
  double base = 0;       ///< bars only: where they begin; the axis shows what lies around it, not necessarily 0
  bool log_x = false;    ///< lines only; to the base 2
  bool log_y = false;    ///< of bars, figures are logarithms to the base 2, and the axis shows what they are of
  bool percent = false;  ///< shares: the axis ends at 100, and begins at 0 unless a figure is below
  std::vector<std::string> groups;  ///< bars only
  std::vector<Series> series;
};

/// Leaves at most `kMostSeries` series, those named in `first` before others; the title says of how many.
void limit_series(Plot& plot, const std::vector<std::string>& first = {});

/// An SVG of gnuplot without what is not seen: comments, indents, empty groups, symbols that nothing uses.
[[nodiscard]] std::string compact_svg(const std::string& svg);

/// The picture <file>.svg as a script for gnuplot, with its data.
[[nodiscard]] std::string gnuplot_script(const Plot& plot);

}  // namespace castor::platforms::experiments
