#pragma once

#include "castor/base/time.h"
#include "castor/laperm/lists.h"
#include "castor/laperm/params.h"
#include "castor/laperm/ports.h"
#include "castor/laperm/state.h"

namespace castor::laperm {

/// The locality-aware thread block scheduler LaPerm as a cycle model. Thread blocks of device launches go before those
/// of the host (TB-Pri), on the SM of their direct parent (SMX-Bind), or on an SM that has no other work
/// (Adaptive-Bind). See docs/blocks/laperm.md, "Theory of operation"; Wang 2016, chapter 5, and LaPerm, ISCA 2016.
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except pl_* (of policy, room_*, kd_ok), ev_* (of policy, room_open) and bound_wait (of
/// policy). `clock` may receive events that `settle` did not, and uses its own room_* and kd_ok.
///
/// Timing: while items wait, one SM is examined per cycle, in rotation. An item pushed in cycle c is a candidate in c +
/// 1 if its set has room; an item whose memory reply comes in c is a candidate in c + 2.
///
/// Cost: a few comparisons while no item waits; else a time that depends neither on the number of SMs nor on that of
/// items. Deterministic; no allocation after construction.
///
/// Limits: policy and ovf_log2 may change only while no item waits; memory must reply with the entries that were
/// written.
class Engine {
 public:
  using Params = laperm::Params;
  using Inputs = laperm::Inputs;
  using Outputs = laperm::Outputs;
  using Probes = laperm::Probes;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in);
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: no item waits, SM 0 is examined next, no backup set is chosen.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output: kForever while no item
  /// waits and no error is shown, else 0, since scan_sm advances.
  [[nodiscard]] base::Cycle quiet() const { return rests_ ? base::kForever : 0; }
  /// Applies `n` idle edges. For n <= quiet() the state does not change. For an engine that is `settled`, applies n
  /// edges whose examinations change nothing: only scan_sm advances.
  void idle(base::Cycle n);

  /// Whether no operation is in progress, even if items wait: no item is parked, no request, read or reply is pending,
  /// no read is possible, no error is shown. An examination of such an engine may place a thread block, choose a backup
  /// set, or find another result for an SM than the last time. Other examinations change only scan_sm. If NumSm cycles
  /// change nothing else, no later cycle will while room_*, kd_ok and policy repeat.
  [[nodiscard]] bool settled() const;

  [[nodiscard]] Probes probes() const;

 private:
  static constexpr unsigned kNoSet = kMaxSets;

  /// Result of the examination in a cycle.
  struct Choice {
    U8 stage = 0;                ///< stage that found the candidate; 0: none
    U8 level = 0;                ///< level of the candidate; 0: queue 0
    U8 set = 0;                  ///< set of the candidate; in stage 3 the backup set
    U16 list = 0;                ///< list of the candidate in stages 1 and 3
    const Item* item = nullptr;  ///< the candidate; null: none
    U64 pos = 0;                 ///< number of the candidate's next thread block
    bool last = false;           ///< the next thread block is the candidate's last
    bool fits = false;           ///< the SM has room for the next thread block
    bool starved = false;        ///< no candidate, because the SM's own items are all in memory
    bool looked = false;         ///< the SM was open
    bool switches = false;       ///< stage 3 chose another backup set than before
  };
  /// Destination of an item: none, queue 0, a list on chip, a list in memory, or the parking register.
  enum class Target : U8 { kNone, kHost, kChip, kMemory, kPark };
  struct Route {
    Target target = Target::kNone;
    U8 set = 0;    // set of a list on chip or in memory
    U16 list = 0;  // list on chip or in memory
  };

  [[nodiscard]] unsigned set_of(unsigned sm, U8 policy) const { return policy == kTbPri ? 0 : sm >> cluster_log2_; }
  [[nodiscard]] U32 busy_sets() const { return sets_.filled() | sets_.owed() | memory_.sets(); }
  /// Return the mask of an index into a memory list, and (below) the number of entries of the list; 0 entries without
  /// memory.
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

  // Steps for items and memory (insert.cpp). All of them use the register values before the edge.
  [[nodiscard]] bool accepts(const Inputs& in) const;
  [[nodiscard]] Route route(const Parked& item, const Inputs& in) const;
  [[nodiscard]] unsigned refill_set(unsigned inserted) const;
  void step_reply(const Inputs& in);
  void step_item(const Parked& item, const Route& route, const Inputs& in);
  void step_refill(unsigned set, const Inputs& in);
  void show();

  Params params_;
  unsigned cluster_log2_;  // log2 of ClusterSize
  U64 cnt_mask_;           // mask of CntW bits
  U32 all_sms_;            // one bit for each SM

  Rotation rotation_;
  Sets sets_;
  ChipLists chip_;
  MemoryLists memory_;
  HostQueue host_;
  Kernels kernels_;
  Parked parked_;
  Request request_;     // request shown to memory until it is accepted
  Tags tags_;           // reads whose reply is awaited
  Reply reply_;         // reply that is inserted at the next edge
  U8 refill_next_ = 0;  // set from which the next search for a refill starts
  bool wrote_ = false;  // the last request was a write
  U8 err_ = 0;          // errors of the last edge

  Outputs out_;
  bool rests_ = true;              // idle edges change nothing
  bool choice_presented_ = false;  // out_ holds pl_* or ev_*
  U8 bound_policy_ = 0;            // policy for which out_ holds bound_wait
  U32 bound_sets_ = 0;             // busy_sets for which out_ holds bound_wait
};

}  // namespace castor::laperm
