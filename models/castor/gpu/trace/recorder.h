#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/trace/progress.h"
#include "castor/gpu/trace/recording.h"
#include "castor/gpu/trace/timeline.h"
#include "castor/gpu/trace/wave_file.h"

namespace castor::gpu {

class Gpu;

/// Timeline, waves and progress line of one GPU (docs/guides/looking.md): owns them, connects them with the units, and
/// tells them when to look. It changes nothing: statistics are those of a run without it.
///
/// Use: make it, give `observer()` to the GPU's options, `attach` the GPU, end with `close`; it must live as long as
/// the GPU. Files can be opened at any moment, whatever ends the process. One that cannot be written further is given
/// up and named by `take_errors`; the run goes on.
class TraceRecorder {
 public:
  /// Opens the files. Errors: InputError for a path that cannot be written, and for a window that ends before it
  /// starts.
  TraceRecorder(const Recording& recording, const Machine& machine);
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;
  ~TraceRecorder();

  /// To be told what happens; null if nobody wants to know.
  [[nodiscard]] Observer* observer() { return timeline_.get(); }
  /// Declares the counters and signals of `gpu`, which calls `begin` and `end` from now on and must live until `close`.
  /// Errors: InputError for a pattern that matches no instance.
  void attach(Gpu& gpu);

  /// Cycle `cycle` is about to run, all before it have run or were slept through: takes the samples that lie there.
  void begin(Cycle cycle) {
    if (cycle >= next_look_) look(cycle);
  }
  /// Cycle `cycle` has run.
  void end(Cycle cycle) {
    if (cycle >= next_wave_) sample_waves(cycle);
    if (progress_.due()) show_progress(cycle);
  }
  /// Takes the progress line away, for other output on the terminal.
  void clear_progress() { progress_.clear(); }

  /// Writes what is under way as of the start of cycle `now` and closes the files. Later calls do nothing.
  void close(Cycle now);
  /// What went wrong with files that could not be written to their end, one line each; each is told once.
  [[nodiscard]] std::vector<std::string> take_errors();

 private:
  void look(Cycle cycle);
  void sample_counters(Cycle cycle);
  void sample_waves(Cycle cycle);
  void close_waves(Cycle cycle);
  void plan();
  void show_progress(Cycle cycle);
  void add_counters();

  const Cycle window_, wave_from_, wave_to_;
  Gpu* gpu_ = nullptr;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<WaveFile> waves_;
  Progress progress_;
  Cycle next_sample_ = kForever;  ///< of the timeline's counters
  Cycle next_wave_ = kForever;    ///< first cycle whose waves are wanted
  Cycle next_look_ = kForever;    ///< before this cycle something must be done
  bool waves_begun_ = false, errors_told_ = false;
};

}  // namespace castor::gpu
