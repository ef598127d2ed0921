#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/sm_parts.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

class Waves;
struct MemoryOperation;
struct SmEvent;
struct SuspendedTb;

/// A thread block that starts in a context of an SM (S0).
struct TbStart {
  const TbStartMessage& message;
  const TbState& tb;
  unsigned context = 0;
  bool first = false;  ///< the SM held no thread block
  Tick setup = 0;      ///< ticks before its warps are fetched
  TbStartEvent event;  ///< that hooks are told of
};

/// Why warps wait, for reports.
struct WaitReason {
  WarpMask warps = 0;
  const char* text = "";
};

/// A mechanism of an SM: something that machines may have or not (docs/gpu/sm.md, "Mechanisms of an SM"). A mechanism
/// derives from this class, is made from `const SmParts&`, and redeclares the steps in which it acts; a step that it
/// does not redeclare does nothing and costs nothing. The SM calls each step for the mechanisms of its list in their
/// order, without virtual calls. Steps are named S0 to S10 as in docs/gpu.md, "A tick of an SM".
struct SmMechanism {
  /// Only some machines have the mechanism: those for which `present` is true. Without it the SM tests a pointer in
  /// each step that the mechanism redeclares.
  static constexpr bool kOptional = false;
  static bool present(const SmParts& /*parts*/) { return true; }
  /// Issue is judged in every tick, also if nothing has changed (S5).
  static constexpr bool kSeesIssue = false;

  // --- Thread blocks -------------------------------------------------------------------------------------------------

  /// S0: a thread block starts; its warps are in their slots.
  void start(TbStart& /*start*/) {}
  /// S0, behind `start`: it was suspended, and goes on as it left.
  void come_back(TbStart& /*start*/, const SuspendedTb& /*saved*/) {}
  /// S0: its warps do nothing more. It retires when nothing of it is under way.
  void stop(unsigned /*context*/) {}
  /// S8: context of a thread block that leaves the SM to come back later; -1 = none.
  [[nodiscard]] int leaving() const { return -1; }
  /// S8: it leaves. `saved` takes what it needs when it comes back.
  void leave(unsigned /*context*/, SuspendedTb& /*saved*/) {}
  /// S8: it has retired; the message is not sent yet.
  void retire(unsigned /*context*/, TbRetireMessage& /*message*/) {}

  // --- A tick --------------------------------------------------------------------------------------------------------

  /// S0, first of all.
  void begin_tick() {}
  /// S0: takes the messages that are visible, before a thread block starts.
  void take_messages() {}
  /// S0, behind the start: outputs of hooks that depend on state alone. `eligible`: warps that may be fetched.
  void settle_early(WarpMask /*eligible*/) {}
  /// S1: takes an event of the wheel; false if it is not the mechanism's.
  bool take(const SmEvent& /*event*/) { return false; }
  /// S1: the registers of a load or atomic that a warp issued at `pc` are written.
  void loaded(unsigned /*w*/, std::uint32_t /*pc*/) {}
  /// S3: all data of a load are there. False if the scoreboard is to expect its registers.
  bool expect_load(unsigned /*w*/, const Decoded& /*decoded*/, Tick /*ready*/, MemoryOperation& /*operation*/) {
    return false;
  }
  /// S2, S3: the record of a launch is stored (SmMemory::store_record).
  void record_stored(unsigned /*w*/, std::uint32_t /*number*/) {}
  /// S5: bit per scheduler that may issue barriers and exits.
  [[nodiscard]] std::uint8_t barrier_ok() const { return 0xff; }
  /// S5: picks in place of the machine's own issue policy, in every tick; false if it does not.
  bool pick() { return false; }
  /// S5: the picks are made, nothing has issued. Only if something has changed or `kSeesIssue`.
  void settle(const Picks& /*picks*/) {}
  /// S5: an instruction issues; false if the SM is to execute it.
  bool issue(unsigned /*scheduler*/, unsigned /*w*/, const isa::Record& /*record*/, const Decoded& /*decoded*/,
             LaneMask /*mask*/) {
    return false;
  }
  /// S6: decodes warps of `due` in its own way, and returns the others.
  WarpMask decode(WarpMask due) { return due; }
  /// S7: warps that are not fetched in this tick.
  [[nodiscard]] WarpMask held() const { return 0; }
  /// S8: a barrier of a thread block is complete.
  void barrier_met(unsigned /*context*/, unsigned /*barrier*/) {}
  /// S8: fences are complete.
  void fence_over() {}
  /// S8, behind barriers and fences, before thread blocks retire and leave. `under_way()`: warps of which something is
  /// under way that outlives them.
  template <class UnderWay>
  void bookkeep(UnderWay&& /*under_way*/) {}
  /// S8: warps of which the mechanism has something under way: their thread block neither retires nor leaves.
  [[nodiscard]] WarpMask under_way() const { return 0; }
  /// S9: the edge of hooks.
  void clock() {}
  /// S10: first cycle in which it has work if nothing else happens; kForever if none. If the next tick builds on what
  /// this one did it says so at once (SmClock::stir).
  [[nodiscard]] Cycle wake() const { return kForever; }

  // --- Between ticks -------------------------------------------------------------------------------------------------

  /// Passes `ticks` ticks in which the SM slept.
  void idle(Tick /*ticks*/) {}
  /// Behind a tick that raised SmParts::hand_over, when all units have ticked.
  void hand_over() {}
  /// Nothing of it moves by itself, now or later.
  [[nodiscard]] bool still() const { return true; }
  /// Adds the warps that wait for it.
  void add_waiting(std::vector<WaitReason>& /*reasons*/) const {}
  /// Registers statistics behind those of the whole SM; called once. What the constructor registers stands before.
  void add_statistics() {}
  /// Forgets what was counted for the kernels in an entry of the kernel table.
  void clear_entry(unsigned /*entry*/) {}
  void add_waves(Waves& /*waves*/, const std::string& /*scope*/) const {}
};

}  // namespace castor::gpu
