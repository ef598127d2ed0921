#pragma once

#include <algorithm>
#include <type_traits>

#include "castor/lax/ports.h"

namespace castor::lax {

/// Moves the verilated engine on by as many of n idle edges as need no clock, and returns how many: whole passes of the
/// selection, after which only the two timers and the count of rest differ. It must be quiet for n edges
/// (Block::quiet). `Top` is what Verilator makes of castor_lax_probe with the timers public (tb/lax/lax.vlt).
template <class Top>
auto skip_idle(Top& top, base::Cycle n, const Probes& probes, const Params& params)
    -> decltype(top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__utmr_q, base::Cycle{}) {
  const base::Cycle whole = n - n % params.groups();
  if (probes.enable != 0) {
    top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__utmr_q += static_cast<U32>(whole);
    top.rootp->castor_lax_probe__DOT__u_dut__DOT__u_timers__DOT__ptmr_q += static_cast<U32>(whole);
  }
  auto& rest = top.rootp->castor_lax_probe__DOT__rest_q;
  rest = static_cast<std::remove_reference_t<decltype(rest)>>(std::min<base::Cycle>(rest + whole, kMostRest));
  return whole;
}

}  // namespace castor::lax
