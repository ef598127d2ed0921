#include "castor/gpu/sm/runtime_unit.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/saved_tb.h"

namespace castor::gpu {
namespace {

using isa::launches;
using isa::RuntimeCall;

// Returns whether the call allocates a parameter buffer.
bool allocates(RuntimeCall call) { return call == RuntimeCall::kBuffer || call == RuntimeCall::kDescribedBuffer; }

}  // namespace

RuntimeUnit::RuntimeUnit(const SmParts& parts)
    : machine_(parts.machine),
      sm_(parts.sm),
      clock_(parts.clock),
      warps_(parts.warps),
      tbs_(parts.tbs),
      blocked_(parts.blocked),
      wheel_(parts.wheel),
      outbox_(parts.outbox),
      watch_(parts.watch),
      counters_(parts.counters),
      pointers_(parts) {}

RuntimeUnit::WarpCalls& RuntimeUnit::calls(unsigned w) {
  if (warp_calls_.empty()) {
    warp_calls_.resize(machine_.sm.warps);
    callers_.resize(machine_.sm.tb_contexts);
  }
  if (warp_calls_[w] == nullptr) warp_calls_[w] = std::make_unique<WarpCalls>();
  return *warp_calls_[w];
}

Tick RuntimeUnit::latency(RuntimeCall call, unsigned lanes) const {
  const Machine::Launch& launch = machine_.launch;
  if (call == RuntimeCall::kStreamCreate) return launch.stream_warp;
  if (allocates(call)) return launch.buffer_warp + Tick{launch.buffer_lane} * lanes;
  if (call == RuntimeCall::kLaunchGroup) return 0;
  if (launches(call)) return launch.launch_warp + Tick{launch.launch_lane} * lanes;
  return 0;
}

// --- Calls ----------------------------------------------------------------------------------------------------------

void RuntimeUnit::start(unsigned context) {
  if (callers_.empty()) return;
  callers_[context] = 0;
  for (WarpMask left = tbs_[context].warps; left != 0; left &= left - 1) {
    if (auto& calls = warp_calls_[lowest(left)]; calls != nullptr) calls->values = {};
  }
}

void RuntimeUnit::call(unsigned w, const isa::Record& record, LaneMask mask) {
  WarpCalls& calls = this->calls(w);
  const auto kind = static_cast<RuntimeCall>(record.imm);
  if (is_own(kind)) return runtime_call(record, warps_.view(w), mask, {}, calls.values, nullptr);
  calls.record = &record;
  calls.mask = mask;
  blocked_.call_runtime(w);
  active_ = true;
  watch_.disturb();
  ++counters_.runtime_calls;
  ask(w);
}

// Sends a call's request to the launcher. A launch is held while older pointers of the warp are not sent. A group
// launch also needs a command slot of the SM.
void RuntimeUnit::ask(unsigned w) {
  const RuntimeCall call = kind(*warp_calls_[w]);
  held_ |= warp_bit(w);
  if (launches(call) && (pointers_.open() & warp_bit(w)) != 0) return;
  if (call == RuntimeCall::kLaunchGroup) {
    if (commands_ == machine_.launch.commands) return turns_.push_back(w);
    ++commands_;
  }
  held_ &= ~warp_bit(w);
  begin(w);
}

// Starts a call in this tick: its latency counts from this tick, as if the call had issued now.
void RuntimeUnit::begin(unsigned w) {
  WarpCalls& calls = *warp_calls_[w];
  const TbState& tb = tbs_[warps_[w].tb];
  const auto lanes = static_cast<unsigned>(__builtin_popcountll(calls.mask));
  calls.origin = {tb.kernel, sm_, warps_[w].tb, clock_.now(), tb.memory->acquire};
  calls.called = clock_.tick();
  calls.returns = calls.called + latency(kind(calls), lanes);
  if (launches(kind(calls))) pointers_.note_older(w, tb.warps);
  requests_from_ = std::max(requests_from_, clock_.now() + 1);
  outbox_.request_launch({requests_from_, w, lanes, allocates(kind(calls))});
  ++requests_from_;
  asked_ |= warp_bit(w);
}

void RuntimeUnit::serve(unsigned w, LaunchService& service, Cycle visible) {
  CASTOR_ASSERT_AT(visible, (asked_ & warp_bit(w)) != 0, "warp %u of SM %u does not wait for a launcher", w, sm_);
  Reply reply;
  reply.visible = visible;
  reply.warp = w;
  const WarpState& warp = warps_[w];
  const TbState& tb = tbs_[warp.tb];
  if (!service.stopped(*tb.kernel)) {
    WarpCalls& calls = *warp_calls_[w];
    const Caller caller = service.caller(*tb.kernel, sm_, callers_[warp.tb]);
    std::vector<LaneLaunch> launched;
    runtime_call(*calls.record, warps_.view(w), calls.mask, caller, calls.values, &service.launcher(), &launched);
    if (kind(calls) == RuntimeCall::kLaunchGroup) reply.groups = launched;
    Tick spilling = 0;
    for (const LaneLaunch& launch : launched) {
      if (launch.spilled) spilling += machine_.launch.spill_lane;
      LaunchPointers::Pointer pointer;
      pointer.launch = launch.launch;
      pointer.group = !reply.groups.empty();
      pointer.record = service.admitted(launch.launch, calls.origin);
      pointer.due = calls.called + latency(kind(calls), static_cast<unsigned>(reply.pointers.size() + 1)) + spilling;
      reply.pointers.push_back(pointer);
    }
    calls.returns += spilling;
    reply.waits = awaits_children(*calls.record, caller, service.launcher());
  }
  replies_.push_back(std::move(reply));
}

void RuntimeUnit::tell(const RuntimeNotification& notification) {
  notifications_.push_back(notification);
  active_ = true;
}

// Takes messages in the order in which the launcher sent them. In one cycle the launcher closes launches before it
// serves a call.
bool RuntimeUnit::take_messages() {
  bool taken = false;
  for (Cycle next = next_message(); next <= clock_.now(); next = next_message()) {
    if (!notifications_.empty() && notifications_.front().visible == next) {
      take(notifications_.front());
      notifications_.pop_front();
    } else {
      take(replies_.front());
      replies_.pop_front();
    }
    taken = true;
  }
  if (taken) watch_.disturb();
  return taken;
}

void RuntimeUnit::take(const RuntimeNotification& notification) {
  if (notification.block == 0) return free_command();
  for (WarpMask left = awaiting_ & ~kept_; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    if (callers_[warps_[w].tb] != notification.block) continue;
    awaiting_ &= ~warp_bit(w);
    resume(w, clock_.tick() + 1);
  }
}

void RuntimeUnit::take(Reply& reply) {
  const unsigned w = reply.warp;
  WarpCalls& calls = *warp_calls_[w];
  asked_ &= ~warp_bit(w);
  pointers_.add(w, reply.pointers);
  calls.groups = std::move(reply.groups);
  const bool command = !calls.groups.empty();
  if (kind(calls) == RuntimeCall::kLaunchGroup && !command) free_command();
  if (tbs_[warps_[w].tb].killed) {
    blocked_.return_from_runtime(w);
  } else if (reply.waits) {
    awaiting_ |= warp_bit(w);
  } else if (!command) {
    resume(w, std::max(calls.returns, clock_.tick() + 1));
  }
}

void RuntimeUnit::resume(unsigned w, Tick tick) {
  warp_calls_[w]->returns = tick;
  SmEvent event;
  event.kind = SmEvent::Kind::kReturn;
  event.warp = static_cast<std::uint8_t>(w);
  wheel_.add(clock_.tick(), tick, event);
}

// Ends a call. The warp may have been stopped or swapped out since the event was scheduled; then nothing is done.
void RuntimeUnit::returned(unsigned w) {
  WarpCalls& calls = *warp_calls_[w];
  if ((blocked_.in_runtime() & ~(asked_ | awaiting_ | held_) & warp_bit(w)) == 0 || calls.returns != clock_.tick())
    return;
  blocked_.return_from_runtime(w);
  count_wait(kind(calls), clock_.tick() - calls.called);
  // The block then sees the data that its launches have written.
  if (kind(calls) == RuntimeCall::kSynchronize) tbs_.acquire(warps_[w].tb, clock_.now());
}

void RuntimeUnit::count_wait(RuntimeCall call, Tick ticks) {
  if (call == RuntimeCall::kStreamCreate)
    counters_.stream_wait += ticks;
  else if (allocates(call))
    counters_.buffer_wait += ticks;
  else if (launches(call))
    counters_.launch_wait += ticks;
  else if (call == RuntimeCall::kSynchronize)
    counters_.synchronize_wait += ticks;
  else
    counters_.other_wait += ticks;
}

void RuntimeUnit::stop(WarpMask warps) {
  held_ &= ~warps;
  restart_ &= ~warps;
  turns_.erase(std::remove_if(turns_.begin(), turns_.end(), [&](unsigned w) { return (warps & warp_bit(w)) != 0; }),
               turns_.end());
  // A stopped warp may have been granted the command slot without having taken it.
  if (commands_ < machine_.launch.commands) next_turn();
  awaiting_ &= ~warps;
  kept_ &= ~warps;
  for (WarpMask left = warps & blocked_.in_runtime() & ~asked_; left != 0; left &= left - 1) {
    blocked_.return_from_runtime(lowest(left));
  }
}

void RuntimeUnit::save(unsigned context, SavedTb& saved) {
  const TbState& tb = tbs_[context];
  saved.caller = caller(context);
  for (unsigned i = 0; i < tb.warp_count && !warp_calls_.empty(); ++i) {
    const unsigned w = tb.slots[i];
    SavedWarp& to = saved.warps[i];
    if (!to.live || warp_calls_[w] == nullptr) continue;
    to.runtime = std::make_unique<RuntimeState>(warp_calls_[w]->values);
    if ((awaiting_ & warp_bit(w)) == 0) continue;
    blocked_.return_from_runtime(w);
    count_wait(RuntimeCall::kSynchronize, clock_.tick() - warp_calls_[w]->called);
    if (saved.reason == SwapReason::kChildren) continue;
    to.call = warp_calls_[w]->record;
    to.call_mask = warp_calls_[w]->mask;
  }
  awaiting_ &= ~tb.warps;
  kept_ &= ~tb.warps;
}

void RuntimeUnit::restore(unsigned context, const SavedTb& saved) {
  callers_.resize(machine_.sm.tb_contexts);
  warp_calls_.resize(machine_.sm.warps);
  callers_[context] = saved.caller;
  for (unsigned i = 0; i < saved.warps.size(); ++i) {
    const SavedWarp& from = saved.warps[i];
    if (from.runtime == nullptr) continue;
    const unsigned w = tbs_[context].slots[i];
    WarpCalls& calls = this->calls(w);
    calls.values = *from.runtime;
    if (from.call == nullptr) continue;
    calls.record = from.call;
    calls.mask = from.call_mask;
    blocked_.call_runtime(w);
    active_ = true;
    ask(w);
  }
}

Cycle RuntimeUnit::next_message() const {
  return std::min(replies_.empty() ? base::kForever : replies_.front().visible,
                  notifications_.empty() ? base::kForever : notifications_.front().visible);
}

// Restarts each call that was held by an older call, one tick after the older call's last pointer was sent.
void RuntimeUnit::advance() {
  for (WarpMask left = std::exchange(restart_, 0); left != 0; left &= left - 1) ask(lowest(left));
  if (pointers_.due() > clock_.tick()) return;
  for (WarpMask over = pointers_.advance(); over != 0; over &= over - 1) {
    const unsigned w = lowest(over);
    if (!warp_calls_[w]->groups.empty())
      send_command(w);
    else
      restart_ |= held_ & warp_bit(w);
  }
}

// Sends the command of a group launch, when its records and all older stores are stored. The command is queued in the
// next cycle and visible to the launch unit one cycle later. Its warp resumes in the next tick, unless it was stopped.
void RuntimeUnit::send_command(unsigned w) {
  outbox_.command({clock_.now() + 2, w, std::exchange(warp_calls_[w]->groups, {})});
  if ((blocked_.in_runtime() & warp_bit(w)) != 0) resume(w, clock_.tick() + 1);
}

// Gives the released command slot to the call that has waited longest.
void RuntimeUnit::free_command() {
  --commands_;
  next_turn();
}

void RuntimeUnit::next_turn() {
  if (turns_.empty()) return;
  restart_ |= warp_bit(turns_.front());
  turns_.pop_front();
}

}  // namespace castor::gpu
