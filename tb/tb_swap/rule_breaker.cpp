#include "tb/tb_swap/rule_breaker.h"

#include <algorithm>

namespace castor::tb_swap::tb {

/// Returns an entry with any locations. Most homes and places in it exist.
Entry RuleBreaker::entry() {
  const auto address = [this](bool home) {
    const U64 any = edges_.any(&Inputs::page_address, random_());
    return home ? (any & ~U64{63}) | below(chance(kAlways / 8) ? 64 : params_.NumHomes) : any;
  };
  Entry entry;
  const unsigned reg_loc = below(4), smem_loc = below(4), simt_loc = below(2);
  put(entry, kGid, random_());
  put(entry, kSm, random_());
  put(entry, kRegLoc, reg_loc);
  put(entry, kSmemLoc, smem_loc);
  put(entry, kSimtLoc, simt_loc);
  put(entry, kRegLine, address(reg_loc == kInHome));
  put(entry, kSite, site());
  put(entry, kSmemLine, address(smem_loc == kInHome));
  const U64 place = U64{below(params_.NumPlaces)} << kPlaceBits | below(kPlaceLines);
  put(entry, kSimtLine, simt_loc == kSimtInPlace && !chance(kAlways / 8) ? place : address(false));
  return entry;
}

/// Returns the number of a context: often one of the first, which has a job already, and seldom one that does not
/// exist.
unsigned RuleBreaker::slot() {
  if (chance(kAlways / 16)) return below(1U << params_.slot_bits());
  return below(chance(kAlways / 2) ? std::min(params_.MaxTb, 3U) : params_.MaxTb);
}

/// Exchanges one of the constants of a kernel for any other value.
void RuleBreaker::constants(Inputs& in) {
  switch (below(9)) {
    case 0:
      in.cfg_warps = static_cast<U8>(below(64));
      return;
    case 1:
      in.cfg_regs = static_cast<U16>(edges_.any(&Inputs::cfg_regs, random_()));
      return;
    case 2:
      // 0 means 4096 lines, which take long.
      in.cfg_simt = static_cast<U8>(chance(kAlways / 16) ? 0 : 1 + below(63));
      return;
    case 3:
      in.cfg_slots = static_cast<U8>(edges_.any(&Inputs::cfg_slots, random_()));
      return;
    case 4:
      in.cfg_rhomes = static_cast<U8>(edges_.any(&Inputs::cfg_rhomes, random_()));
      return;
    case 5:
      in.cfg_shomes = static_cast<U8>(edges_.any(&Inputs::cfg_shomes, random_()));
      return;
    case 6:
      in.cfg_in_place = static_cast<U8>(edges_.any(&Inputs::cfg_in_place, random_()));
      return;
    case 7:
      in.cfg_copies = static_cast<U8>(edges_.any(&Inputs::cfg_copies, random_()));
      return;
    default:
      in.cfg_direction = 3;
      return;
  }
}

/// Offers any job. A job of the commander that is on the port is replaced now and then.
void RuleBreaker::job(Inputs& in) {
  if (in.job_valid != 0 && !chance(kAlways / 8)) return;
  in.job_valid = 1;
  in.job_slot = static_cast<U8>(slot());
  in.job_out = static_cast<U8>(below(2));
  in.job_gid = static_cast<U32>(edges_.any(&Inputs::job_gid, random_()));
  in.job_site = static_cast<U8>(site());
  in.job_new = static_cast<U8>(below(2));
  in.job_in_gid = static_cast<U32>(edges_.any(&Inputs::job_in_gid, random_()));
  in.job_entry = entry();
}

void RuleBreaker::segment(Inputs& in) {
  in.ro_valid = 1;
  in.ro_slot = static_cast<U8>(slot());
  in.ro_index = static_cast<U8>(below(4));
  // Some segments begin in the shared memory and end far behind it.
  const unsigned lines = chance(kAlways / 4) ? 2040 + below(8) : below(8);
  in.ro_lines = static_cast<U16>(edges_.any(&Inputs::ro_lines, lines));
  in.ro_first = static_cast<U16>(chance(kAlways / 2) ? below(4) : edges_.any(&Inputs::ro_first, below(8)));
  in.ro_address = edges_.any(&Inputs::ro_address, random_());
}

void RuleBreaker::drive_ignored(Inputs& in) {
  if (chance(kAlways / 2)) job(in);
  if (chance(kAlways / 2)) segment(in);
  if (chance(kAlways / 2)) {
    in.site_valid = 1;
    in.site_index = static_cast<U8>(site());
    in.site_mask = RegBits(random_() & twin::mask(std::min(64U, params_.NumRegs)));
  }
  in.load_done = static_cast<U8>(below(2));
  in.page_valid = static_cast<U8>(below(2));
  if (in.page_valid != 0) in.page_address = edges_.any(&Inputs::page_address, random_());
  in.access_ready = static_cast<U8>(below(2));
}

void RuleBreaker::break_a_rule(Inputs& in, const Outputs& out) {
  switch (below(6)) {
    case 0:
    case 1:
      job(in);
      return;
    case 2:
      segment(in);
      return;
    case 3:
      if (chance(knobs_.stray_load)) in.load_done = 1;
      return;
    case 4:
      in.local_room = static_cast<U8>(below(2));
      return;
    default:
      // An image that a grant without a request names, in the cycle of an access or of the end of a job.
      if (out.page_request == 0) in.page_valid = 1;
      in.page_address = edges_.any(&Inputs::page_address, random_());
      return;
  }
}

}  // namespace castor::tb_swap::tb
