#pragma once

#include <string>
#include <vector>

#include "castor/base/time.h"

namespace castor::gpu {

/// What of a run is written down while it goes on, and where to. An empty path: not at all.
struct Recording {
  std::string timeline;
  base::Cycle timeline_from = 0, timeline_to = base::kForever;  ///< first and last cycle
  std::string waves;
  std::vector<std::string> wave_scopes;  ///< patterns over instances, see WaveFile; none = all
  base::Cycle wave_from = 0, wave_to = base::kForever;
  bool progress = false;  ///< a line on stderr, if that is a terminal

  /// Whether a file is asked for.
  [[nodiscard]] bool files() const { return !timeline.empty() || !waves.empty(); }
};

}  // namespace castor::gpu
