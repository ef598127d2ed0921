#include "platforms/experiments/saws/saws_report.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "platforms/experiments/saws/saws_run.h"
#include "platforms/experiments/tables.h"
#include "workloads/saws/evaluation.h"
#include "workloads/saws/programs.h"
#include "workloads/saws/published.h"

namespace castor::platforms::experiments::saws {
namespace {

namespace saws = workloads::saws;
using saws::Evaluation;
using saws::Point;
using workloads::Spread;
using Names = std::vector<std::string>;

/// Programs, machines, changes and policies of the runs, in the order of their occurrence.
struct Axes {
  Names programs, with_barriers, without, machines, changes, policies;
};

void once(Names& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

// Returns the machine change of a run, "" or " sm.tb_slots=8".
std::string change_of(const Json& parameters) {
  return parameters.contains("variation") ? " " + parameters.at("variation").get<std::string>() : "";
}

// Returns the machine of a run, "4" or "4 sm.tb_slots=8".
std::string machine_of(const Json& parameters) {
  return parameters.at("schedulers").get<std::string>() + change_of(parameters);
}

Axes collect(const std::vector<Run>& runs, Evaluation& evaluation) {
  Axes axes;
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    const Point point{machine_of(p), p.at("policy")};
    const std::string program = p.at("program");
    evaluation.add(program, p.at("size").get<std::string>() + "-" + std::to_string(p.at("seed").get<unsigned>()), point,
                   sample_of(run.result));
    once(axes.programs, program);
    once(saws::find_program(program)->barriers ? axes.with_barriers : axes.without, program);
    once(axes.machines, point.machine);
    once(axes.changes, change_of(p));
    once(axes.policies, point.policy);
  }
  // Policies are in the order of the tables, regardless of the order of the runs.
  Names ordered;
  for (const SawsPolicy& policy : saws_policies()) {
    if (std::find(axes.policies.begin(), axes.policies.end(), policy.name) != axes.policies.end()) {
      ordered.emplace_back(policy.name);
    }
  }
  axes.policies = ordered;
  return axes;
}

std::string schedulers(const std::string& machine) {
  const std::size_t end = machine.find(' ');
  const std::string word = machine.substr(0, end), changed = end == std::string::npos ? "" : "," + machine.substr(end);
  const std::size_t width = word.find('w');
  const std::string count = word.substr(0, width) + (word[0] == '1' ? " scheduler" : " schedulers");
  return (width == std::string::npos ? count : count + " of " + word.substr(width + 1) + " warps per tick") + changed;
}

// Returns the gain in performance in percent, from the ratio of base time to time.
std::string gain(const Spread& times_base_over_of) {
  if (times_base_over_of.count == 0) return "";
  Spread out = times_base_over_of;
  out.mean = 100 * (out.mean - 1);
  out.deviation *= 100;
  const std::string text = with_spread(out, 1);
  return (out.mean >= 0.05 ? "+" : "") + text;
}

Names policies_at(const Evaluation& evaluation, const Axes& axes, const Names& programs, const std::string& machine) {
  Names out;
  for (const std::string& policy : axes.policies) {
    if (!evaluation.with_runs(programs, {machine, policy}).empty()) out.push_back(policy);
  }
  return out;
}

/// Returns a table with programs in rows, policies in columns, and the mean in the last row.
template <class Cell, class Mean>
Table by_program(const std::string& title, const Names& programs, const Names& columns, Cell cell, Mean mean) {
  Table table;
  table.title = title;
  table.head = {"program"};
  for (const std::string& column : columns) table.head.push_back(column);
  for (const std::string& program : programs) {
    std::vector<std::string> row = {program};
    for (const std::string& column : columns) row.push_back(cell(program, column));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> last = {"mean"};
  for (const std::string& column : columns) last.push_back(mean(column));
  table.rows.push_back(std::move(last));
  return table;
}

void times(const std::string& title, const Evaluation& evaluation, const Axes& axes, const Names& programs,
           const std::string& machine, Output& output) {
  Names columns = policies_at(evaluation, axes, programs, machine);
  const Point gto{machine, saws::kGto};
  if (evaluation.with_runs(programs, gto).empty() || columns.size() < 2) return;
  columns.erase(std::find(columns.begin(), columns.end(), saws::kGto));
  const auto ratio = [&](const Names& some, const std::string& policy) {
    return evaluation.mean_ratio(some, gto, {machine, policy}, saws::cycles);
  };
  output.table(by_program(
      title, programs, columns,
      [&](const std::string& program, const std::string& policy) { return gain(ratio({program}, policy)); },
      [&](const std::string& policy) { return gain(ratio(programs, policy)); }));
}

void waiting(const Evaluation& evaluation, const Axes& axes, const std::string& machine, Output& output) {
  const Names columns = policies_at(evaluation, axes, axes.with_barriers, machine);
  const Point gto{machine, saws::kGto};
  if (evaluation.with_runs(axes.with_barriers, gto).empty()) return;
  const auto table = [&](const std::string& title, saws::Figure figure) {
    const auto cell = [&](const Names& some, const std::string& policy) {
      return with_spread(evaluation.mean_ratio(some, {machine, policy}, gto, figure), 3);
    };
    output.table(by_program(
        title, axes.with_barriers, columns,
        [&](const std::string& program, const std::string& policy) { return cell({program}, policy); },
        [&](const std::string& policy) { return cell(axes.with_barriers, policy); }));
  };
  const auto shares = [&](const std::string& title, const Names& policies, saws::Figure figure) {
    output.table(by_program(
        title, axes.with_barriers, policies,
        [&](const std::string& program, const std::string& policy) {
          return with_spread(evaluation.figure(program, {machine, policy}, figure), 0, 100);
        },
        [&](const std::string& policy) {
          const auto mean = evaluation.mean(axes.with_barriers, {machine, policy}, figure);
          return mean ? fixed(100 * *mean, 0) : "";
        }));
  };
  table("Waiting at barriers, first arrival to completion, over GTO's", saws::waiting);
  shares("Share of p1 in that (until the first arrival on the scheduler that completes the barrier), %", columns,
         saws::p1_share);
  table("Barriers that a thread block completes per cycle on its SM, over GTO's", saws::clearing_rate);
  table("Lead of the thread block furthest ahead over the last one on the SM, in barriers, over GTO's", saws::lead);

  Names block;
  for (const std::string& policy : columns) {
    if (find_saws_policy(policy)->block) block.push_back(policy);
  }
  if (block.empty()) return;
  shares("Pairs of thread blocks that two schedulers have in opposite order when a barrier completes, % (GTO: none)",
         block, saws::disagreement);
}

/// Policies that pictures prefer if not all policies fit.
const Names kPictured = {saws::kGto, "LRR", "CATLS", "CATLS/4", "CATLS/16", saws::kNoToggle, saws::kSaws};

// Returns the name of a bin of the report's histogram, whose bins are 0, 1, 2 to 3, 4 to 7 ...
std::string bin_name(std::size_t bin) { return "from_" + std::to_string(bin == 0 ? 0 : std::size_t{1} << (bin - 1)); }

// Draws the distribution of barrier waiting times: the share of barriers that wait less than a power of two.
void distribution(const std::vector<Run>& runs, const std::string& machine, const Names& policies, Output& output) {
  constexpr std::size_t kBins = 20;
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.file = "waiting-distribution";
  plot.title = "Barriers by waiting time, mean of the programs, " + schedulers(machine);
  plot.x_label = "cycles from first arrival to completion, at most";
  plot.y_label = "% of barriers";
  plot.log_x = plot.percent = true;
  for (const std::string& policy : policies) {
    Plot::Series series;
    series.name = policy;
    std::map<std::string, std::vector<double>> by_program;
    for (const Run& run : runs) {
      const Json& p = run.parameters;
      if (machine_of(p) != machine || p.at("policy") != policy) continue;
      const Json& waits = run.result.at("barrier_waits");
      if (waits.at("count").get<double>() == 0) continue;
      auto& bins = by_program[p.at("program").get<std::string>()];
      bins.resize(kBins);
      for (std::size_t i = 0; i < kBins; ++i) bins[i] += waits.at(bin_name(i)).get<double>();
    }
    double below = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      for (const auto& [program, bins] : by_program) {
        double all = 0;
        for (const double bin : bins) all += bin;
        below += 100 * bins[i] / all / static_cast<double>(by_program.size());
      }
      series.x.push_back(std::exp2(static_cast<double>(i)));
      series.values.push_back(below);
    }
    if (!by_program.empty()) plot.series.push_back(std::move(series));
  }
  limit_series(plot, kPictured);
  if (!plot.series.empty()) output.plot(plot);
}

// Draws bars for the programs and their mean, relative to GTO: gain in performance in %, or ratio of barrier waiting
// times on a logarithmic axis. The source gives means only.
void bars(const std::string& file, const std::string& title, const std::string& y_label, const Evaluation& evaluation,
          const Names& programs, const std::string& machine, const Names& policies, bool speed, Output& output) {
  const Point gto{machine, saws::kGto};
  Plot plot;
  plot.file = file;
  plot.title = title;
  plot.y_label = y_label;
  plot.log_y = !speed;
  plot.groups = programs;
  plot.groups.emplace_back("mean");
  for (const std::string& policy : policies) {
    if (policy == saws::kGto) continue;
    const Point own{machine, policy};
    Plot::Series series;
    series.name = policy;
    for (std::size_t i = 0; i <= programs.size(); ++i) {
      const bool mean = i == programs.size();
      const Names some = mean ? programs : Names{programs[i]};
      Spread value = speed ? evaluation.mean_ratio(some, gto, own, saws::cycles)
                           : evaluation.mean_ratio(some, own, gto, saws::waiting);
      value.deviation *= speed ? 100 : 1 / (value.mean * std::log(2.0));
      value.mean = speed ? 100 * (value.mean - 1) : std::log2(value.mean);
      const double published = speed ? saws::published::mean_of(saws::published::kFaster, policy)
                                     : saws::published::mean_of(saws::published::kWaiting, policy);
      const double shown = speed ? published : std::log2(1 + published / 100);
      series.add(value, mean && machine == "4" ? shown : std::nan(""));
    }
    plot.series.push_back(std::move(series));
  }
  limit_series(plot, kPictured);
  if (!plot.series.empty()) output.plot(plot);
}

// Reports several schedulers against one scheduler of the same total width: times, and waiting times of the programs
// with barriers.
void one_to_more(const Evaluation& evaluation, const Axes& axes, Output& output) {
  struct Pair {
    const char *of, *base, *title;
  };
  Table times, waits;
  times.title = "Faster than one scheduler of equal width, %";
  waits.title = "Waiting at barriers, first arrival to completion, over that with one scheduler of equal width";
  Names head = {"program"};
  std::vector<std::pair<Point, Point>> columns;
  for (const Pair& pair : {Pair{"2", "1", "two, of 2 warps"}, Pair{"2w4", "1w4", "two, of 4 warps"},
                           Pair{"4", "1w4", "four, of 4 warps"}}) {
    for (const std::string& policy : axes.policies) {
      for (const std::string& change : axes.changes) {
        const Point of{pair.of + change, policy}, base{pair.base + change, policy};
        if (evaluation.mean_ratio(axes.programs, base, of, saws::cycles).count == 0) continue;
        columns.emplace_back(of, base);
        head.push_back(policy + ", " + pair.title + (change.empty() ? "" : "," + change));
      }
    }
  }
  if (columns.empty()) return;
  times.head = waits.head = head;
  const auto faster = [&](const Names& programs, const Point& of, const Point& base) {
    return gain(evaluation.mean_ratio(programs, base, of, saws::cycles));
  };
  const auto longer = [&](const Names& programs, const Point& of, const Point& base) {
    return with_spread(evaluation.mean_ratio(programs, of, base, saws::waiting), 2);
  };
  const auto row = [&](Table& table, const std::string& name, const Names& programs, const auto& cell) {
    std::vector<std::string> cells = {name};
    for (const auto& [of, base] : columns) cells.push_back(cell(programs, of, base));
    table.rows.push_back(std::move(cells));
  };
  const auto rows = [&](Table& table, const Names& programs, const char* mean, const auto& cell) {
    for (const std::string& program : programs) row(table, program, {program}, cell);
    if (!programs.empty()) row(table, mean, programs, cell);
  };
  rows(times, axes.with_barriers, "mean with barriers", faster);
  rows(times, axes.without, "mean without barriers", faster);
  rows(waits, axes.with_barriers, "mean", longer);
  output.heading("One, two and four schedulers");
  output.table(times);
  if (!waits.rows.empty()) output.table(waits);
}

void inputs(const Evaluation& evaluation, const Axes& axes, Output& output) {
  Table table;
  table.title = "Programs under GTO, mean of their inputs";
  table.head = {"program",
                "what it does",
                "in the source",
                "schedulers",
                "1000 warp instructions",
                "cycles",
                "barriers",
                "waiting per barrier, cycles"};
  for (const std::string& program : axes.programs) {
    for (const std::string& machine : axes.machines) {
      const Point gto{machine, saws::kGto};
      if (evaluation.with_runs({program}, gto).empty()) continue;
      const auto figure = [&](saws::Figure f) { return evaluation.figure(program, gto, f).mean; };
      const saws::Program& known = *saws::find_program(program);
      table.rows.push_back(
          {program, known.description, known.in_source, machine,
           fixed(figure([](const saws::Sample& s) { return s.instructions / 1000; }), 0),
           fixed(figure(saws::cycles), 0), fixed(figure([](const saws::Sample& s) { return s.barriers; }), 0),
           fixed(figure([](const saws::Sample& s) { return s.barriers == 0 ? 0.0 : saws::waiting(s) / s.barriers; }),
                 0)});
      break;
    }
  }
  if (table.rows.empty()) return;
  output.heading("Programs");
  output.table(table);
}

}  // namespace

bool report_saws(const std::vector<Run>& runs, Output& output) {
  Evaluation evaluation;
  const Axes axes = collect(runs, evaluation);
  inputs(evaluation, axes, output);
  for (const std::string& machine : axes.machines) {
    if (policies_at(evaluation, axes, axes.programs, machine).size() < 2) continue;
    output.heading(schedulers(machine));
    if (!axes.with_barriers.empty()) {
      times("Faster than GTO, %", evaluation, axes, axes.with_barriers, machine, output);
      waiting(evaluation, axes, machine, output);
    }
    if (!axes.without.empty()) {
      times("Faster than GTO, programs without barriers, %", evaluation, axes, axes.without, machine, output);
    }
    if (machine.find(' ') != std::string::npos || machine.find('w') != std::string::npos || axes.with_barriers.empty())
      continue;
    Names shown;
    for (const std::string& policy : policies_at(evaluation, axes, axes.with_barriers, machine)) {
      if (!find_saws_policy(policy)->variant) shown.push_back(policy);
    }
    if (evaluation.with_runs(axes.with_barriers, {machine, saws::kGto}).empty()) continue;
    bars("speed-" + machine, "Performance over GTO, " + schedulers(machine), "faster than GTO, %", evaluation,
         axes.with_barriers, machine, shown, true, output);
    bars("waiting-" + machine, "Waiting at barriers over GTO, " + schedulers(machine), "times GTO's waiting",
         evaluation, axes.with_barriers, machine, shown, false, output);
    if (machine == "4") distribution(runs, machine, shown, output);
  }
  one_to_more(evaluation, axes, output);
  output.heading("Claims, SAWS (reconstructed)");
  return report_claims(saws::judge(evaluation), {}, output);
}

}  // namespace castor::platforms::experiments::saws
