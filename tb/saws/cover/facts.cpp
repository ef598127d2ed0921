#include "tb/saws/cover/facts.h"

#include <algorithm>

namespace castor::saws::tb {

Needs features(const Params& p) {
  const unsigned width = p.warps_per_scheduler(), list = std::min(width, p.MaxCta);
  Needs all = 0;
  const auto add = [&all](bool there, Needs feature) { all |= there ? feature : 0; };
  add(p.SawsEn == 1, has::kSaws);
  add(p.NumSched > 1, has::kSchedulers);
  add(p.NumSched == 4, has::kFourSchedulers);
  add(p.PFloor == 1, has::kFloor);
  add(p.PFloor != 1, has::kNoFloor);
  add(p.InitOrder == 1, has::kByAge);
  add(p.InitOrder != 1, has::kByGreed);
  add(p.DemoteAt == 1, has::kDemotesAtHit);
  add(width > 1, has::kLocalWarps);
  add(p.NumWarps > 1, has::kWarps);
  add(list > 1, has::kTwoCtas);
  add(list > 2, has::kThreeCtas);
  add(list > 3, has::kFourCtas);
  add(p.MaxCta > 1 && p.NumWarps > 1, has::kCtas);
  add(p.MaxCta <= p.NumWarps, has::kAllSlots);
  add(p.MaxCta >= width, has::kLongestList);
  add(1U << p.index_bits() != width, has::kRaggedWarps);
  add(1U << p.cta_bits() != p.MaxCta, has::kRaggedSlots);
  add(p.EvqDepth > 1 && p.NumWarps > 1, has::kDeepQueues);
  return all;
}

bool Queues::any() const {
  return std::any_of(of.begin(), of.end(), [](const auto& queue) { return !queue.empty(); });
}

void Queues::clear() {
  for (auto& queue : of) queue.clear();
}

U64 Now::warps_of(unsigned cta) const {
  U64 mask = 0;
  for (U64 rest = probes.allocated.word(0); rest != 0; rest &= rest - 1) {
    if (probes.warp_cta[lowest(rest)] == cta) mask |= rest & -rest;
  }
  return mask;
}

unsigned Now::warp_on(unsigned cta, unsigned scheduler) const {
  for (U64 rest = probes.allocated.word(0) & on[scheduler]; rest != 0; rest &= rest - 1) {
    if (probes.warp_cta[lowest(rest)] == cta) return lowest(rest);
  }
  return params.NumWarps;
}

unsigned Now::greedy_cta(unsigned scheduler) const {
  const unsigned w = warp(scheduler, probes.pointer[scheduler]);
  return probes.allocated[w] ? probes.warp_cta[w] : params.MaxCta;
}

}  // namespace castor::saws::tb
