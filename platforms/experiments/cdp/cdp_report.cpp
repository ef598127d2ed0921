#include "platforms/experiments/cdp/cdp_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "platforms/experiments/cdp/cdp_run.h"
#include "platforms/experiments/tables.h"
#include "workloads/cdp/evaluation.h"
#include "workloads/cdp/programs.h"
#include "workloads/cdp/published.h"

namespace castor::platforms::experiments {
namespace {

namespace cdp = workloads::cdp;
namespace published = cdp::published;
using workloads::count;
using workloads::Evaluation;
using workloads::Figure;
using workloads::quotient;
using workloads::Spread;
using Names = std::vector<std::string>;

/// All runs. Systems carry a variation behind their name: "cdp table.entries=64".
struct Runs {
  Evaluation evaluation;
  cdp::LaunchPath path;
  Names programs, systems;  ///< in the order of the tables
  Names unbalanced;         ///< what got lost, with names of runs
};

void once(Names& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

void add_path(const Run& run, cdp::LaunchPath& path) {
  const std::string axis = run.parameters.at("axis");
  const auto value = run.parameters.at("value").get<unsigned>();
  const workloads::Sample sample = cdp_sample(run.result);
  if (axis == "placement") path.placement = sample;
  if (axis == "limit") path.limited = sample;
  for (const auto& [name, series] :
       {std::pair("lanes", &path.lanes), std::pair("warps", &path.warps), std::pair("many", &path.many),
        std::pair("many_serial", &path.many_serial), std::pair("queues", &path.queues)}) {
    if (axis == name) (*series)[value] = sample;
  }
}

Runs collect(const std::vector<Run>& runs) {
  Runs out;
  Names programs, systems;
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    for (const std::string& one : cdp::unbalanced(cdp_sample(run.result))) {
      const std::string who = p.contains("axis")
                                  ? "launch path, " + p.at("axis").get<std::string>()
                                  : p.at("program").get<std::string>() + " with " + p.at("system").get<std::string>();
      out.unbalanced.push_back(who + ": " + one);
    }
    if (p.contains("axis")) {
      add_path(run, out.path);
      continue;
    }
    const std::string program = p.at("program");
    std::string system = p.at("system");
    if (p.contains("variation")) system += " " + p.at("variation").get<std::string>();
    out.evaluation.add(program, p.at("size").get<std::string>() + "-" + std::to_string(p.at("seed").get<unsigned>()),
                       system, cdp_sample(run.result));
    once(programs, program);
    once(systems, system);
  }
  for (const std::string& name : cdp::program_names()) {
    if (std::find(programs.begin(), programs.end(), name) != programs.end()) out.programs.push_back(name);
  }
  for (const CdpSystem& system : cdp_systems()) {
    for (const std::string& name : systems) {
      if (first_word(name) == system.name) out.systems.push_back(name);
    }
  }
  return out;
}

bool launches(const std::string& system) { return std::string(find_cdp_system(first_word(system))->form) != "flat"; }

Names those(const Names& systems, bool with_launches) {
  Names out;
  for (const std::string& system : systems) {
    if (!with_launches || launches(system)) out.push_back(system);
  }
  return out;
}

/// Those whose flat form was run too.
Names comparable(const Runs& runs) {
  Names out;
  for (const std::string& system : those(runs.systems, true)) {
    if (!runs.evaluation.with_runs(runs.programs, cdp::flat_of(system)).empty()) out.push_back(system);
  }
  return out;
}

/// Programs in rows, systems in columns, the mean at the end.
template <class Cell>
Table by_program(const std::string& title, const Runs& runs, const Names& columns, Cell cell) {
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

std::string join(const Names& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

void inputs(const Runs& runs, Output& output) {
  Table table;
  table.title = "Workloads, mean of their inputs";
  table.head = {"program",      "what it does",   "of sw/kernels", "the source's input", "input",
                "host kernels", "parent threads", "launches",      "threads per launch", "flat: instructions",
                "flat: cycles"};
  for (const std::string& program : runs.programs) {
    const cdp::Program& known = *cdp::find_program(program);
    std::string input;
    for (const char* const word : known.words) input += std::string(input.empty() ? "" : " ") + word;
    const auto figure = [&](const char* system, const Figure& f, int digits) {
      const Spread value = runs.evaluation.figure(program, system, f);
      return value.count == 0 ? std::string() : fixed(value.mean, digits);
    };
    table.rows.push_back({program, known.description, known.program, known.in_source, input,
                          figure(cdp::kFlat, count("host_kernels"), 0), figure(cdp::kFlat, count("parent_threads"), 0),
                          figure(cdp::kCdp, count("launches"), 0), figure(cdp::kCdp, cdp::child_threads(), 0),
                          figure(cdp::kFlat, count("warp_instructions"), 0), figure(cdp::kFlat, cdp::cycles(), 0)});
  }
  if (table.rows.empty()) return;
  output.heading("Workloads");
  output.table(table);
}

/// What the source has of a workload; NaN if it says nothing.
double source_speed(const std::string& group, const std::string& system) {
  if (group == "mean" && system == cdp::kIdeal) return published::kIdeal;
  if (group == "mean" && system == cdp::kCdp) return published::kReal;
  if (system != cdp::kIdeal) return std::nan("");
  if (group == "regx_packets") return published::kIdealPackets;
  if (group == "regx_strings") return published::kIdealStrings;
  if (group.find("_road") != std::string::npos) return published::kIdealRoad;
  return std::nan("");
}

void speed(const Runs& runs, Output& output) {
  const Names columns = comparable(runs);
  Table table;
  table.head = {"system", "what it is", "form", "keys"};
  Names known;
  for (const std::string& system : runs.systems) once(known, first_word(system));
  for (const std::string& name : known) {
    const CdpSystem& system = *find_cdp_system(name);
    table.rows.push_back({name, system.description, system.form, join(system.keys)});
  }
  output.table(table);
  if (columns.empty()) return;
  const auto faster = [&](const Names& programs, const std::string& system) {
    return runs.evaluation.ratio(programs, cdp::flat_of(system), system, cdp::cycles());
  };
  output.heading("Time");
  output.table(by_program(
      "Speed-up over flat (mean: geometric)", runs, columns,
      [&](const Names& programs, const std::string& system) { return with_spread(faster(programs, system), 3); }));
  // Of 0.3 to 100: doublings, so that all can be seen.
  Plot plot;
  plot.file = "cdp-speed";
  plot.title = "Speed-up over the flat program";
  plot.y_label = "doublings: 0 = flat, 1 = twice as fast, -1 = half";
  plot.groups = runs.programs;
  plot.groups.emplace_back("mean");
  for (const std::string& system : columns) {
    Plot::Series series;
    series.name = system;
    for (const std::string& group : plot.groups) {
      Spread value = faster(group == "mean" ? runs.programs : Names{group}, system);
      value.deviation /= value.mean * std::log(2.0);
      value.mean = std::log2(value.mean);
      series.add(value, std::log2(source_speed(group, system)));
    }
    plot.series.push_back(std::move(series));
  }
  output.plot(plot);
}

/// A figure of every system that has it.
void figures(const Runs& runs, const std::string& title, const Figure& figure, bool with_launches, int digits,
             double scale, Output& output) {
  const Names columns = those(runs.systems, with_launches);
  if (columns.empty()) return;
  output.table(by_program(title, runs, columns, [&](const Names& programs, const std::string& system) {
    if (programs.size() == 1) return with_spread(runs.evaluation.figure(programs[0], system, figure), digits, scale);
    const auto mean = runs.evaluation.mean(programs, system, figure);
    return mean ? fixed(scale * *mean, digits) : std::string();
  }));
}

void machine(const Runs& runs, Output& output) {
  if (runs.programs.empty()) return;
  output.heading("The machine");
  figures(runs, "Warp activity: active lanes of a warp instruction, %", cdp::warp_activity(), false, 1, 100, output);
  figures(runs, "Line accesses per global or local memory instruction", cdp::transactions(), false, 2, 1, output);
  figures(runs, "Replays per memory instruction", cdp::replays(), false, 2, 1, output);
  figures(runs, "DRAM efficiency: clocks that move data, % of those with a pending request", cdp::dram_efficiency(),
          false, 1, 100, output);
  figures(runs, "SM occupancy while kernels run, %", cdp::occupancy(), false, 2, 100, output);
  figures(runs, "Of it warps of children, % of all that SMs hold", cdp::child_occupancy(), true, 2, 100, output);
  Plot plot;
  plot.file = "cdp-activity";
  plot.title = "Active lanes of a warp instruction";
  plot.y_label = "%";
  plot.groups = runs.programs;
  for (const std::string& system : runs.systems) {
    Plot::Series series;
    series.name = system;
    for (const std::string& program : runs.programs) {
      Spread value = runs.evaluation.figure(program, system, cdp::warp_activity());
      value.mean *= 100;
      value.deviation *= 100;
      series.add(value, std::nan(""));
    }
    plot.series.push_back(std::move(series));
  }
  output.plot(plot);
}

void waiting(const Runs& runs, Output& output) {
  if (those(runs.systems, true).empty()) return;
  output.heading("Launches");
  figures(runs, "Waiting time: from the call to the first thread block, cycles per launch", cdp::waiting(), true, 0, 1,
          output);
  figures(runs, "Most launches that waited at once", count("pending_peak"), true, 0, 1, output);
  figures(runs, "The same, % of all launches", quotient(count("pending_peak"), count("launches")), true, 1, 100,
          output);
  const Figure reserved = [](const workloads::Sample& sample) -> std::optional<double> {
    const auto peak = sample.find("pending_peak");
    if (peak == sample.end()) return std::nullopt;
    return published::kReservedMb +
           std::max(0.0, peak->second - published::kReservedFrom) * published::kReservedKbPerLaunch / 1000;
  };
  figures(runs, "Memory that the source's runtime would set aside for as many (172 MB + 8.3 KB each above 32), MB",
          reserved, true, 1, 1, output);
  figures(runs, "Most entries of the kernel table in use", count("entries_valid_max"), true, 1, 1, output);
  const Names systems = comparable(runs);
  if (std::find(systems.begin(), systems.end(), cdp::kCdp) == systems.end() ||
      std::find(systems.begin(), systems.end(), cdp::kIdeal) == systems.end())
    return;
  output.table(by_program("Part of the time that launching takes: (cdp - cdp_ideal) / cdp, %", runs, {"cdp"},
                          [&](const Names& programs, const std::string&) {
                            double sum = 0, all = 0;
                            for (const std::string& program : programs) {
                              if (runs.evaluation.ratio({program}, cdp::kIdeal, cdp::kCdp, cdp::cycles()).count == 0)
                                continue;
                              sum += cdp::launch_share(runs.evaluation, program, cdp::kIdeal, cdp::kCdp);
                              ++all;
                            }
                            return all == 0 ? std::string() : fixed(100 * sum / all, 1);
                          }));
}

std::string whole(const workloads::Sample& sample, const char* name) { return fixed(sample.at(name), 0); }

void path_calls(const cdp::LaunchPath& path, Output& output) {
  if (path.lanes.empty()) return;
  Table table;
  table.title = "Calls of one warp, by lanes that launch: ticks waited; by clock64() around the call; the source";
  table.head = {
      "lanes", "stream", "buffer", "launch", "by clock", "table 5, launch", "first thread blocks, sum of waits",
      "cycles"};
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.file = "cdp-calls";
  plot.title = "Ticks of a warp in calls, by lanes that call";
  plot.x_label = "lanes";
  plot.y_label = "ticks";
  const std::pair<const char*, published::Call> calls[] = {
      {"stream", published::kStream}, {"buffer", published::kBuffer}, {"launch", published::kLaunch}};
  Plot::Series source;
  source.name = "table 5";
  source.marks = true;
  for (const auto& [name, call] : calls) {
    Plot::Series series;
    series.name = name;
    for (const auto& [lanes, sample] : path.lanes) {
      series.x.push_back(lanes);
      series.values.push_back(sample.at(std::string("call_") + name));
      source.x.push_back(lanes);
      source.values.push_back(call.ticks(lanes));
    }
    plot.series.push_back(std::move(series));
  }
  plot.series.push_back(std::move(source));
  for (const auto& [lanes, sample] : path.lanes) {
    if ((lanes & (lanes - 1)) != 0) continue;
    table.rows.push_back({std::to_string(lanes), whole(sample, "call_stream"), whole(sample, "call_buffer"),
                          whole(sample, "call_launch"), whole(sample, "clock_launch"),
                          fixed(published::kLaunch.ticks(lanes), 0), whole(sample, "wait_sum"),
                          whole(sample, "cycles")});
  }
  output.table(table);
  output.plot(plot);
}

void path_many(const cdp::LaunchPath& path, Output& output) {
  Table hiding;
  hiding.title = "Warps of a block, a launch each";
  hiding.head = {"warps", "cycles"};
  for (const auto& [warps, sample] : path.warps)
    hiding.rows.push_back({std::to_string(warps), whole(sample, "cycles")});
  if (!hiding.rows.empty()) output.table(hiding);
  if (path.many.empty()) return;
  Table table;
  table.title = "Many launches, of blocks of one warp with 32 lanes";
  table.head = {"launches", "cycles", "more per launch", "one grant at a time: cycles", "more per launch", "ms"};
  const auto slope = [](const cdp::LaunchPath::BySize& series, unsigned launches) {
    for (const auto& [upper, value] : cdp::slopes(series)) {
      if (upper == launches) return fixed(value, 1);
    }
    return std::string();
  };
  constexpr double kCyclesPerMs = 706e3;
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.file = "cdp-many";
  plot.title = "Time of many launches";
  plot.x_label = "launches";
  plot.y_label = "cycles";
  plot.log_x = plot.log_y = true;
  for (const auto& [name, series] :
       {std::pair("grants overlap", &path.many), std::pair("one grant at a time", &path.many_serial)}) {
    Plot::Series line;
    line.name = name;
    for (const auto& [launches, sample] : *series) {
      line.x.push_back(launches);
      line.values.push_back(sample.at("cycles"));
    }
    plot.series.push_back(std::move(line));
  }
  for (const auto& [launches, sample] : path.many) {
    const auto serial = path.many_serial.find(launches);
    std::vector<std::string> row = {std::to_string(launches), whole(sample, "cycles"), slope(path.many, launches)};
    if (serial != path.many_serial.end()) {
      row.push_back(whole(serial->second, "cycles"));
      row.push_back(slope(path.many_serial, launches));
      row.push_back(fixed(serial->second.at("cycles") / kCyclesPerMs, 2));
    }
    table.rows.push_back(std::move(row));
  }
  output.table(table);
  output.plot(plot);
}

void launch_path(const cdp::LaunchPath& path, Output& output) {
  if (path.lanes.empty() && path.many.empty() && path.queues.empty() && path.placement.empty()) return;
  output.heading("The way of a launch");
  path_calls(path, output);
  path_many(path, output);
  Table queues;
  queues.title = "64 kernels of one block and 10000 ticks in 64 streams";
  queues.head = {"hardware queues", "cycles"};
  for (const auto& [number, sample] : path.queues)
    queues.rows.push_back({std::to_string(number), whole(sample, "cycles")});
  if (!queues.rows.empty()) output.table(queues);
}

}  // namespace

bool report_cdp(const std::vector<Run>& all, Output& output) {
  const Runs runs = collect(all);
  inputs(runs, output);
  if (!runs.programs.empty()) speed(runs, output);
  machine(runs, output);
  waiting(runs, output);
  launch_path(runs.path, output);
  output.heading("Claims, CUDA dynamic parallelism (Wang 2016, chapters 2 to 4)");
  return report_claims(cdp::judge(runs.evaluation, runs.path, runs.unbalanced), {}, output);
}

}  // namespace castor::platforms::experiments
