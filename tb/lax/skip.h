#pragma once

#include <algorithm>
#include <type_traits>

#include "castor/lax/ports.h"

namespace castor::lax {

/// Advances the verilated engine by idle cycles without clocking it, and returns their number. The number is n rounded
/// down to whole passes of the selection. After whole passes only the two timers and the rest counter differ. The
/// engine must be quiet for n cycles (Block::quiet). `Top` is the class that Verilator makes of castor_lax_probe with
/// public timers (tb/lax/lax.vlt).
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& probes, const Params& params)
    -> decltype(top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__utmr_q, base::Cycle{}) {
  const base::Cycle whole = n - n % params.groups();
  if (probes.enable != 0) {
    top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__utmr_q += static_cast<U32>(whole);
    top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__ptmr_q += static_cast<U32>(whole);
  }
  auto& rest = top.rootp->castor_lax_probe__DOT__rest_q;
  rest = static_cast<std::remove_reference_t<decltype(rest)>>(std::min<base::Cycle>(rest + whole, kMostIdle));
  return whole;
}

}  // namespace castor::lax
