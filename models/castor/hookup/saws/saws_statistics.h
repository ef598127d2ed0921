#pragma once

#include <array>

#include "castor/base/statistics.h"
#include "castor/saws/params.h"
#include "castor/saws/ports.h"
#include "castor/saws/state.h"

namespace castor::hookup {

/// Statistics of the warp schedulers of one SM, counted at the ports and probes of the block saws, so model and RTL
/// give the same values. They are in the group of the SM's issue policy, on machines with the block only.
struct SawsStatistics {
  explicit SawsStatistics(base::StatisticGroup& parent) : group(parent, "saws") {}

  base::StatisticGroup group;
  base::Counter switches{group, {"switches", "", "changes from GTO to SAWS"}};
  base::Counter held{
      group,
      {"held", "ticks",
       "ticks in which a scheduler had no room for a message and issued no barrier or exit, summed over schedulers"}};
  base::Counter order_pairs{
      group,
      {"order_pairs", "",
       "pairs of thread blocks that two schedulers both have in their lists, summed over completed barriers"}};
  base::Counter order_disagreements{
      group,
      {"order_disagreements", "",
       "pairs of thread blocks that two schedulers have in opposite order, summed over completed barriers"}};

  /// Counts one tick that the block executes, with its outputs.
  void cycle(const saws::Outputs& out, const saws::Params& params);
  /// Compares the lists of all schedulers in a tick in which a barrier completes.
  void compare_orders(const saws::Probes& probes, const saws::Params& params);

 private:
  /// Positions of all CTAs in the list of one scheduler; kAbsent: the CTA has no warp there.
  using Places = std::array<int, saws::kMaxCtas>;
  static constexpr int kAbsent = -1;
  void compare(const Places& one, const Places& other);

  bool saws_ = false;
};

}  // namespace castor::hookup
