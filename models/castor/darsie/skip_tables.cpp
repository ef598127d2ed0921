#include "castor/darsie/skip_tables.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

void SkipTables::set_valid(State& state, unsigned tb, WarpMask warps, unsigned valid) {
  state.tbs[tb].pv = static_cast<U16>(valid);
  assign(warps_, warps, valid != 0);
}

void SkipTables::insert(const Edge& edge, unsigned tb, U64 pc, const Tags& rows, unsigned kind) {
  TbState& table = edge.state.tbs[tb];
  const unsigned entry = table.ptr;
  const auto place = static_cast<U16>(1U << entry);
  if ((table.pv & place) != 0) ++edge.counters.evictions;
  table.pc[entry] = pc & twin::mask(edge.params.PcW);
  table.tags[entry] = rows;
  assign(table.pld, place, kind != 0);
  assign(table.pgl, place, kind >= 2);
  table.ptr = static_cast<U8>(entry + 1 == edge.params.NumPst ? 0 : entry + 1);
  set_valid(edge.state, tb, edge.warps[tb], table.pv | place);
}

void SkipTables::end_region(State& state, unsigned tb, WarpMask warps) {
  set_valid(state, tb, warps, 0);
  state.noel &= ~tb_bit(tb);
  state.synced &= ~tb_bit(tb);
}

void SkipTables::step_memory(const Edge& edge) {
  if (edge.params.StoreInv != 0) {
    for_each_bit(edge.in.ev_store, [this, &edge](unsigned t) {
      TbState& tb = edge.state.tbs[t];
      tb.inv |= tb.ld;
      set_valid(edge.state, t, edge.warps[t], tb.pv & ~tb.pld);
    });
  }
  if (edge.in.ev_global == 0) return;
  for_each_bit(edge.state.tl, [this, &edge](unsigned t) {
    TbState& tb = edge.state.tbs[t];
    tb.inv |= tb.gl;
    set_valid(edge.state, t, edge.warps[t], tb.pv & ~tb.pgl);
  });
}

}  // namespace castor::darsie
