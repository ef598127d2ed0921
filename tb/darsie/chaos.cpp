#include "tb/darsie/chaos.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "tb/darsie/bits.h"

namespace castor::darsie::tb {

void Chaos::new_phase() {
  const auto pick = [this](std::initializer_list<unsigned> values) {
    return values.begin()[below(static_cast<unsigned>(values.size()))];
  };
  const bool pending = chance(128);
  if (left_in_kind_-- == 0) {
    of_ = static_cast<Of>(below(3));
    left_in_kind_ = below(6);
  }
  left_ = 50 + below(600);
  eligible_ = pick({0, 20, 120, 250});
  decode_ = pick({30, 128, 250});
  issue_ = pick({0, 20, 100});
  lead_ = pending ? 2 : pick({20, 128});
  write_ = pick({10, 60, 200});
  event_ = pending ? pick({0, 1}) : pick({0, 4, 20, 80});
  end_ = pending ? 0 : pick({0, 1, 6, 40});
  pcs_ = pick({1, 3, 8, 40});
  edges_.draw();
  base_ = edges_.start(params_.PcW, U64{8} * pcs_, 0) & ~U64{7};
  far_ = edges_.bits(params_.PcW, 0) & ~U64{7};
  registers_ = pick({1, 2, 4, params_.NumSlots});
  loads_ = of_ == Of::kLoads ? pick({128, 240}) : 96;
  stores_ = of_ == Of::kLoads ? pick({1, 6, 30}) : event_ / 4;
  branches_ = of_ == Of::kSimultaneous ? pick({4, 20, 80}) : event_;
  follow_ = pick({0, 128});
  meets_ = of_ != Of::kAll && chance(160) ? 100 : 0;
  if (of_ == Of::kSimultaneous) end_ = pick({0, 1});
}

U8 Chaos::number(unsigned limit, unsigned bits) {
  return static_cast<U8>(chance(3) ? random_() & twin::mask(bits) : random_.below(limit));
}

U64 Chaos::pc() {
  const U64 near = base_ + U64{8} * below(pcs_);
  return (chance(2) ? random_() : chance(16) ? near ^ far_ : near) & twin::mask(params_.PcW);
}

U64 Chaos::some_warps(unsigned rate) {
  U64 warps = 0;
  for (unsigned w = 0; w < params_.NumWarps; ++w) warps |= chance(rate) ? U64{1} << w : 0;
  return warps;
}

void Chaos::drive(Inputs& in) {
  if (left_ == 0) new_phase();
  --left_;
  fetch(in);
  if (chance(decode_)) decode(in);
  if (chance(issue_)) issue(in);
}

void Chaos::fetch(Inputs& in) {
  if (chance(128)) in.f_elig = some_warps(eligible_);
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (chance(40)) in.f_pc[w] = chance(follow_) ? led_ : pc();
  }
}

void Chaos::decode(Inputs& in) {
  in.d_valid = static_cast<U8>(chance(8) ? random_() & twin::mask(params_.DecW) : twin::mask(1 + below(params_.DecW)));
  in.d_warp = number(params_.NumWarps, params_.warp_bits());
  // Prefers a live warp.
  for (unsigned tries = 0; tries < 4 && (live_ >> in.d_warp & 1U) == 0; ++tries) {
    in.d_warp = static_cast<U8>(below(params_.NumWarps));
  }
  in.d_pc = pc();
  for (unsigned s = 0; s < params_.DecW; ++s) {
    in.d_mark[s] = static_cast<U8>(chance(200) ? 2 : below(4));
    in.d_ndst[s] = static_cast<U8>(chance(240) ? 1 + below(2) : below(4));
    in.d_ldkind[s] = static_cast<U8>(chance(loads_) ? below(4) : 0);
    for (unsigned a = 0; a < 2; ++a)
      in.d_dst[2 * s + a] = number(std::min(registers_, params_.NumSlots), params_.slot_bits());
  }
}

void Chaos::issue(Inputs& in) {
  for (unsigned p = 0; p < params_.NumIss; ++p) {
    if (!chance(60)) continue;
    in.i_valid = static_cast<U16>(in.i_valid | 1U << p);
    in.i_warp[p] = number(params_.NumWarps, params_.warp_bits());
    if (chance(lead_)) in.i_lead = static_cast<U16>(in.i_lead | 1U << p);
    in.i_dv[p] = static_cast<U8>(below(4));
    in.i_sv[p] = static_cast<U8>(random_() & twin::mask(params_.NumSrc));
    for (unsigned a = 0; a < 2; ++a) {
      in.i_tag[2 * p + a] = number(params_.NumRows, params_.row_bits());
      in.i_dst[2 * p + a] = number(std::min(registers_, params_.NumSlots), params_.slot_bits());
    }
    for (unsigned a = 0; a < params_.NumSrc; ++a) {
      in.i_src[p * params_.NumSrc + a] = number(std::min(registers_, params_.NumSlots), params_.slot_bits());
    }
  }
}

void Chaos::react(Inputs& in, const Outputs& out) {
  for (unsigned s = 0; s < params_.DecW; ++s) {
    if (out.d_act[s] != 1 || in.d_warp >= params_.NumWarps) continue;
    led_ = (in.d_pc + U64{8} * s) & twin::mask(params_.PcW);
    for (unsigned a = 0; a < 2; ++a) leads_.emplace_back(tb_of_[in.d_warp], out.d_tag[a]);
    if (leads_.size() > 64) leads_.pop_front();
  }
  for (unsigned p = 0; p < params_.NumWb; ++p) {
    if (!chance(write_)) continue;
    if (!leads_.empty() && chance(250)) {
      in.wb_valid = static_cast<U16>(in.wb_valid | 1U << p);
      in.wb_tb[p] = static_cast<U8>(leads_.front().first);
      in.wb_tag[p] = static_cast<U8>(leads_.front().second);
      leads_.pop_front();
    } else if (chance(6)) {
      in.wb_valid = static_cast<U16>(in.wb_valid | 1U << p);
      in.wb_tb[p] = number(params_.NumTbs, params_.tb_bits());
      in.wb_tag[p] = number(params_.NumRows, params_.row_bits());
    }
  }
  in.oc_idle = some_warps(200);
  in.cp_ack = out.cp_valid != 0 ? chance(100) : chance(2);
  launch(in);
  events(in);
  meet(in, out);
  live_ &= ~in.exit;
  stopped_ = in.br;
}

void Chaos::launch(Inputs& in) {
  if (chance(20)) {
    in.retire_valid = 1;
    in.retire_tb = number(params_.NumTbs, params_.tb_bits());
  }
  const U64 all = twin::mask(params_.NumWarps), free = all & ~live_;
  if (!chance(free == all ? 200 : 24)) return;
  in.lnch_valid = 1;
  in.lnch_tb = number(params_.NumTbs, params_.tb_bits());
  U64 warps = chance(60) ? free : free & random_();
  if (chance(4)) warps |= random_() & all;
  in.lnch_warps = warps;
  in.lnch_full = chance(200) ? warps : warps & random_();
  if (chance(3)) in.lnch_full = random_() & all;
  in.lnch_en = chance(240);
  in.lnch_promote = chance(128);
  in.lnch_base = static_cast<U16>(random_() & twin::mask(params_.RowW));
  in.lnch_rows = chance(6) ? static_cast<U8>(random_() & twin::mask(params_.row_bits() + 1))
                           : static_cast<U8>(below(params_.NumRows + 1));
  in.lnch_slots = chance(6) ? static_cast<U8>(random_() & twin::mask(params_.slot_bits() + 1))
                            : static_cast<U8>(params_.NumSlots - (chance(60) ? below(params_.NumSlots + 1) : 0));
  live_ |= warps;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if ((warps >> w & 1U) != 0) tb_of_[w] = in.lnch_tb;
  }
}

void Chaos::events(Inputs& in) {
  for (unsigned t = 0; t < params_.NumTbs; ++t) {
    if (chance(stores_)) in.ev_store |= U32{1} << t;
    if (chance(end_ / 2)) in.bar |= U32{1} << t;
  }
  if (in.bar != 0 || chance(10)) in.bar_join = some_warps(200);
  in.ev_global = chance(stores_ / 2);
  in.br = some_warps(branches_);
  in.br_taken = some_warps(128);
  in.leave = some_warps(end_ / 4);
  in.exit = some_warps(end_ / 4);
  if (chance(end_)) in.exit |= live_ & some_warps(128);
}

U64 Chaos::one_that_acts(const Inputs& in, const Outputs& out) {
  const auto warp = [this](bool there, unsigned w) { return there && w < params_.NumWarps ? bit(w) : 0; };
  const U64 acts[] = {out.f_skip,
                      stopped_,
                      warp(out.cp_valid != 0, out.cp_warp),
                      warp(in.d_valid != 0, in.d_warp),
                      warp((in.i_valid & 1U) != 0, in.i_warp[0]),
                      out.f_hold & out.maj,
                      out.f_hold & ~out.maj};
  for (unsigned tries = 0; tries < 4; ++tries) {
    U64 warps = acts[below(std::size(acts))];
    if (warps == 0) continue;
    for (unsigned left = below(size(warps)); left != 0; --left) {
      warps &= warps - 1;
    }
    return warps & (~warps + 1);
  }
  return 0;
}

void Chaos::meet(Inputs& in, const Outputs& out) {
  if (!chance(meets_)) return;
  const U64 warp = one_that_acts(in, out);
  if (warp == 0) return;
  const U32 tb = U32{1} << tb_of_[lowest(warp)] & twin::mask(params_.NumTbs);
  do {
    switch (below(9)) {
      case 0:
        in.leave |= warp;
        break;
      case 1:
        in.exit |= warp;
        break;
      case 2:
      case 3:
        in.bar |= tb;
        in.bar_join |= chance(64) ? random_() & twin::mask(params_.NumWarps) : twin::mask(params_.NumWarps);
        break;
      case 4:
        in.br |= warp;
        break;
      case 5:
      case 6:
        in.ev_store |= tb;
        break;
      case 7:
        in.ev_global = 1;
        break;
      default:
        in.cp_ack = 1;
    }
  } while (chance(128));
}

}  // namespace castor::darsie::tb
