#pragma once

#include "castor/laperm/ports.h"

namespace castor::laperm {

/// Idle edges of the verilated block without a clock: there are no timers, and the rotation stands while nothing waits,
/// so nothing has to be set. They must be quiet (Block::quiet). `Top` is what Verilator makes of castor_laperm_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::laperm
