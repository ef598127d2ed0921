#include "castor/darsie/engine.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

namespace {

/// Marks of the compiler; 3 is illegal and acts as kVector.
enum Mark : U8 { kVector, kConditional, kRedundant };

[[nodiscard]] U8 second_destination(const Inputs& in, unsigned slot) { return in.d_dst[2 * slot + 1]; }

}  // namespace

Engine::Engine(const Params& params) : params_(params), age_mask_(0), register_mask_(0) {
  params_.check();
  age_mask_ = static_cast<U8>(twin::mask(params_.seq_bits()));
  register_mask_ = static_cast<U16>(twin::mask(params_.RowW));
  reset();
}

void Engine::reset() {
  state_ = {};
  out_ = {};
  warps_ = {};
  slot_rows_ = {};
  for (auto& rows : slot_rows_) rows[0] = static_cast<U32>(twin::mask(params_.NumRows));
  lingering_ = entries_ = ready_ = candidates_ = eligible_ = touched_ = 0;
  complete_ = 0;
  moves_ = false;
  waiting_wb_ = waiting_stop_ = waiting_copy_ = 0;
  group_count_ = 0;
  verdict_ = {};
  squashed_second_ = 0;
  shown_ = acts_shown_ = false;
  renames_presented_ = 0;
  renumbering_ = {};
}

void Engine::find_outputs(const Inputs& in) {
  find_groups(in);
  find_verdicts(in);
  find_operands(in);
  shown_ = out_.f_skip != 0 || acts_shown_ || renames_presented_ != 0;
}

void Engine::find_groups(const Inputs& in) {
  group_count_ = 0;
  out_.f_skip = 0;
  WarpMask rest = in.f_elig & candidates_;
  while (rest != 0 && group_count_ < params_.PstRd) {
    const unsigned first = first_from(rest, state_.rrf);
    Group& group = groups_[group_count_++];
    group = has(ready_, first) ? wake_group(first, rest) : probe_group(in, first, rest);
    if (group.kind == Kind::kSkip) out_.f_skip |= group.warps;
    rest &= ~group.warps;
  }
}

Engine::Group Engine::wake_group(unsigned first, WarpMask rest) const {
  Group group;
  group.first = static_cast<U8>(first);
  group.tb = state_.tb[first];
  group.kind = Kind::kSkip;
  group.woken = true;
  group.tags.row[0] = state_.lt0[first];
  group.tags.two = has(state_.two, first);
  if (group.tags.two) group.tags.row[1] = state_.lt1[first];
  for_each_bit(rest & ready_ & warps_[group.tb], [&](unsigned w) {
    if (state_.lt0[w] == state_.lt0[first]) group.warps |= warp_bit(w);
  });
  return group;
}

Engine::Group Engine::probe_group(const Inputs& in, unsigned first, WarpMask rest) const {
  Group group;
  group.first = static_cast<U8>(first);
  group.tb = state_.tb[first];
  const U64 pc = in.f_pc[first];
  for_each_bit(rest & ~ready_ & warps_[group.tb], [&](unsigned w) {
    if (in.f_pc[w] == pc) group.warps |= warp_bit(w);
  });
  const TbState& tb = state_.tbs[group.tb];
  for (U64 left = tb.pv; left != 0; left &= left - 1) {
    const unsigned entry = lowest(left);
    if (tb.pc[entry] != pc) continue;
    const Tags& tags = tb.tags[entry];
    if (!has(state_.versions[first].pend, tags.row[0])) break;
    group.tags = tags;
    group.kind = (tags.mask() & ~tb.wb) == 0 ? Kind::kSkip : Kind::kLatch;
    group.load = has(tb.pld, entry);
    group.global = has(tb.pgl, entry);
    break;
  }
  return group;
}

void Engine::find_verdicts(const Inputs& in) {
  if (acts_shown_) {
    out_.d_act = {};
    out_.d_tag = {};
    acts_shown_ = false;
  }
  verdict_.why = Why::kNone;
  squashed_second_ = 0;
  if (in.d_valid == 0 || in.d_warp >= params_.NumWarps || !has(state_.maj, in.d_warp)) return;
  bool squash = false, judged = false;
  for_each_bit(in.d_valid, [&](unsigned s) {
    Act act = kActPass;
    if (squash) {
      act = kActSquash;
    } else if (redundant(in, s)) {
      if (judged) {
        act = kActSquash;
        ++squashed_second_;
      } else {
        verdict_ = judge(in, s);
        judged = true;
        act = act_of(verdict_.why);
      }
    }
    out_.d_act[s] = act;
    squash |= act == kActSquash;
    acts_shown_ |= act != kActPass;
  });
  if (verdict_.why == Why::kLead || verdict_.why == Why::kRelead) out_.d_tag.elements = verdict_.rows.row;
}

Act Engine::act_of(Why why) {
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

bool Engine::redundant(const Inputs& in, unsigned slot) const {
  const unsigned tb = state_.tb[in.d_warp];
  const unsigned mark = in.d_mark[slot];
  if (mark != kRedundant && !(mark == kConditional && has(state_.prom, tb))) return false;
  const unsigned count = in.d_ndst[slot];
  if (params_.SkipEn == 0 || count < 1 || count > 2) return false;
  if (params_.LoadSkip == 0 && in.d_ldkind[slot] != 0) return false;
  const unsigned slots = state_.tbs[tb].slots;
  return in.d_dst[2 * slot] < slots && (count == 1 || second_destination(in, slot) < slots);
}

Engine::Verdict Engine::judge(const Inputs& in, unsigned slot) const {
  Verdict verdict;
  verdict.warp = in.d_warp;
  verdict.tb = state_.tb[in.d_warp];
  verdict.slot = static_cast<U8>(slot);
  const U32 pending = state_.versions[verdict.warp].pend & slot_rows_[verdict.tb][in.d_dst[2 * slot]];
  if (pending != 0) {
    judge_version(verdict, pending, in);
  } else {
    judge_election(verdict, in);
  }
  return verdict;
}

void Engine::judge_version(Verdict& verdict, U32 pending, const Inputs& in) const {
  verdict.version = version_of(verdict, pending, in);
  const TbState& tb = state_.tbs[verdict.tb];
  const unsigned row = verdict.version.row[0];
  if (has(tb.nosk, row)) {
    verdict.why = Why::kNosk;
  } else if (!has(tb.inv, row)) {
    verdict.why = Why::kLatch;
  } else {
    verdict.heirs = pending_warps(verdict.tb, row) & ~warp_bit(verdict.warp);
    if (verdict.heirs == 0) {
      verdict.why = Why::kLast;
    } else {
      verdict.why = find_room(verdict, in) && !has(state_.noel, verdict.tb) ? Why::kRelead : Why::kNoRow;
    }
  }
}

void Engine::judge_election(Verdict& verdict, const Inputs& in) const {
  verdict.heirs = state_.maj & warps_[verdict.tb] & ~warp_bit(verdict.warp);
  if (verdict.heirs == 0) {
    verdict.why = Why::kAlone;
  } else if (has(state_.noel, verdict.tb)) {
    verdict.why = Why::kNoElect;
  } else if (has(state_.sync, verdict.tb)) {
    verdict.why = Why::kPark;
  } else if (find_room(verdict, in)) {
    verdict.why = Why::kLead;
  } else {
    verdict.why = has(state_.synced, verdict.tb) ? Why::kSetNoElect : Why::kSetSync;
  }
}

Tags Engine::version_of(const Verdict& verdict, U32 pending, const Inputs& in) const {
  const TbState& tb = state_.tbs[verdict.tb];
  Tags version;
  int greatest = -1;
  for_each_bit(pending, [&](unsigned k) {
    const int age = static_cast<U8>(tb.ctr - tb.seq[k]) & age_mask_;
    if (age <= greatest) return;
    greatest = age;
    version.row[0] = static_cast<U8>(k);
  });
  version.two = in.d_ndst[verdict.slot] == 2;
  if (!version.two) return version;
  const U8 seq = tb.seq[version.row[0]];
  U64 seconds = state_.versions[verdict.warp].pend & slot_rows_[verdict.tb][second_destination(in, verdict.slot)];
  while (seconds != 0 && tb.seq[lowest(seconds)] != seq) seconds &= seconds - 1;
  if (seconds != 0) version.row[1] = static_cast<U8>(lowest(seconds));
  return version;
}

bool Engine::find_room(Verdict& verdict, const Inputs& in) const {
  const TbState& tb = state_.tbs[verdict.tb];
  const bool two = in.d_ndst[verdict.slot] == 2;
  U64 free = tb.wb & twin::mask(tb.rows) & ~used_rows(verdict.tb);
  if (free == 0) return false;
  verdict.rows.row[0] = static_cast<U8>(lowest(free));
  if (!two) return true;
  free &= free - 1;
  if (free == 0) return false;
  verdict.rows.row[1] = static_cast<U8>(lowest(free));
  verdict.rows.two = true;
  return true;
}

void Engine::find_operands(const Inputs& in) {
  if ((renames_presented_ | in.i_valid) == 0) return;
  for_each_bit(renames_presented_, [&](unsigned p) {
    out_.i_sren[p] = 0;
    for (unsigned a = 0; a < params_.NumSrc; ++a) out_.i_srow[p * params_.NumSrc + a] = 0;
  });
  renames_presented_ = 0;
  for_each_bit(in.i_valid, [&](unsigned p) {
    const unsigned w = in.i_warp[p];
    if (w >= params_.NumWarps || !has(state_.live, w)) return;
    const U32 ref = state_.versions[w].ref;
    if (ref == 0) return;
    const unsigned t = state_.tb[w];
    for_each_bit(in.i_sv[p], [&](unsigned a) {
      const unsigned source = p * params_.NumSrc + a;
      const U32 rows = ref & slot_rows_[t][in.i_src[source]];
      if (rows == 0) return;
      out_.i_sren[p] |= static_cast<U8>(1U << a);
      out_.i_srow[source] = static_cast<U16>((state_.tbs[t].base + lowest(rows)) & register_mask_);
    });
    if (out_.i_sren[p] != 0) renames_presented_ |= static_cast<U16>(1U << p);
  });
}

U32 Engine::used_rows(unsigned tb) const {
  U32 used = 0;
  for_each_bit(warps_[tb], [&](unsigned w) {
    const WarpVersions& versions = state_.versions[w];
    used |= versions.pend | versions.ref | versions.ling;
  });
  return used;
}

WarpMask Engine::pending_warps(unsigned tb, unsigned row) const {
  WarpMask warps = 0;
  for_each_bit(warps_[tb], [&](unsigned w) { warps |= U64{has(state_.versions[w].pend, row)} << w; });
  return warps;
}

Engine::Copies Engine::find_copies() const {
  Copies copies;
  for_each_bit(state_.cpy, [&](unsigned w) {
    const U32 ref = state_.versions[w].ref;
    if (ref == 0) copies.done |= warp_bit(w);
    const U32 written = ref & state_.tbs[state_.tb[w]].wb;
    if (copies.found || written == 0) return;
    copies.found = true;
    copies.warp = static_cast<U8>(w);
    copies.row = static_cast<U8>(lowest(written));
  });
  return copies;
}

Probes Engine::probes() const {
  const State& s = state_;
  Probes probes;
  probes.live = s.live;
  probes.majority = s.maj;
  probes.miss = s.miss;
  probes.lat = s.lat;
  probes.two = s.two & s.lat;
  probes.lr0 = s.lr0 & s.lat;
  probes.lr1 = s.lr1 & s.lat;
  probes.lld = s.lld & s.lat;
  probes.lgl = s.lgl & s.lat;
  probes.stop = s.stop;
  probes.tk = s.tk & s.stop;
  probes.cpy = s.cpy;
  for_each_bit(s.live, [&](unsigned w) {
    probes.warp_tb[w] = s.tb[w];
    probes.pend[w] = s.versions[w].pend;
    probes.ref[w] = s.versions[w].ref;
    probes.ling[w] = s.versions[w].ling;
  });
  for_each_bit(s.lat, [&](unsigned w) {
    probes.lt0[w] = s.lt0[w];
    probes.lt1[w] = s.lt1[w];
  });
  probes.tl = s.tl;
  probes.en = s.en & s.tl;
  probes.prom = s.prom & s.tl;
  probes.sync = s.sync & s.tl;
  probes.synced = s.synced & s.tl;
  probes.noel = s.noel & s.tl;
  for_each_bit(s.tl, [&](unsigned t) {
    const TbState& tb = s.tbs[t];
    probes.base[t] = tb.base;
    probes.rows[t] = tb.rows;
    probes.slots[t] = tb.slots;
    probes.ctr[t] = tb.ctr;
    probes.ptr[t] = tb.ptr;
    probes.pv[t] = tb.pv;
    probes.pld[t] = tb.pld & tb.pv;
    probes.pgl[t] = tb.pgl & tb.pv;
    probes.wb[t] = tb.wb;
    probes.ld[t] = tb.ld;
    probes.gl[t] = tb.gl;
    probes.inv[t] = tb.inv;
    probes.nosk[t] = tb.nosk;
  });
  probes.rrf = s.rrf;
  probes.rrt = s.rrt;
  probes.cpv = s.cpv;
  if (s.cpv != 0) {
    probes.cpw = s.cpw;
    probes.cpk = s.cpk;
  }
  probes.error = s.err;
  return probes;
}

}  // namespace castor::darsie
