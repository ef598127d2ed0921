#include "castor/hookup/saws/saws_statistics.h"

namespace castor::hookup {

void SawsStatistics::cycle(const saws::Outputs& out, const saws::Params& params) {
  const bool saws = out.mode_saws != 0;
  if (saws && !saws_) ++switches;
  saws_ = saws;
  held += params.NumSched - static_cast<unsigned>(__builtin_popcount(out.wev_ready));
}

void SawsStatistics::compare_orders(const saws::Probes& probes, const saws::Params& params) {
  std::array<Places, saws::kMaxSchedulers> place{};
  for (auto& row : place) row.fill(kAbsent);
  for (unsigned w = 0; w < params.NumWarps; ++w) {
    if (probes.allocated[w]) place[w % params.NumSched][probes.warp_cta[w]] = probes.position[w];
  }
  for (unsigned s = 0; s < params.NumSched; ++s) {
    for (unsigned t = s + 1; t < params.NumSched; ++t) compare(place[s], place[t]);
  }
}

void SawsStatistics::compare(const Places& one, const Places& other) {
  std::array<unsigned, saws::kMaxCtas> both{};  // CTAs that are in the lists of both schedulers
  unsigned count = 0;
  for (unsigned c = 0; c < both.size(); ++c) {
    if (one[c] != kAbsent && other[c] != kAbsent) both[count++] = c;
  }
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned j = 0; j < i; ++j) {
      const unsigned a = both[i], b = both[j];
      if ((one[a] < one[b]) != (other[a] < other[b])) ++order_disagreements;
    }
  }
  order_pairs += count * (count - 1) / 2;
}

}  // namespace castor::hookup
