#include "tb/tb_swap/rule_breaker.h"

#include <algorithm>

namespace castor::tb_swap::tb {

/// Returns an entry with any locations. A home or place in it exists.
Entry RuleBreaker::entry() {
  const auto address = [this](bool home) {
    const U64 any = edges_.any(&Inputs::page_address, random_());
    return home ? (any & ~U64{63}) | below(params_.NumHomes) : any;
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
  put(entry, kSimtLine, simt_loc == kSimtInPlace ? place : address(false));
  return entry;
}

/// Offers any job. A job of the commander that is on the port is replaced now and then.
void RuleBreaker::job(Inputs& in) {
  if (in.job_valid != 0 && !chance(kAlways / 8)) return;
  in.job_valid = 1;
  // Often one of the first contexts, which has a job already.
  in.job_slot = static_cast<U8>(below(chance(kAlways / 2) ? std::min(params_.MaxTb, 3U) : params_.MaxTb));
  in.job_out = static_cast<U8>(below(2));
  in.job_gid = static_cast<U32>(edges_.any(&Inputs::job_gid, random_()));
  in.job_site = static_cast<U8>(site());
  in.job_new = static_cast<U8>(below(2));
  in.job_in_gid = static_cast<U32>(edges_.any(&Inputs::job_in_gid, random_()));
  in.job_entry = entry();
}

void RuleBreaker::segment(Inputs& in) {
  in.ro_valid = 1;
  in.ro_slot = static_cast<U8>(below(chance(kAlways / 2) ? std::min(params_.MaxTb, 3U) : params_.MaxTb));
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
    in.site_index = static_cast<U8>(below(params_.NumSites));
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
