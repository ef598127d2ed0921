#include "platforms/experiments/lax/lax_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "platforms/experiments/lax/lax_run.h"
#include "platforms/experiments/tables.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::platforms::experiments::lax {
namespace {

namespace lax = workloads::lax;
using lax::Evaluation;
using lax::Rate;
using lax::Sample;

/// Workloads, schedulers and rates of the runs, in the order of the tables. A run with another w0 counts as a separate
/// scheduler.
struct Axes {
  std::vector<std::string> workloads, schedulers;
  std::vector<Rate> rates;
};

std::string label(const Json& parameters) {
  std::string name = parameters.at("scheduler").get<std::string>();
  if (parameters.contains("deadline")) {
    name += " deadline=" + std::to_string(parameters.at("deadline").get<unsigned>()) + "%";
  }
  if (parameters.contains("w0")) name += " w0=" + std::to_string(parameters.at("w0").get<std::uint64_t>());
  return name;
}

template <class T>
void once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

double milliseconds(double cycles) { return cycles * 1e3 / static_cast<double>(lax::kCyclesPerSecond); }

// Adds the trace of the observed job in time that came closest to its deadline.
void add_priority(const std::string& workload, const Json& result, lax::Extras& extras) {
  const double deadline = milliseconds(static_cast<double>(lax::find_workload(workload)->deadline));
  lax::PriorityTrace& best = extras.priority[workload].emplace_back();
  for (const Json& job : result.at("trace")) {
    const double latency = milliseconds(job.at("latency").get<double>());
    if (!job.at("met").get<bool>() || latency <= best.latency_ms) continue;
    best = {};
    best.latency_ms = latency;
    best.deadline_ms = deadline;
    for (const Json& at : job.at("at")) best.at_ms.push_back(milliseconds(at.get<double>()));
    for (const Json& laxity : job.at("laxity")) best.laxity_ms.push_back(milliseconds(laxity.get<double>()));
    for (const Json& cls : job.at("class")) best.cls.push_back(cls.get<unsigned>());
  }
}

bool is_executed(const Run& run) { return run.parameters.value("tier", "") == "programs"; }

/// Collects the results of all runs. If there are replay runs, runs of real kernels are not in the tables and count
/// only for claims.
Evaluation collect(const std::vector<Run>& runs, Axes& axes, lax::Extras& extras) {
  Evaluation out;
  const bool all_executed = std::all_of(runs.begin(), runs.end(), is_executed);
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    const Json& r = run.result;
    if (p.at("rate") == kBatchRate) {
      const unsigned size = find_lax_entry(p.at("scheduler").get<std::string>())->batch;
      extras.response[p.at("workload").get<std::string>()][size].push_back(r.at("response_us").get<double>());
      continue;
    }
    if (r.contains("trace") && p.at("rate") == "high") {
      const auto workload = p.at("workload").get<std::string>();
      if (r.contains("prediction_error")) {
        extras.prediction_error[workload].push_back(r.at("prediction_error").get<double>());
      }
      add_priority(workload, r, extras);
    }
    Sample sample;
    sample.met = r.at("met_of_128").get<double>();
    sample.p99_ms = r.at("p99_ms").get<double>();
    sample.wasted = r.at("wasted").get<double>();
    sample.energy_mj = r.at("energy_mj").get<double>();
    sample.per_second = r.at("met_per_second").get<double>();
    const auto workload = p.at("workload").get<std::string>();
    const Rate rate = *lax::find_rate(p.at("rate").get<std::string>());
    if (is_executed(run)) extras.executed.add(workload, rate, label(p), p.at("seed").get<std::uint64_t>(), sample);
    if (is_executed(run) && !all_executed) continue;
    out.add(workload, rate, label(p), p.at("seed").get<std::uint64_t>(), sample);
    once(axes.workloads, workload);
    once(axes.schedulers, label(p));
    once(axes.rates, rate);
  }
  return out;
}

/// Returns a table with schedulers in rows and workloads in columns; a cell is "ours | source" if the source has a
/// figure.
template <std::size_t N>
Table figure_table(const Evaluation& evaluation, const Axes& axes, Rate rate, const std::string& title,
                   double Sample::*figure, int digits, const std::array<lax::published::Row, N>* published,
                   double scale = 1) {
  Table table;
  table.title = title;
  table.head = {"scheduler"};
  for (const std::string& workload : axes.workloads) table.head.push_back(workload);
  for (const std::string& scheduler : axes.schedulers) {
    std::vector<std::string> row = {scheduler};
    for (const std::string& workload : axes.workloads) {
      std::string cell = with_spread(evaluation.spread(workload, rate, scheduler, figure), digits, scale);
      if (published != nullptr && rate == Rate::kHigh) {
        const auto source = lax::published::value(*published, workload, scheduler.substr(0, scheduler.find(' ')));
        if (source) cell += " (" + fixed(*source, digits) + ")";
      }
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void ratios(const Evaluation& evaluation, const Axes& axes, Output& output) {
  Table table;
  table.title = "Jobs in time against round robin, geometric mean of the eight workloads";
  table.head = {"scheduler"};
  for (const Rate rate : axes.rates) table.head.push_back(lax::kRateNames[static_cast<std::size_t>(rate)]);
  table.head.emplace_back("workloads left out (high)");
  for (const std::string& scheduler : axes.schedulers) {
    std::vector<std::string> row = {scheduler};
    unsigned zeros = 0;
    bool any = false;
    for (const Rate rate : axes.rates) {
      unsigned left_out = 0;
      const auto value = evaluation.geomean(rate, scheduler, "RR", &left_out);
      row.push_back(value ? fixed(*value, 2) : "");
      any = any || value;
      if (rate == Rate::kHigh) zeros = left_out;
    }
    row.push_back(zeros != 0 ? std::to_string(zeros) : "");
    if (any) table.rows.push_back(std::move(row));
  }
  table.note = "A workload in which one of the two has no job in time has no ratio and is left out.";
  if (!table.rows.empty()) output.table(table);
}

void work_per_job(const Evaluation& evaluation, const Axes& axes, Output& output) {
  Table table;
  table.title = "Completed work per job in time, relative to round robin, high rate (source in brackets: energy)";
  table.head = {"scheduler"};
  for (const std::string& workload : axes.workloads) table.head.push_back(workload);
  for (const std::string& scheduler : axes.schedulers) {
    std::vector<std::string> row = {scheduler};
    for (const std::string& workload : axes.workloads) {
      const auto own = evaluation.work_per_job(workload, Rate::kHigh, scheduler);
      const auto rr = evaluation.work_per_job(workload, Rate::kHigh, "RR");
      std::string cell = own && rr ? fixed(*own / *rr, 3) : "-";
      const auto source = lax::published::value(lax::published::kEnergy, workload, scheduler);
      const auto source_rr = lax::published::value(lax::published::kEnergy, workload, "RR");
      if (source && source_rr) cell += " (" + fixed(*source / *source_rr, 3) + ")";
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  output.table(table);
}

void pictures(const Evaluation& evaluation, const Axes& axes, Output& output) {
  for (const Rate rate : axes.rates) {
    const std::string name = lax::kRateNames[static_cast<std::size_t>(rate)];
    Plot plot;
    plot.file = "met-" + name;
    plot.title = "Jobs in time of 128, " + name + " rate";
    plot.y_label = "jobs";
    plot.groups = axes.workloads;
    for (const std::string& scheduler : axes.schedulers) {
      Plot::Series series;
      series.name = scheduler;
      for (const std::string& workload : axes.workloads) {
        const auto source = lax::published::value(lax::published::kMet, workload, scheduler);
        series.add(evaluation.spread(workload, rate, scheduler, &Sample::met),
                   source && rate == Rate::kHigh ? *source : std::nan(""));
      }
      plot.series.push_back(std::move(series));
    }
    limit_series(plot, {"RR", "BAY", "PRO", "EDF", "PREMA", "SJF", "SRF", "LAX"});
    output.plot(plot);
  }
}

void responses(const lax::Extras& extras, Output& output) {
  if (extras.response.empty()) return;
  Table table;
  table.title = "Mean time to the answer, us, by size of batches";
  table.head = {"workload"};
  Plot plot;
  plot.file = "batches";
  plot.title = "Mean time to the answer against that without batches";
  plot.x_label = "jobs of a batch";
  plot.y_label = "ratio";
  plot.log_x = plot.log_y = true;
  plot.kind = Plot::Kind::kLines;
  for (const auto& [size, runs] : extras.response.begin()->second) table.head.push_back(std::to_string(size));
  for (const auto& [workload, sizes] : extras.response) {
    std::vector<std::string> row = {workload};
    Plot::Series series;
    series.name = workload;
    double first = 0;
    for (const auto& [size, runs] : sizes) {
      double mean = 0;
      for (const double us : runs) mean += us / static_cast<double>(runs.size());
      if (first == 0) first = mean;
      row.push_back(fixed(mean, 0));
      series.x.push_back(size);
      series.values.push_back(mean / first);
    }
    table.rows.push_back(std::move(row));
    plot.series.push_back(std::move(series));
  }
  output.heading("Batches");
  output.table(table);
  output.plot(plot);
}

void priorities(const lax::Extras& extras, Output& output) {
  Plot plot;
  plot.file = "priority";
  plot.title = "Laxity of jobs over time, until they are done";
  plot.x_label = "ms since arrival";
  plot.y_label = "laxity, ms";
  plot.kind = Plot::Kind::kLines;
  for (const auto& [workload, runs] : extras.priority) {
    const lax::PriorityTrace& job = *std::max_element(
        runs.begin(), runs.end(),
        [](const lax::PriorityTrace& a, const lax::PriorityTrace& b) { return a.latency_ms < b.latency_ms; });
    if (job.at_ms.empty()) continue;
    Plot::Series series;
    series.name = workload;
    series.x = job.at_ms;
    series.values = job.laxity_ms;
    plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) output.plot(plot);
}

// Reports the workloads in which a rival has more jobs in time.
void losses(const Evaluation& evaluation, Output& output) {
  Table table;
  table.title = "Where LAX loses at the high rate, by more than the spread of the difference";
  table.head = {"workload", "rival", "behind, jobs of 128", "LAX", "rival's", "LAX (source)", "rival's (source)"};
  for (const lax::Loss& loss : lax::losses(evaluation)) {
    const auto met = [&](const char* scheduler) {
      return with_spread(evaluation.spread(loss.workload, Rate::kHigh, scheduler, &Sample::met), 1);
    };
    const auto source = [&](const char* scheduler) {
      const auto value = lax::published::value(lax::published::kMet, loss.workload, scheduler);
      return value ? fixed(*value, 1) : "";
    };
    table.rows.push_back({loss.workload, loss.rival, with_spread(loss.behind, 1), met("LAX"), met(loss.rival.c_str()),
                          source("LAX"), source(loss.rival.c_str())});
  }
  if (!table.rows.empty()) output.table(table);
}

lax::Account account(const Run& run) {
  const Json& p = run.parameters;
  const Json& r = run.result;
  lax::Account out;
  out.workload = p.at("workload").get<std::string>();
  out.rate = p.at("rate").get<std::string>() + (is_executed(run) ? ", executed" : "");
  out.scheduler = label(p);
  out.seed = p.at("seed").get<std::uint64_t>();
  out.jobs = p.at("jobs").get<std::uint64_t>();
  const auto figure = [&](const char* name) { return r.at(name).get<std::uint64_t>(); };
  out.met = figure("met");
  out.late = figure("late");
  out.rejected = figure("rejected");
  out.open = figure("open");
  out.all_tbs = figure("all_tbs");
  out.useful_tbs = figure("useful_tbs");
  return out;
}

}  // namespace

bool report_lax(const std::vector<Run>& runs, Output& output) {
  Axes axes;
  lax::Extras extras;
  const Evaluation evaluation = collect(runs, axes, extras);
  for (const Rate rate : axes.rates) {
    const std::string name = lax::kRateNames[static_cast<std::size_t>(rate)];
    output.heading("Rate " + name);
    const std::string source = rate == Rate::kHigh ? " (source in brackets)" : "";
    output.table(figure_table(evaluation, axes, rate, "Jobs of 128 that met their deadline" + source, &Sample::met, 1,
                              &lax::published::kMet));
    output.table(figure_table(evaluation, axes, rate, "99th percentile of latency, ms" + source, &Sample::p99_ms, 2,
                              &lax::published::kP99));
    output.table(figure_table(evaluation, axes, rate, "Jobs in time per second" + source, &Sample::per_second, 0,
                              &lax::published::kThroughput));
    output.table(figure_table<1>(evaluation, axes, rate, "Completed TBs of jobs that missed their deadline, %",
                                 &Sample::wasted, 1, nullptr, 100));
    if (rate == Rate::kHigh) work_per_job(evaluation, axes, output);
  }
  if (!axes.rates.empty()) {
    output.heading("Against round robin");
    ratios(evaluation, axes, output);
    losses(evaluation, output);
    pictures(evaluation, axes, output);
  }
  priorities(extras, output);
  responses(extras, output);
  std::vector<lax::Account> accounts;
  for (const Run& run : runs) {
    if (run.parameters.at("rate") != kBatchRate) accounts.push_back(account(run));
  }
  output.heading("Claims");
  return report_claims(lax::judge(evaluation, extras), lax::broken_accounts(accounts), output);
}

}  // namespace castor::platforms::experiments::lax
