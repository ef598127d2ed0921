#pragma once

#include <CLI/CLI.hpp>

#include "tb/common/cosim.h"

namespace castor::tb {

/// The options of `castor cosim <block>` and of castor_cosim_<block>. `request` must outlive the parsing.
inline void add_cosim_options(CLI::App& app, CosimRequest& request) {
  app.add_option("--params", request.params, "Parameter set (rtl/<block>/parameter_sets.json)")->capture_default_str();
  app.add_option("--cycles", request.cycles, "Clock cycles")->capture_default_str();
  app.add_option("--seed", request.seed, "Seed of stimulus and power-up values")->capture_default_str();
  app.add_option("--sequence", request.sequence, "How the block is driven (default: the block's first)");
  app.add_option("--engine", request.engine, "model, rtl or lockstep")->capture_default_str();
  app.add_flag("!--no-skip", request.skip, "Clock idle stretches too");
  app.add_option("--wave", request.wave, "VCD of model and RTL: ports and probes");
  app.add_option("--wave-depth", request.wave_depth,
                 "Levels of modules inside the RTL that it shows too: 1 the block's own signals, 99 all (slow)")
      ->capture_default_str();
  app.add_option("--wave-from", request.wave_from, "First cycle of the waves");
  app.add_option("--wave-to", request.wave_to, "Cycle behind the last one of the waves");
  app.add_option("--dump", request.dump,
                 "A mismatch leaves its last cycles in <this>.vcd (default: <block>-<params>-<seed>)");
  app.add_option("--coverage", request.coverage, "Counts of lines and toggles, from castor_cosim_<block>_coverage");
  app.add_option("--json", request.json, "Result as JSON");
  app.add_flag("--all", request.all, "Every parameter set with every sequence")->excludes("--wave")->excludes("--json");
  app.add_flag("--cover", request.cover, "Print every cover point");
}

}  // namespace castor::tb
