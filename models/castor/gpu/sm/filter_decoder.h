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

/// Decode of the warps on which an SM's fetch filter acts: one group per tick, that of the warp whose fetch was first,
/// under the filter's verdicts, which are kept until the instructions issue.
///
/// S0 `start`, `stop`; S5 `find`, `verdict`; S6 `decode`.
class FilterDecoder {
 public:
  /// What the filter said about an instruction when it was decoded.
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

  /// A warp begins in the slot.
  void start(unsigned w) { verdicts_[w].fill({}); }
  void stop(WarpMask warps) { present_ &= ~warps; }

  /// The group of this tick.
  [[nodiscard]] const DecodeGroup& find();
  [[nodiscard]] const DecodeGroup& group() const { return group_; }
  /// Decodes it as the filter `said`, and returns the warps of `due` that the filter does not act on.
  [[nodiscard]] WarpMask decode(WarpMask due, const FetchOut& said);
  [[nodiscard]] const Verdict& verdict(unsigned w, std::uint32_t pc) const { return verdicts_[w][pc % kMaxBuffered]; }

 private:
  static constexpr unsigned kMaxBuffered = 16;  // limit of ibuffer.entries

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
  DecodeGroup group_;
  WarpMask present_ = 0;  // their instructions are there, not decoded
  std::array<Tick, kMaxWarps> fetched_{};
  std::array<std::array<Verdict, kMaxBuffered>, kMaxWarps> verdicts_{};  // [warp][pc mod kMaxBuffered]
};

}  // namespace castor::gpu
