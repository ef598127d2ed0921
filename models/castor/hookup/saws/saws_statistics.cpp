#include "castor/hookup/saws/saws_statistics.h"

#include <array>

#include "castor/saws/state.h"

namespace castor::hookup {

void SawsStatistics::cycle(const saws::Outputs& out, const saws::Params& params) {
  const bool saws = out.mode_saws != 0;
  if (saws && !saws_) ++switches;
  saws_ = saws;
  held += params.NumSched - static_cast<unsigned>(__builtin_popcount(out.wev_ready));
}

void SawsStatistics::compare_orders(const saws::Probes& probes, const saws::Params& params) {
  // By scheduler and CTA: its position, or that it has no warp there.
  constexpr int kAbsent = -1;
  std::array<std::array<int, saws::kMaxCtas>, saws::kMaxSchedulers> place{};
  for (auto& row : place) row.fill(kAbsent);
  for (unsigned w = 0; w < params.NumWarps; ++w) {
    if (probes.allocated[w]) place[w % params.NumSched][probes.warp_cta[w]] = probes.position[w];
  }
  for (unsigned s = 0; s < params.NumSched; ++s) {
    for (unsigned t = s + 1; t < params.NumSched; ++t) {
      for (unsigned a = 0; a < params.MaxCta; ++a) {
        if (place[s][a] == kAbsent || place[t][a] == kAbsent) continue;
        for (unsigned b = a + 1; b < params.MaxCta; ++b) {
          if (place[s][b] == kAbsent || place[t][b] == kAbsent) continue;
          ++order_pairs;
          if ((place[s][a] < place[s][b]) != (place[t][a] < place[t][b])) ++order_disagreements;
        }
      }
    }
  }
}

}  // namespace castor::hookup
