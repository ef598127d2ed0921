#include "castor/gpu/front_end/sync_side.h"

#include <algorithm>

#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/hooks/waves.h"

namespace castor::gpu {
namespace {

SyncKernel sync_kernel(const KernelContext& context) {
  SyncKernel kernel;
  kernel.kd = context.entry;
  kernel.queue = context.queue;
  kernel.kid = context.kid;
  kernel.tbs = static_cast<std::uint32_t>(context.grid.count());
  kernel.fit = static_cast<std::uint16_t>(context.fit);
  kernel.need = context.need;
  kernel.owned = context.owned;
  if (context.sync == nullptr) return kernel;
  kernel.events = context.sync->events;
  kernel.exit = context.sync->exit;
  kernel.swap = context.sync->swap;
  return kernel;
}

std::string numbers(const SmMask& sms) {
  std::string text;
  for (std::size_t sm = sms._Find_first(); sm < sms.size(); sm = sms._Find_next(sm)) text += " " + std::to_string(sm);
  return text;
}

}  // namespace

SyncSide::SyncSide(const FrontEndParts& parts)
    : hub_(parts.hooks.hub),
      events_(parts.events),
      table_(parts.table),
      lanes_(parts.lanes),
      dispatcher_(parts.dispatcher),
      gate_(parts.queues, parts.table, parts.trees),
      owned_(parts),
      memory_{&parts.memory.client(FrontEndMemory::User::kSyncHub),
              &parts.memory.client(FrontEndMemory::User::kSyncHubSecond)},
      queues_(parts.machine.queue.count),
      checks_(!parts.machine.run.sleep) {
  if (hub_ == nullptr) return;
  network_.emplace(parts.sms, parts.place.statistics);
  mounted_.emplace(*hub_, "sync_hub", parts.place, memory_[0], memory_[1]);
  in_.up = network_->up();
  parts.inspector.set_gate(gate_);
}

// --- One cycle -------------------------------------------------------------------------------------------------------

void SyncSide::synchronise(Cycle now) {
  network_->begin(now);
  in_.now = now;
  in_.room = network_->room();
  in_.launch.reset();
  in_.stopped = false;
  owned_.show(in_);
  in_.none_left = kernel_ >= 0 && table_[static_cast<unsigned>(kernel_)].to_place() == 0;
  take_replies(now);
  in_.ev = events_.with(mounted_->access());
  if (checks_) settle_early();
  const HubOut& out = hub_->settle(in_);
  const bool same = out.hold == out_.hold && out.down == out_.down && out.done == out_.done;
  CASTOR_HOOK_CHECK(*hub_, now, !checks_ || same,
                    "sync_hub changes hold, down or done after settle: these outputs may depend on its state only");
  out_ = out;
  mounted_->take(out.reg, now);
  check(now);
  owned_.settle(*hub_, in_, out_, now);
}

// Calls `settle` before the inputs of the cycle are known, in runs that check that the early outputs depend only on the
// hub's state.
void SyncSide::settle_early() {
  HubIn early = in_;
  early.up = {};
  early.room.reset();
  early.next_tb.reset();
  early.none_left = false;
  early.reply = {};
  early.ev = {};
  out_ = hub_->settle(early);
}

void SyncSide::take_replies(Cycle now) {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    in_.reply[i].reset();
    if (!memory_[i]->has_reply(now)) continue;
    in_.reply[i] = memory_[i]->reply();
    memory_[i]->pop();
  }
}

void SyncSide::check(Cycle now) const {
  CASTOR_HOOK_CHECK(*hub_, now, (out_.take & ~network_->arrived()).none(),
                    "sync_hub takes a message of SMs%s, from which none has arrived",
                    numbers(out_.take & ~network_->arrived()).c_str());
  if (!out_.down) return;
  SmMask beyond = out_.down->to;
  for (std::size_t sm = 0; sm < in_.up.size; ++sm) beyond[sm] = false;
  CASTOR_HOOK_CHECK(*hub_, now, out_.down->to.any() && beyond.none(), "sync_hub sends a message to %s%s",
                    beyond.none() ? "no SM" : "SMs that the machine does not have:", numbers(beyond).c_str());
}

void SyncSide::clock_block(Cycle now) {
  const bool sends = out_.down && network_->fits(out_.down->to);
  const bool was_filled = in_.filled;
  // A kernel whose job is dropped is stopped, too, without a fault.
  if (kernel_ >= 0 && !told_ && table_[static_cast<unsigned>(kernel_)].killed) stopped_ = true;
  told_ = told_ || stopped_;
  owned_.clock(out_, now);
  in_.now = now;
  in_.launch = launch_;
  in_.stopped = stopped_;
  in_.filled = filled();
  in_.ev = events_.with(mounted_->access());
  hub_->clock(in_);
  network_->take(out_.take, now);
  if (sends) network_->send(*out_.down, now);
  blocked_ = out_.down && !sends;
  stirred_ = launch_ || stopped_ || sends || out_.pop || out_.take.any() || in_.filled != was_filled || in_.reply[0] ||
             in_.reply[1] || mounted_->access();
  launch_.reset();
  stopped_ = false;
}

// Returns whether the dispatcher cannot place another TB of the kernel now, so that the fill is over.
bool SyncSide::filled() const {
  if (kernel_ < 0) return false;
  if (owned_.present()) return owned_.filled();
  const auto entry = static_cast<unsigned>(kernel_);
  return table_[entry].to_place() == 0 || dispatcher_.takers(entry).none();
}

void SyncSide::count_until(Cycle now) {
  if (blocked_ && counted_ < now) network_->count_blocked(now - counted_);
  counted_ = now;
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

bool SyncSide::lane_waits(Cycle now) const {
  const ParseLanes::Lane* const lane = kernel_ < 0 ? nullptr : lanes_.finished(now);
  return lane != nullptr && !lane->inspects && !lane->resumes && table_[lane->entry].context().synchronises;
}

void SyncSide::started(const KernelEvent& kernel) {
  const KernelEntry& entry = table_[kernel.kd];
  if (!entry.context().synchronises || entry.killed) return;
  kernel_ = kernel.kd;
  launch_ = sync_kernel(entry.context());
  told_ = false;
  if (entry.context().owned) owned_.start(kernel.kd);
  network_->start(*launch_, in_.now + 1);
}

bool SyncSide::grant(unsigned source, Cycle /*now*/, const ParseStage::Granted& /*granted*/) {
  if (source < queues_) gate_.grant(source);
  return false;
}

KdMask SyncSide::hold() const {
  KdMask hold = out_.hold;
  if (owned_.held()) hold[static_cast<unsigned>(kernel_)] = true;
  return hold;
}

const char* SyncSide::holds(unsigned entry) const {
  if (out_.hold[entry]) return "held by the synchronisation hub";
  return hold()[entry] ? "waits until the synchronisation hub says that all its TBs have ended" : "";
}

void SyncSide::completed(const LaunchRecord& record) {
  if (record.context.owned) {
    gate_.leave();
    if (owned_.present()) owned_.complete(record.context);
  }
  if (record.context.group == kNoGroup && kernel_ == static_cast<int>(record.context.entry)) kernel_ = -1;
}

void SyncSide::device_reset() {
  network_->reset();
  hub_->reset();
  out_ = {};
  kernel_ = -1;
  gate_.leave();
  owned_.reset();
  launch_.reset();
  in_.filled = stopped_ = blocked_ = false;
}

// --- Sleeping, reports -----------------------------------------------------------------------------------------------

Cycle SyncSide::next_work(Cycle now) const {
  Cycle next = network_->next();
  for (const MemoryClient* const memory : memory_) next = std::min(next, memory->next_reply());
  return next == kForever ? next : std::max(next, now + 1);
}

std::string SyncSide::waiting() const {
  const ParseLanes::Lane* const lane = lane_waits(in_.now) ? lanes_.finished(in_.now) : nullptr;
  if (lane == nullptr) return {};
  return "entry " + std::to_string(lane->entry) + ": waits in a parse lane until the kernel of entry " +
         std::to_string(kernel_) + ", which synchronises too, is complete\n";
}

void SyncSide::waits(WaitGraph& graph) const {
  mounted_->waits(graph);
  if (network_->arrived().any()) graph.say("has not taken messages of SMs" + numbers(network_->arrived()));
  if (blocked_) {
    graph.say("waits for room in its channels to SMs" + numbers(out_.down->to & ~network_->room()));
  }
}

void SyncSide::add_waves(Waves& waves, const std::string& scope) const {
  hub_->add_waves(waves, scope);
  const std::string net = scope + ".sync_net";
  const auto sms = static_cast<unsigned>(in_.up.size);
  waves.add_mask(net, "arrived", sms, &network_->arrived());
  waves.add_mask(net, "room", sms, &network_->room());
  waves.add(net, "blocked", 1, &blocked_);
  waves.add(net, "in_flight", 32, [this] { return network_->in_flight(); });
}

}  // namespace castor::gpu
