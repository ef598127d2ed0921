#pragma once

#include "castor/saws/ports.h"

namespace castor::saws {

/// Idle edges of the verilated schedulers without a clock: there are no timers, so nothing has to be set. They must be
/// quiet (Block::quiet). `Top` is what Verilator makes of castor_saws_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::saws
