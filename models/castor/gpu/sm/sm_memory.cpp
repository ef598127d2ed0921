#include "castor/gpu/sm/sm_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm_memory_impl.h"

namespace castor::gpu {
namespace {

/// Records the addresses that a load or atomic reads, for the detection of endless loops.
void note_reads(SpinWatch& watch, const MemoryOperation& operation) {
  const unsigned warp = operation.issue.warp;
  for (isa::LaneMask left = operation.shared | operation.global; left != 0 && watch.notes_reads(warp);
       left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    watch.reads(warp, {operation.address(lane), operation.issue.pc, (operation.shared >> lane & 1) != 0});
  }
}

}  // namespace

using isa::Space;

SmMemory::Impl::Impl(const Machine& machine_, unsigned sm_, const Store& store_, InitiatorPort& port_,
                     SmMemoryClient& client_, const TbMemory* contexts_, base::StatisticGroup& group)
    : machine(machine_),
      sm(sm_),
      all_sectors(static_cast<std::uint8_t>((1U << (machine_.l1.line / kSectorBytes)) - 1)),
      store(store_),
      port(port_),
      client(client_),
      contexts(contexts_),
      two_units(machine_.units.mem_shared > 0),
      queues{LsuQueue(machine_.lsu.queue), LsuQueue(two_units ? machine_.lsu.queue : 0)},
      shared_unit(machine_),
      pipe_depth((std::size_t{machine_.l1.access_latency} + 1) * machine_.l1.banks),
      pipe(pipe_depth + machine_.l1.banks),
      injection(machine_),
      mshrs(machine_),
      l1(machine_),
      statistics(group),
      by_entry(machine_.table.entries),
      local_lines(machine_.sm.tb_contexts, 0),
      resolver(machine_, store_) {
  writes.reserve(64);
}

void SmMemory::Impl::enqueue(MemoryOperation& operation) {
  // An operation without lines and rounds (a prefetch whose lanes were all refused) still takes one pass.
  if (operation.pending == 0) operation.ideal_left = operation.pending = 1;
  const bool shared = operation.rounds.total != 0;
  const bool memory = !operation.lines.empty() || operation.ideal_left != 0;
  if (shared) shared_unit.start(operation);
  if (!two_units) {
    queues[0].push_back({&operation, shared, memory});
    operation.queued = 1;
    return;
  }
  if (memory) queues[0].push_back({&operation, false, true});
  if (shared) queues[1].push_back({&operation, true, false});
  operation.queued = (memory ? 1 : 0) + (shared ? 1 : 0);
}

void SmMemory::Impl::part_done(MemoryOperation& operation, Tick ready) {
  operation.ready = std::max(operation.ready, ready);
  if (--operation.pending != 0) return;
  if (!operation.has_result) {
    operations.free(operation);
    return;
  }
  const Tick latency = operation.ready - operation.issue.tick;
  if (operation.missed)
    statistics.load_latency_dram.record(latency);
  else if (operation.waited)
    statistics.load_latency_l2.record(latency);
  else if (!operation.lines.empty())
    statistics.load_latency_l1.record(latency);
  else if (operation.rounds.total != 0)
    statistics.load_latency_shared.record(latency);
  client.data_ready(operation, operation.ready);
}

SharedUnit::Result SmMemory::Impl::shared_tick(MemoryOperation& operation, Tick tick) {
  const SharedUnit::Result result = shared_unit.tick(operation, tick);
  if (!result.round) return result;
  ++statistics.smem_rounds;
  ++statistics.lsu_passes;
  ++operation.passes;
  if (result.lanes == 0) return result;
  const TbMemory& tb = contexts[operation.issue.context];
  if (!operation.writes || !watched()) {
    operation.exchange_shared(tb.shared, result.lanes);
    return result;
  }
  const std::vector<std::byte> before(tb.shared, tb.shared + tb.shared_bytes);
  operation.exchange_shared(tb.shared, result.lanes);
  if (std::memcmp(before.data(), tb.shared, tb.shared_bytes) != 0) watch->disturb();
  return result;
}

void SmMemory::Impl::shared_over(MemoryOperation& operation, Tick tick) {
  const unsigned warp = operation.issue.warp;
  if (operation.writes) client.acknowledged(warp);
  if (shared_unit.holds(operation)) client.resume(warp);
  part_done(operation, tick + shared_unit.latency(operation));
}

// Executes one pass for the head of a non-empty queue: shared-memory rounds first, then ideal loads, local lines,
// global lines.
void SmMemory::Impl::pass(LsuQueue& queue, Tick tick) {
  Queued& head = queue.front();
  MemoryOperation& operation = *head.operation;
  if (tick <= operation.issue.dispatch) return;
  unsigned latency = 0;
  SharedUnit::Result shared;
  if (head.shared) {
    shared = shared_tick(operation, tick);
    if (!shared.leaves) return;
    head.shared = false;
    if (!shared.over) ++operation.queued;  // the instruction will re-enter through issue
  } else {
    if (operation.ideal_left != 0) {
      if (--operation.ideal_left == 0) {
        // Constants and parameters do not change while a kernel runs, so their bytes can be read now.
        operation.load_ideal(store);
        latency = machine.constant.latency;
      }
    } else {
      if (pipe_full()) return;
      pass_lines(operation, tick);
    }
    ++statistics.lsu_passes;
    ++operation.passes;
  }
  if (!head.memory || (operation.ideal_left == 0 && operation.next_line == operation.lines.size())) {
    queue.pop_front();
    if (--operation.queued == 0) statistics.replays += operation.passes - 1;
  }
  if (shared.over) shared_over(operation, tick);
  if (latency != 0) part_done(operation, tick + latency);
}

void SmMemory::Impl::pass_lines(MemoryOperation& operation, Tick tick) {
  const auto size = static_cast<unsigned>(operation.lines.size());
  const unsigned space_end = operation.is_local(operation.next_line) ? operation.local_lines : size;
  const unsigned end = std::min(space_end, operation.next_line + machine.l1.banks);
  for (; operation.next_line < end; ++operation.next_line)
    pipe.push_back({&operation, operation.next_line, tick + machine.l1.access_latency});
}

Tick SmMemory::Impl::next_pass(const LsuQueue& queue, Tick tick) const {
  if (queue.empty()) return kForever;
  const Queued& head = queue.front();
  const MemoryOperation& operation = *head.operation;
  // No wake-up is needed for a full pipe: room appears only when the pipe's own head leaves, which has a wake-up of its
  // own.
  if (!head.shared && operation.ideal_left == 0 && pipe_full()) return kForever;
  return std::max(operation.issue.dispatch, tick) + 1;
}

// Skipped ticks changed nothing but the counters of a stalled pipe head.
void SmMemory::Impl::catch_up(Tick tick) {
  if (stuck && tick > last_tick) {
    statistics.reservation_fail += tick - last_tick;
    stuck_traffic->reservation_fail += tick - last_tick;
  }
  last_tick = std::max(last_tick, tick);
}

SmMemory::SmMemory(const Machine& machine, unsigned sm, const Store& store, InitiatorPort& port, SmMemoryClient& client,
                   const TbMemory* contexts, base::StatisticGroup& statistics)
    : impl_(std::make_unique<Impl>(machine, sm, store, port, client, contexts, statistics)) {}

SmMemory::~SmMemory() = default;

bool SmMemory::can_accept(const isa::Record& record) const {
  if (!impl_->two_units) return !impl_->queues[0].full();
  // The address space of a generic access is not known before issue, so both queues need an entry.
  const Space space = record.memory.space;
  return (space == Space::kShared || !impl_->queues[0].full()) &&
         ((space != Space::kShared && space != Space::kGeneric) || !impl_->queues[1].full());
}

unsigned SmMemory::full_queues() const {
  return (impl_->queues[0].full() ? 1U : 0U) | (impl_->queues[1].full() ? 2U : 0U);
}

std::optional<AccessFault> SmMemory::issue(const MemoryIssue& instruction, MemoryAccepted& accepted) {
  Impl& impl = *impl_;
  CASTOR_ASSERT_AT(instruction.now, instruction.mask != 0 && can_accept(*instruction.record),
                   "memory instruction of warp %u without lanes or queue entry", instruction.warp);
  MemoryOperation& operation = impl.operations.get();
  operation.issue = instruction;
  std::optional<AccessFault> fault = impl.resolver.resolve(operation, impl.contexts[instruction.context]);
  if (fault) {
    impl.operations.free(operation);
    return fault;
  }
  accepted.acknowledges =
      operation.writes ? static_cast<unsigned>(operation.lines.size()) + (operation.rounds.total != 0 ? 1 : 0) : 0;
  unsigned sectors = 0;
  for (const LineAccess& line : operation.lines) sectors += sector_count(line.bytes.sectors());
  impl.statistics.coalesced_lines += operation.lines.size();
  impl.statistics.sectors += sectors;
  Traffic& traffic = impl.traffic(operation);
  traffic.coalesced_lines += operation.lines.size();
  traffic.sectors += sectors;
  if (impl.resolver.any_outside()) {
    impl.resolver.note_outside(operation, *impl.contexts[instruction.context].kernel->program, traffic.outside_reads);
  }
  if (impl.watched() && operation.has_result) note_reads(*impl.watch, operation);
  impl.enqueue(operation);
  accepted.holds = operation.rounds.total != 0 && impl.shared_unit.holds(operation);
  return std::nullopt;
}

void SmMemory::set_watch(SpinWatch* watch) { impl_->watch = watch; }

void SmMemory::complete(MemoryOperation& operation, const isa::RegisterView& view) {
  operation.write_registers(view);
  impl_->operations.free(operation);
}

const MemoryIssue& SmMemory::instruction(const MemoryOperation& operation) { return operation.issue; }

bool SmMemory::store_record(const StoredRecord& record, unsigned warp, unsigned context, std::uint32_t number) {
  if (impl_->places() == 0) return false;
  Transaction& request = impl_->packet(RequestKind::kStore, Client::kLaunch, context);
  request.request.warp = static_cast<std::uint16_t>(warp);
  const std::uint64_t line = record.address - record.address % impl_->machine.l1.line;
  const auto offset = static_cast<unsigned>(record.address - line);
  std::memcpy(request.request.data + offset, record.image.data(), record.image.size());
  ByteMask bytes;
  bytes.set(offset, static_cast<unsigned>(record.image.size()));
  impl_->send_store(request, line, bytes, Impl::Listener::kRecord, number);
  return true;
}

namespace {

// Returns the size of a TB's local memory in bytes, counted from its base.
std::uint64_t local_bytes(const TbMemory& tb) { return tb.kernel->need.warps * tb.kernel->local_stride; }

}  // namespace

void SmMemory::save_local(unsigned context, std::vector<std::byte>& bytes) const {
  const TbMemory& tb = impl_->contexts[context];
  const std::byte* const memory = impl_->store.bytes(tb.local_base);
  bytes.assign(memory, memory + local_bytes(tb));
  const auto put = [&](std::uint64_t line, const std::byte* from, const ByteMask& which) {
    const std::uint64_t offset = line - tb.local_base;
    for (unsigned i = 0; i < impl_->machine.l1.line && offset + i < bytes.size(); ++i) {
      if (which.test(i)) bytes[offset + i] = from[i];
    }
  };
  // Lines that were written back may still be in flight to memory. Their bytes are applied before dirty bytes still in
  // L1.
  std::vector<const Transaction*> writes;
  for (const Impl::Write& write : impl_->writes) writes.push_back(write.transaction);
  std::sort(writes.begin(), writes.end(),
            [](const Transaction* one, const Transaction* other) { return one->request.id < other->request.id; });
  for (const Transaction* const write : writes) {
    put(write->line(), write->request.data, {{write->request.byte_mask[0], write->request.byte_mask[1]}});
  }
  for (std::uint32_t slot = 0; slot < impl_->l1.slots(); ++slot) {
    const L1Cache::Line& line = impl_->l1.at(slot);
    if (line.present && line.owner == context) put(line.address, impl_->l1.data(slot), line.dirty);
  }
}

void SmMemory::restore_local(unsigned context, const std::vector<std::byte>& bytes) {
  if (bytes.empty()) return;
  const TbMemory& tb = impl_->contexts[context];
  std::memcpy(impl_->store.host(tb.local_base), bytes.data(), bytes.size());
  // Stores in flight from the previous TB in this context must not overwrite the restored bytes.
  for (const Impl::Write& write : impl_->writes) {
    MemoryRequest& late = write.transaction->request;
    if (write.transaction->line() - tb.local_base < bytes.size()) late.byte_mask[0] = late.byte_mask[1] = 0;
  }
}

void SmMemory::forget_local(unsigned context) {
  const TbMemory& tb = impl_->contexts[context];
  for (std::uint32_t slot = 0; slot < impl_->l1.slots(); ++slot) {
    const L1Cache::Line& line = impl_->l1.at(slot);
    if (!line.present || line.address - tb.local_base >= local_bytes(tb)) continue;
    if (line.claims != 0) impl_->close_entries(line.address);
    impl_->forget(slot);
  }
}

bool SmMemory::can_fetch() const { return !impl_->injection.full(); }

void SmMemory::fetch(std::uint64_t line, unsigned context) {
  Transaction& transaction = impl_->packet(RequestKind::kFetch, Client::kFetch, context);
  transaction.request.sectors = impl_->all_sectors;
  impl_->inject(transaction, line);
}

void SmMemory::take_reply(Cycle now, Tick tick) {
  if (impl_->port.reply(now) == nullptr) return;
  Transaction& reply = impl_->port.take_reply(now);
  impl_->serve(reply, tick);
  reply.release();
}

void SmMemory::advance(Cycle now, Tick tick) {
  Impl& impl = *impl_;
  if (tick != 0) impl.catch_up(tick - 1);
  impl.last_tick = tick;
  impl.primary_misses = 0;
  impl.hits.clear();
  // A stalled pipe head stays stalled until its missing resource may have been released.
  const bool still = impl.stuck && !impl.may_resume();
  impl.stuck = still;
  impl.freed = false;
  if (still) {
    ++impl.statistics.reservation_fail;
    ++impl.stuck_traffic->reservation_fail;
  }
  for (unsigned i = 0; !still && i < impl.machine.l1.banks && !impl.pipe.empty() && impl.pipe.front().due <= tick;
       ++i) {
    const Impl::InPipe head = impl.pipe.front();
    if (!impl.lookup(*head.operation, head.line, now, tick)) {
      impl.stuck = true;
      impl.stuck_acquire = impl.acquire(*head.operation);
      ++impl.statistics.reservation_fail;
      impl.stuck_traffic = &impl.traffic(*head.operation);
      ++impl.stuck_traffic->reservation_fail;
      break;
    }
    impl.pipe.pop_front();
  }
  impl.shared_unit.begin_tick();
  bool taken = false;
  if (MemoryOperation* const back = impl.shared_unit.back(tick); back != nullptr) {
    // A returned instruction has priority over the queue, unless a round of the queue's head is in progress.
    const Impl::LsuQueue& queue = impl.queues[impl.two_units ? 1 : 0];
    taken = queue.empty() || !queue.front().shared || queue.front().operation->rounds.ticks == 0;
    if (taken && impl.shared_tick(*back, tick).over) {
      if (--back->queued == 0) impl.statistics.replays += back->passes - 1;
      impl.shared_over(*back, tick);
    }
  }
  if (!impl.queues[0].empty() && (!taken || impl.two_units)) impl.pass(impl.queues[0], tick);
  if (!impl.queues[1].empty() && !taken) impl.pass(impl.queues[1], tick);
  impl.send_one(now, tick);
}

Tick SmMemory::next(Tick tick) const {
  const Impl& impl = *impl_;
  Tick best = std::min(impl.next_pass(impl.queues[0], tick), impl.next_pass(impl.queues[1], tick));
  best = std::min(best, std::max(impl.shared_unit.next_back(), tick + 1));
  if (!impl.pipe.empty()) {
    // A stalled pipe head tries again when its missing resource may be free, or its block's acquire cycle has changed.
    if (!impl.stuck || impl.may_resume()) best = std::min(best, std::max(impl.pipe.front().due, tick + 1));
  }
  if (impl.injection.head() != nullptr && !impl.short_of_credit) best = std::min(best, tick + 1);
  if (impl.injection.tlb() != nullptr) best = std::min(best, std::max(impl.injection.tlb()->next_tick(), tick + 1));
  return best;
}

void SmMemory::catch_up(Tick tick) { impl_->catch_up(tick); }

void SmMemory::check_stale(Cycle now) {
  for (const Impl::Hit& hit : impl_->hits) impl_->check_stale(hit, now);
  impl_->hits.clear();
}

void SmMemory::hold_hits(HandOver& hand_over) { impl_->any_hit = &hand_over; }

void SmMemory::translate(SharedTlb& shared, base::StatisticGroup& sm) {
  impl_->injection.translate(impl_->machine, shared, sm);
}

Cycle SmMemory::request_translations(Cycle now) {
  SmTlb* const tlb = impl_->injection.tlb();
  if (tlb == nullptr || !tlb->asks()) return kForever;
  tlb->ask(now);
  return tlb->next();
}

bool SmMemory::blocked() const { return impl_->stuck; }

WarpMask SmMemory::reissued() const { return impl_->shared_unit.reissued(); }

void SmMemory::tb_retired(unsigned context) {
  Impl& impl = *impl_;
  impl.freed = true;
  for (std::uint32_t slot = 0; impl.local_lines[context] != 0 && slot < impl.l1.slots(); ++slot) {
    const L1Cache::Line& line = impl.l1.at(slot);
    if (!line.present || line.owner != context) continue;
    if (line.claims != 0) impl.close_entries(line.address);
    impl.forget(slot);
  }
}

bool SmMemory::read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned warp_in_tb,
                    unsigned context) const {
  auto* const out = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < size; ++i) {
    if (!impl_->read_byte(generic + i, out[i], lane, warp_in_tb, context)) return false;
  }
  return true;
}

bool SmMemory::Impl::read_byte(std::uint64_t generic, std::byte& to, unsigned lane, unsigned warp_in_tb,
                               unsigned context) const {
  const TbMemory& tb = contexts[context];
  const Region region = resolver.check().region(Space::kGeneric, generic, false, AccessResolver::reach(tb));
  if (region.refused() || !region.holds(generic, 1)) return false;
  const std::uint64_t offset = generic - region.start;
  if (region.space == Space::kShared) {
    to = tb.shared[offset];
    return true;
  }
  if (region.space != Space::kLocal) {
    to = *store.bytes(region.address + offset);
    return true;
  }
  const std::uint64_t address =
      tb.local_base + warp_in_tb * tb.kernel->local_stride + local_offset(offset, lane, machine.sm.lanes);
  const std::uint64_t line = address & ~std::uint64_t{machine.l1.line - 1};
  const auto byte = static_cast<unsigned>(address - line);
  to = *store.bytes(address);
  // Bytes newer than memory: dirty lines in flight to memory, then dirty lines in L1.
  std::uint64_t newest = 0;
  for (const Write& write : writes) {
    const MemoryRequest& request = write.transaction->request;
    if (write.transaction->line() != line || request.id < newest) continue;
    if ((request.byte_mask[byte >> 6] >> (byte & 63) & 1) == 0) continue;
    newest = request.id;
    to = request.data[byte];
  }
  const std::uint32_t slot = l1.find(line);
  if (slot != L1Cache::kNone && l1.at(slot).dirty.test(byte)) to = l1.data(slot)[byte];
  return true;
}

const SmMemory::Traffic& SmMemory::traffic(unsigned entry) const { return impl_->by_entry[entry]; }

void SmMemory::clear_traffic(unsigned entry) { impl_->by_entry[entry] = {}; }

unsigned SmMemory::outstanding() const { return impl_->mshrs.in_use(); }

unsigned SmMemory::primary_misses() const { return impl_->primary_misses; }

bool SmMemory::idle() const {
  const Impl& impl = *impl_;
  return impl.operations.in_use() == 0 && impl.pipe.empty() && impl.injection.empty() && impl.mshrs.in_use() == 0 &&
         impl.port.outstanding() == 0;
}

std::string SmMemory::waiting() const {
  const Impl& impl = *impl_;
  char text[200];
  if (!impl.pipe.empty()) {
    const Impl::InPipe& head = impl.pipe.front();
    std::snprintf(text, sizeof text, "L1 pipe: warp %u, record %u, line 0x%" PRIx64 "%s", head.operation->issue.warp,
                  head.operation->issue.pc, head.operation->lines[head.line].line,
                  !impl.stuck          ? ""
                  : impl.places() == 0 ? ", injection FIFO full"
                  : impl.mshrs.full()  ? ", no free MSHR"
                                       : ", no free way, or the line's MSHR is full");
    return text;
  }
  for (const Impl::LsuQueue& queue : impl.queues) {
    if (queue.empty()) continue;
    const MemoryIssue& issue = queue.front().operation->issue;
    std::snprintf(text, sizeof text, "load/store queue: warp %u, record %u", issue.warp, issue.pc);
    return text;
  }
  if (!impl.injection.empty()) {
    return impl.short_of_credit               ? "injection FIFO: no credit"
           : impl.injection.head() == nullptr ? "injection FIFO: address translation"
                                              : "injection FIFO";
  }
  const MshrFile::Entry* oldest = nullptr;
  for (const MshrFile::Entry& entry : impl.mshrs.entries())
    if (entry.used && (oldest == nullptr || entry.sent < oldest->sent)) oldest = &entry;
  if (oldest != nullptr) {
    std::snprintf(text, sizeof text, "read of line 0x%" PRIx64 ", sent in cycle %" PRIu64, oldest->line, oldest->sent);
    return text;
  }
  if (impl.port.outstanding() != 0) return std::to_string(impl.port.outstanding()) + " requests unanswered";
  return {};
}

std::string SmMemory::load_of(unsigned warp) const {
  const Impl& impl = *impl_;
  char text[160];
  const auto what = [](const MemoryOperation& operation) {
    return operation.is_atomic() ? "atomic" : operation.writes ? "store" : "load";
  };
  if (const MemoryOperation* const operation = impl.shared_unit.back_of(warp); operation != nullptr) {
    std::snprintf(text, sizeof text, "%s of shared memory, %u rounds left", what(*operation), operation->rounds.left);
    return text;
  }
  for (std::size_t i = 0; i < impl.mshrs.entries().size(); ++i) {
    const MshrFile::Entry& entry = impl.mshrs.entries()[i];
    if (!entry.used) continue;
    for (std::uint32_t t = entry.first; t != MshrFile::kNone; t = impl.mshrs.target(t).next) {
      const MemoryOperation& operation = *impl.mshrs.target(t).operation;
      if (operation.issue.warp != warp) continue;
      std::snprintf(text, sizeof text, "%s of %s line 0x%" PRIx64 ", requested in cycle %" PRIu64 " (MSHR %zu)",
                    what(operation), operation.is_local(impl.mshrs.target(t).line) ? "local" : "global", entry.line,
                    entry.sent, i);
      return text;
    }
  }
  for (std::size_t i = 0; i < impl.pipe.size(); ++i) {
    const Impl::InPipe& access = impl.pipe.at(i);
    if (access.operation->issue.warp != warp) continue;
    std::snprintf(text, sizeof text, "%s of %s line 0x%" PRIx64 " in the L1 pipe, %zu accesses ahead",
                  what(*access.operation), access.operation->is_local(access.line) ? "local" : "global",
                  access.operation->lines[access.line].line, i);
    return text;
  }
  for (const Impl::LsuQueue& queue : impl.queues) {
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const MemoryOperation& operation = *queue.at(i).operation;
      if (operation.issue.warp != warp) continue;
      std::snprintf(text, sizeof text, "%s of %s memory in the load/store queue, %zu ahead", what(operation),
                    operation.shared != 0  ? "shared"
                    : operation.ideal != 0 ? "constant"
                                           : "global",
                    i);
      return text;
    }
  }
  return "a load whose data have arrived";
}

}  // namespace castor::gpu
