#include "platforms/experiments/laperm/laperm_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "platforms/experiments/children/child_report.h"
#include "platforms/experiments/tables.h"
#include "workloads/children/judge.h"
#include "workloads/laperm/evaluation.h"
#include "workloads/laperm/published.h"

namespace castor::platforms::experiments::laperm {
namespace {

namespace children = workloads::children;
namespace laperm = workloads::laperm;
namespace published = laperm::published;
using workloads::count;
using workloads::Figure;
using workloads::Spread;
using Names = ChildRuns::Names;

constexpr const char* kShares[] = {"parent_child", "child_sibling", "parent_parent"};

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }
/// Returns the variation in the name of a system, including the blank in front; "" if there is none.
std::string variation(const std::string& text) {
  return text.size() == first_word(text).size() ? "" : text.substr(first_word(text).size());
}

/// Returns the round robin system of the same launch model and variation; "" for round robin itself.
std::string base_of(const std::string& system) {
  const std::string name = first_word(system);
  for (const laperm::Model& model : {laperm::kCdp, laperm::kDtbl}) {
    for (const char* const own : {model.tb_pri, model.smx_bind, model.adaptive_bind}) {
      if (name == own) return model.rr + variation(system);
    }
  }
  return "";
}

/// Returns the runs of the given programs and systems only.
ChildRuns part(const ChildRuns& runs, const Names& programs, const Names& systems) {
  ChildRuns out = runs;
  out.programs = programs;
  out.systems = systems;
  return out;
}

/// Reports a figure relative to round robin, as geometric mean over programs.
void over_rr(const ChildRuns& runs, const std::string& title, const Figure& figure, bool inverse, Output& output) {
  Names columns;
  for (const std::string& system : runs.systems) {
    if (const std::string base = base_of(system); !base.empty() && has(runs.systems, base)) columns.push_back(system);
  }
  if (columns.empty()) return;
  output.table(by_program(title, runs, columns, [&](const Names& programs, const std::string& system) {
    const std::string base = base_of(system);
    return with_spread(inverse ? runs.evaluation.ratio(programs, base, system, figure)
                               : runs.evaluation.ratio(programs, system, base, figure),
                       3);
  }));
}

/// Draws bars of systems relative to round robin: ratios on a logarithmic axis, or differences of a rate in percentage
/// points. `source`: the source's values, in % or in percentage points.
void bars(const ChildRuns& runs, const char* file, const char* title, const Figure& figure, bool rate,
          const std::map<std::string, double>& source, Output& output) {
  Plot plot;
  plot.file = file;
  plot.title = title;
  plot.y_label = rate ? "points over round robin" : "IPC over that of round robin";
  plot.log_y = !rate;
  plot.groups = runs.programs;
  plot.groups.emplace_back("mean");
  for (const std::string& system : runs.systems) {
    const std::string base = base_of(system);
    if (base.empty() || !has(runs.systems, base)) continue;
    Plot::Series series;
    series.name = system;
    for (const std::string& group : plot.groups) {
      const Names programs = group == "mean" ? runs.programs : Names{group};
      Spread value = runs.evaluation.ratio(programs, system, base, figure);
      if (rate) {
        value.mean = 100 * (runs.evaluation.mean(programs, system, figure).value_or(0) -
                            runs.evaluation.mean(programs, base, figure).value_or(0));
        value.deviation = 0;
        value.count = 1;
      } else {
        value.deviation /= value.mean * std::log(2.0);
        value.mean = std::log2(value.mean);
      }
      const auto found = source.find(system);
      const bool known = group == "mean" && found != source.end();
      const double published = known ? found->second : std::nan("");
      series.add(value, rate ? published : std::log2(1 + published / 100));
    }
    plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) output.plot(plot);
}

std::map<std::string, double> source_ipc() {
  std::map<std::string, double> out;
  for (const auto& [model, gains] :
       {std::pair(laperm::kCdp, published::kCdp), std::pair(laperm::kDtbl, published::kDtbl)}) {
    out[model.tb_pri] = gains.pri_ipc;
    out[model.smx_bind] = (100 + gains.pri_ipc) * (100 + gains.bind_ipc) / 100 - 100;
    out[model.adaptive_bind] = gains.adaptive_ipc;
  }
  return out;
}

std::map<std::string, double> source_l1() {
  std::map<std::string, double> out;
  for (const auto& [model, gains] :
       {std::pair(laperm::kCdp, published::kCdp), std::pair(laperm::kDtbl, published::kDtbl)}) {
    out[model.tb_pri] = gains.pri_l1;
    out[model.smx_bind] = gains.bind_l1;
    out[model.adaptive_bind] = gains.bind_l1 + gains.adaptive_l1;
  }
  return out;
}

void policies(const ChildRuns& runs, Output& output) {
  if (runs.programs.empty() || runs.systems.empty()) return;
  output.heading("Speed");
  over_rr(runs, "IPC over round robin (mean: geometric)", laperm::ipc(), false, output);
  bars(runs, "laperm-ipc", "IPC over round robin of the same launch model", laperm::ipc(), false, source_ipc(), output);
  over_rr(runs, "Speed-up over round robin: times (mean: geometric)", children::cycles(), true, output);
  output.heading("Caches");
  report_figure(runs, "L1: loads that hit, %", laperm::l1_hits(), true, 1, 100, output);
  bars(runs, "laperm-l1", "L1 hit rate over round robin", laperm::l1_hits(), true, source_l1(), output);
  report_figure(runs, "L1: loads of children that hit, %", laperm::child_l1_hits(), true, 1, 100, output);
  report_figure(runs, "L2: requests of kernels that hit, %", laperm::l2_hits(), true, 1, 100, output);
  output.heading("Places");
  report_figure(runs, "Thread blocks of children on the SM of their parent, %", laperm::at_home(), true, 1, 100,
                output);
  report_figure(runs, "Balance: resident warps of the average SM, % of the SM with most", laperm::balance(), true, 1,
                100, output);
  report_figure(runs, "SM occupancy while kernels run, %", children::occupancy(), true, 2, 100, output);
  for (const auto& [name, what] : {std::pair<const char*, const char*>{"own", "of the SM's own set"},
                                   {"host", "of the host's kernels"},
                                   {"stolen", "of a backup set"}}) {
    report_figure(runs, std::string("Thread blocks placed ") + what + ", %", laperm::stage(name), true, 1, 100, output);
  }
  output.heading("Waiting");
  report_figure(runs, "From the call to the first thread block, median, cycles", count("wait_median"), true, 0, 1,
                output);
  report_figure(runs, "From the call to the first thread block, mean, cycles", children::waiting(), true, 0, 1, output);
  report_figure(runs, "Kernels and groups that lay in memory, %", laperm::in_memory(), true, 1, 100, output);
  report_figure(runs, "Looks with a candidate that did not fit, % of cycles",
                workloads::quotient(count("unfit"), count("cycles")), true, 2, 100, output);
  report_figure(runs, "Looks at an SM whose own items were all in memory, % of cycles",
                workloads::quotient(count("starved"), count("cycles")), true, 2, 100, output);
  report_figure(runs, "L1 hits on data that had been written since", count("stale_hit"), true, 0, 1, output);
}

void footprints(const ChildRuns& runs, Output& output) {
  Table table;
  table.title = "Blocks of 128 bytes that are shared, %";
  table.head = {"program",  "parent-child",  "child-sibling",      "parent-parent", "direct parents",
                "children", "with siblings", "touched by a child", "by its parent"};
  Plot plot;
  plot.file = "laperm-sharing";
  plot.title = "Blocks of 128 bytes that are shared";
  plot.y_label = "%";
  plot.percent = true;
  const double source[] = {published::kParentChild, published::kChildSibling, published::kParentParent};
  const Names with = runs.evaluation.with_runs(runs.programs, laperm::kFootprint);
  if (with.empty()) return;
  const auto own = [&](const std::string& program, const char* name) {
    return runs.evaluation.figure(program, laperm::kFootprint, count(name));
  };
  for (const std::string& program : with) {
    table.rows.push_back({program, with_spread(own(program, kShares[0]), 1, 100),
                          with_spread(own(program, kShares[1]), 1, 100), with_spread(own(program, kShares[2]), 1, 100),
                          with_spread(own(program, "parents"), 0), with_spread(own(program, "children"), 0),
                          with_spread(own(program, "families"), 0), with_spread(own(program, "child_touched"), 1),
                          with_spread(own(program, "parent_touched"), 1)});
  }
  std::vector<std::string> mean = {"mean"};
  for (const char* const name : kShares) {
    const auto value = runs.evaluation.mean(with, laperm::kFootprint, count(name));
    mean.push_back(value ? fixed(100 * *value, 1) : "");
  }
  mean.resize(table.head.size());
  table.rows.push_back(std::move(mean));
  plot.groups = with;
  plot.groups.emplace_back("mean");
  for (std::size_t i = 0; i < 3; ++i) {
    Plot::Series series;
    series.name = std::string(kShares[i], std::string(kShares[i]).find('_')) + "-" +
                  std::string(kShares[i]).substr(std::string(kShares[i]).find('_') + 1);
    for (const std::string& program : with) {
      Spread value = own(program, kShares[i]);
      value.mean *= 100;
      value.deviation *= 100;
      series.add(value, std::nan(""));
    }
    Spread all;
    all.mean = 100 * runs.evaluation.mean(with, laperm::kFootprint, count(kShares[i])).value_or(0);
    all.count = 1;
    series.add(all, source[i]);
    plot.series.push_back(std::move(series));
  }
  output.heading("What children share with their parents");
  output.table(table);
  output.plot(plot);
}

/// A column of a table: the gain of system `of` over system `base`.
struct Gain {
  std::string head;
  std::string of, base;
};

void gains(const ChildRuns& all, const std::string& title, const Figure& figure, bool inverse,
           const std::vector<Gain>& wanted, Output& output) {
  std::vector<Gain> list;
  for (const Gain& one : wanted) {
    if (has(all.systems, one.of) && has(all.systems, one.base)) list.push_back(one);
  }
  if (list.empty()) return;
  Names programs;
  for (const std::string& program : all.programs) {
    if (!all.evaluation.with_runs({program}, list.front().of).empty()) programs.push_back(program);
  }
  Names heads;
  for (const Gain& one : list) heads.push_back(one.head);
  output.table(by_program(title, part(all, programs, all.systems), heads, [&](const Names& some, const std::string& h) {
    const auto one = std::find_if(list.begin(), list.end(), [&](const Gain& g) { return g.head == h; });
    return with_spread(inverse ? all.evaluation.ratio(some, one->base, one->of, figure)
                               : all.evaluation.ratio(some, one->of, one->base, figure),
                       3);
  }));
}

void studies(const ChildRuns& runs, Output& output) {
  const bool any = std::any_of(runs.systems.begin(), runs.systems.end(),
                               [&](const std::string& system) { return runs.system(system).variant; });
  if (!any) return;
  output.heading("Latencies, kernels at once, other sizes");
  std::vector<Gain> by_latency;
  for (const laperm::Latency& one : laperm::latencies()) {
    by_latency.push_back({std::to_string(one.percent) + " %", one.cdp.adaptive_bind, one.cdp.rr});
  }
  gains(runs, "CDP, Adaptive-Bind over round robin, IPC, by part of the latencies (mean: geometric)", laperm::ipc(),
        false, by_latency, output);
  gains(runs, "Adaptive-Bind over round robin, IPC (mean: geometric)", laperm::ipc(), false,
        {{"CDP, 32 entries", laperm::kCdp.adaptive_bind, laperm::kCdp.rr},
         {"CDP, in the table alone", "cdp_adaptive_bind_table", laperm::kCdp.rr},
         {"CDP, 256 entries", laperm::kManyKernels.adaptive_bind, laperm::kManyKernels.rr},
         {"DTBL", laperm::kDtbl.adaptive_bind, laperm::kDtbl.rr},
         {"DTBL, over dtbl_rr_hash", laperm::kDtbl.adaptive_bind, "dtbl_rr_hash"}},
        output);
  gains(runs, "Other machines under round robin, speed-up over cdp_rr and dtbl_rr (mean: geometric)",
        children::cycles(), true,
        {{"cdp_rr_one", "cdp_rr_one", laperm::kCdp.rr},
         {"cdp_rr_256", laperm::kManyKernels.rr, laperm::kCdp.rr},
         {"dtbl_rr_hash", "dtbl_rr_hash", laperm::kDtbl.rr}},
        output);
  std::vector<Gain> sizes;
  for (const char* const name : {"dtbl_levels_1", "dtbl_levels_8", "dtbl_bank_16", "dtbl_cluster_4"}) {
    sizes.push_back({name, name, laperm::kDtbl.adaptive_bind});
  }
  gains(runs, "Speed-up over dtbl_adaptive_bind (mean: geometric)", children::cycles(), true, sizes, output);
  Names rest;
  for (const std::string& system : runs.systems) {
    if (runs.system(system).variant) rest.push_back(system);
  }
  Names programs;
  for (const std::string& program : runs.programs) {
    if (has(laperm::of_studies(), program)) programs.push_back(program);
  }
  const ChildRuns some = part(runs, programs, rest);
  report_figure(some, "L1: loads that hit, %", laperm::l1_hits(), true, 1, 100, output);
  report_figure(some, "Kernels and groups that lay in memory, %", laperm::in_memory(), true, 1, 100, output);
}

std::vector<std::string> misplaced_in(const std::vector<Run>& runs) {
  std::vector<std::string> out;
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    if (!p.value("traced", false)) continue;
    std::string policy;
    bool shared = false;
    for (const char* const list : {"keys", "set"}) {
      for (const std::string& key : p.value(list, Names())) {
        if (key.rfind("blocks.laperm.policy=", 0) == 0) policy = key.substr(key.find('=') + 1);
        if (key.rfind("blocks.laperm.cluster_size=", 0) == 0) shared = key.substr(key.find('=') + 1) != "1";
      }
    }
    for (const std::string& one :
         laperm::misplaced(child_sample(run.result), policy == "smx_bind" && !shared, policy == "adaptive_bind")) {
      out.push_back(p.at("program").get<std::string>() + " with " + p.at("system").get<std::string>() + ": " + one);
    }
  }
  return out;
}

}  // namespace

bool report_laperm(const std::vector<Run>& runs, const ChildSystems& systems, Output& output) {
  std::vector<Run> timed, touched;
  for (const Run& run : runs) {
    (run.parameters.at("system") == laperm::kFootprint ? touched : timed).push_back(run);
  }
  ChildRuns all = collect_children(timed, systems);
  std::map<std::string, std::uint64_t> hashes;
  const auto input = [](const Run& run) {
    return run.name.substr(0, run.name.find("-" + run.parameters.at("system").get<std::string>()));
  };
  for (const Run& run : timed) hashes.emplace(input(run), run.result.at("hash").get<std::uint64_t>());
  for (const Run& run : touched) {
    const Json& p = run.parameters;
    const auto hash = run.result.at("hash").get<std::uint64_t>();
    if (hashes.emplace(input(run), hash).first->second != hash) all.unequal.push_back(run.name);
    all.evaluation.add(p.at("program"),
                       p.at("size").get<std::string>() + "-" + std::to_string(p.at("seed").get<unsigned>()),
                       laperm::kFootprint, child_sample(run.result));
  }
  Names main, active, inert;
  for (const std::string& system : all.systems) {
    if (!all.system(system).variant) main.push_back(system);
  }
  for (const std::string& program : children::program_names()) {
    const bool there = has(all.programs, program) || !all.evaluation.with_runs({program}, laperm::kFootprint).empty();
    if (there) (children::inert(program) ? inert : active).push_back(program);
  }
  if (!all.systems.empty()) report_systems(all, output);
  policies(part(all, active, main), output);
  const ChildRuns idle = part(all, inert, main);
  if (!inert.empty() && !main.empty()) {
    output.heading("Programs that launch next to nothing");
    over_rr(idle, "Speed-up over round robin: times (mean: geometric)", children::cycles(), true, output);
  }
  footprints(part(all, active, main), output);
  studies(part(all, active, all.systems), output);
  output.heading("Claims, LaPerm (Wang 2016, chapter 5)");
  return report_claims(laperm::judge(all.evaluation, {all.unbalanced, all.unequal, misplaced_in(timed)}), {}, output);
}

}  // namespace castor::platforms::experiments::laperm
