#include "castor/darsie/waits.h"

#include <array>

#include "castor/darsie/masks.h"

namespace castor::darsie {

void wait_for(State& state, WarpMask warps, unsigned tb, const Tags& tags, bool load, bool global) {
  const U32 written = state.tbs[tb].wb;
  state.lat |= warps;
  assign(state.two, warps, tags.two);
  assign(state.lr0, warps, has(written, tags.row[0]));
  assign(state.lr1, warps, tags.two && has(written, tags.row[1]));
  assign(state.lld, warps, load);
  assign(state.lgl, warps, global);
  for_each_bit(warps, [&](unsigned w) {
    state.lt0[w] = tags.row[0];
    state.lt1[w] = tags.row[1];
  });
}

void step_write_backs(const Edge& edge) {
  const Inputs& in = edge.in;
  State& state = edge.state;
  std::array<U8, 16> tb, row;
  unsigned good = 0;
  for_each_bit(in.wb_valid, [&](unsigned p) {
    const unsigned t = in.wb_tb[p], k = in.wb_tag[p];
    if (t >= edge.params.NumTbs || k >= edge.params.NumRows || has(state.tbs[t].wb, k)) return;
    tb[good] = static_cast<U8>(t);
    row[good++] = static_cast<U8>(k);
  });
  for (unsigned i = 0; i < good; ++i) {
    state.tbs[tb[i]].wb |= row_bit(row[i]);
    for_each_bit(state.lat & edge.warps[tb[i]], [&](unsigned w) {
      if (state.lt0[w] == row[i]) state.lr0 |= warp_bit(w);
      if (has(state.two, w) && state.lt1[w] == row[i]) state.lr1 |= warp_bit(w);
    });
  }
}

void step_drop(const Edge& edge) {
  State& state = edge.state;
  WarpMask stored = 0;
  if (edge.params.StoreInv != 0) for_each_bit(edge.in.ev_store, [&](unsigned t) { stored |= edge.warps[t]; });
  WarpMask stale = state.lld & stored;
  if (edge.in.ev_global != 0) stale |= state.lgl;
  stale &= state.lat;
  edge.counters.load_drops += count_bits(stale);
  state.lat &= ~stale;
}

void WaitingWarps::end_edge(const State& state) {
  wb_ = count_bits(state.lat);
  stop_ = count_bits(state.stop);
  copy_ = count_bits(state.cpy);
}

}  // namespace castor::darsie
