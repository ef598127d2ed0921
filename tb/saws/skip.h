#pragma once

#include "castor/saws/ports.h"

namespace castor::saws {

/// Applies n idle cycles to the verilated schedulers without clocking them; they must be quiet (Block::quiet). The
/// block has no timers, so no register changes. `Top` is the class that Verilator makes of castor_saws_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::saws
