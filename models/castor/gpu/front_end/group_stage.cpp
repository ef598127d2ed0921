#include "castor/gpu/front_end/group_stage.h"

#include <algorithm>

#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

GroupStage::GroupStage(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table,
                       Dispatcher& dispatcher, DispatchPort& policy, LaunchPort& unit, DeviceLauncher& launches,
                       LaunchTrees& trees, MemoryClient& memory)
    : machine_(machine),
      sms_(sms),
      table_(table),
      dispatcher_(dispatcher),
      policy_(policy),
      unit_(unit),
      launches_(launches),
      trees_(trees),
      memory_(memory),
      last_served_(machine.chip.sms) {}

KernelKey GroupStage::key(unsigned entry) const {
  KernelKey key;
  const KernelEntry& kernel = table_[entry];
  if (kernel.state != EntryState::kWritten) return key;
  const KernelContext& context = kernel.context();
  key.valid = !kernel.killed;
  key.code = (context.code_base - Store::kBase) / 8;
  key.block = context.block;
  key.shared_bytes = context.shared_bytes;
  return key;
}

// Returns the presented group. A command is presented until its last group is taken; then the next SM's command
// follows.
Maybe<GroupBeat> GroupStage::beat(Cycle now) {
  if (serving_ < 0) {
    SmMask waiting;
    for (SmUnit* const sm : sms_) waiting.set(sm->index(), sm->commands().head(now) != nullptr);
    if (waiting.none()) return std::nullopt;
    serving_ = static_cast<int>(last_served_.first(waiting));
    last_served_.chosen(static_cast<unsigned>(serving_));
    beat_ = 0;
  }
  const GroupCommandMessage& command = *sms_[static_cast<unsigned>(serving_)]->commands().head(now);
  GroupBeat beat = launches_.beat(command.groups[beat_].launch);
  beat.first = beat_ == 0;
  beat.last = beat_ + 1 == command.groups.size();
  beat.sm = static_cast<std::uint16_t>(serving_);
  beat.warp = static_cast<std::uint8_t>(command.warp);
  beat.lane = static_cast<std::uint8_t>(command.groups[beat_].lane);
  return beat;
}

void GroupStage::take_beat(Cycle now) {
  SmUnit& sm = *sms_[static_cast<unsigned>(serving_)];
  if (++beat_ != sm.commands().head(now)->groups.size()) return;
  sm.commands().pop();
  sm.notify_runtime({now + 1, 0});
  serving_ = -1;
}

void GroupStage::step(Cycle now) {
  const Maybe<GroupBeat> beat = this->beat(now);
  if (!unit_.on()) {
    if (!beat) return;
    launches_.fall_back(beat->param, static_cast<unsigned>(beat_ + 1), now);
    take_beat(now);
    return;
  }
  const bool attach_ready = policy_.attach_ready();
  const LaunchOut& out = unit_.settle(beat, *this, attach_ready, now);
  if (beat && out.beat_ready) take_beat(now);
  if (out.attach && attach_ready) attach(*out.attach, now);
  if (out.fallback) launches_.fall_back(out.fallback->param, out.fallback->ordinal, now);
  push(now);
}

// Pushes one attached group per cycle to the dispatch policy, in the order of attachment. Groups go before kernels, but
// after a kernel that must be resident at once and is in the table.
void GroupStage::push(Cycle now) {
  if (pushes_.empty() || !policy_.push_ready() || dispatcher_.starts_grid()) return;
  dispatcher_.push_group(*table_.groups().at(pushes_.front()).record);
  pushes_.pop_front();
  attached_at_ = now;
}

void GroupStage::attach(const GroupAttach& attach, Cycle now) {
  CASTOR_HOOK_CHECK(unit_, now, attach.kd < table_.size() && table_[attach.kd].state == EntryState::kWritten,
                    "launch unit attaches to entry %u: not there", attach.kd);
  LaunchRecord& record = launches_.attach(attach.param);
  if (machine_.acquire.child == ChildAcquire::kLaunch) record.acquire = now;
  table_.attach(attach.kd, attach.group, record, launches_.stopped(record));
  dispatcher_.attach(attach.kd);
  if (policy_.push_groups())
    pushes_.push_back(attach.group);
  else
    attached_at_ = now;
}

// Counts a TB of a group. A group whose record is in memory finishes only when all atomic adds to its TB count in
// memory are performed. The memory of the record is freed then.
void GroupStage::count(const TbEvent& tb) {
  constexpr std::uint32_t kOffChip = 0x80000000;
  if ((tb.group & kOffChip) != 0) {
    LaunchRecord* const record = table_.groups().at(tb.group).record;
    memory_.add(record->image + kGroupLeft, ~std::uint64_t{0}, 4);
    counting_.push_back(record);
    ++open_[record].requests;
  }
  LaunchRecord* const done = table_.count_group(tb.group);
  if (done == nullptr) return;
  if (const auto found = open_.find(done); found != open_.end())
    found->second.done = true;
  else
    finish(*done);
}

void GroupStage::look(Cycle now) {
  for (; memory_.has_reply(now); memory_.pop()) {
    LaunchRecord* const record = counting_.front();
    counting_.pop_front();
    const auto found = open_.find(record);
    if (--found->second.requests != 0) continue;
    const bool done = found->second.done;
    open_.erase(found);
    if (done) finish(*record);
  }
}

void GroupStage::finish(LaunchRecord& record) {
  launches_.complete(record);
  trees_.records().let_go(record);
}

Cycle GroupStage::next(Cycle now) const {
  Cycle next = pushes_.empty() || dispatcher_.starts_grid() ? memory_.next_reply() : now + 1;
  for (SmUnit* const sm : sms_) next = std::min(next, sm->commands().next());
  return next == kForever ? next : std::max(next, now + 1);
}

}  // namespace castor::gpu
