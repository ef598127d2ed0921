#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm_memory_impl.h"

namespace castor::gpu {
namespace {

// Copies the bytes selected by a mask, in runs of consecutive bytes.
void copy_bytes(std::byte* to, const std::byte* from, const ByteMask& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t left = bytes.word[half];
    if (left == ~std::uint64_t{0}) {
      std::memcpy(to + 64 * half, from + 64 * half, 64);
      continue;
    }
    while (left != 0) {
      const auto at = static_cast<unsigned>(__builtin_ctzll(left));
      const std::uint64_t rest = ~(left >> at);
      const unsigned count = rest == 0 ? 64 - at : static_cast<unsigned>(__builtin_ctzll(rest));
      std::memcpy(to + 64 * half + at, from + 64 * half + at, count);
      left &= at + count >= 64 ? 0 : ~std::uint64_t{0} << (at + count);
    }
  }
}

// Returns whether two lines agree in the bytes selected by a mask. Compares 8 bytes at a time.
bool equal_bytes(const std::byte* a, const std::byte* b, const ByteMask& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    for (std::uint64_t left = bytes.word[half]; left != 0;) {
      const unsigned chunk = static_cast<unsigned>(__builtin_ctzll(left)) & ~7U;
      std::uint64_t x;
      std::uint64_t y;
      std::memcpy(&x, a + half * 64 + chunk, 8);
      std::memcpy(&y, b + half * 64 + chunk, 8);
      const std::uint64_t mask = left >> chunk & 0xff;
      for (unsigned i = 0; x != y && i < 8; ++i)
        if ((mask >> i & 1) != 0 && ((x ^ y) >> (8 * i) & 0xff) != 0) return false;
      left &= ~(std::uint64_t{0xff} << chunk);
    }
  }
  return true;
}

}  // namespace

bool SmMemory::Impl::lookup(MemoryOperation& operation, unsigned line, Cycle now, Tick tick) {
  if (machine.acquire.mode == AcquireMode::kFlush) flush_for(acquire(operation));
  const bool local = operation.is_local(line);
  if (local ? operation.bypass_local : operation.bypass_global) return bypass(operation, line, now, tick);
  if (!operation.writes) return load(operation, line, now, tick);
  return local && operation.write_back ? store_back(operation, line, tick) : store_through(operation, line, tick);
}

bool SmMemory::Impl::too_old(std::uint32_t slot, const MemoryOperation& operation, unsigned line) const {
  if (slot == L1Cache::kNone || (operation.is_local(line) && operation.write_back)) return false;
  const L1Cache::Line& at = l1.at(slot);
  return !at.valid.none() && at.stamp < acquire(operation);
}

void SmMemory::Impl::empty(std::uint32_t slot) { l1.at(slot).valid = l1.at(slot).dirty = {}; }

bool SmMemory::Impl::load(MemoryOperation& operation, unsigned index, Cycle now, Tick tick) {
  const LineAccess& access = operation.lines[index];
  const bool own = operation.is_local(index) && operation.write_back;
  std::uint32_t slot = l1.find(access.line);
  const bool stale = too_old(slot, operation, index);
  ByteMask missing = access.bytes;
  if (slot != L1Cache::kNone && !stale) missing = access.bytes.without(l1.at(slot).valid);
  if (missing.none()) {
    operation.load(index, l1.data(slot));
    l1.touch(slot);
    count(statistics.l1_read_hit, traffic(operation).l1_read_hit);
    if ((machine.check.stale != StaleCheck::kOff || watched()) && !own) {
      hits.push_back({access.line, slot, access.bytes, &traffic(operation).stale_hit});
      any_hit->raise();
    }
    part_done(operation, tick + machine.l1.return_latency);
    return true;
  }

  const std::uint8_t needed = missing.sectors();
  for (std::uint32_t entry = mshrs.find(access.line); entry != MshrFile::kNone; entry = mshrs.older(entry)) {
    if ((needed & ~mshrs.at(entry).sectors) != 0) continue;
    if ((!own && mshrs.at(entry).sent < acquire(operation)) || !mshrs.can_merge(entry))
      return is_missing(StallReason::kEntry);
    if (stale) {
      count(statistics.stale_refetch, traffic(operation).stale_refetch);
      empty(slot);
    }
    const bool partial = !(missing == access.bytes);
    if (partial) operation.load(index, l1.data(slot));
    mshrs.add_target(entry, {&operation, index, partial, missing});
    if (slot != L1Cache::kNone) l1.touch(slot);
    count(statistics.l1_read_miss, traffic(operation).l1_read_miss);
    count(statistics.merged, traffic(operation).merged);
    return true;
  }

  if (mshrs.full()) return is_missing(StallReason::kEntry);
  const std::uint32_t way = slot != L1Cache::kNone ? slot : l1.way_for(access.line);
  if (way == L1Cache::kNone) return lacks_free_way(access.line);
  const bool dirty_victim = slot == L1Cache::kNone && dirty(way);
  if (places() < (dirty_victim ? 2U : 1U)) return is_missing(StallReason::kInjectionSlot);
  if (stale) {
    count(statistics.stale_refetch, traffic(operation).stale_refetch);
    empty(slot);
  }
  const bool partial = !(missing == access.bytes);
  if (partial) operation.load(index, l1.data(slot));
  if (slot == L1Cache::kNone) {
    if (dirty_victim) write_back(way);
    place(way, access.line, operation, own);
    slot = way;
  }
  l1.touch(slot);
  ++l1.at(slot).claims;
  const std::uint8_t sectors = machine.l1.sectored ? needed : all_sectors;
  const std::uint32_t entry = mshrs.open(access.line, sectors, now, slot);
  mshrs.add_target(entry, {&operation, index, partial, missing});
  Transaction& request = packet(RequestKind::kLoad, Client::kLsu, operation);
  request.request.sectors = sectors;
  request.request.tag = entry;
  inject(request, access.line);
  count(statistics.l1_read_miss, traffic(operation).l1_read_miss);
  count(statistics.primary_misses, traffic(operation).primary_misses);
  ++primary_misses;
  return true;
}

bool SmMemory::Impl::store_through(MemoryOperation& operation, unsigned index, Tick tick) {
  if (places() == 0) return is_missing(StallReason::kInjectionSlot);
  const LineAccess& access = operation.lines[index];
  Transaction& request = packet(RequestKind::kStore, Client::kLsu, operation);
  operation.store(index, request.request.data);
  close_entries(access.line);
  const std::uint32_t slot = l1.find(access.line);
  bool hit = false;
  if (slot != L1Cache::kNone) {
    if (too_old(slot, operation, index)) empty(slot);
    const ByteMask present = access.bytes.both(l1.at(slot).valid);
    hit = present == access.bytes;
    copy_bytes(l1.data(slot), request.request.data, present);
    if (hit) l1.touch(slot);
    release_if_empty(slot);
  }
  hit ? count(statistics.l1_write_hit, traffic(operation).l1_write_hit)
      : count(statistics.l1_write_miss, traffic(operation).l1_write_miss);
  send_store(request, access.line, access.bytes, Listener::kWarp);
  part_done(operation, tick);
  return true;
}

bool SmMemory::Impl::store_back(MemoryOperation& operation, unsigned index, Tick tick) {
  const LineAccess& access = operation.lines[index];
  std::uint32_t slot = l1.find(access.line);
  const bool hit = slot != L1Cache::kNone && !l1.at(slot).valid.none();
  if (slot == L1Cache::kNone) {
    const std::uint32_t way = l1.way_for(access.line);
    if (way == L1Cache::kNone) return lacks_free_way(access.line);
    if (dirty(way)) {
      if (places() == 0) return is_missing(StallReason::kInjectionSlot);
      write_back(way);
    }
    place(way, access.line, operation, true);
    slot = way;
  }
  close_entries(access.line);
  if (watched()) {
    // A change of bytes in local memory disturbs the spin watch, because a loop may depend on these bytes.
    std::byte before[kMaxLineBytes];
    std::memcpy(before, l1.data(slot), machine.l1.line);
    operation.store(index, l1.data(slot));
    const bool known = access.bytes.without(l1.at(slot).valid).none();
    if (!known || !equal_bytes(before, l1.data(slot), access.bytes)) watch->disturb();
  } else {
    operation.store(index, l1.data(slot));
  }
  l1.at(slot).valid.add(access.bytes);
  l1.at(slot).dirty.add(access.bytes);
  l1.touch(slot);
  hit ? count(statistics.l1_write_hit, traffic(operation).l1_write_hit)
      : count(statistics.l1_write_miss, traffic(operation).l1_write_miss);
  const unsigned warp = operation.issue.warp;
  part_done(operation, tick);
  client.acknowledged(warp);
  return true;
}

bool SmMemory::Impl::bypass(MemoryOperation& operation, unsigned index, Cycle now, Tick tick) {
  const LineAccess& access = operation.lines[index];
  std::uint32_t slot = l1.find(access.line);
  const bool dirty_line = dirty(slot);
  if (operation.has_result && mshrs.full()) return is_missing(StallReason::kEntry);
  if (places() < (dirty_line ? 2U : 1U)) return is_missing(StallReason::kInjectionSlot);
  ++statistics.l1_bypassed;
  close_entries(access.line);
  if (slot != L1Cache::kNone) {
    if (dirty_line) write_back(slot);
    forget(slot);
  }
  const isa::MemoryOp& op = operation.access.op;
  const std::uint8_t sectors = access.bytes.sectors();
  const RequestKind kind = op.kind == isa::MemoryKind::kLoad     ? RequestKind::kLoad
                           : op.kind == isa::MemoryKind::kStore  ? RequestKind::kStore
                           : op.kind == isa::MemoryKind::kAtomic ? RequestKind::kAtomic
                                                                 : RequestKind::kReduction;
  Transaction& request = packet(kind, Client::kBypass, operation);
  if (kind == RequestKind::kStore) {
    operation.store(index, request.request.data);
    send_store(request, access.line, access.bytes, Listener::kWarp);
    part_done(operation, tick);
    return true;
  }
  request.request.sectors = sectors;
  if (operation.is_atomic()) {
    request.request.op = op.atomic;
    request.request.type = op.type;
    unsigned count = 0;
    for (isa::LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
      LaneOperand& operand = request.request.lanes[count++];
      operand = {};
      operand.lane = static_cast<std::uint8_t>(lane);
      operand.offset = static_cast<std::uint8_t>(operation.access.address[lane] - access.line);
      std::memcpy(&operand.value, operation.access.data + lane * std::size_t{16}, operation.access.lane_bytes);
      if (op.atomic == isa::AtomicOp::kCas)
        std::memcpy(&operand.compare, operation.access.compare + lane * std::size_t{8}, operation.access.lane_bytes);
    }
    request.request.lane_count = static_cast<std::uint8_t>(count);
  }
  if (operation.has_result) {
    const std::uint32_t entry = mshrs.take(access.line, sectors, now);
    mshrs.add_target(entry, {&operation, index, false, {}});
    request.request.tag = entry;
    ++primary_misses;
  }
  inject(request, access.line);
  if (kind == RequestKind::kReduction) part_done(operation, tick);
  return true;
}

void SmMemory::Impl::close_entries(std::uint64_t line) {
  for (std::uint32_t entry = mshrs.find(line); entry != MshrFile::kNone;) {
    const std::uint32_t next = mshrs.older(entry);
    --l1.at(mshrs.at(entry).slot).claims;
    mshrs.close(entry);
    entry = next;
  }
}

void SmMemory::Impl::release_if_empty(std::uint32_t slot) {
  if (l1.at(slot).valid.none() && l1.at(slot).claims == 0) forget(slot);
}

void SmMemory::Impl::forget(std::uint32_t slot) {
  if (l1.at(slot).owner != L1Cache::kNobody) --local_lines[l1.at(slot).owner];
  l1.release(slot);
}

void SmMemory::Impl::place(std::uint32_t slot, std::uint64_t line, const MemoryOperation& operation, bool own) {
  if (l1.at(slot).present) forget(slot);
  l1.place(slot, line);
  if (!own) return;
  l1.at(slot).owner = static_cast<std::uint16_t>(operation.issue.context);
  ++local_lines[operation.issue.context];
}

void SmMemory::Impl::write_back(std::uint32_t slot) {
  const L1Cache::Line& line = l1.at(slot);
  Transaction& request = packet(RequestKind::kStore, Client::kLsu, line.owner);
  std::memcpy(request.request.data, l1.data(slot), machine.l1.line);
  send_store(request, line.address, line.dirty, Listener::kNobody);
  ++statistics.l1_write_backs;
}

void SmMemory::Impl::install(MshrFile::Entry& entry, const Transaction& reply) {
  L1Cache::Line& line = l1.at(entry.slot);
  const ByteMask added = ByteMask::of_sectors(entry.sectors).without(line.valid);
  line.stamp = line.valid.none() ? reply.request.performed : std::min(line.stamp, reply.request.performed);
  copy_bytes(l1.data(entry.slot), reply.request.data, added);
  line.valid.add(added);
  --line.claims;
}

void SmMemory::Impl::serve(const Transaction& reply, Tick tick) {
  const MemoryRequest& request = reply.request;
  const Tick ready = tick + 1 + machine.l1.return_latency;
  switch (request.kind) {
    case RequestKind::kFetch:
      client.fetched(reply.line());
      return;
    case RequestKind::kStore: {
      const Write done = writes[request.tag];
      writes[request.tag] = writes.back();
      writes[request.tag].transaction->request.tag = request.tag;
      writes.pop_back();
      if (done.listener == Listener::kWarp) client.acknowledged(request.warp);
      if (done.listener == Listener::kRecord) client.record_stored(request.warp, done.number);
      return;
    }
    case RequestKind::kReduction:
      client.acknowledged(request.warp);
      return;
    case RequestKind::kAtomic: {
      const MshrFile::Target target = mshrs.target(mshrs.at(request.tag).first);
      mshrs.free(request.tag);
      give_back(reply.line());
      MemoryOperation& operation = *target.operation;
      for (unsigned i = 0; i < request.lane_count; ++i) {
        std::memcpy(operation.access.data + request.lanes[i].lane * std::size_t{16}, &request.lanes[i].value,
                    operation.access.lane_bytes);
      }
      operation.waited = true;
      operation.missed |= request.missed;
      client.acknowledged(request.warp);
      part_done(operation, ready);
      return;
    }
    default:
      break;
  }
  // A load that merged into a request sent before the watch's window returns bytes older than the window.
  if (watched() && request.performed < watch->since()) watch->disturb();
  MshrFile::Entry& entry = mshrs.at(request.tag);
  if (entry.open) install(entry, reply);
  for (std::uint32_t index = entry.first; index != MshrFile::kNone;) {
    const MshrFile::Target target = mshrs.target(index);
    index = target.next;
    MemoryOperation& operation = *target.operation;
    target.partial ? operation.load(target.line, request.data, target.missing)
                   : operation.load(target.line, request.data);
    operation.waited = true;
    operation.missed |= request.missed;
    part_done(operation, ready);
  }
  mshrs.free(request.tag);
  give_back(reply.line());
}

void SmMemory::Impl::check_stale(const Hit& hit, Cycle now) {
  if (!l1.at(hit.slot).present || l1.at(hit.slot).address != hit.line) return;
  const std::byte* const memory = store.bytes(hit.line);
  if (equal_bytes(l1.data(hit.slot), memory, hit.bytes)) return;
  // A store of this SM in flight makes the line in L1 newer than memory, not older.
  for (const Write& write : writes)
    if (write.transaction->line() == hit.line) return;
  if (watch != nullptr) watch->disturb();
  if (machine.check.stale == StaleCheck::kOff) return;
  count(statistics.stale_hit, *hit.traffic);
  CASTOR_ASSERT_AT(now, machine.check.stale != StaleCheck::kError, "SM %u: stale bytes in L1, line 0x%" PRIx64, sm,
                   hit.line);
}

void SmMemory::Impl::flush_for(Cycle acquire_cycle) {
  if (acquire_cycle <= flushed_for) return;
  flushed_for = acquire_cycle;
  for (const MshrFile::Entry& entry : mshrs.entries())
    if (entry.used && entry.open && l1.at(entry.slot).owner == L1Cache::kNobody) close_entries(entry.line);
  for (std::uint32_t slot = 0; slot < l1.slots(); ++slot)
    if (l1.at(slot).present && l1.at(slot).owner == L1Cache::kNobody) forget(slot);
}

Transaction& SmMemory::Impl::packet(RequestKind kind, Client from, unsigned context) {
  Transaction& transaction = pool.get();
  MemoryRequest& request = transaction.request;
  request.kind = kind;
  request.client = from;
  request.initiator = static_cast<std::uint16_t>(sm);
  const KernelContext* const kernel = contexts[context].kernel;
  request.entry = kernel != nullptr ? kernel->entry : kNoKernelEntry;
  request.warp = 0;
  request.context = static_cast<std::uint16_t>(context);
  request.tag = 0;
  request.issued = 0;
  request.id = next_id++;
  return transaction;
}

Transaction& SmMemory::Impl::packet(RequestKind kind, Client from, const MemoryOperation& operation) {
  Transaction& transaction = packet(kind, from, operation.issue.context);
  transaction.request.warp = static_cast<std::uint16_t>(operation.issue.warp);
  transaction.request.issued = operation.issue.now;
  return transaction;
}

void SmMemory::Impl::inject(Transaction& transaction, std::uint64_t line) {
  CASTOR_ASSERT(!injection.full(), "SM %u: injection FIFO overflows", sm);
  transaction.prepare(line);
  injection.push(transaction);
  if (injection.tlb() != nullptr && injection.tlb()->asks()) any_hit->raise();
}

void SmMemory::Impl::send_store(Transaction& transaction, std::uint64_t line, const ByteMask& bytes, Listener listener,
                                std::uint32_t number) {
  MemoryRequest& request = transaction.request;
  request.byte_mask[0] = bytes.word[0];
  request.byte_mask[1] = bytes.word[1];
  request.sectors = bytes.sectors();
  request.tag = static_cast<std::uint32_t>(writes.size());
  writes.push_back({&transaction, listener, number});
  inject(transaction, line);
}

void SmMemory::Impl::send_one(Cycle now, Tick tick) {
  sent = short_of_credit = false;
  if (injection.tlb() != nullptr) injection.tlb()->advance(now, tick);
  Transaction* const next = injection.head();
  if (next == nullptr) return;
  Transaction& head = *next;
  const unsigned cost = flits(head.request.request_bytes(), machine.xbar.flit_bytes);
  if (!port.can_send(cost, now)) {
    short_of_credit = true;
    return;
  }
  injection.pop(head);
  port.send(head, cost, now, now + 1);
  sent = true;
}

}  // namespace castor::gpu
