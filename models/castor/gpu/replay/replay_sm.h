#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/replay/pulse_wires.h"
#include "castor/gpu/replay/replay_counters.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/replay/replay_room.h"
#include "castor/gpu/replay/virtual_clocks.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Streaming multiprocessor that executes no instructions: its thread blocks stay resident for a service time and then
/// retire (docs/gpu/replay.md, "Replay tier"). The device owns it. Start and retire messages, resources, and signals to
/// the front end are those of a real SM.
///
/// Kernel types, services and rates come from a ReplayFile. KernelContext::program->kernel names the type. Ticket and
/// group distinguish launches when services are drawn. A kernel that is missing in the file causes a fault, and its TBs
/// retire at once.
///
/// Timing: a TB with service S whose start message is visible in c runs in cycles c .. c + S - 1 at rate 1. Its retire
/// message is visible in c + S. A TB placed in cycle p runs from p + 1 on, so its retire message is visible in p + S +
/// 1. A service of 0 counts as 1. At lower rates a TB retires in the first cycle at whose end the group's virtual clock
/// has grown by S since the TB started. At most one TB retires per cycle: the one that was ready first; among TBs that
/// were ready in the same cycle, the lowest context. A full done FIFO delays the TB, which keeps its resources and its
/// share of the load until it retires.
///
/// The SM sleeps between starts, retires and changes of rates. If a governor reads pulses and their wires have
/// fractional values, the SM ticks whenever a wire changes.
///
/// A disabled SM is idle: its TBs get no service, their share of the load of others' clocks remains, and its pulse
/// keeps its last value.
///
/// A TB that is being saved gets no service from the cycle in which the message is visible. It leaves when its context
/// has been moved, with the remaining service (x 2^32). Until then it keeps its resources and its share of the load. A
/// TB that would end before its move, at its present rate, is not saved. A restored TB has resources and load at once
/// and gets service when its context has been moved.
///
/// Limits: no launches by device code, no services of the runtime.
class ReplaySm final : public sc_core::sc_module, public SmUnit {
 public:
  /// All references must outlive the SM; `observer` may be null. The SM's statistics are in a group "sm<index>" of
  /// `statistics`.
  ReplaySm(const sc_core::sc_module_name& name, unsigned index, const Machine& machine, const ReplayFile& file,
           VirtualClocks& clocks, base::StatisticGroup& statistics, Observer* observer = nullptr);
  ~ReplaySm() override;

  /// Port to the crossbar, as a real SM has. The replayed SM sends no request through it.
  InitiatorPort memory;

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  void add_waves(Waves& waves, const std::string& scope) const override;
  void set_clock_enable(bool enable, Cycle from) override;
  void kill(const KernelContext& kernel, Cycle visible) override;
  void swap_out(const SwapOutRequest& request) override;
  /// Asserts: a replayed thread block makes no calls of the runtime.
  std::optional<Fault> serve(unsigned warp, DeviceServices* services, Cycle resume) override;
  [[nodiscard]] bool idle() const override { return resident_ == 0 && inbox_.size() == 0; }
  [[nodiscard]] std::string waiting() const override;

  /// Returns the service that the TB in `context` still needs at the end of cycle `now`, in cycles at full speed x
  /// 2^32. The result is 0 for a TB that only waits to retire.
  [[nodiscard]] VirtualTime remaining(unsigned context, Cycle now);

 private:
  struct Context {
    const KernelContext* kernel = nullptr;
    const ReplayType* type = nullptr;  ///< null: kernel that is missing in the file
    ItemData item;
    std::uint64_t gid = 0;
    std::uint32_t tb_group = kNoGroup;
    unsigned clock = 0;  ///< group of the virtual clock
    /// Value of the virtual clock at which the TB ends.
    VirtualTime end = 0;
    VirtualTime stopped_at = 0;  ///< value of the virtual clock when the SM was disabled
    bool leaves = false;         ///< the TB is being saved: its context is moved out
    std::uint64_t rest = 0;      ///< remaining service while the context is moved, x 2^32
    Cycle moved = 0;             ///< first cycle in which the context has been moved
  };
  struct Kill {
    const KernelContext* kernel = nullptr;
    Ticket ticket = 0;  ///< of the stopped kernel, whose record may be reused before the SM reads it
    Cycle visible = 0;
    bool done = false;
    [[nodiscard]] bool hits(const KernelContext& other) const { return kernel == &other && ticket == other.ticket; }
  };
  unsigned take_context(const TbStartMessage& message, Cycle now);
  void take_start(const TbStartMessage& message, Cycle now);
  void take_restored(const TbStartMessage& message, Cycle now);
  void take_kills(Cycle now);
  void take_saves(Cycle now);
  void end_moves(Cycle now);
  void give_back(unsigned context, std::optional<SwapReason> swapped, Cycle now);
  void finish(unsigned context);
  void find_ended(Cycle now);
  void retire_one(Cycle now);
  void report_missing_row(Cycle now);
  [[nodiscard]] PulseWires::Values wires(Cycle now) const;
  [[nodiscard]] Cycle next_end(Cycle now);

  const Machine& machine_;
  const ReplayFile& file_;
  VirtualClocks& clocks_;
  Observer* observer_;

  std::uint64_t free_ = 0;      ///< contexts without a TB
  std::uint64_t resident_ = 0;  ///< contexts that hold a TB
  std::uint64_t running_ = 0;   ///< resident contexts whose TB gets service
  std::uint64_t moving_ = 0;    ///< resident contexts that are being moved; all others wait to retire
  std::vector<Context> contexts_;
  std::vector<std::uint8_t> ready_;  ///< contexts waiting to retire, the next one first
  std::vector<Kill> kills_;
  Mailbox<SwapOutRequest> saves_;
  bool enabled_ = true;
  Cycle disabled_since_ = 0;
  bool changed_ = false;  ///< a TB became resident or left in this tick
  bool stirred_ = false;  ///< a TB became resident, left, or ended in this tick
  Cycle ticked_at_ = 0;
  Cycle next_end_ = 0;  ///< cycle in which the next running TB ends at present rates
  ReplayRoom room_;
  PulseWires wires_;
  Cycle counted_ = 0;  ///< first cycle that the time-dependent statistics do not include yet
  base::StatisticGroup statistics_;
  ReplayCounters counters_;
};

}  // namespace castor::gpu
