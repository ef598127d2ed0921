#pragma once

#include <array>

#include "castor/base/time.h"
#include "castor/darsie/counters.h"
#include "castor/darsie/params.h"
#include "castor/darsie/ports.h"
#include "castor/darsie/state.h"

namespace castor::darsie {

/// Skip table, majority masks, branch meetings and renaming rows of an SM as a cycle model. When warps of a thread
/// block (TB) reach the same redundant instruction, one warp executes it. The other warps skip it and read its result
/// (docs/blocks/darsie.md, "Theory of operation"; Yeh 2020, chapter 7).
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except f_skip (of f_*), d_act and d_tag (of d_*), i_sren and i_srow (of i_*). `clock`
/// may receive inputs that `settle` did not.
///
/// Timing (docs/blocks/darsie.md, "Cycle"): a leader elected in cycle c holds the other warps from c + 1. A row written
/// in c lets them skip from c + 1. A skip takes effect at the edge of its cycle. A meeting whose last warp arrives in c
/// completes at the edge of c + 1.
///
/// Cost: if nothing is eligible, decoded, issued or reported in a cycle, settle and clock cost a few comparisons.
///
/// Deterministic; no allocation after construction. The caller must keep fields within the width of their port. Limits:
/// the SM holds the values, the block only knows which warp uses which version; one election per cycle.
class Engine {
 public:
  using Params = darsie::Params;
  using Inputs = darsie::Inputs;
  using Outputs = darsie::Outputs;
  using Probes = darsie::Probes;
  using State = darsie::State;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in) {
    if (((in.f_elig & candidates_) | in.d_valid | in.i_valid) != 0 || shown_) find_outputs(in);
    return out_;
  }
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: no TB, no warp. Counters are not cleared.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output and no register. The
  /// result is 0 if an idle edge may change state, if a warp could skip, is copying registers or has missed, or if a
  /// row lingers; otherwise kForever.
  [[nodiscard]] base::Cycle quiet() const {
    return moves_ || state_.miss != 0 || ready_ != 0 || (candidates_ & eligible_) != 0 ? 0 : base::kForever;
  }
  /// Applies `n` idle edges, n <= quiet(): they only advance the counters of waiting warps.
  void idle(base::Cycle n) { count_waits(n); }

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// Outcome for a group of warps: free to fetch, waits for the version, or skips.
  enum class Kind : U8 { kMiss, kLatch, kSkip };
  /// Warps of one TB at the same PC or waiting for the same version, served together in a cycle.
  struct Group {
    WarpMask warps = 0;  // warps of the group
    Tags tags;           // rows of the version; undefined for a miss
    Kind kind = Kind::kMiss;
    bool woken = false;   // the warps waited for the version; if false, they probed the skip table
    bool load = false;    // the entry is of a load
    bool global = false;  // the entry is of a global load
    U8 first = 0;         // warp that the round-robin search found; rrf becomes the next warp
    U8 tb = 0;            // TB slot of all warps
  };
  /// Reason of the verdict on a redundant instruction.
  enum class Why : U8 {
    kNone,        // the instruction is not redundant
    kNosk,        // version is stale; the remaining warps execute the instruction privately
    kLast,        // version is stale, and no other warp waits for it
    kRelead,      // version is stale: elected again for the warps that have not passed
    kNoRow,       // version is stale, and no row is free to elect again
    kLatch,       // another warp leads the instruction: wait for its version
    kAlone,       // the warp is alone in the majority
    kNoElect,     // no elections until the region ends
    kPark,        // a synchronisation point is open
    kLead,        // elected as leader
    kSetNoElect,  // no row is free, even after a synchronisation point: no elections until the region ends
    kSetSync      // no row is free: opens a synchronisation point
  };
  struct Verdict {
    Why why = Why::kNone;
    U8 warp = 0;         // warp being decoded
    U8 tb = 0;           // TB slot of the warp
    U8 slot = 0;         // slot of the instruction in the decode group
    Tags version;        // pending version to which the verdict refers
    Tags rows;           // rows that an election takes
    WarpMask heirs = 0;  // other warps for which the elected rows become pending
  };
  /// Next request of the copy sequencer, computed from the state at the start of the cycle.
  struct Copies {
    WarpMask done = 0;   // warps that have no row left to copy
    bool found = false;  // a row must be copied
    U8 warp = 0;         // warp for which the row is copied
    U8 row = 0;          // number of the row in its TB's pool
  };
  /// Register values at the start of the cycle that later steps of the edge still need.
  struct Before {
    WarpMask live, maj, stop, tk, cpy;
    TbMask sync, en, complete;  // complete: TBs whose majority has stopped completely
    Copies copies;
  };

  // Combinational outputs (engine.cpp).
  void find_outputs(const Inputs& in);
  void find_groups(const Inputs& in);
  [[nodiscard]] Group wake_group(unsigned first, WarpMask rest) const;
  [[nodiscard]] Group probe_group(const Inputs& in, unsigned first, WarpMask rest) const;
  void find_verdicts(const Inputs& in);
  [[nodiscard]] static Act act_of(Why why);
  [[nodiscard]] bool redundant(const Inputs& in, unsigned slot) const;
  [[nodiscard]] Verdict judge(const Inputs& in, unsigned slot) const;
  void judge_version(Verdict& verdict, U32 pending, const Inputs& in) const;
  void judge_election(Verdict& verdict, const Inputs& in) const;
  [[nodiscard]] Tags version_of(const Verdict& verdict, U32 pending, const Inputs& in) const;
  [[nodiscard]] bool find_room(Verdict& verdict, const Inputs& in) const;
  void find_operands(const Inputs& in);
  [[nodiscard]] U32 used_rows(unsigned tb) const;
  [[nodiscard]] WarpMask pending_warps(unsigned tb, unsigned row) const;
  [[nodiscard]] Copies find_copies() const;

  // Steps of an edge (edge.cpp; docs/blocks/darsie.md, "Cycle").
  [[nodiscard]] U8 errors(const Inputs& in) const;
  [[nodiscard]] bool legal_launch(const Inputs& in) const;
  [[nodiscard]] bool legal_retire(const Inputs& in) const;
  void step_write_backs(const Inputs& in);
  void step_memory(const Inputs& in);
  void step_groups(const Inputs& in);
  void step_verdict(const Inputs& in);
  void step_election(const Inputs& in);
  void step_drop(const Inputs& in);
  void step_issue(const Inputs& in);
  void step_completion(const Before& before);
  void step_branches(const Inputs& in, const Before& before);
  void step_leaves(const Inputs& in, const Before& before);
  void step_barriers(const Inputs& in, const Before& before);
  void step_copies(const Inputs& in, const Before& before);
  void step_exits(const Inputs& in, const Before& before);
  void step_linger(const Inputs& in, const Before& before);
  void step_launch(const Inputs& in);
  void end_edge(const Before& before);
  void find_complete();

  // Functions that several steps use.
  void wait_for(WarpMask warps, unsigned tb, const Tags& tags, bool load, bool global);
  void change_ref(unsigned warp, U32 ref);
  void clear_pending(WarpMask warps);
  void leave_majority(WarpMask warps);
  void end_region(unsigned tb);
  void set_entries(unsigned tb, unsigned valid);
  void count_verdict();
  void count_waits(U64 cycles) {
    counters_.wait_wb += cycles * waiting_wb_;
    counters_.wait_stop += cycles * waiting_stop_;
    counters_.wait_copy += cycles * waiting_copy_;
  }

  Params params_;
  U8 age_mask_;        // mask of a sequence number and of differences of sequence numbers
  U16 register_mask_;  // mask of a physical register number
  State state_;
  Outputs out_;  // outputs of the last settle
  Counters counters_;

  // Values derived from the state, kept up to date for speed.
  std::array<WarpMask, kMaxTbs> warps_{};                        // live warps of each TB slot
  std::array<std::array<U32, kMaxSlots>, kMaxTbs> slot_rows_{};  // rows of each register number of a TB slot
  WarpMask lingering_ = 0;                                       // warps with a lingering row (ling)
  WarpMask entries_ = 0;                                         // warps of TBs with valid skip table entries
  WarpMask ready_ = 0;                                           // waiting warps whose rows are all written
  // warps that skip or probe the skip table once they are eligible
  WarpMask candidates_ = 0;
  TbMask complete_ = 0;                                       // TBs whose majority has stopped
  bool moves_ = false;                                        // the next edge may change the state even without
                                                              // inputs
  U64 waiting_wb_ = 0, waiting_stop_ = 0, waiting_copy_ = 0;  // numbers of waiting warps, by kind of wait

  // Results of the combinational part of a cycle, for its edge.
  std::array<Group, kMaxGroups> groups_{};  // groups served in this cycle
  unsigned group_count_ = 0;                // number of valid elements of groups_
  Verdict verdict_;                         // verdict on the redundant instruction being decoded, if any
  U8 squashed_second_ = 0;                  // redundant instructions squashed because an earlier one in the decode
                                            // group is redundant
  WarpMask eligible_ = 0;                   // f_elig at the last edge
  bool shown_ = false;                      // out_ holds outputs that depend on inputs
  bool acts_shown_ = false;                 // out_ holds d_act or d_tag
  U16 renames_presented_ = 0;               // issue ports for which out_ holds i_sren

  // Changes made so far by the steps of the current edge.
  WarpMask touched_ = 0;                   // warps whose `ref` has changed
  std::array<U32, kMaxWarps> ref_before_;  // previous `ref` of the warps in touched_
  struct Renumbering {
    bool valid = false;        // a leader was elected at this edge
    U8 tb = 0, seq = 0;        // TB slot, sequence number
    Tags rows;                 // elected rows, by destination
    std::array<U8, 2> slot{};  // register numbers, by destination
  } renumbering_;              // elected rows: register number and sequence number become valid in the next cycle
};

}  // namespace castor::darsie
