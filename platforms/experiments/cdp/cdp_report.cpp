#include "platforms/experiments/cdp/cdp_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "platforms/experiments/children/child_report.h"
#include "platforms/experiments/tables.h"
#include "workloads/cdp/evaluation.h"
#include "workloads/cdp/published.h"

namespace castor::platforms::experiments::cdp {
namespace {

namespace cdp = workloads::cdp;
namespace children = workloads::children;
namespace published = cdp::published;
using workloads::count;
using workloads::Figure;
using workloads::quotient;
using Names = std::vector<std::string>;

cdp::LaunchPath path_of(const children::Path& runs) {
  cdp::LaunchPath out;
  const auto series = [&](const char* axis) {
    const auto found = runs.find(axis);
    return found == runs.end() ? cdp::LaunchPath::BySize() : found->second;
  };
  out.lanes = series("lanes");
  out.warps = series("warps");
  out.many = series("many");
  out.many_serial = series("many_serial");
  out.queues = series("queues");
  for (const auto& [value, sample] : series("placement")) out.placement = sample;
  for (const auto& [value, sample] : series("limit")) out.limited = sample;
  return out;
}

/// Returns the speed-up that the source publishes for a workload or "mean"; NaN if it publishes none.
double source_speed(const std::string& group, const std::string& system) {
  if (group == "mean" && system == children::kIdeal) return published::kIdeal;
  if (group == "mean" && system == children::kCdp) return published::kReal;
  if (system != children::kIdeal) return std::nan("");
  if (group == "regx_packets") return published::kIdealPackets;
  if (group == "regx_strings") return published::kIdealStrings;
  if (group.find("_road") != std::string::npos) return published::kIdealRoad;
  return std::nan("");
}

void waiting(const ChildRuns& runs, Output& output) {
  if (runs.launching().empty()) return;
  output.heading("Launches");
  report_figure(runs, "Waiting time: from the call to the first thread block, cycles per launch", children::waiting(),
                true, 0, 1, output);
  report_figure(runs, "Most launches that waited at once", count("pending_peak"), true, 0, 1, output);
  report_figure(runs, "The same, % of all launches", quotient(count("pending_peak"), count("launches")), true, 1, 100,
                output);
  const Figure reserved = [](const workloads::Sample& sample) -> std::optional<double> {
    const auto peak = sample.find("pending_peak");
    if (peak == sample.end()) return std::nullopt;
    return published::kReservedMb +
           std::max(0.0, peak->second - published::kReservedFrom) * published::kReservedKbPerLaunch / 1000;
  };
  report_figure(runs,
                "Memory that the source's runtime would set aside for as many (172 MB + 8.3 KB each above 32), MB",
                reserved, true, 1, 1, output);
  report_figure(runs, "Most entries of the kernel table in use", count("entries_valid_max"), true, 1, 1, output);
  const Names systems = runs.comparable();
  if (std::find(systems.begin(), systems.end(), children::kCdp) == systems.end() ||
      std::find(systems.begin(), systems.end(), children::kIdeal) == systems.end())
    return;
  output.table(by_program(
      "Part of the time that launching takes: (cdp - cdp_ideal) / cdp, %", runs, {"cdp"},
      [&](const Names& programs, const std::string&) {
        double sum = 0, all = 0;
        for (const std::string& program : programs) {
          if (runs.evaluation.ratio({program}, children::kIdeal, children::kCdp, children::cycles()).count == 0)
            continue;
          sum += cdp::launch_share(runs.evaluation, program, children::kIdeal, children::kCdp);
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

bool report_cdp(const std::vector<Run>& all, const ChildSystems& systems, Output& output) {
  const ChildRuns runs = collect_children(all, systems);
  const cdp::LaunchPath path = path_of(runs.path);
  report_inputs(runs, output);
  if (!runs.programs.empty()) {
    report_systems(runs, output);
    report_speed(runs, "cdp", source_speed, output);
  }
  report_machine(runs, "cdp", output);
  waiting(runs, output);
  launch_path(path, output);
  output.heading("Claims, CUDA dynamic parallelism (Wang 2016, chapters 2 to 4)");
  return report_claims(cdp::judge(runs.evaluation, path, runs.unbalanced), {}, output);
}

}  // namespace castor::platforms::experiments::cdp
