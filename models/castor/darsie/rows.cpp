#include "castor/darsie/rows.h"

namespace castor::darsie {

void Rows::reset(const Params& params) {
  slot_rows_ = {};
  for (auto& rows : slot_rows_) rows[0] = static_cast<U32>(twin::mask(params.NumRows));
  lingering_ = touched_ = 0;
  renumbering_ = {};
}

void Rows::change_ref(State& state, unsigned warp, U32 ref) {
  if (!has(touched_, warp)) {
    touched_ |= warp_bit(warp);
    ref_before_[warp] = state.versions[warp].ref;
  }
  state.versions[warp].ref = ref;
}

void Rows::pass(State& state, WarpMask warps, unsigned tb, const Tags& tags) {
  const TbState& rows = state.tbs[tb];
  const U32 taken = tags.mask();
  U32 dropped = slot_rows_[tb][rows.slot[tags.row[0]]];
  if (tags.two) dropped |= slot_rows_[tb][rows.slot[tags.row[1]]];
  for_each_bit(warps, [&](unsigned w) {
    state.versions[w].pend &= ~taken;
    change_ref(state, w, (state.versions[w].ref & ~dropped) | taken);
  });
}

void Rows::launch(State& state, WarpMask warps) {
  lingering_ &= ~warps;
  for_each_bit(warps, [&state](unsigned w) { state.versions[w] = {}; });
}

void Rows::step_issue(const Edge& edge) {
  const Inputs& in = edge.in;
  State& state = edge.state;
  for_each_bit(in.i_valid, [&](unsigned p) {
    const unsigned w = in.i_warp[p];
    if (!has(state.live, w)) return;
    const unsigned t = state.tb[w];
    const bool lead = has(in.i_lead, p);
    U32 dropped = 0, taken = 0;
    for (unsigned a = 0; a < 2; ++a) {
      if (!has(in.i_dv[p], a)) continue;
      dropped |= slot_rows_[t][in.i_dst[2 * p + a]];
      const unsigned tag = in.i_tag[2 * p + a];
      if (lead && tag < edge.params.NumRows) taken |= row_bit(tag);
    }
    const U32 ref = (state.versions[w].ref & ~dropped) | taken;
    if (ref != state.versions[w].ref) change_ref(state, w, ref);
  });
}

void Rows::step_linger(const Edge& edge) {
  const WarpMask read = (edge.in.oc_idle | edge.in.exit) & edge.before.live;
  for_each_bit(lingering_ & read, [&edge](unsigned w) { edge.state.versions[w].ling = 0; });
  lingering_ &= ~read;
  for_each_bit(touched_ & edge.before.live & ~read, [this, &edge](unsigned w) {
    WarpVersions& versions = edge.state.versions[w];
    versions.ling |= ref_before_[w] & ~versions.ref;
    assign(lingering_, warp_bit(w), versions.ling != 0);
  });
  touched_ = 0;
}

void Rows::end_edge(State& state) {
  if (!renumbering_.valid) return;
  TbState& tb = state.tbs[renumbering_.tb];
  auto& slot_rows = slot_rows_[renumbering_.tb];
  for (unsigned a = 0; a < (renumbering_.rows.two ? 2U : 1U); ++a) {
    const unsigned row = renumbering_.rows.row[a];
    slot_rows[tb.slot[row]] &= ~row_bit(row);
    slot_rows[renumbering_.slot[a]] |= row_bit(row);
    tb.slot[row] = renumbering_.slot[a];
    tb.seq[row] = renumbering_.seq;
  }
  renumbering_.valid = false;
}

}  // namespace castor::darsie
