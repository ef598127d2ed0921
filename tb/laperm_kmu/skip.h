#pragma once

#include "castor/laperm_kmu/ports.h"

namespace castor::laperm_kmu {

/// Idle edges of the verilated block without a clock: there are no timers, so nothing has to be set. They must be quiet
/// (Block::quiet). `Top` is what Verilator makes of castor_laperm_kmu_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_state_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::laperm_kmu
