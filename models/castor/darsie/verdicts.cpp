#include "castor/darsie/verdicts.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

namespace {

/// Marks of the compiler; 3 is illegal and acts as kVector.
enum Mark : U8 { kVector, kConditional, kRedundant };

[[nodiscard]] U8 second_destination(const Inputs& in, unsigned slot) { return in.d_dst[2 * slot + 1]; }

}  // namespace

bool Judge::redundant(unsigned slot) const {
  const unsigned mark = in_.d_mark[slot];
  if (mark != kRedundant && !(mark == kConditional && has(state_.prom, tb_))) return false;
  const unsigned count = in_.d_ndst[slot];
  if (params_.SkipEn == 0 || count < 1 || count > 2) return false;
  if (params_.LoadSkip == 0 && in_.d_ldkind[slot] != 0) return false;
  const unsigned slots = state_.tbs[tb_].slots;
  return in_.d_dst[2 * slot] < slots && (count == 1 || second_destination(in_, slot) < slots);
}

void Judge::judge(unsigned slot, Verdict& verdict) const {
  verdict = {};
  verdict.warp = warp_;
  verdict.tb = tb_;
  verdict.slot = static_cast<U8>(slot);
  const U32 pending = state_.versions[warp_].pend & rows_.of(tb_, in_.d_dst[2 * slot]);
  verdict.why = pending != 0 ? judge_version(verdict, pending) : judge_election(verdict);
}

Why Judge::judge_version(Verdict& verdict, U32 pending) const {
  const Tags version = version_of(verdict.slot, pending);
  verdict.version = version;
  const TbState& tb = state_.tbs[tb_];
  const unsigned row = version.row[0];
  if (has(tb.nosk, row)) return Why::kNosk;
  if (!has(tb.inv, row)) return Why::kLatch;
  verdict.heirs = pending_warps(row) & ~warp_bit(warp_);
  if (verdict.heirs == 0) return Why::kLast;
  return find_room(verdict.slot, verdict.rows) && !has(state_.noel, tb_) ? Why::kRelead : Why::kNoRow;
}

Why Judge::judge_election(Verdict& verdict) const {
  verdict.heirs = state_.maj & warps_ & ~warp_bit(warp_);
  if (verdict.heirs == 0) return Why::kAlone;
  if (has(state_.noel, tb_)) return Why::kNoElect;
  if (has(state_.sync, tb_)) return Why::kPark;
  if (find_room(verdict.slot, verdict.rows)) return Why::kLead;
  return has(state_.synced, tb_) ? Why::kSetNoElect : Why::kSetSync;
}

Tags Judge::version_of(unsigned slot, U32 pending) const {
  const TbState& tb = state_.tbs[tb_];
  Tags version;
  int greatest = -1;
  for_each_bit(pending, [&](unsigned k) {
    const int age = static_cast<U8>(tb.ctr - tb.seq[k]) & age_mask_;
    if (age <= greatest) return;
    greatest = age;
    version.row[0] = static_cast<U8>(k);
  });
  version.two = in_.d_ndst[slot] == 2;
  if (!version.two) return version;
  const U8 seq = tb.seq[version.row[0]];
  U64 seconds = state_.versions[warp_].pend & rows_.of(tb_, second_destination(in_, slot));
  while (seconds != 0 && tb.seq[lowest(seconds)] != seq) seconds &= seconds - 1;
  if (seconds != 0) version.row[1] = static_cast<U8>(lowest(seconds));
  return version;
}

bool Judge::find_room(unsigned slot, Tags& rows) const {
  const TbState& tb = state_.tbs[tb_];
  const bool two = in_.d_ndst[slot] == 2;
  U64 free = tb.wb & twin::mask(tb.rows) & ~used_rows();
  if (free == 0) return false;
  rows.row[0] = static_cast<U8>(lowest(free));
  if (!two) return true;
  free &= free - 1;
  if (free == 0) return false;
  rows.row[1] = static_cast<U8>(lowest(free));
  rows.two = true;
  return true;
}

U32 Judge::used_rows() const {
  U32 used = 0;
  for_each_bit(warps_, [&](unsigned w) {
    const WarpVersions& versions = state_.versions[w];
    used |= versions.pend | versions.ref | versions.ling;
  });
  return used;
}

WarpMask Judge::pending_warps(unsigned row) const {
  WarpMask warps = 0;
  for_each_bit(warps_, [&](unsigned w) { warps |= U64{has(state_.versions[w].pend, row)} << w; });
  return warps;
}

}  // namespace castor::darsie
