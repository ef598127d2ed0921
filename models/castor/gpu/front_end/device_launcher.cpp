#include "castor/gpu/front_end/device_launcher.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/launch_check.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kRecordBytes = sizeof(PacketImage);

// Returns the SMs with a visible message in one of their mailboxes.
template <class Message>
SmMask sms_with(const std::vector<SmUnit*>& sms, Mailbox<Message>& (SmUnit::*mailbox)(), Cycle now) {
  SmMask found;
  for (SmUnit* const sm : sms) found.set(sm->index(), (sm->*mailbox)().head(now) != nullptr);
  return found;
}

}  // namespace

DeviceLauncher::DeviceLauncher(const Machine& machine, Store& store, const ProgramTable& programs,
                               const std::vector<SmUnit*>& sms, const KernelTable& table, LaunchTrees& trees,
                               MemoryClient& memory, Observer* observer, base::StatisticGroup& statistics,
                               const SourceOrder* order)
    : machine_(machine),
      programs_(programs),
      sms_(sms),
      table_(table),
      trees_(trees),
      observer_(observer),
      launcher_(machine, store, programs, kRecordBytes),
      pool_(machine, order, memory),
      last_served_(machine.chip.sms),
      last_pointer_(machine.chip.sms),
      counts_(statistics) {}

// --- Calls of SMs ---------------------------------------------------------------------------------------------------

Caller DeviceLauncher::caller(const KernelContext& kernel, unsigned sm, BlockId& block) {
  LaunchRecord& record = table_.record_of(kernel);
  if (record.launch == 0) {
    record.launch = launcher_.open_root();
    roots_[record.launch] = &record;
  }
  if (block == 0) block = ++last_block_;
  sms_of_blocks_[block] = sm;
  return {block, record.launch, kernel.program->code_values};
}

StoredRecord DeviceLauncher::admitted(LaunchId launch, const LaunchOrigin& origin) {
  const ChildLaunch child = launcher_.find(launch);
  const LoadedProgram& loaded = *programs_.kernel(child.launch.kernel);
  const isa::Program& program = loaded.program();
  LaunchRecord& record = trees_.records().take(&table_.record_of(*origin.kernel), origin.sm);
  record.launch = launch;
  record.called = origin.called;
  record.acquire = origin.acquire;
  record.context.program = &program;
  record.context.synchronises = synchronises(program);
  static_cast<ItemData&>(record.context) = {child.launch.grid, child.parameters};
  record.context.queue = origin.kernel->queue;
  record.context.ticket = kFirstDeviceTicket + launch;
  record.image = launcher_.buffers().record(child.parameters);
  waiting_[launch] = &record;
  if (child.group) groups_[child.parameters] = launch;
  ++(child.group ? counts_.groups : counts_.launches);
  if (launcher_.pending() > counts_.pending_peak.value()) ++counts_.pending_peak;

  if (observer_ != nullptr) observer_->launched({origin.called, origin.sm, origin.context, record.context.ticket});

  LaunchDescriptor descriptor;
  descriptor.code_base = loaded.code_base();
  descriptor.parameters = child.parameters;
  descriptor.grid = child.launch.grid;
  descriptor.block = child.launch.block;
  descriptor.registers = program.registers;
  descriptor.shared_bytes = program.shared_bytes + child.launch.dynamic_shared;
  descriptor.local_bytes = program.local_bytes;
  descriptor.serial = static_cast<std::uint32_t>(launch);
  descriptor.by_device = true;
  descriptor.group = child.group;
  descriptor.level = record.level;
  descriptor.parent_sm = record.parent_sm;
  return {record.image, encode(descriptor)};
}

// --- Groups ---------------------------------------------------------------------------------------------------------

GroupBeat DeviceLauncher::beat(LaunchId launch) const {
  constexpr std::uint32_t kMostLevel = 15;
  const ChildLaunch group = launcher_.find(launch);
  const LoadedProgram& loaded = *programs_.kernel(group.launch.kernel);
  GroupBeat beat;
  beat.level = static_cast<std::uint8_t>(std::min(waiting_.at(launch)->level, kMostLevel));
  beat.key.code = (loaded.code_base() - Store::kBase) / 8;
  beat.key.block = group.launch.block;
  beat.key.shared_bytes = loaded.program().shared_bytes + group.launch.dynamic_shared;
  beat.grid = group.launch.grid;
  beat.param = group.parameters;
  return beat;
}

LaunchId DeviceLauncher::take_group(std::uint64_t parameters) {
  const auto found = groups_.find(parameters);
  CASTOR_ASSERT(found != groups_.end(), "launch unit knows a group that is not there");
  const LaunchId launch = found->second;
  groups_.erase(found);
  return launch;
}

LaunchRecord& DeviceLauncher::attach(std::uint64_t parameters) {
  const LaunchId launch = take_group(parameters);
  static_cast<void>(launcher_.start(launch));
  ++counts_.attached;
  return take(launch);
}

void DeviceLauncher::fall_back(std::uint64_t parameters, unsigned ordinal, Cycle now) {
  const Cycle delay = machine_.launch.launch_warp + Cycle{machine_.launch.launch_lane} * ordinal;
  const LaunchId launch = take_group(parameters);
  launcher_.fall_back(launch);
  fallbacks_.emplace(now + delay, launch);
  ++counts_.fallbacks;
}

// --- Ends of blocks --------------------------------------------------------------------------------------------------

void DeviceLauncher::end_block(BlockId block) {
  launcher_.blocks().end(block);
  sms_of_blocks_.erase(block);
}

// --- A cycle --------------------------------------------------------------------------------------------------------

const std::vector<LaunchRecord*>& DeviceLauncher::close() {
  closed_.clear();
  stirred_ = launcher_.closing();
  if (!stirred_) return closed_;
  launcher_.close_level();
  for (const LaunchId launch : launcher_.take_closed_roots()) {
    const auto found = roots_.find(launch);
    closed_.push_back(found->second);
    roots_.erase(found);
  }
  return closed_;
}

// A block waits on the SM on which it has called last. Has no effect if the block is swapped out: the suspender handles
// a block that has left to wait, and any other block that waits repeats its call when it is back.
void DeviceLauncher::notify_closed(BlockId block, Cycle now) {
  const auto found = sms_of_blocks_.find(block);
  if (found != sms_of_blocks_.end()) sms_[found->second]->notify_runtime({now + 1, block});
}

LaunchRecord& DeviceLauncher::take(LaunchId launch) {
  const auto found = waiting_.find(launch);
  LaunchRecord& record = *found->second;
  waiting_.erase(found);
  return record;
}

bool DeviceLauncher::ready() const {
  if (!on_) return false;
  for (unsigned list = 0; list < pool_.lists(); ++list) {
    if (starts(pool_.offered(list))) return true;
  }
  return false;
}

void DeviceLauncher::ready_lists(std::vector<std::uint16_t>& by_sm, bool in_next_cycle) const {
  std::fill(by_sm.begin(), by_sm.end(), std::uint16_t{0});
  for (unsigned list = 0; list < pool_.lists(); ++list) {
    const bool ready = starts(in_next_cycle ? pool_.next_offered(list) : pool_.offered(list));
    std::uint16_t& levels = by_sm[list / pool_.levels()];
    levels = static_cast<std::uint16_t>(levels | unsigned{ready} << list % pool_.levels());
  }
}

DeviceLauncher::Granted DeviceLauncher::grant(unsigned sm, unsigned level) {
  const LaunchId launch = pool_.take(pool_.list_of(sm, level));
  ++counts_.granted;
  return {launcher_.start(launch), &take(launch)};
}

void DeviceLauncher::step(Cycle now) {
  drop_stopped();
  serve(now);
  take_pointer(now);
  place(now);
  pool_.step(now);
}

int DeviceLauncher::stopped_list() const {
  for (unsigned list = 0; list < pool_.lists(); ++list) {
    if (pool_.offered(list) != 0 && launcher_.stopped(pool_.offered(list))) return static_cast<int>(list);
  }
  return -1;
}

void DeviceLauncher::drop_stopped() {
  const int list = stopped_list();
  if (list < 0) return;
  const LaunchId launch = pool_.take(static_cast<unsigned>(list));
  static_cast<void>(launcher_.start(launch));
  launcher_.complete(launch);
  trees_.records().let_go(take(launch));
  ++counts_.dropped;
}

// Serves one call at a time. A call takes one cycle, or one cycle for each buffer that it allocates.
void DeviceLauncher::serve(Cycle now) {
  if (now < serves_from_) return;
  const SmMask asking = sms_with(sms_, &SmUnit::runtime_calls, now);
  if (asking.none()) return;
  const unsigned sm = last_served_.first(asking);
  last_served_.chosen(sm);
  const RuntimeMessage call = *sms_[sm]->runtime_calls().head(now);
  sms_[sm]->runtime_calls().pop();
  serves_from_ = now + (call.allocates ? call.lanes : 1);
  sms_[sm]->serve_runtime(call.warp, *this, serves_from_);
}

// Takes one arriving launch per cycle. Groups that fall back to kernels have priority over pointers of launches.
void DeviceLauncher::take_pointer(Cycle now) {
  if (!fallbacks_.empty() && fallbacks_.begin()->first <= now) {
    launcher_.arrive(fallbacks_.begin()->second);
    fallbacks_.erase(fallbacks_.begin());
    return;
  }
  if (now < arrivals_from_) return;
  const SmMask pointing = sms_with(sms_, &SmUnit::pointers, now);
  if (pointing.none()) return;
  if (!std::exchange(arrived_, true) && machine_.pool.fixed_overhead != 0) {
    arrivals_from_ = now + machine_.pool.fixed_overhead;
    return;
  }
  const unsigned sm = last_pointer_.first(pointing);
  last_pointer_.chosen(sm);
  launcher_.arrive(sms_[sm]->pointers().head(now)->launch);
  sms_[sm]->pointers().pop();
}

void DeviceLauncher::place(Cycle now) {
  for (const LaunchId launch : launcher_.take_arrived()) arrived_launches_.push_back(launch);
  if (arrived_launches_.empty()) return;
  const LaunchId launch = arrived_launches_.front();
  arrived_launches_.pop_front();
  // The memory stores that the launch must observe have been performed. Stores of the launching block were performed
  // before the pointer left its SM. Stores of launches for which this launch waited were performed before those
  // launches were closed.
  LaunchRecord& record = *waiting_.at(launch);
  if (machine_.acquire.child == ChildAcquire::kLaunch) record.acquire = now;
  pool_.arrive({launch, record.image}, pool_.list_of(record.parent_sm, record.level));
}

bool DeviceLauncher::waits_for_tree(Ticket ticket) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [ticket](const auto& root) { return root.second->context.ticket == ticket; });
}

// --- Ends -----------------------------------------------------------------------------------------------------------

std::vector<const LaunchRecord*> DeviceLauncher::abandon() {
  std::vector<const LaunchRecord*> roots;
  for (const auto& [launch, record] : roots_) {
    launcher_.stop(launch);
    roots.push_back(record);
  }
  stirred_ = true;
  return roots;
}

void DeviceLauncher::reset() {
  CASTOR_ASSERT(launcher_.idle() && waiting_.empty() && roots_.empty(),
                "reset with a launch by device code outstanding");
  CASTOR_ASSERT(groups_.empty() && fallbacks_.empty(), "reset with a group of thread blocks outstanding");
  launcher_.reset();
  sms_of_blocks_.clear();
}

Cycle DeviceLauncher::next(Cycle now) const {
  if (!on_) return kForever;
  if (stirred_ || launcher_.closing() || pool_.stirs() || !arrived_launches_.empty() || stopped_list() >= 0)
    return now + 1;
  Cycle next = fallbacks_.empty() ? kForever : fallbacks_.begin()->first;
  for (SmUnit* const sm : sms_) {
    if (const Cycle asks = sm->runtime_calls().next(); asks != kForever)
      next = std::min(next, std::max(asks, serves_from_));
    if (const Cycle points = sm->pointers().next(); points != kForever)
      next = std::min(next, std::max(points, arrivals_from_));
  }
  return next == kForever ? next : std::max(next, now + 1);
}

}  // namespace castor::gpu
