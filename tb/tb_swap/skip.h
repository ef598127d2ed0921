#pragma once

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// Applies n idle cycles to the verilated block without clocking it; they must be quiet (Block::quiet). The block has
/// no timers, so no register changes. `Top` is the class that Verilator makes of castor_tb_swap_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_stopped_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::tb_swap
