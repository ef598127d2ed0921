#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"
#include "workloads/children/figures.h"

namespace castor::platforms::experiments {

/// All runs. Systems carry a variation behind their name: "cdp table.entries=64".
struct ChildRuns {
  using Names = std::vector<std::string>;

  const ChildSystems* known;
  workloads::Evaluation evaluation;
  workloads::children::Path path;
  Names programs, systems;  ///< in the order of the tables
  Names unbalanced;         ///< what got lost, with names of runs
  Names unequal;            ///< results other than those of the same input on another system

  /// Of the name without its variation.
  [[nodiscard]] const ChildSystem& system(const std::string& name) const;
  /// Systems that launch.
  [[nodiscard]] Names launching() const;
  /// Of these, those whose flat form was run too.
  [[nodiscard]] Names comparable() const;
};
[[nodiscard]] ChildRuns collect_children(const std::vector<Run>& runs, const ChildSystems& known);

/// Programs in rows, systems in columns, the mean at the end.
using ChildCell = std::function<std::string(const std::vector<std::string>& programs, const std::string& system)>;
[[nodiscard]] Table by_program(const std::string& title, const ChildRuns& runs, const std::vector<std::string>& columns,
                               const ChildCell& cell);
/// A figure of every system, or of every one that launches.
void report_figure(const ChildRuns& runs, const std::string& title, const workloads::Figure& figure, bool with_launches,
                   int digits, double scale, Output& output);

void report_inputs(const ChildRuns& runs, Output& output);
void report_systems(const ChildRuns& runs, Output& output);
/// What the source has of a workload, or of their "mean"; NaN if it says nothing.
using SourceSpeed = std::function<double(const std::string& group, const std::string& system)>;
/// The picture is `prefix`-speed.
void report_speed(const ChildRuns& runs, const std::string& prefix, const SourceSpeed& source, Output& output);
/// Instructions and memory. The picture is `prefix`-activity.
void report_machine(const ChildRuns& runs, const std::string& prefix, Output& output);

}  // namespace castor::platforms::experiments
