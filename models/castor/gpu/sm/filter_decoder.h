#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/filter_counters.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_parts.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Decode stage for the warps on which an SM's fetch filter acts. One group is decoded per tick, from the warp that was
/// fetched first. The filter's verdict on each instruction is kept until the instruction issues.
///
/// Steps: `start` and `stop` in S0, start; `find` and `verdict` in S5, issue; `decode` in S6, decode.
class FilterDecoder {
 public:
  /// Verdict of the filter on an instruction at its decode: whether the instruction leads, and the pool rows of its
  /// results.
  struct Verdict {
    bool lead = false;
    std::uint8_t tag[2] = {};
  };

  FilterDecoder(const SmParts& parts, const FetchFilter& filter, const FilterTerms& terms, const RowPool& rows,
                FilterPools& pools, FilterCounters& counters)
      : machine_(parts.machine),
        sm_(parts.sm),
        filter_(filter),
        terms_(terms),
        clock_(parts.clock),
        warps_(parts.warps),
        fetch_(parts.fetch),
        rows_(rows),
        pools_(pools),
        counters_(counters) {}

  /// Resets the verdicts of a slot for a warp that starts in it.
  void start(unsigned w) { verdicts_[w].fill({}); }
  /// Drops the fetched instructions of these warps.
  void stop(WarpMask warps) { present_ &= ~warps; }

  /// Selects the decode group of this tick and returns it.
  [[nodiscard]] const DecodeGroup& find();
  [[nodiscard]] const DecodeGroup& group() const { return group_; }
  /// Decodes the group with the filter's outputs `said`. Returns the warps of `due` on which the filter does not act.
  [[nodiscard]] WarpMask decode(WarpMask due, const FetchOut& said);
  [[nodiscard]] const Verdict& verdict(unsigned w, std::uint32_t pc) const { return verdicts_[w][pc % kMaxBuffered]; }

 private:
  static constexpr unsigned kMaxBuffered = 16;  // largest value of ibuffer.entries

  [[nodiscard]] bool ends(const WarpState& warp, std::uint32_t pc) const;
  void fill(unsigned first);
  void deliver(unsigned w, const FetchOut& said);

  const Machine& machine_;
  const unsigned sm_;
  const FetchFilter& filter_;
  const FilterTerms& terms_;
  const SmClock& clock_;
  const WarpTable& warps_;
  FetchStage& fetch_;
  const RowPool& rows_;
  FilterPools& pools_;
  FilterCounters& counters_;
  DecodeGroup group_;                      // decode group of this tick
  WarpMask present_ = 0;                   // warps whose fetched instructions have arrived and are not decoded yet
  std::array<Tick, kMaxWarps> fetched_{};  // [warp] tick of the fetch that is not decoded yet
  // [warp][pc mod kMaxBuffered] verdict on the instruction
  std::array<std::array<Verdict, kMaxBuffered>, kMaxWarps> verdicts_{};
};

}  // namespace castor::gpu
