#include "castor/darsie/errors.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

namespace {

[[nodiscard]] bool legal_retire(const View& view) {
  const unsigned t = view.in.retire_tb;
  return t < view.params.NumTbs && has(view.state.tl, t) && view.warps[t] == 0;
}

[[nodiscard]] bool legal_launch(const View& view) {
  const Inputs& in = view.in;
  const Params& params = view.params;
  const unsigned t = in.lnch_tb;
  if (t >= params.NumTbs) return false;
  const bool retires = in.retire_valid != 0 && in.retire_tb == t && legal_retire(view);
  return (retires || !has(view.state.tl, t)) && in.lnch_warps != 0 && (in.lnch_warps & view.state.live) == 0 &&
         (in.lnch_full & ~in.lnch_warps) == 0 && in.lnch_rows <= params.NumRows && in.lnch_slots <= params.NumSlots;
}

}  // namespace

U8 errors_of(const View& view) {
  const Inputs& in = view.in;
  const State& state = view.state;
  const WarpMask busy = state.stop | state.lat | state.cpy;
  U8 errors = 0;
  const auto raise = [&errors](Error error, bool condition) {
    if (condition) errors |= error;
  };
  raise(kErrorLaunch, in.lnch_valid != 0 && !legal_launch(view));
  raise(kErrorRetire, in.retire_valid != 0 && !legal_retire(view));
  for_each_bit(in.wb_valid, [&](unsigned p) {
    const unsigned t = in.wb_tb[p], k = in.wb_tag[p];
    raise(kErrorWb, t >= view.params.NumTbs || k >= view.params.NumRows || has(state.tbs[t].wb, k));
  });
  if (in.d_valid != 0) {
    const unsigned w = in.d_warp;
    raise(kErrorWarp, !has(state.live, w));
    raise(kErrorState, has(state.live & busy, w));
    if (w < view.params.NumWarps) {
      for_each_bit(in.d_valid, [&](unsigned s) {
        const bool no_registers = in.d_ndst[s] == 0 || in.d_ndst[s] == 3;
        raise(kErrorMark, in.d_mark[s] == 3 || (in.d_mark[s] != 0 && no_registers));
      });
    }
  }
  for_each_bit(in.i_valid, [&](unsigned p) { raise(kErrorWarp, !has(state.live, in.i_warp[p])); });
  raise(kErrorWarp, (in.exit & ~state.live) != 0);
  raise(kErrorState, (in.exit & state.live & busy) != 0);
  for_each_bit(in.bar & state.en, [&](unsigned t) {
    raise(kErrorBar, (view.warps[t] & (state.stop | state.lat)) != 0);
    for_each_bit(view.warps[t], [&](unsigned w) { raise(kErrorBar, state.versions[w].pend != 0); });
  });
  raise(kErrorAck, in.cp_ack != 0 && state.cpv == 0);
  return errors;
}

}  // namespace castor::darsie
