#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/kept_runs.h"

namespace castor::platforms::experiments {

/// Commands on an experiment's page, <docs>/<name>.md, and on the folder <docs>/<name>/ with its stored runs
/// (docs/guides/experiments.md, "Result pages").
class PageCommand {
 public:
  /// `docs`: folder of the pages; if "", docs/results of the source tree of this program. Throws InputError if the page
  /// is missing or cannot be read.
  PageCommand(Experiment& experiment, const std::string& docs);

  /// Stores runs as the set, and writes the page. `command`: words after "castor experiment". Throws InputError if a
  /// file cannot be written, or if sources that can change results are not committed. In a folder that the user named,
  /// uncommitted sources only add '+' to the commit.
  bool record(const std::string& set, const std::vector<Run>& runs, const std::vector<std::string>& command);
  /// Fills the page and draws its pictures from the stored runs. Returns false, with the reason on stderr, if the page
  /// asks for tables that the runs do not provide, or if the runs break an invariant.
  bool write();
  /// Checks the page without writing. Returns false, with the first differing line, if the page does not match the
  /// stored runs. Reports on stdout the sets whose runs were made from other sources than the current ones.
  bool check();
  /// Repeats the commands of all stored sets, each in a process, with results in `out`. Returns false if a command
  /// fails.
  bool again(const std::string& out, unsigned workers);

 private:
  class Filling;

  [[nodiscard]] std::string page_text() const;
  bool tell(const std::vector<std::string>& problems) const;
  void note_other_sources() const;

  Experiment& experiment_;
  bool elsewhere_;  ///< true if the user named `docs`
  std::string docs_, page_file_;
  KeptRuns kept_;
};

}  // namespace castor::platforms::experiments
