#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/front_end/owned_kernel.h"
#include "castor/gpu/front_end/owner_gate.h"
#include "castor/gpu/front_end/sync_network.h"
#include "castor/gpu/hooks/sync_hub.h"

namespace castor::gpu {

/// Synchronisation side: mechanism of the front end that connects the SyncHub hook with the synchronisation network and
/// the kernel table (docs/gpu/sync-network.md). Present only if a hub is plugged in.
///
/// At most one kernel that synchronises is in the table. A second such kernel waits in its parse lane until the first
/// is complete. A kernel that owns the machine waits in its queue until the table is empty; all other kernels then wait
/// in their queues until it is complete.
///
/// In a cycle: `synchronise` in F3, which produces the hub's outputs of the cycle; `clock_block` in F10.
class SyncSide : public FrontEndMechanism {
 public:
  explicit SyncSide(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return hub_ != nullptr; }
  [[nodiscard]] bool clocked() const { return true; }
  void count_until(Cycle now);
  void idle(Cycle cycles) { hub_->idle(cycles); }
  void synchronise(Cycle now);
  /// Notes the grant of a kernel that owns the machine. Returns false.
  [[nodiscard]] bool grant(unsigned source, Cycle now, const ParseStage::Granted& granted);
  /// Returns false if the kernel of the finished lane synchronises while another such kernel is in the table.
  [[nodiscard]] bool takes_kernel(Cycle now) const { return !lane_waits(now); }
  [[nodiscard]] bool lane_waits(Cycle now) const;
  void clock_block(Cycle now);
  [[nodiscard]] KdMask hold() const;
  [[nodiscard]] const char* holds(unsigned entry) const;

  void started(const KernelEvent& kernel);
  void completed(const LaunchRecord& record);
  void stopped(unsigned entry) { stopped_ = stopped_ || kernel_ == static_cast<int>(entry); }
  void device_reset();

  [[nodiscard]] bool stirred() const { return stirred_; }
  [[nodiscard]] bool inert() const { return hub_->inert(); }
  /// Returns the first cycle after `now` in which the hub must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return next_edge_of(*hub_, now); }
  [[nodiscard]] Cycle next_work(Cycle now) const;
  [[nodiscard]] bool empty() const { return network_->in_flight() == 0; }
  [[nodiscard]] std::uint64_t progress() const { return network_->progress(); }
  [[nodiscard]] std::string waiting() const;
  void waits(WaitGraph& graph) const;
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  void settle_early();
  void take_replies(Cycle now);
  [[nodiscard]] bool filled() const;
  void check(Cycle now) const;

  SyncHub* hub_;
  const HookEvents& events_;
  const KernelTable& table_;
  const ParseLanes& lanes_;
  const Dispatcher& dispatcher_;
  OwnerGate gate_;
  OwnedKernel owned_;
  std::array<MemoryClient*, 2> memory_;
  const unsigned queues_;  // number of queues
  const bool checks_;      // check that early outputs depend only on the hub's state
  std::optional<SyncNetwork> network_;
  std::optional<MountedHook> mounted_;
  HubIn in_;
  HubOut out_;                // outputs of this cycle; between cycles, of the last tick
  int kernel_ = -1;           // entry of the kernel in the table that synchronises, -1 = none
  Maybe<SyncKernel> launch_;  // synchronising kernel whose entry was written in this cycle
  bool stopped_ = false;      // the kernel was stopped since the last edge
  bool told_ = false;         // the hub was notified of the stop
  bool stirred_ = false;      // the hub's inputs may differ in the next cycle
  bool blocked_ = false;      // the hub's message found a full channel in the last tick
  Cycle counted_ = 0;         // cycles before this one are already counted for `blocked_`
};

}  // namespace castor::gpu
