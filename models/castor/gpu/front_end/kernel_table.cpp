#include "castor/gpu/front_end/kernel_table.h"

#include <utility>

#include "castor/gpu/launch/launch_rows.h"

namespace castor::gpu {
namespace {

constexpr std::size_t kChildWaitBins = 32;
constexpr const char* kWaitBinNames[] = {"bin0", "bin1", "bin2",  "bin3",  "bin4",  "bin5",  "bin6",  "bin7",
                                         "bin8", "bin9", "bin10", "bin11", "bin12", "bin13", "bin14", "bin15"};

}  // namespace

KernelTable::KernelTable(unsigned entries, LaunchRecords& records, base::StatisticGroup& statistics)
    : records_(records),
      entries_(entries),
      kernels_parsed_(statistics, {"kernels_parsed", "", "kernel table entries written"}),
      kernels_completed_(statistics, {"kernels_completed", "", "kernels all of whose TBs are complete"}),
      kernels_stopped_(statistics, {"kernels_stopped", "", "kernels stopped by a fault"}),
      tb_placed_(statistics, {"tb_placed", "", "TBs sent to an SM"}),
      tb_retired_(statistics, {"tb_retired", "", "TBs that left their SM"}),
      tb_dropped_(statistics, {"tb_dropped", "", "TBs of stopped kernels that were never placed"}),
      tb_saved_(statistics, {"tb_saved", "", "TBs of preempted queues that were saved before they were complete"}),
      tb_restored_(statistics, {"tb_restored", "", "saved TBs that were sent to an SM again"}),
      child_waits_(statistics,
                   {"device_launch_wait", "cycles",
                    "time from the call of device code that made a launch to the placement of the launch's first TB"},
                   kChildWaitBins),
      waits_(statistics, "placement_wait") {
  for (unsigned i = 0; i < kWaitBins; ++i) {
    wait_bins_[i] = std::make_unique<base::Counter>(
        waits_, base::StatisticInfo{kWaitBinNames[i], "",
                                    "kernels whose first TB was placed 2^k to 2^(k+1) - 1 cycles after their table "
                                    "entry was written; bin 0 includes 0, the last bin all larger values"});
  }
}

KernelContext& KernelTable::reserve(unsigned entry, LaunchRecord& record) {
  KernelEntry& kernel = entries_[entry];
  CASTOR_ASSERT(kernel.state == EntryState::kFree, "entry %u reserved twice", entry);
  const Cycle freed = kernel.freed;
  kernel = {};
  kernel.state = EntryState::kReserved;
  kernel.freed = freed;
  kernel.record = &record;
  record.context.entry = static_cast<std::uint16_t>(entry);
  ++valid_;
  return record.context;
}

KernelContext& KernelTable::draft(unsigned entry) {
  CASTOR_ASSERT(entries_[entry].state == EntryState::kReserved, "entry %u is not reserved", entry);
  return entries_[entry].record->context;
}

bool KernelTable::write(unsigned entry, Picoseconds time) {
  KernelEntry& kernel = entries_[entry];
  CASTOR_ASSERT(kernel.state == EntryState::kReserved, "entry %u written without being reserved", entry);
  LaunchRecord& record = *kernel.record;
  const KernelContext& context = record.context;
  kernel.state = EntryState::kWritten;
  if (record.parent == nullptr) record.acquire = context.written;
  kernel.sequencer.start(context.grid.count());
  kernel.statistics.kernel = context.program->kernel;
  kernel.statistics.shape = shape_of(context);
  kernel.statistics.ticket = context.ticket;
  kernel.statistics.start = time;
  kernel.statistics.thread_blocks = context.grid.count();
  ++kernels_parsed_;
  if (kernel.killed) drop_rest(entry);
  return !kernel.killed;
}

KernelTable::NextTb KernelTable::take(KernelEntry& kernel, std::uint32_t group) {
  NextTb tb;
  ++kernel.running;
  if (group == kNoGroup) {
    tb.position = kernel.sequencer.next();
    tb.gid = kernel.sequencer.take(kernel.context());
    tb.first = !kernel.first_placed;
    kernel.first_placed = true;
    ++kernel.started;
    records_.hold(*kernel.record);
  } else {
    GroupLedger::Group& of = groups_.at(group);
    tb.position = tb.gid = of.next++;
    --kernel.waiting_groups;
    records_.hold(*of.record);
  }
  tb.last = kernel.to_place() == 0;
  return tb;
}

KernelTable::NextTb KernelTable::place(unsigned entry, Cycle now, std::uint32_t group) {
  KernelEntry& kernel = entries_[entry];
  const NextTb tb = take(kernel, group);
  ++tb_placed_;
  if (tb.first) note_wait(now - kernel.context().written);
  const LaunchRecord& record = group == kNoGroup ? *kernel.record : *groups_.at(group).record;
  const bool first = group == kNoGroup ? tb.first : tb.position == 0;
  if (first && record.parent != nullptr) child_waits_.record(now - record.called);
  return tb;
}

KernelTable::NextTb KernelTable::drop_next(unsigned entry, std::uint32_t group) {
  ++tb_dropped_;
  return take(entries_[entry], group);
}

void KernelTable::attach(unsigned entry, std::uint32_t group, LaunchRecord& record, bool stopped) {
  KernelEntry& kernel = entries_[entry];
  CASTOR_ASSERT(kernel.state == EntryState::kWritten, "group %x attaches to entry %u, where no kernel is", group,
                entry);
  const KernelContext own = record.context;
  KernelContext& context = record.context;
  context = kernel.context();
  static_cast<ItemData&>(context) = own.item();
  context.ticket = context.grid_id = own.ticket;
  context.order = nullptr;
  context.group = group;
  groups_.add(group, record, stopped);
  const std::uint64_t tbs = context.grid.count();
  kernel.waiting_groups += tbs;
  ++kernel.groups;
  ++kernel.live_groups;
  kernel.group_tbs += tbs;
  finished_[entry] = false;
}

LaunchRecord* KernelTable::count_group(std::uint32_t group) {
  GroupLedger::Group& of = groups_.at(group);
  LaunchRecord& record = *of.record;
  const unsigned entry = record.context.entry;
  --entries_[entry].running;
  records_.let_go(record);
  note_finished(entry);
  if (++of.counted != of.total) return nullptr;
  --entries_[entry].live_groups;
  groups_.remove(group);
  return &record;
}

void KernelTable::save(unsigned entry) {
  --entries_[entry].running;
  ++entries_[entry].saved;
  ++tb_saved_;
}

void KernelTable::restore(unsigned entry) {
  --entries_[entry].saved;
  ++entries_[entry].running;
  ++tb_restored_;
}

void KernelTable::take_back(unsigned entry) {
  --entries_[entry].saved;
  ++entries_[entry].running;
  ++tb_retired_;
}

void KernelTable::suspend(unsigned entry) {
  --entries_[entry].running;
  ++entries_[entry].suspended;
}

void KernelTable::resume(unsigned entry) {
  KernelEntry& kernel = entries_[entry];
  --kernel.suspended;
  --kernel.expected;
  ++kernel.running;
}

void KernelTable::drop_suspended(unsigned entry) {
  KernelEntry& kernel = entries_[entry];
  --kernel.suspended;
  --kernel.expected;
  ++kernel.retired;
  records_.let_go(*kernel.record);
  note_finished(entry);
}

KernelEntry KernelTable::detach(unsigned entry, Cycle now) {
  KernelEntry& kernel = entries_[entry];
  CASTOR_ASSERT_AT(now, kernel.deserted(), "kernel table entry %u is released, but TBs of its kernel remain", entry);
  KernelEntry left = std::move(kernel);
  kernel = {};
  kernel.freed = now;
  --valid_;
  return left;
}

void KernelTable::reserve_again(unsigned entry, KernelEntry kernel) {
  CASTOR_ASSERT(entries_[entry].state == EntryState::kFree, "entry %u reserved twice", entry);
  const Cycle freed = entries_[entry].freed;
  entries_[entry] = std::move(kernel);
  entries_[entry].state = EntryState::kReserved;
  entries_[entry].freed = freed;
  entries_[entry].record->context.entry = static_cast<std::uint16_t>(entry);
  ++valid_;
}

void KernelTable::kill(unsigned entry) {
  entries_[entry].killed = true;
  ++kernels_stopped_;
}

void KernelTable::cancel(unsigned entry) {
  KernelEntry& kernel = entries_[entry];
  CASTOR_ASSERT(kernel.started == 0, "kernel table entry %u is cancelled, but its kernel has started", entry);
  kernel.killed = true;
}

void KernelTable::drop_rest(unsigned entry) {
  const std::uint64_t dropped = entries_[entry].sequencer.drop();
  entries_[entry].dropped += dropped;
  tb_dropped_ += dropped;
  note_finished(entry);
}

KernelStatistics KernelTable::release(unsigned entry, Cycle now) {
  KernelEntry& kernel = entries_[entry];
  const KernelContext& context = kernel.context();
  CASTOR_ASSERT_AT(
      now,
      kernel.finished() && kernel.started == kernel.retired && kernel.started + kernel.dropped == context.grid.count(),
      "kernel %s released before all its TBs were complete", context.program->kernel.c_str());
  finished_[entry] = false;
  records_.let_go(*kernel.record);
  kernel.record = nullptr;
  kernel.state = EntryState::kFree;
  kernel.freed = now;
  --valid_;
  ++kernels_completed_;
  kernel.statistics.entry = entry;
  if (kernel.groups != 0) {
    kernel.statistics.counts.emplace_back(kGroups.name, kernel.groups);
    kernel.statistics.counts.emplace_back(kGroupBlocks.name, kernel.group_tbs);
  }
  return std::move(kernel.statistics);
}

std::uint64_t KernelTable::progress() const {
  return kernels_parsed_.value() + kernels_completed_.value() + kernels_stopped_.value() + tb_placed_.value() +
         tb_retired_.value() + tb_saved_.value() + tb_restored_.value() + tb_dropped_.value();
}

void KernelTable::note_wait(Cycle cycles) {
  unsigned bin = 0;
  while (bin + 1 < kWaitBins && cycles >> (bin + 1) != 0) ++bin;
  ++*wait_bins_[bin];
}

}  // namespace castor::gpu
