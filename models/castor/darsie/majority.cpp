#include "castor/darsie/majority.h"

#include "castor/darsie/masks.h"
#include "castor/darsie/rows.h"

namespace castor::darsie {

void Majority::leave(const Edge& edge, WarpMask warps) {
  edge.counters.leavers += count_bits(warps & edge.state.maj);
  edge.state.maj &= ~warps;
  edge.state.cpy |= warps;
}

void Majority::step_completion(const Edge& edge, SkipTables& tables) const {
  State& state = edge.state;
  const Before& before = edge.before;
  const unsigned t = first_from(complete_, state.rrt);
  const WarpMask met = before.maj & edge.warps[t];
  state.rrt = static_cast<U8>(t + 1 == edge.params.NumTbs ? 0 : t + 1);
  state.stop &= ~met;
  if (has(before.sync, t)) {
    state.sync &= ~tb_bit(t);
    state.synced |= tb_bit(t);
    return;
  }
  const WarpMask taken = met & before.tk, straight = met & ~before.tk;
  const U64 more = count_bits(taken), less = count_bits(straight);
  const bool keep_taken = more > less || (more == less && has(taken, lowest(met)));
  leave(edge, keep_taken ? straight : taken);
  tables.end_region(state, t, edge.warps[t]);
  ++edge.counters.meetings;
}

void Majority::step_branches(const Edge& edge) {
  State& state = edge.state;
  const WarpMask warps = edge.in.br & edge.before.maj;
  state.stop |= warps;
  state.tk = (state.tk & ~warps) | (edge.in.br_taken & warps);
}

void Majority::step_leaves(const Edge& edge) {
  State& state = edge.state;
  const WarpMask warps = edge.in.leave & edge.before.maj;
  leave(edge, warps);
  clear_pending(state, warps);
  state.lat &= ~warps;
  state.miss &= ~warps;
  state.stop &= ~warps;
}

void Majority::step_barriers(const Edge& edge, SkipTables& tables) {
  State& state = edge.state;
  const Before& before = edge.before;
  for_each_bit(edge.in.bar & before.en, [&](unsigned t) {
    const WarpMask all = edge.warps[t];
    const WarpMask join = edge.in.bar_join & all & ~before.cpy;
    edge.counters.joins += count_bits(join & ~before.maj);
    leave(edge, before.maj & all & ~join);
    state.maj = (state.maj & ~all) | join;
    clear_pending(state, all);
    state.stop &= ~all;
    state.lat &= ~all;
    state.sync &= ~tb_bit(t);
    tables.end_region(state, t, all);
  });
}

void Majority::end_edge(const Edge& edge) {
  const State& state = edge.state;
  if (state.stop == edge.before.stop && state.maj == edge.before.maj) return;
  complete_ = 0;
  for (WarpMask left = state.maj & state.stop; left != 0;) {
    const WarpMask warps = edge.warps[state.tb[lowest(left)]];
    if ((state.maj & warps & ~state.stop) == 0) complete_ |= tb_bit(state.tb[lowest(left)]);
    left &= ~warps;
  }
}

}  // namespace castor::darsie
