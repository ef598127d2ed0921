#pragma once

#include <array>

#include "castor/base/time.h"
#include "castor/darsie/counters.h"
#include "castor/darsie/params.h"
#include "castor/darsie/ports.h"
#include "castor/darsie/state.h"

namespace castor::darsie {

/// Skip table, majority masks, branch meetings and renaming rows of an SM as a cycle model: of the warps of a thread
/// block (TB) that come to the same redundant instruction one executes it, the others skip it and read its result
/// (docs/blocks/darsie.md, "Theory of operation"; Yeh 2020, chapter 7).
///
/// One cycle is `settle`, which gives its outputs, then `clock`, its rising edge. Outputs are functions of registers
/// alone, but f_skip (of f_*), d_act and d_tag (of d_*), i_sren and i_srow (of i_*). `clock` may see inputs that
/// `settle` did not.
///
/// Timing (docs/blocks/darsie.md, "Cycle"): a leader elected in c holds the other warps from c + 1; a row written in c
/// lets them skip from c + 1; a skip takes effect at its own edge; a meeting whose last warp arrives in c completes at
/// the edge of c + 1.
///
/// Cost: settle and clock of a cycle in which nothing is eligible, decoded, issued or reported are a few compares.
///
/// Deterministic; nothing is allocated after construction. Fields beyond the width of their port are the caller's
/// error. Limits: values are the SM's matter, the block knows who has which version; one election per cycle.
class Engine {
 public:
  using Params = darsie::Params;
  using Inputs = darsie::Inputs;
  using Outputs = darsie::Outputs;
  using Probes = darsie::Probes;
  using State = darsie::State;

  /// Starts in reset. Throws InputError on parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in) {
    if (((in.f_elig & candidates_) | in.d_valid | in.i_valid) != 0 || shown_) find_outputs(in);
    return out_;
  }
  /// The rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// The state after reset was held: no TB, no warp. Counters stay.
  void reset();

  /// Number of idle edges (events 0, levels as last clocked) that surely change no output and no register: kForever,
  /// or 0 if the state may move by itself, or if a warp could skip, copies, has missed or lets a row linger.
  [[nodiscard]] base::Cycle quiet() const {
    return moves_ || state_.miss != 0 || ready_ != 0 || (candidates_ & eligible_) != 0 ? 0 : base::kForever;
  }
  /// Leaves exactly the state of `n` idle edges, n <= quiet(): the one that it is in, and counters of waiting warps.
  void idle(base::Cycle n) { count_waits(n); }

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// The fate of a group: free to fetch, it waits for the version, or it skips.
  enum class Kind : U8 { kMiss, kLatch, kSkip };
  /// Warps of one TB that are served together.
  struct Group {
    WarpMask warps = 0;  // that are served
    Tags tags;           // rows of the version, unless it is a miss
    Kind kind = Kind::kMiss;
    bool woken = false;   // they waited; else they asked the skip table
    bool load = false;    // of the entry
    bool global = false;  // of the entry
    U8 first = 0;         // warp that the search came to; rrf goes behind it
    U8 tb = 0;            // TB slot of all
  };
  /// Why an instruction that is redundant gets its verdict.
  enum class Why : U8 {
    kNone,        // no redundant instruction
    kNosk,        // stale, and the rest executes it privately
    kLast,        // stale, and no other warp waits for it
    kRelead,      // stale: led once more for those that have not passed
    kNoRow,       // stale, and no row is free to lead it again
    kLatch,       // another warp leads it: wait for its version
    kAlone,       // no other warp in the majority
    kNoElect,     // no elections until the region ends
    kPark,        // a synchronisation point is open
    kLead,        // elected
    kSetNoElect,  // no row is free even after a synchronisation point
    kSetSync      // no row is free: opens a synchronisation point
  };
  struct Verdict {
    Why why = Why::kNone;
    U8 warp = 0;         // that is decoded
    U8 tb = 0;           // its TB slot
    U8 slot = 0;         // of the decode group
    Tags version;        // the pending one that it is about
    Tags rows;           // those elected
    WarpMask heirs = 0;  // warps that are to pass the rows elected
  };
  /// Request of the copy sequencer that this cycle's state gives.
  struct Copies {
    WarpMask done = 0;   // warps with nothing left to copy
    bool found = false;  // there is a row to copy
    U8 warp = 0;         // for this warp
    U8 row = 0;          // this row of its TB
  };
  /// Registers at the start of the cycle that steps of its edge need after others have changed them.
  struct Before {
    WarpMask live, maj, stop, tk, cpy;
    TbMask sync, en, complete;  // complete: all of the majority has stopped
    Copies copies;
  };

  // What the state says of a cycle (engine.cpp).
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

  // The steps of an edge (edge.cpp; docs/blocks/darsie.md, "Cycle").
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

  // Parts of steps.
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
  U8 age_mask_;        // of a sequence number, and of differences of them
  U16 register_mask_;  // of a physical register's number
  State state_;
  Outputs out_;  // of the latest settle
  Counters counters_;

  // What follows from the state.
  std::array<WarpMask, kMaxTbs> warps_{};                        // live warps of each TB slot
  std::array<std::array<U32, kMaxSlots>, kMaxTbs> slot_rows_{};  // rows of each register number
  WarpMask lingering_ = 0;                                       // warps with ling
  WarpMask entries_ = 0;                                         // warps of TBs with valid entries
  WarpMask ready_ = 0;                                           // waiting warps whose rows are written
  WarpMask candidates_ = 0;                                      // warps that are served if they are eligible
  TbMask complete_ = 0;                                          // TBs whose majority has stopped
  bool moves_ = false;                                           // something moves at the next edge whatever comes
  U64 waiting_wb_ = 0, waiting_stop_ = 0, waiting_copy_ = 0;     // warps

  // What a cycle's state and inputs say, for its edge.
  std::array<Group, kMaxGroups> groups_{};  // served in this cycle
  unsigned group_count_ = 0;                // of groups_
  Verdict verdict_;                         // on the redundant instruction that is decoded, if there is one
  U8 squashed_second_ = 0;                  // redundant instructions behind another in the decode group
  WarpMask eligible_ = 0;                   // f_elig of the last edge
  bool shown_ = false;                      // out_ has something that depends on inputs
  bool acts_shown_ = false;                 // out_ has d_act or d_tag
  U16 renames_shown_ = 0;                   // issue ports with i_sren

  // What an edge has changed so far.
  WarpMask touched_ = 0;                   // warps whose ref has changed
  std::array<U32, kMaxWarps> ref_before_;  // of these
  struct Renumbering {
    bool valid = false;        // a leader was elected
    U8 tb = 0, seq = 0;        // TB slot, sequence number
    Tags rows;                 // by destination
    std::array<U8, 2> slot{};  // register numbers, by destination
  } renumbering_;              // rows elected: their register and sequence number hold from the next cycle
};

}  // namespace castor::darsie
