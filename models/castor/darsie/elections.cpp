#include "castor/darsie/elections.h"

#include "castor/darsie/masks.h"
#include "castor/darsie/waits.h"

namespace castor::darsie {

namespace {

[[nodiscard]] Act act_of(Why why) {
  switch (why) {
    case Why::kNone:
      return kActPass;
    case Why::kLead:
    case Why::kRelead:
      return kActLead;
    case Why::kLatch:
    case Why::kPark:
    case Why::kSetSync:
      return kActSquash;
    default:
      return kActPriv;
  }
}

}  // namespace

void Elections::find_acts(const View& view, const Rows& rows, Outputs& out) {
  const Inputs& in = view.in;
  if (shown_) {
    out.d_act = {};
    out.d_tag = {};
    shown_ = false;
  }
  if (in.d_valid == 0 || in.d_warp >= view.params.NumWarps || !has(view.state.maj, in.d_warp)) return;
  judge_slots(Judge(view, rows, age_mask_), in.d_valid, out);
  if (verdict_.why != Why::kLead && verdict_.why != Why::kRelead) return;
  out.d_tag[0] = verdict_.rows.row[0];
  if (verdict_.rows.two) out.d_tag[1] = verdict_.rows.row[1];
}

void Elections::judge_slots(const Judge& judge, U8 slots, Outputs& out) {
  bool squash = false, judged = false;
  for_each_bit(slots, [&](unsigned s) {
    Act act = kActPass;
    if (squash) {
      act = kActSquash;
    } else if (judge.redundant(s)) {
      if (judged) {
        act = kActSquash;
        ++squashed_second_;
      } else {
        judge.judge(s, verdict_);
        judged = true;
        act = act_of(verdict_.why);
      }
    }
    out.d_act[s] = act;
    squash |= act == kActSquash;
    shown_ |= act != kActPass;
  });
}

void Elections::step(const Edge& edge, Rows& rows, SkipTables& tables) {
  edge.counters.squash_second += squashed_second_;
  const Verdict& v = verdict_;
  if (v.why == Why::kNone) return;
  count_verdict(edge.counters);
  State& state = edge.state;
  const TbMask tb = tb_bit(v.tb);
  const WarpMask warp = warp_bit(v.warp);
  U32& pend = state.versions[v.warp].pend;
  switch (v.why) {
    case Why::kNosk:
    case Why::kLast:
      pend &= ~v.version.mask();
      break;
    case Why::kNoRow:
      pend &= ~v.version.mask();
      state.tbs[v.tb].nosk |= v.version.mask();
      break;
    case Why::kAlone:
      state.sync &= ~tb;
      break;
    case Why::kSetNoElect:
      state.noel |= tb;
      state.synced &= ~tb;
      break;
    case Why::kSetSync:
      state.sync |= tb;
      state.stop |= warp;
      break;
    case Why::kPark:
      state.stop |= warp;
      break;
    case Why::kLatch: {
      const TbState& loads = state.tbs[v.tb];
      wait_for(state, warp, v.tb, v.version, has(loads.ld, v.version.row[0]), has(loads.gl, v.version.row[0]));
      break;
    }
    case Why::kLead:
    case Why::kRelead:
      elect(edge, rows, tables);
      break;
    case Why::kNone:
    case Why::kNoElect:
      break;
  }
}

void Elections::elect(const Edge& edge, Rows& rows, SkipTables& tables) const {
  const Verdict& v = verdict_;
  const Inputs& in = edge.in;
  State& state = edge.state;
  TbState& tb = state.tbs[v.tb];
  const bool anew = v.why == Why::kLead;
  rows.renumber(v.tb, anew ? tb.ctr : tb.seq[v.version.row[0]], v.rows,
                {in.d_dst[2 * v.slot], in.d_dst[2 * v.slot + 1]});
  if (anew) {
    tb.ctr = static_cast<U8>((tb.ctr + 1) & age_mask_);
    state.synced &= ~tb_bit(v.tb);
  } else {
    const U32 old = v.version.mask();
    for_each_bit(edge.warps[v.tb], [&](unsigned w) { state.versions[w].pend &= ~old; });
  }
  const U32 elected = v.rows.mask();
  for_each_bit(v.heirs, [&](unsigned w) { state.versions[w].pend |= elected; });
  const unsigned kind = in.d_ldkind[v.slot];
  tb.wb &= ~elected;
  tb.inv &= ~elected;
  tb.nosk &= ~elected;
  assign(tb.ld, elected, kind != 0);
  assign(tb.gl, elected, kind >= 2);
  tables.insert(edge, v.tb, in.d_pc + U64{kInstructionBytes} * v.slot, v.rows, kind);
  state.miss &= ~edge.warps[v.tb];
}

void Elections::count_verdict(Counters& counters) const {
  switch (verdict_.why) {
    case Why::kNosk:
    case Why::kLast:
    case Why::kNoRow:
      ++counters.priv_stale;
      break;
    case Why::kNoElect:
    case Why::kSetNoElect:
      ++counters.priv_noelect;
      break;
    case Why::kAlone:
      ++counters.priv_alone;
      break;
    case Why::kLead:
      ++counters.leads;
      break;
    case Why::kRelead:
      ++counters.releads;
      break;
    case Why::kLatch:
      ++counters.late_latches;
      break;
    case Why::kSetSync:
      ++counters.sync_points;
      ++counters.squash_sync;
      break;
    case Why::kPark:
      ++counters.squash_sync;
      break;
    case Why::kNone:
      break;
  }
}

}  // namespace castor::darsie
