#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/run_options.h"

namespace castor::runtime {

/// Record of the processes started by one `castor run`: the processes that opened a device, and the files that each
/// writes. A run may start several programs, one after the other or at once, as scripts and makefiles do. Each process
/// gets files of its own.
///
/// The record is an in-memory file of the outermost `castor run`. Processes find it by the environment variable
/// CASTOR_RUN, so they need no inherited descriptor, and nothing is left behind when a process is killed. A process
/// that cannot open the record runs without it: its files then keep the requested names.
class RunRecord {
 public:
  /// Process of the run that opened a device.
  struct Process {
    long pid = 0;
    std::string program;
    std::vector<std::string> files;  ///< requested report, timeline and waves that the process writes, in this order
  };

  /// Begins a record, or continues the record of the enclosing run. Processes started from now on find the record by
  /// their environment.
  RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;
  ~RunRecord();
  /// Returns the processes that have opened a device since this object was created.
  [[nodiscard]] std::vector<Process> opened() const;

  /// Enters this process into the enclosing run's record, if there is one; called before the process opens a device. If
  /// an earlier process of the run has claimed a file, the name gets a number in front of its extension: r.json,
  /// r.2.json, r.3.json. Files below /dev are shared.
  static void claim(RunOptions& options);

 private:
  int memory_ = -1;        ///< descriptor of the in-memory file if this object created the record, else -1
  std::size_t begin_ = 0;  ///< size in bytes of the record when this object was created
};

}  // namespace castor::runtime
