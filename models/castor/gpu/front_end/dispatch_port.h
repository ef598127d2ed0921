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

/// The place of a dispatch policy: what it is shown, and what it said last (docs/gpu/hooks.md, "Hooks"). Without a
/// policy it takes every push and holds nothing, and must not be asked to settle.
///
/// In a cycle: `begin` before anything happens; `settle` in F5, from then on the outputs are those of the cycle; `take`
/// behind it if the offer is placed; `clock` in F10.
class DispatchPort : public FrontEndMechanism {
 public:
  /// `policy`: null = none.
  DispatchPort(DispatchPolicy* policy, const HookPlace& place, const RoomView& room, MemoryClient& memory,
               const HookEvents& events);
  explicit DispatchPort(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return policy_ != nullptr; }
  [[nodiscard]] bool clocked() const { return true; }
  /// Empty without a policy.
  [[nodiscard]] const char* block() const { return policy_ == nullptr ? "" : policy_->block(); }
  void begin() { in_.reply.reset(); }
  /// `fits`: entries of which a TB could be placed; it is also what the policy sees in `clock`, as it is then. Returns
  /// the offer.
  const Maybe<Placement>& settle(const KdMask& fits, SmMask open, const Quota* quota, Cycle now);
  void take() { in_.taken = true; }
  void clock(Cycle now);
  void idle(Cycle cycles) { policy_->idle(cycles); }
  /// The block forgets everything; the device is idle.
  void reset() { policy_->reset(); }

  /// An entry may be written.
  [[nodiscard]] bool push_ready() const { return push_ready_; }
  [[nodiscard]] bool takes_kernel(Cycle /*now*/) const { return push_ready_; }
  /// A group may attach.
  [[nodiscard]] bool attach_ready() const { return attach_ready_; }
  /// Groups that attach are pushed.
  [[nodiscard]] bool push_groups() const { return push_groups_; }
  /// Entries that must not be released.
  [[nodiscard]] const KdMask& hold() const { return hold_; }
  [[nodiscard]] const char* holds(unsigned entry) const { return hold_[entry] ? "held by the dispatch policy" : ""; }
  /// What the policy shows to governors.
  [[nodiscard]] const DispatchState& state() const { return state_; }

  /// The policy has got a reply in this cycle, which it does not see in the next.
  [[nodiscard]] bool stirred() const { return in_.reply.has_value(); }
  [[nodiscard]] bool inert() const { return policy_ == nullptr || policy_->inert(); }
  /// First cycle after `now` in which the policy has to be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return policy_ == nullptr ? kForever : next_edge_of(*policy_, now); }
  void add_waves(Waves& waves, const std::string& scope) const {
    if (policy_ != nullptr) policy_->add_waves(waves, scope);
  }

 private:
  void settle_early();

  DispatchPolicy* policy_;
  MemoryClient& memory_;
  const HookEvents& events_;
  bool checks_;  // that early outputs depend on state only
  DispatchIn in_;
  KdMask hold_;
  bool push_ready_ = true;
  bool attach_ready_ = false;
  bool push_groups_ = false;
  DispatchState state_;
  std::optional<MountedHook> mounted_;
};

}  // namespace castor::gpu
