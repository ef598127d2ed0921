#include "platforms/experiments/children/child_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "castor/base/words.h"
#include "platforms/experiments/tables.h"
#include "workloads/children/programs.h"

namespace castor::platforms::experiments {
namespace {

namespace children = workloads::children;
using workloads::count;
using workloads::Figure;
using workloads::Spread;
using Names = ChildRuns::Names;

void once(Names& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string settings(const ChildSystem& system) {
  Names all = system.keys;
  for (const std::string& word : system.words) all.push_back(word);
  return base::joined(all, ", ");
}

}  // namespace

const ChildSystem& ChildRuns::system(const std::string& name) const { return *find_system(*known, first_word(name)); }

Names ChildRuns::launching() const {
  Names out;
  for (const std::string& name : systems) {
    if (system(name).form != std::string("flat")) out.push_back(name);
  }
  return out;
}

Names ChildRuns::comparable() const {
  Names out;
  for (const std::string& name : launching()) {
    if (!evaluation.with_runs(programs, children::flat_of(name)).empty()) out.push_back(name);
  }
  return out;
}

ChildRuns collect_children(const std::vector<Run>& runs, const ChildSystems& known) {
  ChildRuns out;
  out.known = &known;
  Names programs, systems;
  std::map<std::string, std::uint64_t> hashes;
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    for (const std::string& one : children::unbalanced(child_sample(run.result))) {
      const std::string who = p.contains("axis")
                                  ? "launch path, " + p.at("axis").get<std::string>()
                                  : p.at("program").get<std::string>() + " with " + p.at("system").get<std::string>();
      out.unbalanced.push_back(who + ": " + one);
    }
    if (p.contains("axis")) {
      out.path[p.at("axis")][p.at("value").get<unsigned>()] = child_sample(run.result);
      continue;
    }
    const std::string program = p.at("program");
    const std::string own = run.name.substr(0, run.name.find("-" + p.at("system").get<std::string>()));
    const auto hash = run.result.at("hash").get<std::uint64_t>();
    if (hashes.emplace(own, hash).first->second != hash) out.unequal.push_back(run.name);
    std::string system = p.at("system");
    if (p.contains("variation")) system += " " + p.at("variation").get<std::string>();
    out.evaluation.add(program, p.at("size").get<std::string>() + "-" + std::to_string(p.at("seed").get<unsigned>()),
                       system, child_sample(run.result));
    once(programs, program);
    once(systems, system);
  }
  for (const std::string& name : children::program_names()) {
    if (std::find(programs.begin(), programs.end(), name) != programs.end()) out.programs.push_back(name);
  }
  for (const ChildSystem& system : known) {
    for (const std::string& name : systems) {
      if (first_word(name) == system.name) out.systems.push_back(name);
    }
  }
  return out;
}

Table by_program(const std::string& title, const ChildRuns& runs, const Names& columns, const ChildCell& cell) {
  Table table;
  table.title = title;
  table.head = {"program"};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  const auto row = [&](const std::string& name, const Names& programs) {
    std::vector<std::string> cells = {name};
    for (const std::string& column : columns) cells.push_back(cell(programs, column));
    table.rows.push_back(std::move(cells));
  };
  for (const std::string& program : runs.programs) row(program, {program});
  if (runs.programs.size() > 1) row("mean", runs.programs);
  return table;
}

void report_figure(const ChildRuns& runs, const std::string& title, const Figure& figure, bool with_launches,
                   int digits, double scale, Output& output) {
  const Names columns = with_launches ? runs.launching() : runs.systems;
  if (columns.empty()) return;
  output.table(by_program(title, runs, columns, [&](const Names& programs, const std::string& system) {
    if (programs.size() == 1) return with_spread(runs.evaluation.figure(programs[0], system, figure), digits, scale);
    const auto mean = runs.evaluation.mean(programs, system, figure);
    return mean ? fixed(scale * *mean, digits) : std::string();
  }));
}

void report_inputs(const ChildRuns& runs, Output& output) {
  Table table;
  table.title = "Workloads, mean of their inputs";
  table.head = {"program",      "what it does",   "of sw/kernels", "the source's input", "input",
                "host kernels", "parent threads", "launches",      "threads per launch", "flat: instructions",
                "flat: cycles"};
  for (const std::string& program : runs.programs) {
    const children::Program& known = *children::find_program(program);
    std::string input;
    for (const char* const word : known.words) input += std::string(input.empty() ? "" : " ") + word;
    const auto figure = [&](const char* system, const Figure& f, int digits) {
      const Spread value = runs.evaluation.figure(program, system, f);
      return value.count == 0 ? std::string() : fixed(value.mean, digits);
    };
    table.rows.push_back(
        {program, known.description, known.program, known.in_source, input,
         figure(children::kFlat, count("host_kernels"), 0), figure(children::kFlat, count("parent_threads"), 0),
         figure(children::kCdp, count("launches"), 0), figure(children::kCdp, children::child_threads(), 0),
         figure(children::kFlat, count("warp_instructions"), 0), figure(children::kFlat, children::cycles(), 0)});
  }
  if (table.rows.empty()) return;
  output.heading("Workloads");
  output.table(table);
}

void report_systems(const ChildRuns& runs, Output& output) {
  Table table;
  table.title = "Systems";
  table.head = {"system", "what it is", "form", "keys"};
  Names known;
  for (const std::string& system : runs.systems) once(known, first_word(system));
  for (const std::string& name : known) {
    const ChildSystem& system = runs.system(name);
    table.rows.push_back({name, system.description, system.form, settings(system)});
  }
  output.table(table);
}

void report_speed(const ChildRuns& runs, const std::string& prefix, const SourceSpeed& source, Output& output) {
  const Names columns = runs.comparable();
  if (columns.empty()) return;
  const auto faster = [&](const Names& programs, const std::string& system) {
    return runs.evaluation.ratio(programs, children::flat_of(system), system, children::cycles());
  };
  output.heading("Time");
  output.table(by_program(
      "Speed-up over flat (mean: geometric)", runs, columns,
      [&](const Names& programs, const std::string& system) { return with_spread(faster(programs, system), 3); }));
  // Speed-ups range from 0.3 to 100, so the axis is logarithmic.
  Plot plot;
  plot.log_y = true;
  plot.file = prefix + "-speed";
  plot.title = "Speed-up over the flat program";
  plot.y_label = "times as fast as the flat program";
  plot.groups = runs.programs;
  plot.groups.emplace_back("mean");
  for (const std::string& system : columns) {
    Plot::Series series;
    series.name = system;
    for (const std::string& group : plot.groups) {
      Spread value = faster(group == "mean" ? runs.programs : Names{group}, system);
      value.deviation /= value.mean * std::log(2.0);
      value.mean = std::log2(value.mean);
      series.add(value, std::log2(source(group, system)));
    }
    plot.series.push_back(std::move(series));
  }
  output.plot(plot);
}

void report_machine(const ChildRuns& runs, const std::string& prefix, Output& output) {
  if (runs.programs.empty()) return;
  output.heading("The machine");
  report_figure(runs, "Warp activity: active lanes of a warp instruction, %", children::warp_activity(), false, 1, 100,
                output);
  report_figure(runs, "Line accesses per global or local memory instruction", children::transactions(), false, 2, 1,
                output);
  report_figure(runs, "Replays per memory instruction", children::replays(), false, 2, 1, output);
  report_figure(runs, "DRAM efficiency: clocks that move data, % of those with a pending request",
                children::dram_efficiency(), false, 1, 100, output);
  report_figure(runs, "SM occupancy while kernels run, %", children::occupancy(), false, 2, 100, output);
  report_figure(runs, "Of it warps of children, % of all that SMs hold", children::child_occupancy(), true, 2, 100,
                output);
  Plot plot;
  plot.file = prefix + "-activity";
  plot.title = "Active lanes of a warp instruction";
  plot.y_label = "%";
  plot.percent = true;
  plot.groups = runs.programs;
  for (const std::string& system : runs.systems) {
    Plot::Series series;
    series.name = system;
    for (const std::string& program : runs.programs) {
      Spread value = runs.evaluation.figure(program, system, children::warp_activity());
      value.mean *= 100;
      value.deviation *= 100;
      series.add(value, std::nan(""));
    }
    plot.series.push_back(std::move(series));
  }
  output.plot(plot);
}

}  // namespace castor::platforms::experiments
