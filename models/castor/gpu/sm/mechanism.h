#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_parts.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

class WaitGraph;
class Waves;
struct MemoryOperation;
struct SmEvent;
struct SavedTb;

/// A thread block that starts in a context of an SM, in S0, start.
struct TbStart {
  const TbStartMessage& message;
  const TbState& tb;
  unsigned context = 0;
  bool first = false;  ///< the SM held no thread block before
  Tick setup = 0;      ///< ticks before the warps of the thread block may be fetched
  TbStartEvent event;  ///< start event for the hooks
};

/// Warps that wait for a mechanism, with the reason for wait reports.
struct WaitReason {
  WarpMask warps = 0;
  std::string text;
  std::optional<std::uint32_t> pc{};  ///< record at which the warps wait, if it is not that of their PC
};

/// Base of the mechanisms of an SM: optional hardware functions, such as device launches or a fetch filter
/// (docs/gpu/sm.md, "Mechanisms of an SM"). A mechanism is constructed from `const SmParts&` and redeclares the steps
/// in which it acts; other steps do nothing and cost nothing. The SM calls each step of all its mechanisms in the order
/// of its list, without virtual calls. docs/gpu.md, "A tick of an SM" names the steps S0 to S10.
struct SmMechanism {
  /// True for mechanisms that only some machines have. `present` says whether the machine has the mechanism. Without it
  /// the SM tests a pointer in each step that the mechanism redeclares.
  static constexpr bool kOptional = false;
  static bool present(const SmParts& /*parts*/) { return true; }
  /// True for mechanisms that need S5, issue, to be evaluated in every tick, even if nothing has changed.
  static constexpr bool kSeesIssue = false;

  // --- Thread blocks -------------------------------------------------------------------------------------------------

  /// S0, start: a thread block starts; its warps already occupy their slots.
  void start(TbStart& /*start*/) {}
  /// S0, after `start`: the thread block was swapped out, and its saved state is restored.
  void come_back(TbStart& /*start*/, const SavedTb& /*saved*/) {}
  /// S0: a thread block is stopped. Its warps issue nothing more; it retires when its accesses and instructions in
  /// flight have completed.
  void stop(unsigned /*context*/) {}
  /// S8, bookkeeping: the context of a thread block begins to move out. Its state must not change any more.
  void freeze(unsigned /*context*/) {}
  /// S8: returns whether a thread block whose context has moved may leave in this tick. If not, the SM asks again in
  /// the next tick.
  [[nodiscard]] bool may_leave(unsigned /*context*/) const { return true; }
  /// S8: a thread block is swapped out. The mechanism stores its part of the thread block's state in `saved`.
  void leave(unsigned /*context*/, SavedTb& /*saved*/) {}
  /// S8: a thread block has retired; `message` will be sent to the front end.
  void retire(unsigned /*context*/, TbRetireMessage& /*message*/) {}

  // --- A tick --------------------------------------------------------------------------------------------------------

  /// S0, before all other calls of the tick.
  void begin_tick() {}
  /// S0: takes the messages that are visible in this tick, before a thread block starts.
  void take_messages() {}
  /// S0, after the start of a thread block: settles the hooks' outputs that depend on state alone. `eligible`: warps
  /// eligible for fetch.
  void settle_early(WarpMask /*eligible*/) {}
  /// S1, events: handles an event of the wheel. Returns false if the event belongs to another mechanism.
  bool take(const SmEvent& /*event*/) { return false; }
  /// S1: the registers of a load or atomic that warp `w` issued at `pc` have been written.
  void loaded(unsigned /*w*/, std::uint32_t /*pc*/) {}
  /// S3, memory: all data of a load have arrived. Returns true if the mechanism schedules the write-back, false if the
  /// scoreboard has to.
  bool expect_load(unsigned /*w*/, const Decoded& /*decoded*/, Tick /*ready*/, MemoryOperation& /*operation*/) {
    return false;
  }
  /// S2, S3: the launch record `number` of a warp has been stored (SmMemory::store_record).
  void record_stored(unsigned /*w*/, std::uint32_t /*number*/) {}
  /// S2: the data of a line that the swap engine loads have arrived; they are written in tick `ready` or later.
  void swap_loaded(MemoryOperation& /*operation*/, Tick /*ready*/) {}
  /// S2: a line that the swap engine has stored for a thread block is in memory.
  void swap_stored(unsigned /*context*/) {}
  /// S5, issue: called before all other calls of this step, in every tick.
  void begin_issue() {}
  /// S5: returns a bit per scheduler that may issue barriers and exits.
  [[nodiscard]] std::uint8_t barrier_ok() const { return 0xff; }
  /// S5: picks warps in place of the machine's own issue policy, in every tick. Returns false if the mechanism has no
  /// issue policy.
  bool pick() { return false; }
  /// S5: the picks are made and nothing has issued. Called only if the issue inputs have changed, or with `kSeesIssue`.
  void settle(const Picks& /*picks*/) {}
  /// S5: an instruction issues. Returns true if the mechanism executes it, false if the SM has to. All mechanisms are
  /// called; at most one returns true.
  bool issue(unsigned /*scheduler*/, unsigned /*w*/, const isa::Record& /*record*/, const Decoded& /*decoded*/,
             LaneMask /*mask*/) {
    return false;
  }
  /// S6, decode: decodes warps of `due` for which the mechanism has its own decoder, and returns the others.
  WarpMask decode(WarpMask due) { return due; }
  /// S7, fetch: returns the warps that must not be fetched in this tick.
  [[nodiscard]] WarpMask held() const { return 0; }
  /// S8: a barrier of a thread block has completed.
  void barrier_met(unsigned /*context*/, unsigned /*barrier*/) {}
  /// S8: fences have completed.
  void fence_over() {}
  /// S8, after barriers and fences, and before thread blocks retire or are swapped out. `busy_warps()` returns the
  /// warps with an access, event or message in flight that outlives the warp.
  template <class BusyWarps>
  void bookkeep(BusyWarps&& /*busy_warps*/) {}
  /// S8: returns the warps with work of the mechanism in flight. Their thread blocks can neither retire nor be swapped
  /// out.
  [[nodiscard]] WarpMask busy_warps() const { return 0; }
  /// S9: the clock edge of hooks.
  void clock() {}
  /// S10, end of the tick: returns the first cycle in which the mechanism has work if nothing else happens, or
  /// kForever. If the next tick depends on this one, the mechanism also calls SmClock::stir.
  [[nodiscard]] Cycle wake() const { return kForever; }

  // --- Between ticks -------------------------------------------------------------------------------------------------

  /// Applies `ticks` ticks in which the SM slept.
  void idle(Tick /*ticks*/) {}
  /// Runs after a tick that raised SmParts::hand_over, when all units of the cycle have ticked.
  void hand_over() {}
  /// Returns whether the mechanism is idle: only an instruction or a message can wake it.
  [[nodiscard]] bool still() const { return true; }
  /// Adds the warps that wait for the mechanism.
  void add_waiting(std::vector<WaitReason>& /*reasons*/) const {}
  /// Adds the warps that wait at the mechanism's hook.
  void waits(WaitGraph& /*graph*/) const {}
  /// Registers the mechanism's statistics after those of the SM. Called once. Statistics registered in the constructor
  /// come first.
  void add_statistics() {}
  /// Clears the counts of the kernels in an entry of the kernel table.
  void clear_entry(unsigned /*entry*/) {}
  void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}
};

}  // namespace castor::gpu
