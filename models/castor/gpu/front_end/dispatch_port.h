#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/governors.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/dispatch_policy.h"

namespace castor::gpu {

/// Port for a dispatch policy (a hook) in the front end: presents its inputs and keeps its last outputs
/// (docs/gpu/hooks.md, "Hooks"). Without a policy the port accepts every push and holds no entry, and `settle` must not
/// be called.
///
/// In a cycle: `begin` before all steps; `settle` in F5 (placement), which produces the outputs of the cycle; `take`
/// after it if the offered TB is placed; `clock` in F10.
class DispatchPort : public FrontEndMechanism {
 public:
  /// `policy`: null if the machine has no dispatch policy.
  DispatchPort(DispatchPolicy* policy, const HookMount& place, const ResourceView& room, MemoryClient& memory,
               const HookEvents& events);
  explicit DispatchPort(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return policy_ != nullptr; }
  [[nodiscard]] bool clocked() const { return true; }
  /// Returns the name of the policy's block; empty without a policy.
  [[nodiscard]] const char* block() const { return policy_ == nullptr ? "" : policy_->block(); }
  void begin() { in_.reply.reset(); }
  /// Presents the inputs of the cycle and returns the policy's offer. `fits`: entries of which a TB could be placed.
  /// The policy also reads this mask in `clock`, with its value at that time. `withheld`: DispatchIn::withheld.
  const Maybe<Placement>& settle(const KdMask& fits, const SmMask& open, const Quota* quota, Cycle now,
                                 const KdMask* withheld = nullptr);
  /// Reports to the policy that its offered TB is placed.
  void take() { in_.taken = true; }
  void clock(Cycle now);
  void idle(Cycle cycles) { policy_->idle(cycles); }
  /// Resets the policy to its initial state. The device is idle.
  void reset() { policy_->reset(); }

  /// Returns whether a table entry may be written.
  [[nodiscard]] bool push_ready() const { return push_ready_; }
  [[nodiscard]] bool takes_kernel(Cycle /*now*/) const { return push_ready_; }
  /// Returns whether a group may attach to a kernel.
  [[nodiscard]] bool attach_ready() const { return attach_ready_; }
  /// Returns whether attached groups must be pushed to the policy.
  [[nodiscard]] bool push_groups() const { return push_groups_; }
  /// Returns the entries that must not be released.
  [[nodiscard]] const KdMask& hold() const { return hold_; }
  [[nodiscard]] const char* holds(unsigned entry) const { return hold_[entry] ? "held by the dispatch policy" : ""; }
  /// Returns the dispatch state that the policy presents to governors.
  [[nodiscard]] const DispatchState& state() const { return state_; }

  /// Returns whether the policy has inputs in this cycle (a memory reply, a register access) that may be absent in the
  /// next.
  [[nodiscard]] bool stirred() const { return in_.reply.has_value() || (mounted_ && mounted_->access()); }
  [[nodiscard]] bool inert() const { return policy_ == nullptr || policy_->inert(); }
  /// Returns the first cycle after `now` in which the policy must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return policy_ == nullptr ? kForever : next_edge_of(*policy_, now); }
  void waits(WaitGraph& graph) const { mounted_->waits(graph); }
  void add_waves(Waves& waves, const std::string& scope) const {
    if (policy_ != nullptr) policy_->add_waves(waves, scope);
  }

 private:
  void settle_early();

  DispatchPolicy* policy_;
  MemoryClient& memory_;
  const HookEvents& events_;
  bool checks_;  // check that outputs read before `settle` depend only on the policy's state
  DispatchIn in_;
  KdMask hold_;
  bool push_ready_ = true;
  bool attach_ready_ = false;
  bool push_groups_ = false;
  DispatchState state_;
  std::optional<MountedHook> mounted_;
};

}  // namespace castor::gpu
