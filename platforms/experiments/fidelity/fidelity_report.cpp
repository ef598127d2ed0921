#include "platforms/experiments/fidelity/fidelity_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "castor/base/words.h"
#include "workloads/fidelity/judge.h"

namespace castor::platforms::experiments::fidelity {
namespace {

namespace fidelity = workloads::fidelity;
using fidelity::Chip;
using fidelity::Compared;
using fidelity::Count;
using fidelity::Counts;
using fidelity::Judgement;
using fidelity::Published;
using fidelity::Standing;
using fidelity::Value;

/// The figures that the benchmarks printed on one machine.
struct Measured {
  const Chip* chip = nullptr;
  std::map<std::string, double> figures;
  std::vector<Compared> rows;
};

std::vector<Measured> collect(const Published& published, const std::vector<Run>& runs) {
  std::vector<Measured> out;
  for (const Run& run : runs) {
    const Chip* const chip = published.find_chip(run.parameters.at("machine").get<std::string>());
    if (out.empty() || out.back().chip != chip) {
      out.emplace_back();
      out.back().chip = chip;
    }
    for (const auto& [row, figure] : run.result.items()) out.back().figures[row] = figure.get<double>();
  }
  for (Measured& one : out) one.rows = compare(published, *one.chip, one.figures);
  return out;
}

// Returns a figure with three significant digits, at most two of them after the decimal point.
std::string figure(double value) { return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::string interval(const Value& value) {
  return value.low == value.high ? figure(value.low) : figure(value.low) + " to " + figure(value.high);
}

std::string percent(double share) {
  const double rounded = std::round(1000 * share) / 10;
  return (rounded > 0 ? "+" : "") + fixed(rounded, std::fabs(rounded) < 10 ? 1 : 0) + " %";
}

std::string cite(const Value& value) { return value.source + ", " + value.place; }

// Returns the published values that are not compared, "28.0 (GTX 980, mei2017); ...", without parameters of models.
std::string others(const Chip& chip, const Compared& one) {
  std::string out;
  for (const Value& value : chip.values) {
    if (value.row != one.row->name || &value == one.value || value.standing == Standing::kModel) continue;
    out += (out.empty() ? "" : "; ") + interval(value) + " (" + value.chip + ", " + value.source +
           (value.standing == Standing::kQuoted ? ", quoted" : "") + ")";
  }
  return out;
}

// Returns "set (oc_cycles)", "follows (sm.threads)" or "predicted".
std::string mark_of(const Value& value) {
  if (value.predicted()) return "predicted";
  const bool set = !value.set.empty();
  return (set ? "set (" : "follows (") + base::joined(set ? value.set : value.follows, ", ") + ")";
}

std::string share(const Count& count) {
  return count.rows == 0 ? "-" : std::to_string(count.within) + " of " + std::to_string(count.rows);
}

Table summary(const std::vector<Measured>& machines) {
  Table table;
  table.head = {"machine", "chip",      "rows", "within 15 %", "four in five", "set",
                "follows", "predicted", "read", "quoted",      "beyond half"};
  table.note =
      "Rows: those with a published value. Set: a key of the machine was set from the value that the row is compared "
      "with; follows: a key that decides the row was set from another row of the same source, or the row is arithmetic "
      "of "
      "limits; predicted: neither. Read: the value was read at its source; quoted: it is quoted by others and was not "
      "read "
      "again.";
  for (const Measured& one : machines) {
    const Counts counts = count(one.rows);
    table.rows.push_back({one.chip->machine, one.chip->chip, std::to_string(counts.all.rows),
                          std::to_string(counts.all.within), counts.enough() ? "yes" : "no", share(counts.set),
                          share(counts.follows), share(counts.predicted), share(counts.read), share(counts.quoted),
                          std::to_string(counts.far)});
  }
  return table;
}

void rows_with_values(const Measured& machine, Output& output) {
  Table table;
  table.title = "Beside published values";
  table.head = {"row", "unit", "published", "on", "source", "Castor", "deviation", "", "other values"};
  for (const Compared& one : machine.rows) {
    if (one.value == nullptr || one.judgement == Judgement::kNotMeasured) continue;
    table.rows.push_back({one.row->title, one.row->unit,
                          interval(*one.value) + (one.value->standing == Standing::kQuoted ? " (quoted)" : ""),
                          one.value->chip, cite(*one.value), figure(one.ours), percent(one.deviation),
                          mark_of(*one.value), others(*machine.chip, one)});
  }
  if (!table.rows.empty()) output.table(table);
}

void rows_beyond(const Measured& machine, Output& output) {
  Table table;
  table.title = "Rows beyond 15 %, and why";
  table.head = {"row", "deviation", "reason", "what is missing"};
  for (const Compared& one : machine.rows) {
    if (one.judgement != Judgement::kBeyond && one.judgement != Judgement::kFar) continue;
    table.rows.push_back({one.row->title, percent(one.deviation), one.reason == nullptr ? "-" : one.reason->text,
                          one.reason == nullptr ? "" : one.reason->missing});
  }
  if (!table.rows.empty()) output.table(table);
}

void rows_without_values(const Measured& machine, Output& output) {
  Table table;
  table.title = "Without a published value";
  table.head = {"row", "unit", "Castor"};
  for (const Compared& one : machine.rows) {
    if (one.value != nullptr || one.judgement == Judgement::kNotMeasured) continue;
    table.rows.push_back({one.row->title, one.row->unit, figure(one.ours)});
  }
  if (!table.rows.empty()) output.table(table);
}

void latency_curve(const Measured& machine, Output& output) {
  static const std::string kRow = "chase.footprint_";
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.file = "fidelity-latency-" + machine.chip->machine;
  plot.title = "Latency of dependent loads over the size of the ring: " + machine.chip->machine;
  plot.x_label = "KiB";
  plot.y_label = "clocks";
  plot.log_x = true;
  std::map<double, double> ours;
  for (const auto& [row, ticks] : machine.figures) {
    if (row.rfind(kRow, 0) == 0) ours[std::stod(row.substr(kRow.size()))] = ticks * machine.chip->clocks_per_tick;
  }
  if (ours.empty()) return;
  Plot::Series castor;
  castor.name = "Castor";
  for (const auto& [kib, clocks] : ours) {
    castor.x.push_back(kib);
    castor.values.push_back(clocks);
  }
  const fidelity::Curve& curve = machine.chip->curve;
  if (!curve.points.empty()) {
    Plot::Series published;
    published.name = curve.chip + ", " + curve.source;
    published.marks = true;
    for (const fidelity::Curve::Point& point : curve.points) {
      published.x.push_back(point.kib);
      published.values.push_back(point.clocks);
    }
    plot.series.push_back(std::move(published));
  }
  plot.series.push_back(std::move(castor));
  output.plot(plot);
  output.paragraph(curve.points.empty()
                       ? "No published curve of this chip or one of its generation."
                       : "Published: " + curve.chip + ", " + curve.source + ", " + curve.place +
                             (curve.standing == Standing::kQuoted ? " (quoted, not read again)." : "."));
}

void sources(const Published& published, const std::vector<Measured>& machines, Output& output) {
  Table table;
  table.head = {"source", "authors", "title", "where"};
  for (const fidelity::Source& source : published.sources) {
    const bool used = std::any_of(machines.begin(), machines.end(), [&](const Measured& machine) {
      return machine.chip->curve.source == source.name ||
             std::any_of(machine.chip->values.begin(), machine.chip->values.end(),
                         [&](const Value& value) { return value.source == source.name; });
    });
    if (used) table.rows.push_back({source.name, source.authors, source.title, source.where});
  }
  output.heading("Sources");
  output.table(table);
}

/// Returns the published rows that a benchmark should have printed and did not.
std::vector<std::string> missing_figures(const Published& published, const std::vector<Run>& runs) {
  std::vector<std::string> out;
  for (const Run& run : runs) {
    const std::string benchmark = run.parameters.at("benchmark");
    for (const fidelity::Row& row : published.rows) {
      if (row.benchmark() != benchmark || run.result.contains(row.name)) continue;
      out.push_back(run.parameters.at("machine").get<std::string>() + ": " + row.name +
                    ": the benchmark has no such figure");
    }
  }
  return out;
}

}  // namespace

bool report_fidelity(const Published& published, const std::vector<Run>& runs, Output& output) {
  const std::vector<Measured> machines = collect(published, runs);
  output.heading("Summary");
  output.table(summary(machines));
  std::vector<std::string> broken = missing_figures(published, runs), needless;
  for (const Measured& machine : machines) {
    output.heading(machine.chip->machine + ": " + machine.chip->chip + ", " + machine.chip->generation);
    rows_with_values(machine, output);
    rows_beyond(machine, output);
    latency_curve(machine, output);
    rows_without_values(machine, output);
    for (std::string& one : without_reason(*machine.chip, machine.rows)) broken.push_back(std::move(one));
    for (std::string& one : needless_reasons(*machine.chip, machine.rows)) needless.push_back(std::move(one));
  }
  sources(published, machines, output);
  if (!needless.empty()) {
    output.heading("Reasons that no row needs");
    for (const std::string& one : needless) output.paragraph(one);
  }
  if (broken.empty()) return true;
  output.heading("Broken");
  for (const std::string& one : broken) {
    output.paragraph(one);
    std::fprintf(stderr, "broken: %s\n", one.c_str());
  }
  return false;
}

}  // namespace castor::platforms::experiments::fidelity
