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

/// Recordings of one GPU: timeline, waveforms and progress line (docs/guides/looking.md). The object owns the
/// recordings, connects them to the units, and triggers their samples. It does not change the simulation: statistics
/// equal those of a run without recordings.
///
/// Use: create it, give `observer()` to the GPU's options, `attach` the GPU, and end with `close`. It must live as long
/// as the GPU. The files are valid at any time, even if the process is killed. A file that can no longer be written is
/// abandoned and reported by `take_errors`; the run continues.
class TraceRecorder {
 public:
  /// Opens the files. Errors: InputError for a path that cannot be written, and for a window that ends before it
  /// starts.
  TraceRecorder(const Recording& recording, const Machine& machine);
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;
  ~TraceRecorder();

  /// Returns the observer for the GPU's options; null if no recording needs events.
  [[nodiscard]] Observer* observer() { return timeline_.get(); }
  /// Declares the counters and signals of `gpu`, which calls `begin` and `end` from now on and must live until `close`.
  /// Errors: InputError for a pattern that matches no instance.
  void attach(Gpu& gpu);

  /// Takes the samples that are due before cycle `cycle`. All earlier cycles have run or were skipped.
  void begin(Cycle cycle) {
    if (cycle >= next_look_) look(cycle);
  }
  /// Takes the samples that are due after cycle `cycle`.
  void end(Cycle cycle) {
    if (cycle >= next_wave_) sample_waves(cycle);
    if (progress_.due()) show_progress(cycle);
  }
  /// Clears the progress line for other output on the terminal.
  void clear_progress() { progress_.clear(); }

  /// Writes unfinished items as of the start of cycle `now` and closes the files. Further calls do nothing.
  void close(Cycle now);
  /// Returns one line for each file that could not be completed. Each error is returned only once.
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
  Cycle next_sample_ = kForever;  ///< next sample of the timeline's counters
  Cycle next_wave_ = kForever;    ///< first cycle in which waveforms are sampled
  Cycle next_look_ = kForever;    ///< cycle before which `look` must run
  bool waves_begun_ = false, errors_reported_ = false;
};

}  // namespace castor::gpu
