#pragma once

#include "castor/dtbl/ports.h"

namespace castor::dtbl {

/// Idle edges of the verilated block without a clock: there are no timers, so nothing has to be set. They must be quiet
/// (Block::quiet). `Top` is what Verilator makes of castor_dtbl_probe.
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& /*probes*/, const Params& /*params*/)
    -> decltype(top.probe_dispatch_error_o, base::Cycle{}) {
  return n;
}

}  // namespace castor::dtbl
