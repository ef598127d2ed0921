#include "castor/darsie/groups.h"

#include "castor/darsie/masks.h"
#include "castor/darsie/waits.h"

namespace castor::darsie {

void Groups::reset() {
  ready_ = candidates_ = 0;
  count_ = 0;
}

WarpMask Groups::find_groups(const View& view, WarpMask rest) {
  const unsigned most = view.params.PstRd, begin = view.state.rrf;
  WarpMask skipping = 0;
  for (; rest != 0 && count_ < most; ++count_) {
    Group& group = groups_[count_];
    const unsigned first = first_from(rest, begin);
    group = {};
    group.first = static_cast<U8>(first);
    group.tb = view.state.tb[first];
    if (has(ready_, first)) {
      wake(view, first, rest & ready_, group);
    } else {
      probe(view, first, rest & ~ready_, group);
    }
    if (group.kind == Kind::kSkip) skipping |= group.warps;
    rest &= ~group.warps;
  }
  return skipping;
}

void Groups::wake(const View& view, unsigned first, WarpMask rest, Group& group) {
  const State& state = view.state;
  const U8 row = state.lt0[first];
  group.kind = Kind::kSkip;
  group.woken = true;
  group.tags.row[0] = row;
  group.tags.two = has(state.two, first);
  if (group.tags.two) group.tags.row[1] = state.lt1[first];
  WarpMask warps = 0;
  for_each_bit(rest & view.warps[group.tb], [&](unsigned w) {
    if (state.lt0[w] == row) warps |= warp_bit(w);
  });
  group.warps = warps;
}

void Groups::probe(const View& view, unsigned first, WarpMask rest, Group& group) {
  const WarpPcs& pcs = view.in.f_pc;
  const U64 pc = pcs[first];
  WarpMask warps = 0;
  for_each_bit(rest & view.warps[group.tb], [&](unsigned w) {
    if (pcs[w] == pc) warps |= warp_bit(w);
  });
  group.warps = warps;
  const TbState& tb = view.state.tbs[group.tb];
  for (U64 left = tb.pv; left != 0; left &= left - 1) {
    const unsigned entry = lowest(left);
    if (tb.pc[entry] != pc) continue;
    const Tags& tags = tb.tags[entry];
    if (!has(view.state.versions[first].pend, tags.row[0])) break;
    group.tags = tags;
    group.kind = (tags.mask() & ~tb.wb) == 0 ? Kind::kSkip : Kind::kLatch;
    group.load = has(tb.pld, entry);
    group.global = has(tb.pgl, entry);
    break;
  }
}

void Groups::skip(const Edge& edge, const Group& group, Rows& rows) {
  rows.pass(edge.state, group.warps, group.tb, group.tags);
  (group.woken ? edge.counters.skips_wake : edge.counters.skips_hit) += count_bits(group.warps);
  ++edge.counters.skip_groups;
}

void Groups::step(const Edge& edge, Rows& rows) {
  State& state = edge.state;
  WarpMask missed = 0, skipped = 0;
  for (unsigned g = 0; g < count_; ++g) {
    const Group& group = groups_[g];
    state.rrf = static_cast<U8>(group.first + 1U == edge.params.NumWarps ? 0 : group.first + 1U);
    if (!group.woken) ++edge.counters.probes;
    switch (group.kind) {
      case Kind::kMiss:
        missed |= group.warps;
        ++edge.counters.probe_misses;
        break;
      case Kind::kLatch:
        wait_for(state, group.warps, group.tb, group.tags, group.load, group.global);
        edge.counters.latches_fetch += count_bits(group.warps);
        break;
      case Kind::kSkip:
        skipped |= group.warps;
        skip(edge, group, rows);
        break;
    }
  }
  state.lat &= ~skipped;
  state.miss = (state.miss | missed) & edge.in.f_elig & ~skipped;
}

}  // namespace castor::darsie
