#include "platforms/experiments/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

namespace castor::platforms::experiments {
namespace {

constexpr double kGroupWidth = 0.84;  // of bars, where groups are 1 apart

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string figure_text(double value) {
  if (!std::isfinite(value)) return "NaN";
  std::ostringstream out;
  out.precision(10);
  out << value;
  return out.str();
}

std::string row(std::initializer_list<double> values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + figure_text(value);
  return out + "\n";
}

// Colours that can be told apart, the strong ones first; gnuplot's own are eight.
std::string colour_of(std::size_t series) {
  constexpr std::array<const char*, 16> kColours = {"1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd", "8c564b",
                                                    "7f7f7f", "e377c2", "17becf", "bcbd22", "aec7e8", "ffbb78",
                                                    "98df8a", "ff9896", "c5b0d5", "000000"};
  return std::string(" linecolor rgb '#") + kColours[series % kColours.size()] + "'";
}

double at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
}

/// A line with a cap at either end. Points are far too large for thin bars, which gnuplot's error bars cannot do
/// without.
std::string interval(double x, double low, double high, double cap) {
  std::string out;
  const auto line = [&](double x0, double y0, double x1, double y1) { out += row({x0, y0}) + row({x1, y1}) + "\n"; };
  line(x, low, x, high);
  line(x - cap, low, x + cap, low);
  line(x - cap, high, x + cap, high);
  return out;
}

/// Where bars stand and which part of the axis is shown.
struct Layout {
  explicit Layout(const Plot& plot)
      : width(kGroupWidth / static_cast<double>(std::max<std::size_t>(1, plot.series.size()))) {
    low = high = plot.base;
    double low_end = low, high_end = high;  // with intervals
    for (const Plot::Series& series : plot.series) {
      for (std::size_t group = 0; group < plot.groups.size(); ++group) {
        const double value = at(series.values, group), half = at(series.confidence, group);
        for (const double shown : {value, at(series.source, group)}) {
          if (!std::isfinite(shown)) continue;
          low = std::min(low, shown);
          high = std::max(high, shown);
        }
        if (!std::isfinite(value) || !std::isfinite(half)) continue;
        low_end = std::min(low_end, value - half);
        high_end = std::max(high_end, value + half);
      }
    }
    const double span = high > low ? high - low : std::max(1e-9, 0.01 * std::fabs(low));
    // Intervals that would press the bars into a line are cut off.
    low = std::max(std::min(low, low_end), low - span / 4);
    high = std::min(std::max(high, high_end), high + span / 4);
    const double margin = 0.05 * (high > low ? high - low : span);
    if (low < plot.base) low -= margin;
    high += margin;
  }
  [[nodiscard]] double centre(const Plot& plot, std::size_t group, std::size_t series) const {
    return static_cast<double>(group) +
           (static_cast<double>(series) - static_cast<double>(plot.series.size() - 1) / 2) * width;
  }

  double width, low = 0, high = 0;
};

std::string bars_script(const Plot& plot) {
  const Layout layout(plot);
  const double last = static_cast<double>(plot.groups.size()) - 0.5;
  std::string script = "set xrange [-0.5:" + figure_text(last) + "]\nset yrange [" + figure_text(layout.low) + ":" +
                       figure_text(layout.high) + "]\nset style fill solid 1 noborder\nset xtics scale 0 (";
  for (std::size_t group = 0; group < plot.groups.size(); ++group) {
    script += (group == 0 ? "" : ", ") + in_quotes(plot.groups[group]) + " " + std::to_string(group);
  }
  script += ")\n";
  if (plot.groups.size() > 8) script += "set xtics rotate by -30\n";  // names would run into each other
  for (std::size_t group = 1; group < plot.groups.size(); ++group) {
    const std::string x = figure_text(static_cast<double>(group) - 0.5);
    script += "set arrow from " + x + ", graph 0 to " + x + ", graph 1 nohead back linecolor rgb '#e8e8e8'\n";
  }
  std::string bars, intervals, marks;  // what lies behind comes first
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Plot::Series& series = plot.series[i];
    std::string boxes, ends, points;
    for (std::size_t group = 0; group < plot.groups.size(); ++group) {
      const double x = layout.centre(plot, group, i), half_width = 0.45 * layout.width;
      const double value = at(series.values, group), half = at(series.confidence, group),
                   published = at(series.source, group);
      if (std::isfinite(value)) {
        boxes +=
            row({x, value, x - half_width, x + half_width, std::min(value, plot.base), std::max(value, plot.base)});
        if (std::isfinite(half)) ends += interval(x, value - half, value + half, half_width / 2);
      }
      if (std::isfinite(published)) points += row({x, published});
    }
    const std::string number = std::to_string(i);
    const auto block = [&](const char* name, const std::string& data) {
      script += "$" + std::string(name) + number + " << EOD\n" + data + "EOD\n";
    };
    if (!boxes.empty()) {
      block("bars", boxes);
      bars += ", $bars" + number + " with boxxyerror" + colour_of(i) + " title " + in_quotes(series.name);
    }
    if (!ends.empty()) {
      block("intervals", ends);
      intervals += ", $intervals" + number + " with lines linewidth 1 linecolor rgb '#404040' notitle";
    }
    if (!points.empty()) {
      block("source", points);
      marks += ", $source" + number +
               " with points pointtype 13 pointsize 0.7 linecolor rgb '#ffffff' notitle, $source" + number +
               " with points pointtype 12 pointsize 0.7 linewidth 1.5 linecolor rgb '#000000' notitle";
    }
  }
  if (!intervals.empty()) {
    intervals += ", NaN with lines linewidth 1 linecolor rgb '#404040' title '95 % confidence'";
  }
  if (!marks.empty()) {
    marks += ", NaN with points pointtype 12 pointsize 0.7 linewidth 1.5 linecolor rgb '#000000' title 'source'";
  }
  return script + "plot " + figure_text(plot.base) + " with lines linewidth 1 linecolor rgb '#000000' notitle" + bars +
         intervals + marks + "\n";
}

std::string lines_script(const Plot& plot) {
  std::string script, parts;
  if (plot.log_x) script += "set logscale x 2\n";
  if (plot.log_y) script += "set logscale y\n";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Plot::Series& series = plot.series[i];
    const std::string name = "$data" + std::to_string(i);
    script += name + " << EOD\n";
    for (std::size_t k = 0; k < series.x.size(); ++k) script += row({series.x[k], at(series.values, k)});
    script += "EOD\n";
    const std::string style = series.marks
                                  ? " with points pointtype 12 pointsize 1 linewidth 1.5 linecolor rgb '#000000'"
                                  : " with linespoints pointtype 7 pointsize 0.4 linewidth 1.5" + colour_of(i);
    parts += (parts.empty() ? "" : ", ") + name + style + " title " + in_quotes(series.name);
  }
  return script + "plot " + parts + "\n";
}

}  // namespace

void Plot::Series::add(const workloads::Spread& figure, double published) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  values.push_back(figure.count == 0 ? nothing : figure.mean);
  confidence.push_back(figure.count < 2 ? nothing : workloads::confidence(figure));
  source.push_back(published);
}

std::string gnuplot_script(const Plot& plot) {
  const bool bars = plot.kind == Plot::Kind::kBars;
  const std::size_t places = bars ? plot.groups.size() * (plot.series.size() + 1) : 0;
  const std::size_t width = std::clamp<std::size_t>(220 + 9 * places, 860, 1500);
  // Not enhanced: '_' is part of a name.
  std::string script =
      "set terminal svg size " + std::to_string(width) +
      ",460 noenhanced font 'sans,13' background '#ffffff'\nset output " + in_quotes(plot.file + ".svg") +
      "\nset title " + in_quotes(plot.title) + "\nset xlabel " + in_quotes(plot.x_label) + "\nset ylabel " +
      in_quotes(plot.y_label) +
      "\nset key outside right top Left reverse samplen 1.5\nset grid ytics linecolor rgb '#d0d0d0'\nset border 3\n"
      "set tics nomirror\nset clip two\n";
  return script + (bars ? bars_script(plot) : lines_script(plot));
}

}  // namespace castor::platforms::experiments
