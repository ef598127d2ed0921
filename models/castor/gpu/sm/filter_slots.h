#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/filter_decoder.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Instructions of an issue step as an SM's fetch filter sees them: candidates before commit, issued instructions
/// afterwards, and the renamed sources that the filter returns for each.
///
/// Steps: `begin_tick` in S0, start; `find`, `take`, then `issue` for each instruction in S5, issue; `report_issued` in
/// S9, hook edges.
class FilterSlots {
 public:
  FilterSlots(const Machine& machine, const FilterTerms& terms, const SmClock& clock, const WarpTable& warps,
              const InstructionBuffer& buffer, const FilterPools& pools, const FilterDecoder& decoder)
      : machine_(machine),
        terms_(terms),
        clock_(clock),
        warps_(warps),
        buffer_(buffer),
        pools_(pools),
        decoder_(decoder) {}

  void begin_tick() { count_ = issued_count_ = 0; }
  /// Writes the candidates into the filter's inputs: the picks, then the possible second instructions of pairs.
  void find(const Picks& picks, FetchIn& in);
  /// Takes the filter's renamed sources for all candidates.
  void take(const FetchOut& said);
  /// Records that a candidate has issued, and returns its slot.
  const IssueSlot& issue(unsigned w, std::uint32_t pc);
  /// Returns the renamed sources of a candidate.
  [[nodiscard]] const IssueRename& rename(unsigned w, std::uint32_t pc) const;
  /// Writes the issued instructions into the filter's inputs.
  void report_issued(FetchIn& in) const;

 private:
  [[nodiscard]] IssueSlot slot_of(unsigned w, std::uint32_t pc) const;
  // Returns the index of an issuing instruction among the candidates.
  [[nodiscard]] unsigned index_of(unsigned w, std::uint32_t pc) const;

  const Machine& machine_;
  const FilterTerms& terms_;
  const SmClock& clock_;
  const WarpTable& warps_;
  const InstructionBuffer& buffer_;
  const FilterPools& pools_;
  const FilterDecoder& decoder_;
  std::array<IssueSlot, kMaxIssue> slots_;  // candidates of this tick, the first count_ are valid
  // instructions issued in this tick, the first issued_count_ are valid
  std::array<IssueSlot, kMaxIssue> issued_slots_;
  std::array<IssueRename, kMaxIssue> renames_;
  std::array<std::uint32_t, kMaxIssue> pcs_{};  // [candidate] record number (PC) of the instruction
  // [warp] candidate indices of the warp's first and second instruction
  std::array<std::array<std::uint8_t, 2>, kMaxWarps> places_{};
  unsigned count_ = 0, issued_count_ = 0;
};

}  // namespace castor::gpu
