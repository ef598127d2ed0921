#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/run_options.h"

namespace castor::runtime {

/// What the processes below one `castor run` leave for it: who opened a device, and which files it writes. A run may
/// start several programs, one after the other or at once, as scripts and makefiles do; each is to have files of its
/// own.
///
/// It lies in memory of the outermost `castor run` and is found by the environment (CASTOR_RUN), so descriptors that
/// are closed on the way do not matter, and nothing is left when a process is killed. A process that cannot reach it
/// goes on without: its files then have the names that were asked for.
class RunRecord {
 public:
  struct Process {
    long pid = 0;
    std::string program;
    std::vector<std::string> files;  ///< report, timeline, waves that it writes, in this order; those it was asked for
  };

  /// Begins a record, or goes on with the one around it, and names it to the processes that are started from now on.
  RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;
  ~RunRecord();
  /// Processes that have opened a device since then.
  [[nodiscard]] std::vector<Process> opened() const;

  /// For a process that is about to open a device: enters it into the record around it, if there is one. A file that an
  /// earlier process of the run has claimed gets a number in front of its ending: r.json, r.2.json, r.3.json. What lies
  /// below /dev is shared.
  static void claim(RunOptions& options);

 private:
  int memory_ = -1;        ///< ours, if there was none
  std::size_t begin_ = 0;  ///< bytes of the record that are older
};

}  // namespace castor::runtime
