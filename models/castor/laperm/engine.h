#pragma once

#include "castor/base/time.h"
#include "castor/laperm/lists.h"
#include "castor/laperm/params.h"
#include "castor/laperm/ports.h"
#include "castor/laperm/state.h"

namespace castor::laperm {

/// The locality-aware thread block scheduler LaPerm as a cycle model: thread blocks of device launches go before those
/// of the host (TB-Pri), on the SM of their direct parent (SMX-Bind), or on an SM that has nothing else (Adaptive-Bind)
/// (docs/blocks/laperm.md, "Theory of operation"; Wang 2016, chapter 5, and LaPerm, ISCA 2016).
///
/// One cycle is `settle`, which gives its outputs, then `clock`, its rising edge. Outputs are functions of registers
/// alone, but pl_* (of policy, room_*, kd_ok), ev_* (of policy, room_open) and bound_wait (of policy). `clock` may see
/// events that `settle` did not, and takes the room that it is given itself.
///
/// Timing: one SM is examined per cycle, in rotation, while anything waits; an item pushed in c is a candidate in
/// c + 1 if its set has room; a reply of c in c + 2.
///
/// Cost: a few compares while nothing waits; else a time that depends neither on the number of SMs nor on that of
/// items. Deterministic; nothing is allocated after construction.
///
/// Limits: policy and ovf_log2 may change only while nothing waits; replies are the entries that were written.
class Engine {
 public:
  using Params = laperm::Params;
  using Inputs = laperm::Inputs;
  using Outputs = laperm::Outputs;
  using Probes = laperm::Probes;

  /// Starts in reset. Throws InputError on parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in);
  /// The rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// The state after reset was held: nothing waits, SM 0 is next, no backup set is chosen.
  void reset();

  /// Number of idle edges (events 0, levels as last clocked) that surely change no output: kForever while nothing waits
  /// and no error is shown, else 0, since scan_sm moves.
  [[nodiscard]] base::Cycle quiet() const { return rests_ ? base::kForever : 0; }
  /// Leaves exactly the state of `n` idle edges, n <= quiet(), which is the one that it is in. Of an engine that is
  /// `settled` it makes that of any n edges whose examinations changed nothing: scan_sm moves on.
  void idle(base::Cycle n);

  /// Nothing is under way, whatever waits: no item parked, no request, read or reply, no read possible, no error shown.
  /// Then only examinations that place something, choose a backup set or find another answer for an SM than the time
  /// before, change more than scan_sm; if none did in NumSm cycles, none will while room_*, kd_ok and policy repeat.
  [[nodiscard]] bool settled() const;

  [[nodiscard]] Probes probes() const;

 private:
  static constexpr unsigned kNoSet = kMaxSets;

  /// What the examination of a cycle finds.
  struct Choice {
    U8 stage = 0;                ///< that gave the candidate; 0: none
    U8 level = 0;                ///< 0: queue 0
    U8 set = 0;                  ///< of the candidate, and the backup set in stage 3
    U16 list = 0;                ///< of the candidate in stages 1 and 3
    const Item* item = nullptr;  ///< the candidate, if there is one
    U64 pos = 0;                 ///< of its next thread block
    bool last = false;           ///< which is its last
    bool fits = false;           ///< the SM has room for it
    bool starved = false;        ///< no candidate: the own items are in memory
    bool looked = false;         ///< the SM was open
    bool switches = false;       ///< stage 3 chose another backup set
  };
  /// The goal of an item: nowhere, queue 0, a list on chip, a list in memory, or it is parked.
  enum class Target : U8 { kNone, kHost, kChip, kMemory, kPark };
  struct Route {
    Target target = Target::kNone;
    U8 set = 0;    // kChip, kMemory
    U16 list = 0;  // likewise
  };

  [[nodiscard]] unsigned set_of(unsigned sm, U8 policy) const { return policy == kTbPri ? 0 : sm >> cluster_log2_; }
  [[nodiscard]] U32 busy_sets() const { return sets_.filled() | sets_.owed() | memory_.sets(); }
  /// Entries that a memory list may have, 0 without memory, and the mask of an index into it.
  [[nodiscard]] U32 ring_mask(U8 ovf_log2) const {
    return (U32{1} << (ovf_log2 < params_.OvfW ? ovf_log2 : params_.OvfW)) - 1;
  }
  [[nodiscard]] U32 ring_size(U8 ovf_log2) const { return ovf_log2 == 0 ? 0 : ring_mask(ovf_log2) + 1; }

  // Examination and placement (examine.cpp).
  [[nodiscard]] Choice examine(const Inputs& in) const;
  void take_front(Choice& choice, unsigned set) const;
  void show_choice(const Choice& choice);
  void show_bound(U8 policy);
  void step_examine(const Choice& choice);
  void step_place(const Choice& choice);

  // Items and memory (insert.cpp). Each decides by the registers before the edge.
  [[nodiscard]] bool accepts(const Inputs& in) const;
  [[nodiscard]] Route route(const Parked& item, const Inputs& in) const;
  [[nodiscard]] unsigned refill_set(unsigned inserted) const;
  void step_reply(const Inputs& in);
  void step_item(const Parked& item, const Route& route, const Inputs& in);
  void step_refill(unsigned set, const Inputs& in);
  void show();

  Params params_;
  unsigned cluster_log2_;  // log2 of ClusterSize
  U64 cnt_mask_;           // of CntW bits
  U32 all_sms_;            // a bit for each

  Rotation rotation_;
  Sets sets_;
  ChipLists chip_;
  MemoryLists memory_;
  HostQueue host_;
  Kernels kernels_;
  Parked parked_;
  Request request_;     // shown to memory until it is taken
  Tags tags_;           // reads whose reply is awaited
  Reply reply_;         // inserted at the next edge
  U8 refill_next_ = 0;  // set that refill looks at first
  bool wrote_ = false;  // the last request was a write
  U8 err_ = 0;          // errors of the last edge

  Outputs out_;
  bool rests_ = true;          // idle edges change nothing
  bool choice_shown_ = false;  // out_ has pl_* or ev_*
  U8 bound_policy_ = 0;        // for which out_ has bound_wait
  U32 bound_sets_ = 0;         // likewise, busy_sets
};

}  // namespace castor::laperm
