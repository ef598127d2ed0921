#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/filter_decoder.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/issue_values.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// What an SM's fetch filter is told of instructions that may issue in a tick and of those that do, and what it said
/// about where their sources are.
///
/// S0 `begin_tick`; S5 `find`, `take`, then `issue` for each instruction; S9 `tell_issued`.
class FilterSlots {
 public:
  FilterSlots(const Machine& machine, const FilterTerms& terms, const SmClock& clock, WarpTable& warps,
              const InstructionBuffer& buffer, const FilterPools& pools, const FilterDecoder& decoder)
      : machine_(machine),
        terms_(terms),
        clock_(clock),
        warps_(warps),
        buffer_(buffer),
        pools_(pools),
        decoder_(decoder) {}

  void begin_tick() { count_ = issued_count_ = 0; }
  /// Tells of what was picked, and behind all picks of what may issue as the second of a pair.
  void find(const Picks& picks, FetchIn& in);
  /// Where the filter says that their sources are.
  void take(const FetchOut& said);
  /// One of them issues.
  const IssueSlot& issue(unsigned w, std::uint32_t pc);
  /// The same instruction's sources.
  [[nodiscard]] const IssueRename& rename(unsigned w, std::uint32_t pc) const;
  /// It is arithmetic and writes in `cycle`.
  void writes(Cycle cycle) {
    if (terms_.values) issued_values_[issued_count_ - 1].written = cycle;
  }
  void tell_issued(FetchIn& in) const;

 private:
  [[nodiscard]] IssueSlot slot_of(unsigned w, std::uint32_t pc) const;
  /// Index of what the filter has seen of an instruction that issues.
  [[nodiscard]] unsigned index_of(unsigned w, std::uint32_t pc) const;

  const Machine& machine_;
  const FilterTerms& terms_;
  const SmClock& clock_;
  WarpTable& warps_;
  const InstructionBuffer& buffer_;
  const FilterPools& pools_;
  const FilterDecoder& decoder_;
  std::array<IssueSlot, kMaxIssue> slots_;
  std::array<IssueSlot, kMaxIssue> issued_slots_;
  std::array<IssueValues, kMaxIssue> values_, issued_values_;  // if the filter wants them
  std::array<IssueRename, kMaxIssue> renames_;
  std::array<std::uint32_t, kMaxIssue> pcs_{};
  std::array<std::array<std::uint8_t, 2>, kMaxWarps> places_{};  // of the first and second of a warp that was picked
  unsigned count_ = 0, issued_count_ = 0;
};

}  // namespace castor::gpu
