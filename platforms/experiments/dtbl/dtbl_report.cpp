#include "platforms/experiments/dtbl/dtbl_report.h"

#include <cmath>
#include <string>
#include <utility>

#include "platforms/experiments/children/child_report.h"
#include "platforms/experiments/tables.h"
#include "workloads/dtbl/evaluation.h"
#include "workloads/dtbl/published.h"

namespace castor::platforms::experiments::dtbl {
namespace {

namespace children = workloads::children;
namespace dtbl = workloads::dtbl;
namespace published = dtbl::published;
using workloads::count;
using workloads::Spread;
using Names = ChildRuns::Names;

/// Returns the speed-up that the source publishes for a workload or "mean"; NaN if it publishes none.
double source_speed(const std::string& group, const std::string& system) {
  const bool real = system == children::kDtbl, ideal = system == children::kDtblIdeal;
  if (group == "mean") {
    if (real) return published::kDtbl;
    if (ideal) return published::kDtblIdeal;
    if (system == children::kCdp) return published::kCdp;
    if (system == children::kIdeal) return published::kCdpIdeal;
  }
  if (group == "clr_kronecker" && real) return published::kGraph500;
  if (group == "regx_strings") {
    if (real) return published::kStrings;
    if (ideal) return published::kStringsIdeal;
    if (system == children::kIdeal) return published::kStringsCdpIdeal;
  }
  return std::nan("");
}

bool is_variant(const ChildRuns& runs, const std::string& system) { return runs.system(system).variant; }

/// Returns the runs without the systems of the table study.
ChildRuns without_variants(const ChildRuns& runs) {
  ChildRuns out = runs;
  out.systems.clear();
  for (const std::string& system : runs.systems) {
    if (!is_variant(runs, system)) out.systems.push_back(system);
  }
  return out;
}

bool has(const ChildRuns& runs, const std::string& system) {
  return !runs.evaluation.with_runs(runs.programs, system).empty();
}

void against_cdp(const ChildRuns& runs, Output& output) {
  Names columns;
  const std::pair<const char*, const char*> pairs[] = {{children::kDtbl, children::kCdp},
                                                       {children::kDtblIdeal, children::kIdeal}};
  for (const auto& [own, other] : pairs) {
    if (has(runs, own) && has(runs, other)) columns.emplace_back(own);
  }
  if (columns.empty()) return;
  output.table(
      by_program("Speed-up of groups over child kernels: dtbl over cdp, dtbl_ideal over cdp_ideal (mean: "
                 "geometric)",
                 runs, columns, [&](const Names& programs, const std::string& system) {
                   const char* const other = system == children::kDtbl ? children::kCdp : children::kIdeal;
                   return with_spread(runs.evaluation.ratio(programs, other, system, children::cycles()), 3);
                 }));
}

void launches(const ChildRuns& runs, Output& output) {
  if (runs.launching().empty()) return;
  output.heading("Launches");
  report_figure(runs, "Waiting time: from the call to the first thread block, cycles per launch", children::waiting(),
                true, 0, 1, output);
  report_figure(runs, "Launches between their call and their first thread block, on average", dtbl::waiting_at_once(),
                true, 1, 1, output);
  report_figure(runs, "Launches with thread blocks on SMs, on average: resident warps over warps of a launch",
                dtbl::running(), true, 1, 1, output);
  report_figure(runs, "Most entries of the kernel table in use", count("entries_valid_max"), true, 1, 1, output);
  report_figure(runs, "Groups that found a resident kernel, %", dtbl::kernel_hits(), true, 1, 100, output);
  report_figure(runs, "Of them those that got an entry of the group table, %", dtbl::table_hits(), true, 1, 100,
                output);
  report_figure(runs, "Most entries of the group table in use", count("agt_used_peak"), true, 0, 1, output);
}

void table_study(const ChildRuns& all, Output& output) {
  ChildRuns runs = all;
  runs.programs.clear();
  for (const std::string& program : dtbl::launch_dense()) {
    if (!all.evaluation.with_runs({program}, "dtbl_16").empty() ||
        !all.evaluation.with_runs({program}, dtbl::kCold).empty()) {
      runs.programs.push_back(program);
    }
  }
  Names columns;
  for (const std::string& system : all.systems) {
    if (is_variant(all, system) || system == children::kDtbl) columns.push_back(system);
  }
  if (runs.programs.empty() || columns.size() < 2) return;
  runs.systems = columns;
  output.heading("Other tables, another hash, no kernel kept resident");
  report_figure(runs, "Groups that got an entry of the group table, % of those that attached", dtbl::table_hits(), true,
                1, 100, output);
  if (has(runs, children::kDtbl)) {
    output.table(by_program("Time over that of dtbl, which has 1024 entries (mean: geometric)", runs, columns,
                            [&](const Names& programs, const std::string& system) {
                              return with_spread(
                                  runs.evaluation.ratio(programs, system, children::kDtbl, children::cycles()), 3);
                            }));
  }
  report_figure(runs, "Groups that found a resident kernel, %", dtbl::kernel_hits(), true, 1, 100, output);
  report_figure(runs, "Groups in memory: cycles in which the distribution waited for a record, % of all",
                workloads::quotient(count("offchip_wait"), count("cycles")), true, 1, 100, output);
  Table load;
  load.title = "Launches per entry of the group table";
  load.head = {"program", "launches"};
  for (const dtbl::TableSize& size : dtbl::table_sizes()) load.head.push_back(std::to_string(size.entries));
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.file = "dtbl-table";
  plot.title = "Groups that got an entry of the group table";
  plot.x_label = "entries";
  plot.y_label = "%";
  plot.log_x = plot.percent = true;
  for (const std::string& program : runs.programs) {
    const double launched = runs.evaluation.figure(program, children::kDtbl, count("launches")).mean;
    std::vector<std::string> row = {program, fixed(launched, 0)};
    Plot::Series series;
    series.name = program;
    for (const dtbl::TableSize& size : dtbl::table_sizes()) {
      row.push_back(fixed(launched / size.entries, 1));
      const Spread hits = runs.evaluation.figure(program, size.system, dtbl::table_hits());
      if (hits.count == 0) continue;
      series.x.push_back(size.entries);
      series.values.push_back(100 * hits.mean);
    }
    load.rows.push_back(std::move(row));
    if (series.x.size() > 1) plot.series.push_back(std::move(series));
  }
  Plot::Series source;
  source.name = "source, mean";
  source.marks = true;
  source.x = {512, 1024};
  source.values = {100 * published::kHits512, 100 * published::kHits1024};
  output.table(load);
  if (plot.series.empty()) return;
  plot.series.push_back(std::move(source));
  output.plot(plot);
}

void launch_path(const children::Path& path, Output& output) {
  const auto groups = path.find("groups"), kernels = path.find("lanes");
  if (groups == path.end() || kernels == path.end()) return;
  output.heading("The way of a launch");
  Table table;
  table.title = "One warp, by lanes that launch, cycles: calls and the longest wait for a first thread block";
  table.head = {"lanes", "groups: buffer call", "wait", "child kernels: stream call", "buffer call",
                "wait",  "times as long"};
  for (const auto& [lanes, own] : groups->second) {
    const auto found = kernels->second.find(lanes);
    if (found == kernels->second.end()) continue;
    const workloads::Sample& other = found->second;
    const double one = own.at("call_buffer") + own.at("wait_largest");
    const double two = other.at("call_stream") + other.at("call_buffer") + other.at("wait_largest");
    table.rows.push_back({std::to_string(lanes), fixed(own.at("call_buffer"), 0), fixed(own.at("wait_largest"), 0),
                          fixed(other.at("call_stream"), 0), fixed(other.at("call_buffer"), 0),
                          fixed(other.at("wait_largest"), 0), fixed(two / one, 2)});
  }
  output.table(table);
}

}  // namespace

bool report_dtbl(const std::vector<Run>& runs, const ChildSystems& systems, Output& output) {
  const ChildRuns all = collect_children(runs, systems);
  const ChildRuns main = without_variants(all);
  report_inputs(main, output);
  if (!all.programs.empty()) {
    report_systems(all, output);
    report_speed(main, "dtbl", source_speed, output);
    against_cdp(main, output);
  }
  report_machine(main, "dtbl", output);
  launches(main, output);
  table_study(all, output);
  launch_path(all.path, output);
  output.heading("Claims, dynamic thread block launch (Wang 2016, chapter 4)");
  return report_claims(dtbl::judge(all.evaluation, all.path, all.unbalanced, all.unequal), {}, output);
}

}  // namespace castor::platforms::experiments::dtbl
