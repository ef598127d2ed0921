#pragma once

#include "castor/laperm/ports.h"

namespace castor::laperm {

/// Applies n idle cycles to the verilated block without clocking it; they must be quiet (Block::quiet). The block has
/// no timers, and its rotation stops while no item waits, so no register changes. `Top` is the class that Verilator
/// makes of castor_laperm_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::laperm
