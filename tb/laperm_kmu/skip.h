#pragma once

#include "castor/laperm_kmu/ports.h"

namespace castor::laperm_kmu {

/// Applies n idle cycles to the verilated block without clocking it; they must be quiet (Block::quiet). The block has
/// no timers, so no register changes. `Top` is the class that Verilator makes of castor_laperm_kmu_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_state_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::laperm_kmu
