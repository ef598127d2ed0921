#include "castor/hookup/lax/lax_statistics.h"

namespace castor::hookup {

void LaxStatistics::cycle(const lax::Inputs& in, const lax::Outputs& out) {
  if ((in.js_valid & out.js_ready) != 0) ++submitted;
  if ((out.adm_valid & in.adm_ready) != 0) {
    base::Counter& verdict = out.adm_accept != 0   ? accepted
                             : out.adm_reason == 1 ? rejected
                             : out.adm_reason == 2 ? expired
                                                   : refused;
    ++verdict;
  }
  if (out.jd_valid != 0) ++(out.jd_met != 0 ? met : late);
  tbs += in.wgc_valid;
  parse_grants += in.psel_grant;
  dispatch_grants += in.dsel_grant;
  if (out.upd_busy > last_.upd_busy) ++updates;
  if (out.irq > last_.irq) ++interrupts;
  if (out.pre_vec != last_.pre_vec) {
    for (unsigned q = 0; q < lax::QueueBits::kBits; ++q) preemptions += out.pre_vec[q] && !last_.pre_vec[q] ? 1 : 0;
  }
  rest(in, out, 1);
  last_ = out;
}

void LaxStatistics::rest(const lax::Inputs& in, const lax::Outputs& out, base::Cycle n) {
  if (out.upd_busy != 0) update_cycles += n;
  if (out.psel_valid == 0 && in.pe_vec.any()) parse_stalls += n;
  if (out.dsel_valid == 0 && in.de_vec.any()) dispatch_stalls += n;
}

void LaxStatistics::see_errors(std::uint16_t bits) {
  errors += static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(bits) & ~unsigned{errors_}));
  errors_ = bits;
}

}  // namespace castor::hookup
