#include "tb/darsie/bits.h"
#include "tb/darsie/environment.h"

// Illegal inputs that the block must refuse or survive. They do not change the state of the environment.

namespace castor::darsie::tb {

void Environment::break_a_rule(Inputs& in) {
  const U64 warps = twin::mask(params_.NumWarps);
  const auto some_warp = [&] { return bit(below(params_.NumWarps)); };
  const auto number = [this](unsigned bits) { return static_cast<U8>(random_() & twin::mask(bits)); };
  switch (below(14)) {
    case 0:  // a launch on a TB slot or warps in use, or with values out of range
      in.lnch_valid = 1;
      in.lnch_tb = number(params_.tb_bits());
      in.lnch_warps = random_() & random_() & warps;
      in.lnch_full = chance(kAlways / 4) ? random_() & warps : in.lnch_warps;
      in.lnch_rows = number(params_.row_bits() + 1);
      in.lnch_slots = number(params_.slot_bits() + 1);
      break;
    case 1:
      in.retire_valid = 1;
      in.retire_tb = number(params_.tb_bits());
      break;
    case 2: {
      const unsigned p = below(params_.NumWb);
      in.wb_valid = static_cast<U16>(in.wb_valid | 1U << p);
      in.wb_tb[p] = number(params_.tb_bits());
      in.wb_tag[p] = number(params_.row_bits());
      break;
    }
    case 3:
      for (unsigned s = 0; s < params_.DecW; ++s) {
        if ((in.d_valid >> s & 1U) == 0) continue;
        in.d_mark[s] = number(2);
        in.d_ndst[s] = number(2);
        in.d_ldkind[s] = number(2);
      }
      break;
    case 4:
      if (in.d_valid != 0) break;
      in.d_valid = static_cast<U8>(1 + below(static_cast<unsigned>(twin::mask(params_.DecW))));
      in.d_warp = number(params_.warp_bits());
      in.d_mark[0] = number(2);
      in.d_ndst[0] = number(2);
      in.d_dst[0] = number(params_.slot_bits());
      break;
    case 5: {
      const unsigned p = below(params_.NumIss);
      if ((in.i_valid >> p & 1U) != 0) break;
      in.i_valid = static_cast<U16>(in.i_valid | 1U << p);
      in.i_warp[p] = number(params_.warp_bits());
      in.i_lead = static_cast<U16>(in.i_lead | unsigned{number(1)} << p);
      in.i_dv[p] = number(2);
      in.i_tag[2 * p] = number(params_.row_bits());
      in.i_dst[2 * p] = number(params_.slot_bits());
      in.i_sv[p] = number(params_.NumSrc);
      break;
    }
    case 6:
      in.br |= some_warp();
      in.br_taken |= random_() & warps;
      break;
    case 7:
      in.leave |= some_warp();
      break;
    case 8:
      in.exit |= some_warp();
      break;
    case 9:
      in.bar |= U32{1} << below(params_.NumTbs);
      in.bar_join |= random_() & warps;
      break;
    case 10:
      in.cp_ack = 1;
      break;
    case 11:
      in.f_elig |= some_warp();
      break;
    case 12:
      in.ev_store |= U32{1} << below(params_.NumTbs);
      in.ev_global = number(1);
      break;
    default:
      in.f_pc[below(params_.NumWarps)] = random_() & twin::mask(params_.PcW);
  }
}

}  // namespace castor::darsie::tb
