#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/kept_runs.h"

namespace castor::platforms::experiments {

/// The page of an experiment, <docs>/<name>.md, with the folder <docs>/<name>/ of kept runs
/// (docs/guides/experiments.md, "Result pages").
class PageCommand {
 public:
  /// `docs`: the folder of pages; "": docs/results of the sources that this program was built from. Errors: InputError
  /// if there is none, or it cannot be read.
  PageCommand(Experiment& experiment, const std::string& docs);

  /// Keeps runs as the set, and writes the page. `command`: words behind "castor experiment". Errors: InputError, also
  /// if sources that can change results are not committed; in a folder that was named the commit ends with '+' then.
  bool record(const std::string& set, const std::vector<Run>& runs, const std::vector<std::string>& command);
  /// Fills the page and draws its pictures from the kept runs. False, and why on stderr, if the page asks for what the
  /// runs do not give or they break an invariant.
  bool write();
  /// The same without writing: false, with the first line that differs, if the page is not what the kept runs give.
  /// Says on stdout which runs were made of other sources than today's.
  bool check();
  /// Repeats the commands of all kept sets, each in a process; their runs go into `out`. False if one fails.
  bool again(const std::string& out, unsigned workers);

 private:
  class Filling;

  [[nodiscard]] std::string page_text() const;
  bool tell(const std::vector<std::string>& problems) const;
  void note_other_sources() const;

  Experiment& experiment_;
  bool elsewhere_;  ///< `docs` was named
  std::string docs_, page_file_;
  KeptRuns kept_;
};

}  // namespace castor::platforms::experiments
