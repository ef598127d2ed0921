#include "castor/twin/mismatch.h"

namespace castor::twin {

std::string Mismatch::text() const {
  std::string text = block + ": model and RTL differ in cycle " + std::to_string(cycle) + ": " + field + " is " +
                     expected + " in the model and " + actual + " in the RTL (seed " + std::to_string(seed) + "; " +
                     params + ")";
  for (const std::string& file : waves) {
    text += "\n  waves:  " + file + ", cycles " + std::to_string(first) + " to " + std::to_string(cycle);
  }
  if (waves.size() == 1) text += "\n  look:   castor wave " + waves[0] + " --view  (how to open it in GTKWave)";
  if (!no_waves.empty()) text += "\n  no waves: " + no_waves;
  if (!replay.empty()) text += "\n  replay: " + replay;
  return text;
}

}  // namespace castor::twin
