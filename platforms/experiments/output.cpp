#include "platforms/experiments/output.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "castor/base/error.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

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

}  // namespace

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

namespace {

// Returns the number of columns of a UTF-8 text; continuation bytes of a character occupy no column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string Table::markdown(bool aligned) const {
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; aligned && i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  };
  measure(head);
  for (const auto& row : rows) measure(row);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string out = "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = i < row.size() ? row[i] : "";
      const std::string padding(aligned ? widths[i] - columns_of(cell) : 0, ' ');
      out += (aligned || !cell.empty() ? " " + cell + padding : "") + " |";
    }
    return out + "\n";
  };
  std::string out = title.empty() ? "" : "**" + title + "**\n\n";
  out += line(head);
  out += "|";
  for (const std::size_t width : widths) out += std::string(aligned ? width + 2 : 3, '-') + "|";
  out += "\n";
  for (const auto& row : rows) out += line(row);
  if (!note.empty()) out += "\n" + note + "\n";
  return out;
}

bool draw(const Plot& plot, const std::string& folder) {
  const std::string script = plot.file + ".gp";
  write_file(folder + "/" + script, gnuplot_script(plot));
  const auto there = [&folder] {
    if (::chdir(folder.c_str()) != 0) ::_exit(1);
  };
  if (wait_for(start_process({"gnuplot", script}, "/dev/null", there)) != 0) return false;
  const std::string picture = folder + "/" + plot.file + ".svg";
  write_file(picture, compact_svg(contents(picture)));
  return true;
}

void Output::write(const std::string& name, const std::string& text) const { write_file(folder_ + "/" + name, text); }

void Output::heading(const std::string& text) {
  heading_ = text;
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
  tables_.push_back({heading_, table});
  if (echo_) std::printf("%s\n", text.c_str());
}

void Output::claims(const Table& table, const std::string& summary, const std::vector<std::string>& constructed) {
  claims_table_ = table;
  constructed_ = constructed;
  paragraph(summary);
  claims_ = summary + "\n\n" + table.markdown(false);
  const std::string text = table.markdown();
  document_ += text + "\n";
  if (echo_) std::printf("%s\n", text.c_str());
}

void Output::plot(Plot plot) {
  limit_series(plot);
  plots_.push_back(plot);
  if (folder_.empty()) return;
  if (draw(plot, folder_)) {
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
