#pragma once

#include "castor/dtbl/ports.h"

namespace castor::dtbl {

/// Applies n idle cycles to the verilated block without clocking it; they must be quiet (Block::quiet). The block has
/// no timers, so no register changes. `Top` is the class that Verilator makes of castor_dtbl_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_dispatch_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::dtbl
