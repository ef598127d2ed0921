#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// Counts issued instructions (S5, issue) by class, by kernel table entry and by thread block, and reports them to the
/// observer.
class IssueCounter {
 public:
  /// `observer` may be null.
  IssueCounter(const Machine& machine, unsigned sm, const SmClock& clock, ThreadBlocks& tbs, IssueCounters& counters,
               Observer* observer)
      : sm_(sm), clock_(clock), tbs_(tbs), counters_(counters), observer_(observer), entries_(machine.table.entries) {}

  [[nodiscard]] bool observed() const { return observer_ != nullptr; }
  /// Counts an instruction that issues for `lanes` lanes of a warp in TB context `context`.
  void count(unsigned context, const Decoded& decoded, unsigned lanes) {
    const auto kind = static_cast<std::size_t>(decoded.instruction_class);
    ++counters_.instructions.warps[kind];
    counters_.instructions.lanes[kind] += lanes;
    EntryCounts& entry = entries_[tbs_[context].kernel->entry];
    ++entry.warps[kind];
    entry.lanes[kind] += lanes;
    entry.register_reads += decoded.source_count;
    entry.register_writes += decoded.dst_count;
    tbs_.count(context, lanes);
  }
  /// Reports the instruction at the warp's PC to the observer. Only if `observed`.
  void tell(unsigned scheduler, unsigned w, const WarpState& warp, LaneMask mask) const {
    observer_->issued({clock_.now(), clock_.tick(), sm_, scheduler, w, warp.tb, tbs_[warp.tb].kernel, warp.pc, mask});
  }

  /// Returns the number of instructions issued so far, of all classes.
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counters_.instructions.warps) sum += count;
    return sum;
  }
  /// Returns the counts of the kernels in a table entry since `clear`.
  [[nodiscard]] const EntryCounts& of_entry(unsigned entry) const { return entries_[entry]; }
  void clear(unsigned entry) { entries_[entry] = {}; }

 private:
  const unsigned sm_;
  const SmClock& clock_;
  ThreadBlocks& tbs_;
  IssueCounters& counters_;
  Observer* const observer_;
  std::vector<EntryCounts> entries_;
};

}  // namespace castor::gpu
