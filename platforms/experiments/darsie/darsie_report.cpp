#include "platforms/experiments/darsie/darsie_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "platforms/experiments/darsie/darsie_run.h"
#include "platforms/experiments/tables.h"
#include "workloads/darsie/evaluation.h"
#include "workloads/darsie/programs.h"
#include "workloads/darsie/published.h"

namespace castor::platforms::experiments::darsie {
namespace {

namespace darsie = workloads::darsie;
using darsie::Evaluation;
using darsie::Figure;
using workloads::Spread;
using Names = std::vector<std::string>;

/// Programs and systems of the runs. The name of a system includes its variation: "darsie compile.renamed=16".
struct Axes {
  Names programs, one, two;           ///< all programs; one- and two-dimensional programs without variants
  Names systems;                      ///< systems of the runs, in the order of the tables
  std::vector<std::string> skipping;  ///< systems that have the block
};

void once(Names& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string system_of(const Json& parameters) {
  const std::string name = parameters.at("system");
  return parameters.contains("variation") ? name + " " + parameters.at("variation").get<std::string>() : name;
}

Axes collect(const std::vector<Run>& runs, Evaluation& evaluation) {
  Axes axes;
  Names seen;
  for (const Run& run : runs) {
    const Json& p = run.parameters;
    const std::string program = p.at("program"), system = system_of(p);
    evaluation.add(program, p.at("size").get<std::string>() + "-" + std::to_string(p.at("seed").get<unsigned>()),
                   system, darsie_sample(run.result));
    once(axes.programs, program);
    once(seen, system);
    const darsie::Program& known = *darsie::find_program(program);
    if (!known.variant) once(known.two_dimensional ? axes.two : axes.one, program);
  }
  for (const DarsieSystem& system : darsie_systems()) {
    for (const std::string& name : seen) {
      if (first_word(name) != system.name) continue;
      axes.systems.push_back(name);
      if (system.skips) axes.skipping.push_back(name);
    }
  }
  return axes;
}

Spread percent_of(const Spread& ratio, bool inverse) {
  Spread out = ratio;
  out.mean = 100 * (inverse ? 1 - ratio.mean : ratio.mean - 1);
  out.deviation *= 100;
  return out;
}

/// Returns a table with programs in rows, systems in columns, and the means of one- and two-dimensional programs at the
/// end.
template <class Cell>
Table by_program(const std::string& title, const Axes& axes, const Names& columns, Cell cell) {
  Table table;
  table.title = title;
  table.head = {"program"};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  const auto row = [&](const std::string& name, const Names& programs) {
    std::vector<std::string> cells = {name};
    for (const std::string& column : columns) cells.push_back(cell(programs, column));
    table.rows.push_back(std::move(cells));
  };
  for (const std::string& program : axes.programs) row(program, {program});
  if (axes.one.size() > 1) row("mean 1D", axes.one);
  if (axes.two.size() > 1) row("mean 2D", axes.two);
  return table;
}

void inputs(const Evaluation& evaluation, const Axes& axes, Output& output) {
  Table table;
  table.title = "Programs on the baseline, mean of their inputs";
  table.head = {"program", "what it does",  "of sw/kernels",          "blocks", "warps", "bound, %",
                "keys",    "thread blocks", "1000 warp instructions", "cycles"};
  for (const std::string& program : axes.programs) {
    const auto figure = [&](const Figure& f) { return evaluation.figure(program, darsie::kBaseline, f).mean; };
    if (evaluation.with_runs({program}, darsie::kBaseline).empty()) continue;
    const darsie::Program& known = *darsie::find_program(program);
    std::string keys;
    for (const std::string& key : known.keys) keys += (keys.empty() ? "" : ", ") + key;
    table.rows.push_back({program, known.description, known.program, known.shape, std::to_string(known.warps),
                          fixed(100 * (1 - 1.0 / known.warps), 1), keys,
                          fixed(figure(darsie::count("thread_blocks")), 0), fixed(figure(darsie::executed()) / 1000, 0),
                          fixed(figure(darsie::cycles()), 0)});
  }
  if (table.rows.empty()) return;
  output.heading("Programs");
  output.table(table);
}

Names comparable(const Evaluation& evaluation, const Axes& axes) {
  Names out;
  for (const std::string& system : axes.systems) {
    const std::string base = darsie::baseline_of(system);
    if (system == base || find_darsie_system(first_word(system))->functional) continue;
    if (!evaluation.with_runs(axes.programs, base).empty()) out.push_back(system);
  }
  return out;
}

/// Returns each program and the means over one- and two-dimensional programs, as pairs of a name and its programs.
std::vector<std::pair<std::string, Names>> groups_of(const Axes& axes) {
  std::vector<std::pair<std::string, Names>> out;
  for (const std::string& program : axes.programs) out.emplace_back(program, Names{program});
  if (axes.one.size() > 1) out.emplace_back("mean 1D", axes.one);
  if (axes.two.size() > 1) out.emplace_back("mean 2D", axes.two);
  return out;
}

/// Returns all programs except variants.
Names both_of(const Axes& axes) {
  Names out = axes.one;
  out.insert(out.end(), axes.two.begin(), axes.two.end());
  return out;
}

void speed_bars(const Evaluation& evaluation, const Axes& axes, const Names& systems, Output& output) {
  Plot plot;
  plot.file = "darsie-speed";
  plot.title = "Speed-up over the baseline";
  plot.y_label = "baseline = 1";
  plot.base = 1;
  const auto groups = groups_of(axes);
  for (const auto& [name, programs] : groups) plot.groups.push_back(name);
  for (const std::string& system : systems) {
    Plot::Series series;
    series.name = system;
    for (const auto& [name, programs] : groups) {
      series.add(evaluation.ratio(programs, darsie::baseline_of(system), system, darsie::cycles()),
                 darsie::published::value(darsie::published::kSpeed, name, system));
    }
    plot.series.push_back(std::move(series));
  }
  limit_series(plot, {darsie::kDarsie, darsie::kUv, darsie::kDac, darsie::kNoSync, darsie::kSiliconSync});
  if (!plot.series.empty()) output.plot(plot);
}

/// Systems in the picture. Every other system differs from one of these by a few per cent.
constexpr const char* kPictured[] = {darsie::kDarsie, darsie::kUv, darsie::kDac, darsie::kNoSync, darsie::kSiliconSync};

/// Returns whether the system skips instructions that the baseline executes: it has the block, or models a system that
/// the block is compared with.
bool leaves_out(const std::string& system) {
  const Names& keys = find_darsie_system(first_word(system))->keys;
  return first_word(system) != darsie::kSiliconSync &&
         std::find(keys.begin(), keys.end(), "blocks.darsie.enable=1") != keys.end();
}

void systems(const Evaluation& evaluation, const Axes& axes, Output& output) {
  const Names columns = comparable(evaluation, axes);
  if (columns.empty()) return;
  output.heading("Against the baseline");
  Table table;
  table.head = {"system", "what it is", "keys"};
  Names known;
  for (const std::string& column : axes.systems) once(known, first_word(column));
  for (const std::string& name : known) {
    const DarsieSystem& system = *find_darsie_system(name);
    std::string keys;
    for (const std::string& key : system.keys) keys += (keys.empty() ? "" : ", ") + key;
    table.rows.push_back({name, system.description, keys});
  }
  output.table(table);
  output.table(
      by_program("Speed-up over the baseline", axes, columns, [&](const Names& programs, const std::string& system) {
        return with_spread(evaluation.ratio(programs, darsie::baseline_of(system), system, darsie::cycles()), 3);
      }));
  const auto fewer = [&](const std::string& title, const Names& some, const Figure& figure) {
    output.table(by_program(title, axes, some, [&](const Names& programs, const std::string& system) {
      return with_spread(percent_of(evaluation.ratio(programs, system, darsie::baseline_of(system), figure), true), 1);
    }));
  };
  Names leaner;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(leaner), leaves_out);
  if (!leaner.empty()) fewer("Warp instructions that are not executed, %", leaner, darsie::executed());

  Names shown;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(shown), [](const std::string& system) {
    return std::find(std::begin(kPictured), std::end(kPictured), first_word(system)) != std::end(kPictured);
  });
  speed_bars(evaluation, axes, shown, output);
}

void classes(const Evaluation& evaluation, const Axes& axes, Output& output) {
  for (const std::string& system : axes.skipping) {
    const std::string base = darsie::baseline_of(system);
    if (first_word(system) != darsie::kDarsie || evaluation.with_runs(axes.programs, base).empty()) continue;
    const std::vector<std::pair<std::string, Figure>> figures = {
        {"all", darsie::executed()},
        {"arithmetic", darsie::arithmetic()},
        {"shared loads", darsie::shared_loads()},
        {"global loads", darsie::global_loads()},
        {"parameter, constant loads", darsie::count("class_load_constant")},
        {"fetches", darsie::count("fetches")}};
    Names columns;
    for (const auto& [name, figure] : figures) columns.push_back(name);
    Table table = by_program(
        "Fewer with " + system + ", %", axes, columns, [&](const Names& programs, const std::string& column) {
          const auto found =
              std::find_if(figures.begin(), figures.end(), [&](const auto& one) { return one.first == column; });
          return with_spread(percent_of(evaluation.ratio(programs, system, base, found->second), true), 1);
        });
    table.head.emplace_back("bound");
    for (auto& row : table.rows) {
      const darsie::Program* const program = darsie::find_program(row[0]);
      row.push_back(program == nullptr ? "" : fixed(100 * (1 - 1.0 / program->warps), 1));
    }
    output.table(table);
    if (system != darsie::kDarsie) continue;
    Plot plot;
    plot.file = "darsie-fewer";
    plot.title = "Instructions that are not executed";
    plot.y_label = "% of the class";
    plot.percent = true;
    const auto groups = groups_of(axes);
    for (const auto& [group, programs] : groups) plot.groups.push_back(group);
    for (const auto& [name, figure] : figures) {
      if (name == "fetches" || name == "parameter, constant loads") continue;
      Plot::Series series;
      series.name = name;
      for (const auto& [group, programs] : groups) {
        series.add(percent_of(evaluation.ratio(programs, system, base, figure), true),
                   darsie::published::value(darsie::published::kFewer, group, name));
      }
      plot.series.push_back(std::move(series));
    }
    output.plot(plot);
  }
}

// Reports the block's activity per 1000 instructions of the baseline.
void inside(const Evaluation& evaluation, const Axes& axes, Output& output) {
  const Names counters = {"leads",        "releads",    "late_latches", "squash_second", "sync_points",
                          "priv_noelect", "priv_alone", "meetings",     "leavers",       "joins",
                          "copies",       "load_drops", "evictions"};
  for (const std::string& system : axes.skipping) {
    if (first_word(system) != darsie::kDarsie) continue;
    output.table(by_program("Events of " + system + ", per 1000 warp instructions that it executes", axes, counters,
                            [&](const Names& programs, const std::string& counter) {
                              const auto mean = evaluation.mean(
                                  programs, system,
                                  darsie::quotient(darsie::count("darsie_" + counter), darsie::executed()));
                              return mean ? fixed(1000 * *mean, 2) : std::string();
                            }));
    const std::vector<std::pair<std::string, const char*>> waits = {{"for a leader", "darsie_wait_wb"},
                                                                    {"for the majority", "darsie_wait_stop"},
                                                                    {"for copies", "darsie_wait_copy"}};
    Names columns;
    for (const auto& [name, counter] : waits) columns.push_back(name);
    output.table(by_program("Waiting of warps with " + system + ", % of their time", axes, columns,
                            [&](const Names& programs, const std::string& column) {
                              const auto found = std::find_if(waits.begin(), waits.end(),
                                                              [&](const auto& one) { return one.first == column; });
                              const auto mean = evaluation.mean(
                                  programs, system,
                                  darsie::quotient(darsie::count(found->second), darsie::count("occupancy_warps_sum")));
                              return mean ? fixed(100 * *mean, 1) : std::string();
                            }));
  }
}

void limit(const Evaluation& evaluation, const Axes& axes, Output& output) {
  if (evaluation.with_runs(axes.programs, darsie::kLimit).empty()) return;
  const std::vector<std::pair<std::string, const char*>> shares = {
      {"uniform", "limit_uniform"},    {"affine", "limit_affine"}, {"unstructured", "limit_unstructured"},
      {"thread block", "limit_block"}, {"grid", "limit_grid"},     {"warp", "limit_warp"},
      {"removable", "limit_removable"}};
  Names columns;
  for (const auto& [name, counter] : shares) columns.push_back(name);
  const auto share = [&](const Names& programs, const char* of) {
    return evaluation.mean(programs, darsie::kLimit,
                           darsie::quotient(darsie::count(of), darsie::count("limit_instructions")));
  };
  output.heading("Limit study");
  Table table = by_program(
      "Redundant warp instructions, % of all", axes, columns, [&](const Names& programs, const std::string& column) {
        const auto found =
            std::find_if(shares.begin(), shares.end(), [&](const auto& one) { return one.first == column; });
        const auto mean = share(programs, found->second);
        return mean ? fixed(100 * *mean, 1) : std::string();
      });
  table.note =
      "Uniform, affine and unstructured add up to thread block; grid and warp are counted apart. Removable: all but "
      "one "
      "execution in each thread block.";
  output.table(table);
  Plot plot;
  plot.file = "darsie-limit";
  plot.title = "Redundant warp instructions";
  plot.y_label = "% of all";
  plot.percent = true;
  plot.groups = axes.programs;
  plot.groups.emplace_back("mean");
  for (const auto& [name, counter] : shares) {
    if (name == "removable") continue;
    Plot::Series series;
    series.name = name;
    for (const std::string& group : plot.groups) {
      const Names some = group == "mean" ? both_of(axes) : Names{group};
      const auto value = share(some, counter);
      series.values.push_back(value ? 100 * *value : std::nan(""));
      series.source.push_back(darsie::published::value(darsie::published::kRedundant, group, name));
    }
    plot.series.push_back(std::move(series));
  }
  output.plot(plot);
}

void energies(const Evaluation& evaluation, const Axes& axes, const darsie::EnergyTable& energy, Output& output) {
  const Names columns = comparable(evaluation, axes);
  const Figure total = darsie::total_energy(energy);
  if (columns.empty() || !evaluation.mean(axes.programs, darsie::kBaseline, total)) return;
  output.heading("Energy");
  Table table;
  table.title = "Energy of events";
  table.head = {"event", "pJ", "source"};
  for (const darsie::EventEnergy& event : energy.events) {
    table.rows.push_back({event.event, fixed(event.picojoules, 1), event.source});
  }
  table.rows.push_back({"static, W per SM", fixed(energy.static_watts_per_sm, 1), energy.static_source});
  output.table(table);
  const auto fewer = [&](const std::string& title, const Figure& figure) {
    output.table(by_program(title, axes, columns, [&](const Names& programs, const std::string& system) {
      return with_spread(percent_of(evaluation.ratio(programs, system, darsie::baseline_of(system), figure), true), 1);
    }));
  };
  fewer("Less energy than the baseline, %", total);
  fewer("Less dynamic energy than the baseline, %", darsie::dynamic_energy(energy));
  if (evaluation.with_runs(axes.programs, darsie::kDarsie).empty()) return;
  output.table(by_program("Parts, %", axes, {"static part of the baseline", "the block's of dynamic energy"},
                          [&](const Names& programs, const std::string& column) {
                            const bool block = column[0] == 't';
                            const auto mean =
                                block ? evaluation.mean(programs, darsie::kDarsie, darsie::overhead_share(energy))
                                      : evaluation.mean(programs, darsie::kBaseline,
                                                        darsie::quotient(darsie::dynamic_energy(energy), total));
                            if (!mean) return std::string();
                            return fixed(100 * (block ? *mean : 1 - *mean), block ? 2 : 1);
                          }));
}

}  // namespace

bool report_darsie(const std::vector<Run>& runs, const darsie::EnergyTable& energy, Output& output) {
  Evaluation evaluation;
  const Axes axes = collect(runs, evaluation);
  inputs(evaluation, axes, output);
  limit(evaluation, axes, output);
  systems(evaluation, axes, output);
  classes(evaluation, axes, output);
  inside(evaluation, axes, output);
  energies(evaluation, axes, energy, output);
  output.heading("Claims, DARSIE (Yeh 2020, chapters 4 and 7)");
  return report_claims(darsie::judge(evaluation, energy, axes.skipping), {}, output);
}

}  // namespace castor::platforms::experiments::darsie
