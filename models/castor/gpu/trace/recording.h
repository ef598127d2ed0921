#pragma once

#include <string>
#include <vector>

#include "castor/base/time.h"

namespace castor::gpu {

/// Recordings of a run and their output paths. An empty path disables a recording.
struct Recording {
  std::string timeline;                                         ///< path of the timeline
  base::Cycle timeline_from = 0, timeline_to = base::kForever;  ///< first and last recorded cycle
  std::string waves;                                            ///< path of the waveform file
  std::vector<std::string> wave_scopes;  ///< patterns of instance names, see WaveFile; empty = all instances
  base::Cycle wave_from = 0, wave_to = base::kForever;  ///< first and last recorded cycle
  bool progress = false;                                ///< a progress line on stderr, if that is a terminal

  /// Returns whether any file is to be written.
  [[nodiscard]] bool files() const { return !timeline.empty() || !waves.empty(); }
};

}  // namespace castor::gpu
