// The rising edge: steps in the order of docs/blocks/darsie.md, "Cycle". Some values that earlier steps change are
// needed by later steps as of the start of the cycle. These values are in groups_ and verdict_, which are computed
// first, or in `Before`.

#include <algorithm>

#include "castor/darsie/engine.h"
#include "castor/darsie/masks.h"

namespace castor::darsie {

namespace {

[[nodiscard]] bool any_event(const Inputs& in) {
  return (in.br | in.leave | in.exit | in.ev_store | in.bar | in.d_valid | in.i_valid | in.wb_valid | in.lnch_valid |
          in.retire_valid | in.ev_global | in.cp_ack) != 0;
}

// Usually the mask has at most one bit, and no population count is needed.
[[nodiscard]] U64 count(U64 mask) {
  return (mask & (mask - 1)) == 0 ? U64{mask != 0} : static_cast<U64>(__builtin_popcountll(mask));
}

}  // namespace

void Engine::clock(const Inputs& in) {
  count_waits(1);
  eligible_ = in.f_elig;
  const bool idle = !moves_ && ((in.f_elig & candidates_) | (state_.miss & ~in.f_elig)) == 0 && !any_event(in);
  if (idle) return;
  find_outputs(in);
  Before before{state_.live, state_.maj, state_.stop, state_.tk, state_.cpy, state_.sync, state_.en, complete_, {}};
  if (state_.cpy != 0) before.copies = find_copies();
  const U8 errors = this->errors(in);
  const bool launch = in.lnch_valid != 0 && (errors & kErrorLaunch) == 0;
  const bool retire = in.retire_valid != 0 && (errors & kErrorRetire) == 0;

  if (in.wb_valid != 0) step_write_backs(in);
  if (in.ev_store != 0 || in.ev_global != 0) step_memory(in);
  step_groups(in);
  if (in.d_valid != 0) step_verdict(in);
  if (in.ev_store != 0 || in.ev_global != 0) step_drop(in);
  if (in.i_valid != 0) step_issue(in);
  if (before.complete != 0) step_completion(before);
  if (in.br != 0) step_branches(in, before);
  if (in.leave != 0) step_leaves(in, before);
  if (in.bar != 0) step_barriers(in, before);
  step_copies(in, before);
  if (in.exit != 0) step_exits(in, before);
  step_linger(in, before);
  if (retire) {
    state_.tl &= ~tb_bit(in.retire_tb);
    state_.en &= ~tb_bit(in.retire_tb);
  }
  if (launch) step_launch(in);
  state_.err = errors;
  end_edge(before);
}

// Errors, found from the state at the start of the cycle.

U8 Engine::errors(const Inputs& in) const {
  const WarpMask busy = state_.stop | state_.lat | state_.cpy;
  U8 errors = 0;
  const auto raise = [&errors](Error error, bool condition) {
    if (condition) errors |= error;
  };
  raise(kErrorLaunch, in.lnch_valid != 0 && !legal_launch(in));
  raise(kErrorRetire, in.retire_valid != 0 && !legal_retire(in));
  for_each_bit(in.wb_valid, [&](unsigned p) {
    const unsigned t = in.wb_tb[p], k = in.wb_tag[p];
    raise(kErrorWb, t >= params_.NumTbs || k >= params_.NumRows || has(state_.tbs[t].wb, k));
  });
  if (in.d_valid != 0) {
    const unsigned w = in.d_warp;
    raise(kErrorWarp, !has(state_.live, w));
    raise(kErrorState, has(state_.live & busy, w));
    if (w < params_.NumWarps) {
      for_each_bit(in.d_valid, [&](unsigned s) {
        const bool no_registers = in.d_ndst[s] == 0 || in.d_ndst[s] == 3;
        raise(kErrorMark, in.d_mark[s] == 3 || (in.d_mark[s] != 0 && no_registers));
      });
    }
  }
  for_each_bit(in.i_valid, [&](unsigned p) { raise(kErrorWarp, !has(state_.live, in.i_warp[p])); });
  raise(kErrorWarp, (in.exit & ~state_.live) != 0);
  raise(kErrorState, (in.exit & state_.live & busy) != 0);
  for_each_bit(in.bar & state_.en, [&](unsigned t) {
    raise(kErrorBar, (warps_[t] & (state_.stop | state_.lat)) != 0);
    for_each_bit(warps_[t], [&](unsigned w) { raise(kErrorBar, state_.versions[w].pend != 0); });
  });
  raise(kErrorAck, in.cp_ack != 0 && state_.cpv == 0);
  return errors;
}

bool Engine::legal_retire(const Inputs& in) const {
  return in.retire_tb < params_.NumTbs && has(state_.tl, in.retire_tb) && warps_[in.retire_tb] == 0;
}

bool Engine::legal_launch(const Inputs& in) const {
  const unsigned t = in.lnch_tb;
  if (t >= params_.NumTbs) return false;
  const bool retires = in.retire_valid != 0 && in.retire_tb == t && legal_retire(in);
  return (retires || !has(state_.tl, t)) && in.lnch_warps != 0 && (in.lnch_warps & state_.live) == 0 &&
         (in.lnch_full & ~in.lnch_warps) == 0 && in.lnch_rows <= params_.NumRows && in.lnch_slots <= params_.NumSlots;
}

// Functions that several steps use.

void Engine::change_ref(unsigned warp, U32 ref) {
  if (!has(touched_, warp)) {
    touched_ |= warp_bit(warp);
    ref_before_[warp] = state_.versions[warp].ref;
  }
  state_.versions[warp].ref = ref;
}

void Engine::wait_for(WarpMask warps, unsigned tb, const Tags& tags, bool load, bool global) {
  const U32 written = state_.tbs[tb].wb;
  state_.lat |= warps;
  assign(state_.two, warps, tags.two);
  assign(state_.lr0, warps, has(written, tags.row[0]));
  assign(state_.lr1, warps, tags.two && has(written, tags.row[1]));
  assign(state_.lld, warps, load);
  assign(state_.lgl, warps, global);
  for_each_bit(warps, [&](unsigned w) {
    state_.lt0[w] = tags.row[0];
    state_.lt1[w] = tags.row[1];
  });
}

void Engine::clear_pending(WarpMask warps) {
  for_each_bit(warps, [this](unsigned w) { state_.versions[w].pend = 0; });
}

void Engine::leave_majority(WarpMask warps) {
  counters_.leavers += count(warps & state_.maj);
  state_.maj &= ~warps;
  state_.cpy |= warps;
}

void Engine::set_entries(unsigned tb, unsigned valid) {
  state_.tbs[tb].pv = static_cast<U16>(valid);
  assign(entries_, warps_[tb], valid != 0);
}

void Engine::end_region(unsigned tb) {
  set_entries(tb, 0);
  state_.noel &= ~tb_bit(tb);
  state_.synced &= ~tb_bit(tb);
}

// Steps of the edge.

void Engine::step_write_backs(const Inputs& in) {
  std::array<U8, 16> tb, row;
  unsigned good = 0;
  for_each_bit(in.wb_valid, [&](unsigned p) {
    const unsigned t = in.wb_tb[p], k = in.wb_tag[p];
    if (t >= params_.NumTbs || k >= params_.NumRows || has(state_.tbs[t].wb, k)) return;
    tb[good] = static_cast<U8>(t);
    row[good++] = static_cast<U8>(k);
  });
  for (unsigned i = 0; i < good; ++i) {
    state_.tbs[tb[i]].wb |= row_bit(row[i]);
    for_each_bit(state_.lat & warps_[tb[i]], [&](unsigned w) {
      if (state_.lt0[w] == row[i]) state_.lr0 |= warp_bit(w);
      if (has(state_.two, w) && state_.lt1[w] == row[i]) state_.lr1 |= warp_bit(w);
    });
  }
}

void Engine::step_memory(const Inputs& in) {
  if (params_.StoreInv != 0) {
    for_each_bit(in.ev_store, [this](unsigned t) {
      TbState& tb = state_.tbs[t];
      tb.inv |= tb.ld;
      set_entries(t, tb.pv & ~tb.pld);
    });
  }
  if (in.ev_global == 0) return;
  for_each_bit(state_.tl, [this](unsigned t) {
    TbState& tb = state_.tbs[t];
    tb.inv |= tb.gl;
    set_entries(t, tb.pv & ~tb.pgl);
  });
}

void Engine::step_groups(const Inputs& in) {
  WarpMask missed = 0, skipped = 0;
  for (unsigned g = 0; g < group_count_; ++g) {
    const Group& group = groups_[g];
    const TbState& tb = state_.tbs[group.tb];
    state_.rrf = static_cast<U8>(group.first + 1U == params_.NumWarps ? 0 : group.first + 1U);
    if (!group.woken) ++counters_.probes;
    switch (group.kind) {
      case Kind::kMiss:
        missed |= group.warps;
        ++counters_.probe_misses;
        break;
      case Kind::kLatch:
        wait_for(group.warps, group.tb, group.tags, group.load, group.global);
        counters_.latches_fetch += count(group.warps);
        break;
      case Kind::kSkip: {
        const U32 taken = group.tags.mask();
        U32 dropped = slot_rows_[group.tb][tb.slot[group.tags.row[0]]];
        if (group.tags.two) dropped |= slot_rows_[group.tb][tb.slot[group.tags.row[1]]];
        skipped |= group.warps;
        for_each_bit(group.warps, [&](unsigned w) {
          state_.versions[w].pend &= ~taken;
          change_ref(w, (state_.versions[w].ref & ~dropped) | taken);
        });
        (group.woken ? counters_.skips_wake : counters_.skips_hit) += count(group.warps);
        ++counters_.skip_groups;
        break;
      }
    }
  }
  state_.lat &= ~skipped;
  state_.miss = (state_.miss | missed) & in.f_elig & ~skipped;
}

void Engine::step_verdict(const Inputs& in) {
  counters_.squash_second += squashed_second_;
  const Verdict& v = verdict_;
  if (v.why == Why::kNone) return;
  count_verdict();
  const TbMask tb = tb_bit(v.tb);
  const WarpMask warp = warp_bit(v.warp);
  U32& pend = state_.versions[v.warp].pend;
  switch (v.why) {
    case Why::kNosk:
    case Why::kLast:
      pend &= ~v.version.mask();
      break;
    case Why::kNoRow:
      pend &= ~v.version.mask();
      state_.tbs[v.tb].nosk |= v.version.mask();
      break;
    case Why::kAlone:
      state_.sync &= ~tb;
      break;
    case Why::kSetNoElect:
      state_.noel |= tb;
      state_.synced &= ~tb;
      break;
    case Why::kSetSync:
      state_.sync |= tb;
      state_.stop |= warp;
      break;
    case Why::kPark:
      state_.stop |= warp;
      break;
    case Why::kLatch: {
      const TbState& rows = state_.tbs[v.tb];
      wait_for(warp, v.tb, v.version, has(rows.ld, v.version.row[0]), has(rows.gl, v.version.row[0]));
      break;
    }
    case Why::kLead:
    case Why::kRelead:
      step_election(in);
      break;
    case Why::kNone:
    case Why::kNoElect:
      break;
  }
}

void Engine::step_election(const Inputs& in) {
  const Verdict& v = verdict_;
  TbState& tb = state_.tbs[v.tb];
  const bool anew = v.why == Why::kLead;
  renumbering_ = {
      true, v.tb, anew ? tb.ctr : tb.seq[v.version.row[0]], v.rows, {in.d_dst[2 * v.slot], in.d_dst[2 * v.slot + 1]}};
  if (anew) {
    tb.ctr = static_cast<U8>((tb.ctr + 1) & age_mask_);
    state_.synced &= ~tb_bit(v.tb);
  } else {
    const U32 old = v.version.mask();
    for_each_bit(warps_[v.tb], [&](unsigned w) { state_.versions[w].pend &= ~old; });
  }
  const U32 rows = v.rows.mask();
  for_each_bit(v.heirs, [&](unsigned w) { state_.versions[w].pend |= rows; });
  const unsigned kind = in.d_ldkind[v.slot];
  tb.wb &= ~rows;
  tb.inv &= ~rows;
  tb.nosk &= ~rows;
  assign(tb.ld, rows, kind != 0);
  assign(tb.gl, rows, kind >= 2);

  const unsigned entry = tb.ptr;
  const auto place = static_cast<U16>(1U << entry);
  if ((tb.pv & place) != 0) ++counters_.evictions;
  tb.pc[entry] = (in.d_pc + U64{kInstructionBytes} * v.slot) & twin::mask(params_.PcW);
  tb.tags[entry] = v.rows;
  assign(tb.pld, place, kind != 0);
  assign(tb.pgl, place, kind >= 2);
  tb.ptr = static_cast<U8>(entry + 1 == params_.NumPst ? 0 : entry + 1);
  set_entries(v.tb, tb.pv | place);
  state_.miss &= ~warps_[v.tb];
}

void Engine::count_verdict() {
  switch (verdict_.why) {
    case Why::kNosk:
    case Why::kLast:
    case Why::kNoRow:
      ++counters_.priv_stale;
      break;
    case Why::kNoElect:
    case Why::kSetNoElect:
      ++counters_.priv_noelect;
      break;
    case Why::kAlone:
      ++counters_.priv_alone;
      break;
    case Why::kLead:
      ++counters_.leads;
      break;
    case Why::kRelead:
      ++counters_.releads;
      break;
    case Why::kLatch:
      ++counters_.late_latches;
      break;
    case Why::kSetSync:
      ++counters_.sync_points;
      ++counters_.squash_sync;
      break;
    case Why::kPark:
      ++counters_.squash_sync;
      break;
    case Why::kNone:
      break;
  }
}

void Engine::step_drop(const Inputs& in) {
  WarpMask stored = 0;
  if (params_.StoreInv != 0) for_each_bit(in.ev_store, [&](unsigned t) { stored |= warps_[t]; });
  WarpMask stale = state_.lld & stored;
  if (in.ev_global != 0) stale |= state_.lgl;
  stale &= state_.lat;
  counters_.load_drops += count(stale);
  state_.lat &= ~stale;
}

void Engine::step_issue(const Inputs& in) {
  for_each_bit(in.i_valid, [&](unsigned p) {
    const unsigned w = in.i_warp[p];
    if (!has(state_.live, w)) return;
    counters_.row_lookups += count(out_.i_sren[p]);
    const unsigned t = state_.tb[w];
    const bool lead = has(in.i_lead, p);
    U32 dropped = 0, taken = 0;
    for (unsigned a = 0; a < 2; ++a) {
      if (!has(in.i_dv[p], a)) continue;
      dropped |= slot_rows_[t][in.i_dst[2 * p + a]];
      const unsigned tag = in.i_tag[2 * p + a];
      if (lead && tag < params_.NumRows) taken |= row_bit(tag);
    }
    const U32 ref = (state_.versions[w].ref & ~dropped) | taken;
    if (ref != state_.versions[w].ref) change_ref(w, ref);
  });
}

void Engine::step_completion(const Before& before) {
  const unsigned t = first_from(before.complete, state_.rrt);
  const WarpMask met = before.maj & warps_[t];
  state_.rrt = static_cast<U8>(t + 1 == params_.NumTbs ? 0 : t + 1);
  state_.stop &= ~met;
  if (has(before.sync, t)) {
    state_.sync &= ~tb_bit(t);
    state_.synced |= tb_bit(t);
    return;
  }
  const WarpMask taken = met & before.tk, straight = met & ~before.tk;
  const U64 more = count(taken), less = count(straight);
  const bool keep_taken = more > less || (more == less && has(taken, lowest(met)));
  leave_majority(keep_taken ? straight : taken);
  end_region(t);
  ++counters_.meetings;
}

void Engine::step_branches(const Inputs& in, const Before& before) {
  const WarpMask warps = in.br & before.maj;
  state_.stop |= warps;
  state_.tk = (state_.tk & ~warps) | (in.br_taken & warps);
}

void Engine::step_leaves(const Inputs& in, const Before& before) {
  const WarpMask warps = in.leave & before.maj;
  leave_majority(warps);
  clear_pending(warps);
  state_.lat &= ~warps;
  state_.miss &= ~warps;
  state_.stop &= ~warps;
}

void Engine::step_barriers(const Inputs& in, const Before& before) {
  for_each_bit(in.bar & before.en, [&](unsigned t) {
    const WarpMask all = warps_[t];
    const WarpMask join = in.bar_join & all & ~before.cpy;
    counters_.joins += count(join & ~before.maj);
    leave_majority(before.maj & all & ~join);
    state_.maj = (state_.maj & ~all) | join;
    clear_pending(all);
    state_.stop &= ~all;
    state_.lat &= ~all;
    state_.sync &= ~tb_bit(t);
    end_region(t);
  });
}

void Engine::step_copies(const Inputs& in, const Before& before) {
  if (state_.cpv != 0) {
    if (in.cp_ack != 0) {
      change_ref(state_.cpw, state_.versions[state_.cpw].ref & ~row_bit(state_.cpk));
      state_.cpv = 0;
      ++counters_.copies;
    }
  } else if (before.copies.found) {
    state_.cpv = 1;
    state_.cpw = before.copies.warp;
    state_.cpk = before.copies.row;
  }
  state_.cpy &= ~before.copies.done;
}

void Engine::step_exits(const Inputs& in, const Before& before) {
  const WarpMask warps = in.exit & before.live;
  for (WarpMask* mask : {&state_.live, &state_.maj, &state_.miss, &state_.lat, &state_.stop, &state_.cpy}) {
    *mask &= ~warps;
  }
  clear_pending(warps);
  for_each_bit(warps, [this](unsigned w) {
    warps_[state_.tb[w]] &= ~warp_bit(w);
    state_.versions[w].ref = 0;
  });
}

void Engine::step_linger(const Inputs& in, const Before& before) {
  const WarpMask read = (in.oc_idle | in.exit) & before.live;
  for_each_bit(lingering_ & read, [this](unsigned w) { state_.versions[w].ling = 0; });
  lingering_ &= ~read;
  for_each_bit(touched_ & before.live & ~read, [this](unsigned w) {
    WarpVersions& versions = state_.versions[w];
    versions.ling |= ref_before_[w] & ~versions.ref;
    assign(lingering_, warp_bit(w), versions.ling != 0);
  });
  touched_ = 0;
}

void Engine::step_launch(const Inputs& in) {
  const unsigned t = in.lnch_tb;
  const WarpMask warps = in.lnch_warps;
  const TbMask bit = tb_bit(t);
  TbState& tb = state_.tbs[t];
  state_.tl |= bit;
  assign(state_.en, bit, in.lnch_en != 0);
  assign(state_.prom, bit, in.lnch_promote != 0);
  state_.sync &= ~bit;
  tb.base = in.lnch_base;
  tb.rows = in.lnch_rows;
  tb.slots = in.lnch_slots;
  tb.ctr = tb.ptr = 0;
  tb.wb = static_cast<U32>(twin::mask(params_.NumRows));
  tb.ld = tb.gl = tb.inv = tb.nosk = 0;

  warps_[t] = warps;
  end_region(t);
  state_.live |= warps;
  if (in.lnch_en != 0) state_.maj |= in.lnch_full;
  lingering_ &= ~warps;
  for_each_bit(warps, [&](unsigned w) {
    state_.tb[w] = static_cast<U8>(t);
    state_.versions[w] = {};
  });
}

void Engine::end_edge(const Before& before) {
  if (renumbering_.valid) {
    TbState& tb = state_.tbs[renumbering_.tb];
    for (unsigned a = 0; a < (renumbering_.rows.two ? 2U : 1U); ++a) {
      const unsigned row = renumbering_.rows.row[a];
      slot_rows_[renumbering_.tb][tb.slot[row]] &= ~row_bit(row);
      slot_rows_[renumbering_.tb][renumbering_.slot[a]] |= row_bit(row);
      tb.slot[row] = renumbering_.slot[a];
      tb.seq[row] = renumbering_.seq;
    }
    renumbering_.valid = false;
  }
  if (state_.stop != before.stop || state_.maj != before.maj) find_complete();
  waiting_wb_ = count(state_.lat);
  waiting_stop_ = count(state_.stop);
  waiting_copy_ = count(state_.cpy);

  const WarpMask blocked = state_.stop | state_.cpy | state_.lat;
  const WarpMask probe = state_.maj & ~blocked & ~state_.miss & entries_;
  ready_ = state_.lat & state_.lr0 & (state_.lr1 | ~state_.two);
  candidates_ = state_.maj & (ready_ | probe);
  moves_ = (complete_ | state_.cpy | lingering_ | state_.err) != 0;

  out_.f_hold = blocked | probe;
  out_.maj = state_.maj;
  out_.err = state_.err;
  out_.cp_valid = state_.cpv;
  out_.cp_warp = 0;
  out_.cp_row = 0;
  out_.cp_slot = 0;
  if (state_.cpv != 0) {
    const TbState& tb = state_.tbs[state_.tb[state_.cpw]];
    out_.cp_warp = state_.cpw;
    out_.cp_row = static_cast<U16>((tb.base + state_.cpk) & register_mask_);
    out_.cp_slot = tb.slot[state_.cpk];
  }
}

void Engine::find_complete() {
  complete_ = 0;
  for (WarpMask left = state_.maj & state_.stop; left != 0;) {
    const unsigned t = state_.tb[lowest(left)];
    if ((state_.maj & warps_[t] & ~state_.stop) == 0) complete_ |= tb_bit(t);
    left &= ~warps_[t];
  }
}

}  // namespace castor::darsie
