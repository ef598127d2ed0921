#include "platforms/experiments/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "castor/base/error.h"

namespace castor::platforms::experiments {
namespace {

std::string csv_cell(const Json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  }
  return value.dump();
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "NaN";
  std::ostringstream out;
  out.precision(10);
  out << value;
  return out.str();
}

// Sixteen colours that can be told apart; gnuplot's own are eight.
std::string colour(std::size_t series) {
  constexpr std::array<const char*, 16> kColours = {"7f7f7f", "000000", "8c564b", "c49c94", "bcbd22", "1f77b4",
                                                    "17becf", "9467bd", "e377c2", "2ca02c", "ffbb78", "ff7f0e",
                                                    "d62728", "98df8a", "aec7e8", "393b79"};
  return std::string(" linecolor rgb '#") + kColours[series % kColours.size()] + "'";
}

}  // namespace

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

namespace {

// Of UTF-8: bytes that continue a character take no column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string Table::markdown() const {
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  };
  measure(head);
  for (const auto& row : rows) measure(row);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string out = "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = i < row.size() ? row[i] : "";
      out += " " + cell + std::string(widths[i] - columns_of(cell), ' ') + " |";
    }
    return out + "\n";
  };
  std::string out = title.empty() ? "" : "**" + title + "**\n\n";
  out += line(head);
  out += "|";
  for (const std::size_t width : widths) out += std::string(width + 2, '-') + "|";
  out += "\n";
  for (const auto& row : rows) out += line(row);
  if (!note.empty()) out += "\n" + note + "\n";
  return out;
}

void Output::write(const std::string& name, const std::string& text) const {
  const std::string path = folder_ + "/" + name;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw base::InputError(base::SourceLocation{path}, std::string("cannot be written: ") + std::strerror(errno));
}

void Output::heading(const std::string& text) {
  document_ += "## " + text + "\n\n";
  if (echo_) std::printf("\n== %s\n\n", text.c_str());
}

void Output::paragraph(const std::string& text) {
  document_ += text + "\n\n";
  if (echo_) std::printf("%s\n\n", text.c_str());
}

void Output::table(const Table& table) {
  const std::string text = table.markdown();
  document_ += text + "\n";
  if (echo_) std::printf("%s\n", text.c_str());
}

void Output::plot(const Plot& plot) {
  // Not enhanced: '_' is part of a name.
  std::string script = "set terminal svg size 960,420 noenhanced font 'sans,11' background 'white'\nset output " +
                       quoted(plot.file + ".svg") + "\nset title " + quoted(plot.title) + "\nset xlabel " +
                       quoted(plot.x_label) + "\nset ylabel " + quoted(plot.y_label) +
                       "\nset key outside right\nset grid ytics\n";
  if (plot.log_x) script += "set logscale x 2\n";
  if (plot.log_y) script += "set logscale y\n";
  const bool bars = plot.kind == Plot::Kind::kBars;
  bool errors = false;
  for (const Plot::Series& series : plot.series) errors = errors || !series.errors.empty();
  if (bars) {
    script += "set style data histograms\nset style fill solid 0.8 noborder\n";
    if (plot.groups.size() > 10) script += "set xtics rotate by -30\n";  // names would run into each other
    script += errors ? "set style histogram errorbars gap 1 lw 0.5\nset errorbars lc rgb \"#404040\"\n"
                     : "set style histogram clustered gap 1\n";
    if (!plot.log_y) script += "set yrange [0:*]\n";
    script += "$data << EOD\n";
    for (std::size_t group = 0; group < plot.groups.size(); ++group) {
      script += quoted(plot.groups[group]);
      for (const Plot::Series& series : plot.series) {
        script += " " + number(series.values[group]);
        if (errors) script += " " + number(group < series.errors.size() ? series.errors[group] : 0);
      }
      script += "\n";
    }
    script += "EOD\nplot ";
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      const std::size_t column = errors ? 2 + 2 * i : 2 + i;
      if (i != 0) script += ", ";
      script += "$data using " + std::to_string(column) + (errors ? ":" + std::to_string(column + 1) : "") +
                (i == 0 ? ":xtic(1)" : "") + colour(i) + " title " + quoted(plot.series[i].name);
    }
    script += "\n";
  } else {
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      script += "$data" + std::to_string(i) + " << EOD\n";
      const Plot::Series& series = plot.series[i];
      for (std::size_t k = 0; k < series.x.size(); ++k)
        script += number(series.x[k]) + " " + number(series.values[k]) + "\n";
      script += "EOD\n";
    }
    script += "plot ";
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      script += (i == 0 ? "" : ", ") + ("$data" + std::to_string(i)) + " with linespoints" + colour(i) + " title " +
                quoted(plot.series[i].name);
    }
    script += "\n";
  }
  write(plot.file + ".gp", script);
  const std::string command = "cd '" + folder_ + "' && gnuplot '" + plot.file + ".gp' >/dev/null 2>&1";
  if (std::system(command.c_str()) == 0) {  // NOLINT(cert-env33-c): gnuplot of the user's path
    document_ += "![" + plot.title + "](" + plot.file + ".svg)\n\n";
  } else {
    paragraph("(No picture: gnuplot did not run, package gnuplot-nox; its script is " + plot.file + ".gp.)");
  }
}

void Output::data(const std::string& name, const std::vector<Run>& runs) {
  Json all = Json::array();
  std::vector<std::string> columns;
  const auto collect = [&](const Json& object) {
    for (const auto& [key, value] : object.items()) {
      if (value.is_structured()) continue;
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
    }
  };
  for (const Run& run : runs) {
    Json row = run.parameters;
    row.update(run.result);
    collect(row);
    all.push_back(std::move(row));
  }
  std::string csv;
  for (const std::string& column : columns) csv += (csv.empty() ? "" : ",") + column;
  csv += "\n";
  for (const Json& row : all) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) line += ",";
      if (row.contains(columns[i])) line += csv_cell(row[columns[i]]);
    }
    csv += line + "\n";
  }
  write(name + ".csv", csv);
  write(name + ".json", all.dump(1) + "\n");
}

void Output::close(const std::string& name) { write(name + ".md", document_); }

}  // namespace castor::platforms::experiments
