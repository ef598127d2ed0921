#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// An SM's side of its FetchFilter (docs/gpu.md, "FetchFilter"): pools of rows, warps whose instructions wait to be
/// decoded, what the filter said about instructions in the buffers, and the events of a tick. Only there with a filter.
///
/// The filter acts on warps of TBs that got a pool; of all others it hears start, exit and retire only. S0 `start`,
/// `stop`, then `settle_early`; S1 `take`; S3 `expect_load`; S5 `settle`, then `issue` for each instruction; S6
/// `decode`; S8 `barrier_met`, `retired`; S9 `clock`.
class FilterUnit {
 public:
  FilterUnit(const Machine& machine, unsigned sm, FetchFilter& filter, const SmClock& clock, WarpTable& warps,
             const ThreadBlocks& tbs, InstructionBuffer& buffer, FetchStage& fetch, const BlockedWarps& blocked,
             Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel, SmMemory& memory, ControlUnit& control,
             Executor& executor);

  /// A TB starts: gives it a pool, if it has marks and there is room, and completes what hooks are told of it.
  void start(const TbState& tb, unsigned context, TbStartEvent& event);
  /// Its kernel is stopped.
  void stop(const TbState& tb);
  void retired(unsigned context);

  /// Outputs that depend on state only. `eligible`: warps that may be fetched.
  void settle_early(WarpMask eligible);
  /// Warps that must not be fetched in this tick.
  [[nodiscard]] WarpMask hold() const { return hold_; }
  /// Asks the filter, does what it says to be done now, and remembers the rest. `started`: TB start that hooks are told
  /// of.
  void settle(const Picks& picks, const Maybe<TbStartEvent>& started);
  /// Issues an instruction if the filter acts on its warp; else false, and somebody else does.
  [[nodiscard]] bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                           LaneMask mask);
  /// Events kRowWritten and kRowReady.
  void take(const SmEvent& event);
  /// All data of a load are there. False if they do not go to rows.
  [[nodiscard]] bool expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation);
  /// Decodes the group that the filter was shown, and returns the warps of `due` that it does not act on.
  [[nodiscard]] WarpMask decode(WarpMask due);
  /// A barrier of a TB is complete.
  void barrier_met(unsigned context, unsigned barrier);
  /// The edge. `exits` are those of the tick, `in_flight` warps that have exited with registers pending; `started` and
  /// `late` TB starts that hooks were told of, and will be.
  void clock(View<WarpExit> exits, WarpMask in_flight, const Maybe<TbStartEvent>& started,
             const Maybe<TbStartEvent>& late);
  /// The next tick may build on what happened in this one.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  static constexpr unsigned kMaxSlots = 32;     // registers of a warp that can live in rows
  static constexpr unsigned kMaxBuffered = 16;  // limit of ibuffer.entries

  /// What the filter said about an instruction when it was decoded.
  struct Verdict {
    bool lead = false;
    std::uint8_t tag[2] = {};
  };
  struct Pool {
    std::uint16_t base = 0, rows = 0, slots = 0;
    std::uint16_t full_barriers = 0;  // ids at which warps wait for the whole TB
  };
  /// An instruction that may issue in this tick.
  struct Candidate {
    std::uint32_t pc = 0;
    IssueRename rename;
  };

  void find_group();
  void find_candidates(const Picks& picks);
  [[nodiscard]] bool ends(const WarpState& warp, std::uint32_t pc) const;
  [[nodiscard]] IssueSlot slot_of(unsigned w, std::uint32_t pc) const;
  void show_pc(unsigned w) { pc_of_[w] = warps_[w].code_base + std::uint64_t{8} * warps_[w].pc; }
  void skip(const FetchOut& out);
  void compute_ghost(unsigned w);
  void copy(const CopyRequest& request);
  void issue_renamed(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void note_control(unsigned w, const isa::Record& record, LaneMask mask);
  [[nodiscard]] WarpMask joins(const TbState& tb) const;

  const Machine& machine_;
  const unsigned sm_;
  FetchFilter& filter_;
  const SmClock& clock_;
  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  InstructionBuffer& buffer_;
  FetchStage& fetch_;
  const BlockedWarps& blocked_;
  Scoreboard& scoreboard_;
  Pipelines& pipelines_;
  ControlUnit& control_;
  Executor& executor_;
  RowPool rows_;

  WarpMask active_ = 0;
  TbMask active_tbs_ = 0;
  std::array<Pool, 64> pools_;  // per TB context
  bool busy_ = false;

  // What the filter is told and says.
  FetchIn in_;
  FetchOut out_;
  WarpMask hold_ = 0, eligible_ = 0;
  std::array<std::uint64_t, kMaxWarps> pc_of_{};

  // Fetch and decode.
  WarpMask present_ = 0;  // their instructions are there, not decoded
  std::array<Tick, kMaxWarps> fetched_{};
  std::array<std::array<Verdict, kMaxBuffered>, kMaxWarps> verdicts_{};  // [warp][pc mod kMaxBuffered]

  // Issue.
  std::array<IssueSlot, kMaxIssue> slots_;
  std::array<IssueSlot, kMaxIssue> issued_slots_;
  std::array<std::array<Candidate, 2>, kMaxWarps> candidates_{};  // of a warp that was picked
  std::array<std::uint8_t, kMaxIssue> slot_which_{};              // first or second of its warp
  unsigned slot_count_ = 0, issued_count_ = 0;

  // Events of a tick.
  TbMask stores_ = 0, barriers_ = 0;
  bool global_op_ = false;
  WarpMask branch_ = 0, taken_ = 0, leave_ = 0;
  WarpMask leaving_ = 0;                   // exited, registers pending
  Maybe<std::uint8_t> retired_, retires_;  // told in this tick, in the next
};

}  // namespace castor::gpu
