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

/// All runs of an experiment. The name of a system includes its variation: "cdp table.entries=64".
struct ChildRuns {
  using Names = std::vector<std::string>;

  const ChildSystems* known;
  workloads::Evaluation evaluation;
  workloads::children::Path path;
  Names programs, systems;  ///< programs and systems of the runs, in the order of the tables
  Names unbalanced;         ///< names of runs and the losses that children::unbalanced found in them
  Names unequal;            ///< runs whose results differ from another system's results for the same input

  /// Returns the system of a name; the variation in the name is ignored.
  [[nodiscard]] const ChildSystem& system(const std::string& name) const;
  /// Returns the systems that launch from device code.
  [[nodiscard]] Names launching() const;
  /// Returns the launching systems whose flat form (without launches) was also run.
  [[nodiscard]] Names comparable() const;
};
/// Collects the results of all runs.
[[nodiscard]] ChildRuns collect_children(const std::vector<Run>& runs, const ChildSystems& known);

/// Text of a table's cell, for a program or for all programs of a mean.
using ChildCell = std::function<std::string(const std::vector<std::string>& programs, const std::string& system)>;
/// Returns a table with programs in rows, systems in columns, and the mean in the last row.
[[nodiscard]] Table by_program(const std::string& title, const ChildRuns& runs, const std::vector<std::string>& columns,
                               const ChildCell& cell);
/// Reports a figure of every system, or only of launching systems (`with_launches`).
void report_figure(const ChildRuns& runs, const std::string& title, const workloads::Figure& figure, bool with_launches,
                   int digits, double scale, Output& output);

/// Reports the programs and their inputs.
void report_inputs(const ChildRuns& runs, Output& output);
/// Reports the systems and their machine keys.
void report_systems(const ChildRuns& runs, Output& output);
/// Returns the speed-up that the source publishes for a workload or "mean"; NaN if it publishes none.
using SourceSpeed = std::function<double(const std::string& group, const std::string& system)>;
/// Reports the speed-ups over the flat form, with the picture `prefix`-speed.
void report_speed(const ChildRuns& runs, const std::string& prefix, const SourceSpeed& source, Output& output);
/// Reports figures of instructions and memory, with the picture `prefix`-activity.
void report_machine(const ChildRuns& runs, const std::string& prefix, Output& output);

}  // namespace castor::platforms::experiments
