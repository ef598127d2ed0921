#include "castor/darsie/copies.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

Copies find_copies(const State& state) {
  Copies copies;
  for_each_bit(state.cpy, [&](unsigned w) {
    const U32 ref = state.versions[w].ref;
    if (ref == 0) copies.done |= warp_bit(w);
    const U32 written = ref & state.tbs[state.tb[w]].wb;
    if (copies.found || written == 0) return;
    copies.found = true;
    copies.warp = static_cast<U8>(w);
    copies.row = static_cast<U8>(lowest(written));
  });
  return copies;
}

void step_copies(const Edge& edge, const Copies& copies, Rows& rows) {
  State& state = edge.state;
  if (state.cpv != 0) {
    if (edge.in.cp_ack != 0) {
      rows.change_ref(state, state.cpw, state.versions[state.cpw].ref & ~row_bit(state.cpk));
      state.cpv = 0;
      ++edge.counters.copies;
    }
  } else if (copies.found) {
    state.cpv = 1;
    state.cpw = copies.warp;
    state.cpk = copies.row;
  }
  state.cpy &= ~copies.done;
}

void show_copy(const Params& params, const State& state, Outputs& out) {
  out.cp_valid = state.cpv;
  out.cp_warp = 0;
  out.cp_row = 0;
  out.cp_slot = 0;
  if (state.cpv == 0) return;
  const TbState& tb = state.tbs[state.tb[state.cpw]];
  out.cp_warp = state.cpw;
  out.cp_row = static_cast<U16>((tb.base + state.cpk) & twin::mask(params.RowW));
  out.cp_slot = tb.slot[state.cpk];
}

}  // namespace castor::darsie
