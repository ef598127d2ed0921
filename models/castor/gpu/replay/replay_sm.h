#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/replay/virtual_clocks.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/tb_saver.h"

namespace castor::gpu {

/// A streaming multiprocessor that executes nothing: its thread blocks stay for a service time and retire
/// (docs/gpu/replay.md, "Replay tier"). Start and retire messages, room, and what the front end sees are those of a
/// real SM.
///
/// Kernel types, services and rates come from a ReplayFile; KernelContext::program->kernel names the type, and
/// `ticket` and group tell one launch from another when services are drawn. A kernel that the file does not know is a
/// fault, and its TBs retire at once.
///
/// Timing: a TB whose start message is visible in c runs in cycles c .. c + S - 1 at rate 1, and its retire message is
/// visible in c + S; placed in cycle p, so running from p + 1 on, that is p + S + 1. A service of 0 counts as 1. At
/// slower rates it retires in the first cycle at whose end the group's virtual clock has grown by S since it started.
/// At most one TB retires per cycle, those that are ready first first, then by context; a full done FIFO delays it,
/// and it keeps its room and its share of the load until then.
///
/// Sleeps between starts, retires and changes of rates. Pulses with fractional wires, if anyone reads them, make it
/// tick whenever a wire changes.
///
/// A disabled SM stands still: its TBs get no service, what they cost others' clocks stays, and its pulse is the last.
///
/// A TB that is saved gets no service from the cycle on in which the message is visible, and leaves when its context
/// has moved, with what is left of its service (x 2^32); until then it keeps its room and its share of the load. One
/// that would end before, at the speed of that moment, goes on. One that comes back has room and load at once and gets
/// service when its context has moved.
///
/// Limits: no launches by device code, no services of the runtime.
class ReplaySm final : public sc_core::sc_module, public SmUnit, public TbSaver {
 public:
  /// All references must outlive the SM; `observer` may be null. Statistics are in a group "sm<index>" of `statistics`.
  ReplaySm(const sc_core::sc_module_name& name, unsigned index, const Machine& machine, const ReplayFile& file,
           VirtualClocks& clocks, base::StatisticGroup& statistics, Observer* observer = nullptr);
  ~ReplaySm() override;

  /// Where an SM meets the crossbar; nothing is ever sent.
  InitiatorPort memory;

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  void add_waves(Waves& waves, const std::string& scope) const override;
  void set_clock_enable(bool enable, Cycle from) override;
  void kill(const KernelContext& kernel, Cycle visible) override;
  void save(const TbSaveMessage& message) override;
  void restore(const TbRestoreMessage& message) override;
  /// Never asked for: assertion.
  std::optional<Fault> serve(unsigned warp, DeviceServices& services, Cycle resume) override;
  [[nodiscard]] bool idle() const override { return resident_ == 0 && inbox_.size() == 0 && restores_.size() == 0; }
  [[nodiscard]] std::string waiting() const override;

  /// Service that the TB in `context` still needs at the end of cycle `now`, in cycles at full speed x 2^32. 0 for one
  /// that only waits to retire.
  [[nodiscard]] VirtualTime remaining(unsigned context, Cycle now);

 private:
  struct Context {
    const KernelContext* kernel = nullptr;
    const ReplayType* type = nullptr;  ///< nullptr: unknown kernel
    ItemData item;
    std::uint64_t gid = 0;
    std::uint32_t tb_group = kNoGroup;
    unsigned clock = 0;  ///< group of virtual time
    VirtualTime end = 0;
    VirtualTime stopped_at = 0;  ///< of the clock, when the SM was disabled
    bool leaves = false;         ///< its context moves out
    std::uint64_t rest = 0;      ///< service left, while its context moves
    Cycle moved = 0;             ///< first cycle in which its context has moved
  };
  struct Kill {
    const KernelContext* kernel = nullptr;
    Ticket ticket = 0;  ///< in the kernel's record another may be by the time the SM looks
    Cycle visible = 0;
    bool done = false;
    [[nodiscard]] bool hits(const KernelContext& other) const { return kernel == &other && ticket == other.ticket; }
  };
  static constexpr unsigned kWires = 4;

  unsigned take_context(const KernelContext& kernel, const ItemData& item, std::uint64_t gid, std::uint32_t group,
                        Cycle now);
  void take_start(const TbStartMessage& message, Cycle now);
  void take_restore(const TbRestoreMessage& message, Cycle now);
  void take_kills(Cycle now);
  void take_saves(Cycle now);
  void end_moves(Cycle now);
  void give_back(unsigned context, Cycle now);
  void finish(unsigned context);
  void find_ended(Cycle now);
  void retire_one(Cycle now);
  void take_room(const KernelContext& kernel, bool back, Cycle now);
  void report_missing_row(Cycle now);
  void update_wires(Cycle now);
  void update_pulse(bool same, Cycle now);
  [[nodiscard]] Cycle next_end(Cycle now);
  [[nodiscard]] Cycle next_pulse(Cycle now);

  const Machine& machine_;
  const ReplayFile& file_;
  VirtualClocks& clocks_;
  Observer* observer_;

  std::uint64_t free_ = 0;      ///< contexts
  std::uint64_t resident_ = 0;  ///< contexts with a TB
  std::uint64_t running_ = 0;   ///< of them those that get service
  std::uint64_t moving_ = 0;    ///< those whose context moves; the others are ready to retire
  std::vector<Context> contexts_;
  std::vector<std::uint8_t> ready_;  ///< contexts in the order in which they retire; never longer than contexts_
  std::vector<Kill> kills_;
  Mailbox<TbSaveMessage> saves_;
  Mailbox<TbRestoreMessage> restores_;
  bool enabled_ = true;
  Cycle disabled_since_ = 0;
  bool changed_ = false;  ///< a TB came or left in this tick
  bool stirred_ = false;  ///< or ended
  Cycle ticked_at_ = 0;
  Cycle next_end_ = 0;  ///< cycle in which the next running TB ends, as far as is known
  unsigned warps_ = 0, threads_ = 0, register_units_ = 0, shared_units_ = 0, tbs_ = 0;

  // Wires of the pulse: per cycle and what is left of earlier cycles, both x 2^32.
  std::array<std::uint64_t, kWires> wire_{}, rest_{};
  std::array<bool, kWires> carried_{};
  Cycle pulse_at_ = 0;

  Cycle counted_ = 0;  ///< cycles that the linear statistics hold
  base::StatisticGroup statistics_;
  base::Counter ticks_, started_, retired_tbs_, occupancy_, busy_, retire_wait_, energy_;
};

}  // namespace castor::gpu
