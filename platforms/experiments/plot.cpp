#include "platforms/experiments/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

namespace castor::platforms::experiments {
namespace {

constexpr double kGroupWidth = 0.84;  // width of a group of bars; groups are 1 apart

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

// Returns the fill colour of bars. Any two colours differ in lightness, neighbouring colours most.
std::string fill_of(std::size_t series) {
  constexpr std::array<const char*, Plot::kMostSeries> kColours = {"1a1a4d", "f0a44a", "2a6fa8", "d7e3f0",
                                                                   "8c2d04", "86c07f", "b05a92", "fff3b8"};
  return std::string(" fillcolor rgb '#") + kColours[series % kColours.size()] + "'";
}

// Returns the style of a line: a dark colour, a symbol and a dash pattern.
std::string line_of(std::size_t series) {
  constexpr std::array<const char*, Plot::kMostSeries> kColours = {"1a1a4d", "c8651b", "2a6fa8", "5c5c5c",
                                                                   "8c2d04", "3f8f4f", "9e4f7f", "a8861a"};
  constexpr std::array<unsigned, Plot::kMostSeries> kSymbols = {7, 5, 9, 4, 11, 6, 13, 8};
  const std::size_t own = series % kColours.size();
  return " pointtype " + std::to_string(kSymbols[own]) + " dashtype " + std::to_string(own % 4 + 1) +
         " linecolor rgb '#" + kColours[own] + "'";
}

double at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the data of an interval's line. It has no caps, which would be too wide for thin bars.
std::string interval(double x, double low, double high) { return row({x, low}) + row({x, high}) + "\n"; }

/// Positions of the bars and the displayed range of the axis.
struct Layout {
  explicit Layout(const Plot& plot)
      : width(kGroupWidth / static_cast<double>(std::max<std::size_t>(1, plot.series.size()))) {
    low = high = plot.base;
    double low_end = low, high_end = high;  // range including the intervals
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
    const bool negative = low < 0;
    const double span = high > low ? high - low : std::max(1e-9, 0.01 * std::fabs(low));
    // Intervals are cut off where they would compress the bars too much.
    low = std::max(std::min(low, low_end), low - span / 4);
    high = std::min(std::max(high, high_end), high + span / 4);
    const double margin = 0.05 * (high > low ? high - low : span);
    if (low < plot.base) low -= margin;
    high += margin;
    if (plot.percent) high = 100;
    if (plot.percent && !negative) low = 0;
    if (plot.log_y) scale = [](double value) { return std::exp2(value); };
  }
  /// Returns a figure in the units of the axis.
  [[nodiscard]] double shown(double figure) const { return scale(figure); }
  [[nodiscard]] bool is_cut(double figure) const { return figure < low || figure > high; }
  [[nodiscard]] double centre(const Plot& plot, std::size_t group, std::size_t series) const {
    return static_cast<double>(group) +
           (static_cast<double>(series) - static_cast<double>(plot.series.size() - 1) / 2) * width;
  }

  double width, low = 0, high = 0;
  double (*scale)(double) = [](double value) { return value; };
};

std::string axes_of_bars(const Plot& plot, const Layout& layout) {
  const std::string last = figure_text(static_cast<double>(plot.groups.size()) - 0.5);
  std::string script = "set xrange [-0.5:" + last + "]\nset yrange [" + figure_text(layout.shown(layout.low)) + ":" +
                       figure_text(layout.shown(layout.high)) + "]\n";
  if (plot.log_y) script += "set logscale y 2\n";
  script += "set style fill solid 1 border rgb '#303030'\nset xtics scale 0 (";
  for (std::size_t group = 0; group < plot.groups.size(); ++group) {
    script += (group == 0 ? "" : ", ") + in_quotes(plot.groups[group]) + " " + std::to_string(group);
  }
  script += ")\n";
  // Rotated names end below their group of bars.
  if (plot.groups.size() > 8) script += "set xtics rotate by 40 right\n";
  for (std::size_t group = 1; group < plot.groups.size(); group += 2) {
    const double x = static_cast<double>(group);
    script += "set object rectangle from " + figure_text(x - 0.5) + ", graph 0 to " + figure_text(x + 0.5) +
              ", graph 1 behind fillcolor rgb '#f0f0f0' fillstyle solid noborder\n";
  }
  return script;
}

/// Data of one series: bars, intervals around their ends, arrow heads where an interval is cut at the top or bottom,
/// and marks of the source's values.
struct Bars {
  Bars(const Plot& plot, const Layout& layout, std::size_t index) {
    const Plot::Series& series = plot.series[index];
    for (std::size_t group = 0; group < plot.groups.size(); ++group) {
      const double x = layout.centre(plot, group, index), half_width = 0.45 * layout.width;
      const double value = at(series.values, group), half = at(series.confidence, group),
                   published = at(series.source, group);
      if (std::isfinite(published)) source += row({x, layout.shown(published)});
      if (!std::isfinite(value)) continue;
      boxes += row({x, layout.shown(value), x - half_width, x + half_width, layout.shown(std::min(value, plot.base)),
                    layout.shown(std::max(value, plot.base))});
      if (!std::isfinite(half)) continue;
      const double low = std::max(value - half, layout.low), high = std::min(value + half, layout.high);
      if (high > low) intervals += interval(x, layout.shown(low), layout.shown(high));
      if (layout.is_cut(value - half)) cut_below += row({x, layout.shown(layout.low)});
      if (layout.is_cut(value + half)) cut_above += row({x, layout.shown(layout.high)});
    }
  }
  std::string boxes, intervals, cut_below, cut_above, source;
};

std::string bars_script(const Plot& plot) {
  const Layout layout(plot);
  std::string script = axes_of_bars(plot, layout), bars, intervals, marks;  // in drawing order: background first
  bool cut = false, source = false;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Bars data(plot, layout, i);
    const auto add = [&](const char* name, const std::string& text, const std::string& style, std::string& to) {
      if (text.empty()) return;
      const std::string block = "$" + std::string(name) + std::to_string(i);
      script += block + " << EOD\n" + text + "EOD\n";
      to += ", " + block + " with " + style;
    };
    add("bars", data.boxes, "boxxyerror linewidth 0.4" + fill_of(i) + " title " + in_quotes(plot.series[i].name), bars);
    add("intervals", data.intervals, "lines linewidth 1 linecolor rgb '#707070' notitle", intervals);
    const std::string head = " pointsize 0.4 linecolor rgb '#c00000' notitle";
    add("above", data.cut_above, "points pointtype 9" + head, marks);
    add("below", data.cut_below, "points pointtype 11" + head, marks);
    add("source", data.source, "points pointtype 13 pointsize 0.8 linecolor rgb '#ffffff' notitle", marks);
    if (!data.source.empty()) {
      marks += ", $source" + std::to_string(i) +
               " with points pointtype 12 pointsize 0.7 linewidth 1.5 linecolor rgb '#000000' notitle";
    }
    cut = cut || !data.cut_above.empty() || !data.cut_below.empty();
    source = source || !data.source.empty();
  }
  if (!intervals.empty()) {
    intervals += ", NaN with lines linewidth 1 linecolor rgb '#707070' title '95 % confidence'";
  }
  if (cut)
    marks += ", NaN with points pointtype 9 pointsize 0.4 linecolor rgb '#c00000' title 'goes on beyond the axis'";
  if (source) {
    marks += ", NaN with points pointtype 12 pointsize 0.7 linewidth 1.5 linecolor rgb '#000000' title 'source'";
  }
  return script + "plot " + figure_text(layout.shown(plot.base)) +
         " with lines linewidth 1 linecolor rgb '#000000' notitle" + bars + intervals + marks + "\n";
}

// If a line has many points, only some of them get a symbol.
std::string some_symbols(std::size_t points) {
  constexpr std::size_t kAll = 24, kSome = 12;
  return points <= kAll ? "" : " pointinterval " + std::to_string(points / kSome);
}

// Returns axis tics at powers of two, as many as fit below the axis.
std::string tics_of_powers(const Plot& plot) {
  double most = 1, least = 1;
  for (const Plot::Series& series : plot.series) {
    for (const double x : series.x) most = std::max(most, x), least = std::min(least, x);
  }
  return std::log2(most / least) > 14 ? "set xtics 16\n" : "";
}

std::string lines_script(const Plot& plot) {
  std::string script, parts;
  if (plot.log_x) script += "set logscale x 2\n" + tics_of_powers(plot);
  if (plot.log_y) script += "set logscale y\n";
  if (plot.percent) script += "set yrange [0:100]\n";
  std::size_t own = 0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Plot::Series& series = plot.series[i];
    const std::string name = "$data" + std::to_string(i);
    script += name + " << EOD\n";
    for (std::size_t k = 0; k < series.x.size(); ++k) script += row({series.x[k], at(series.values, k)});
    script += "EOD\n";
    const std::string style =
        series.marks ? " with points pointtype 12 pointsize 1 linewidth 1.5 linecolor rgb '#000000'"
                     : " with linespoints pointsize 0.5 linewidth 1.5" + some_symbols(series.x.size()) + line_of(own++);
    parts += (parts.empty() ? "" : ", ") + name + style + " title " + in_quotes(series.name);
  }
  return script + "plot " + parts + "\n";
}

const std::string kGroupEnd = "</g>";

/// Collects the lines of an SVG without invisible and redundant elements.
class Compactor {
 public:
  explicit Compactor(const std::string& svg) : svg_(svg) {}

  void add(const std::string& whole) {
    const std::string line = with_short_attributes(whole);
    if (line.rfind("<!--", 0) == 0 || is_unused_symbol(line)) return;
    if (line == kGroupEnd) return close();
    if (is_border_of_a_bar(line)) {
      // The path is the border of the previous bar. It is dropped, and the bar's polygon replaces the group of both.
      lines_[lines_.size() - 3] = lines_[lines_.size() - 2];
      lines_.resize(lines_.size() - 2);
      return;
    }
    const bool opens = line.rfind("<g ", 0) == 0 && line.find('>') == line.size() - 1;
    if (opens && !lines_.empty() && lines_.back().text == kGroupEnd && lines_.back().opening == line) {
      lines_.pop_back();  // the previous group has the same style and is continued
      open_.push_back(line);
      return;
    }
    if (line.rfind("<g ", 0) == 0) open_.push_back(line);
    lines_.push_back({line, ""});
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Line& line : lines_) out += line.text + "\n";
    return out;
  }

 private:
  struct Line {
    std::string text;
    std::string opening;  ///< for the end of a group: the line that opened the group
  };

  // Shortens attributes: "fill='#1a1a4d'" for "fill = 'rgb( 26,  26,  77)'".
  static std::string with_short_attributes(std::string line) {
    for (std::size_t at = line.find("rgb("); at != std::string::npos; at = line.find("rgb(", at)) {
      const std::size_t end = line.find(')', at);
      unsigned red = 0, green = 0, blue = 0;
      if (end == std::string::npos || std::sscanf(line.c_str() + at, "rgb(%u,%u,%u", &red, &green, &blue) != 3) break;
      char text[16];
      std::snprintf(text, sizeof text, "#%02x%02x%02x", red & 255U, green & 255U, blue & 255U);
      line.replace(at, end + 1 - at, text);
    }
    if (line.rfind("<g id=\"gnuplot_plot_", 0) == 0)
      return "<g id=\"" + line.substr(14, line.find('"', 14) - 14) + "\">";
    if (line.rfind("<polygon ", 0) != 0) return line;
    for (std::size_t at = line.find(" = '"); at != std::string::npos; at = line.find(" = '")) line.replace(at, 4, "='");
    return line;
  }

  [[nodiscard]] bool is_unused_symbol(const std::string& line) const {
    const std::size_t id = line.find(" id='gpPt");
    if (id == std::string::npos) return false;
    const std::size_t name = id + 5;
    return svg_.find("#" + line.substr(name, line.find('\'', name) - name) + "'") == std::string::npos;
  }

  [[nodiscard]] bool is_border_of_a_bar(const std::string& line) const {
    if (line.rfind("<path stroke='#", 0) != 0 || line.find(" Z") == std::string::npos || lines_.size() < 3) {
      return false;
    }
    const auto from_end = [this](std::size_t i) -> const std::string& { return lines_[lines_.size() - i].text; };
    return from_end(1) == kGroupEnd && from_end(2).rfind("<polygon ", 0) == 0 && from_end(3).rfind("<g ", 0) == 0;
  }

  void close() {
    const std::string opening = open_.empty() ? "" : open_.back();
    if (!open_.empty()) open_.pop_back();
    if (!lines_.empty() && lines_.back().text == opening && opening.find('>') == opening.size() - 1) {
      lines_.pop_back();  // removes an empty group
      return;
    }
    lines_.push_back({kGroupEnd, opening});
  }

  const std::string& svg_;
  std::vector<Line> lines_;
  std::vector<std::string> open_;
};

}  // namespace

void Plot::Series::add(const workloads::Spread& figure, double published) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  values.push_back(figure.count == 0 ? nothing : figure.mean);
  confidence.push_back(figure.count < 2 ? nothing : workloads::confidence(figure));
  source.push_back(published);
}

void limit_series(Plot& plot, const std::vector<std::string>& first) {
  std::vector<Plot::Series> rest = std::move(plot.series), kept;
  const auto is_ours = [](const Plot::Series& series) { return !series.marks; };
  const auto all = static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), is_ours));
  const auto rank = [&](const Plot::Series& series) { return std::find(first.begin(), first.end(), series.name); };
  std::size_t named = 0;
  for (const Plot::Series& series : rest) named += is_ours(series) && rank(series) != first.end() ? 1 : 0;
  std::size_t others = named < Plot::kMostSeries ? Plot::kMostSeries - named : 0, taken = 0;
  for (Plot::Series& series : rest) {
    const bool is_named = rank(series) != first.end();
    if (is_ours(series) && (taken == Plot::kMostSeries || (!is_named && others == 0))) continue;
    if (is_ours(series)) ++taken;
    if (is_ours(series) && !is_named) --others;
    kept.push_back(std::move(series));
  }
  plot.series = std::move(kept);
  if (taken < all) plot.title += " (" + std::to_string(taken) + " of " + std::to_string(all) + ")";
}

std::string compact_svg(const std::string& svg) {
  Compactor out(svg);
  // If gnuplot's output has a path and the begin of the next group in one line, the two are separated.
  std::string lines = svg;
  for (std::size_t at = lines.find(">\t<"); at != std::string::npos; at = lines.find(">\t<")) lines[at + 1] = '\n';
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    // If a path and the end of its group are in one line, the two are separated.
    const std::size_t end = line.size() - std::min(kGroupEnd.size(), line.size());
    const bool ends = end != 0 && line.compare(end, std::string::npos, kGroupEnd) == 0 && line[0] == '<' &&
                      line.compare(0, 6, "<text>") != 0 && line.compare(0, 3, "<g ") != 0;
    out.add(ends ? line.substr(0, end) : line);
    if (ends) out.add(kGroupEnd);
  }
  return out.text();
}

std::string gnuplot_script(const Plot& plot) {
  const bool bars = plot.kind == Plot::Kind::kBars;
  const std::size_t places = bars ? plot.groups.size() * (plot.series.size() + 1) : 0;
  const std::size_t width = std::clamp<std::size_t>(220 + 9 * places, 860, 1500);
  // The terminal is not "enhanced", so that '_' in a name is printed as it is.
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
