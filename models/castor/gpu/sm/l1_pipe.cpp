#include "castor/gpu/sm/l1_pipe.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

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

L1Pipe::L1Pipe(const Machine& machine, unsigned sm, const Store& store, OperationTracker& operations,
               PacketSender& sender)
    : machine_(machine),
      sm_(sm),
      store_(store),
      operations_(operations),
      sender_(sender),
      statistics_(operations.statistics()),
      access_latency_(machine.l1.access_latency),
      depth_((std::size_t{machine.l1.access_latency} + 1) * machine.l1.banks),
      pipe_(depth_ + machine.l1.banks),
      lines_(machine) {}

// --- Lookups ---------------------------------------------------------------------------------------------------------

void L1Pipe::look_up_due(Cycle now, Tick tick) {
  hits_.clear();
  // A stalled head stays stalled until its missing resource may have been released.
  if (stalled_) {
    if (!may_resume()) return catch_up(tick);
    catch_up(tick - 1);
    stalled_ = false;
  }
  for (unsigned i = 0; i < machine_.l1.banks && !pipe_.empty() && pipe_.front().due <= tick; ++i) {
    const Access head = pipe_.front();
    if (!access(*head.operation, head.line, now, tick)) return stall(*head.operation, tick);
    pipe_.pop_front();
  }
}

void L1Pipe::stall(const MemoryOperation& operation, Tick tick) {
  stalled_ = true;
  freed_ = false;
  stalled_acquire_ = operations_.acquire(operation);
  stalled_traffic_ = &operations_.traffic(operation);
  uncounted_ = tick;
  catch_up(tick);
}

void L1Pipe::catch_up(Tick tick) {
  if (!stalled_ || tick < uncounted_) return;
  const Tick ticks = tick + 1 - uncounted_;
  statistics_.reservation_fail += ticks;
  stalled_traffic_->reservation_fail += ticks;
  uncounted_ = tick + 1;
}

bool L1Pipe::access(MemoryOperation& operation, unsigned line, Cycle now, Tick tick) {
  if (machine_.acquire.mode == AcquireMode::kFlush) lines_.flush_for(operations_.acquire(operation));
  const bool local = operation.is_local(line);
  if (local ? operation.bypass_local : operation.bypass_global) return bypass(operation, line, now, tick);
  if (!operation.writes) return load(operation, line, now, tick);
  return local && operation.write_back ? store_back(operation, line, tick) : store_through(operation, line, tick);
}

bool L1Pipe::too_old(std::uint32_t slot, const MemoryOperation& operation, unsigned line) const {
  if (slot == L1Cache::kNone || (operation.is_local(line) && operation.write_back)) return false;
  const L1Cache::Line& at = lines_.cache().at(slot);
  return !at.valid.none() && at.stamp < operations_.acquire(operation);
}

bool L1Pipe::load(MemoryOperation& operation, unsigned index, Cycle now, Tick tick) {
  L1Cache& l1 = lines_.cache();
  MshrFile& mshrs = lines_.mshrs();
  const LineAccess& access = operation.lines[index];
  const bool own = operation.is_local(index) && operation.write_back;
  std::uint32_t slot = l1.find(access.line);
  const bool stale = too_old(slot, operation, index);
  ByteMask missing = access.bytes;
  if (slot != L1Cache::kNone && !stale) missing = access.bytes.without(l1.at(slot).valid);
  if (missing.none()) {
    operation.load(index, l1.data(slot));
    l1.touch(slot);
    count(statistics_.l1_read_hit, operations_.traffic(operation).l1_read_hit);
    if ((machine_.check.stale != StaleCheck::kOff || operations_.watched()) && !own) {
      hits_.push_back({access.line, slot, access.bytes, &operations_.traffic(operation).stale_hit});
      sender_.raise_hand_over();
    }
    operations_.part_done(operation, tick + machine_.l1.return_latency);
    return true;
  }

  const std::uint8_t needed = missing.sectors();
  for (std::uint32_t entry = mshrs.find(access.line); entry != MshrFile::kNone; entry = mshrs.older(entry)) {
    if ((needed & ~mshrs.at(entry).sectors) != 0) continue;
    if ((!own && mshrs.at(entry).sent < operations_.acquire(operation)) || !mshrs.can_merge(entry))
      return lacks(StallReason::kEntry);
    mshrs.add_target(entry, load_present(operation, index, slot, stale, missing));
    if (slot != L1Cache::kNone) l1.touch(slot);
    count(statistics_.merged, operations_.traffic(operation).merged);
    return true;
  }

  if (mshrs.full()) return lacks(StallReason::kEntry);
  const std::uint32_t way = slot != L1Cache::kNone ? slot : l1.way_for(access.line);
  if (way == L1Cache::kNone) return lacks_way(access.line);
  const bool dirty_victim = slot == L1Cache::kNone && l1.dirty(way);
  if (sender_.room() < (dirty_victim ? 2U : 1U)) return lacks(StallReason::kInjectionSlot);
  const MshrFile::Target target = load_present(operation, index, slot, stale, missing);
  if (slot == L1Cache::kNone) {
    if (dirty_victim) write_back(way);
    l1.place(way, access.line, own ? static_cast<std::uint16_t>(operation.issue.context) : L1Cache::kNobody);
    slot = way;
  }
  l1.touch(slot);
  ++l1.at(slot).claims;
  const std::uint8_t sectors = machine_.l1.sectored ? needed : sender_.all_sectors();
  const std::uint32_t entry = mshrs.open(access.line, sectors, now, slot);
  mshrs.add_target(entry, target);
  Transaction& request = sender_.packet(RequestKind::kLoad, Client::kLsu, operation);
  request.request.sectors = sectors;
  request.request.tag = entry;
  sender_.inject(request, access.line);
  count(statistics_.primary_misses, operations_.traffic(operation).primary_misses);
  ++primary_misses_;
  return true;
}

MshrFile::Target L1Pipe::load_present(MemoryOperation& operation, unsigned index, std::uint32_t slot, bool stale,
                                      const ByteMask& missing) {
  MemoryTraffic& traffic = operations_.traffic(operation);
  count(statistics_.l1_read_miss, traffic.l1_read_miss);
  if (stale) {
    count(statistics_.stale_refetch, traffic.stale_refetch);
    lines_.cache().empty(slot);
  }
  const bool partial = !(missing == operation.lines[index].bytes);
  if (partial) operation.load(index, lines_.cache().data(slot));
  return {&operation, index, partial, missing};
}

void L1Pipe::count_write(const MemoryOperation& operation, bool hit) {
  MemoryTraffic& traffic = operations_.traffic(operation);
  hit ? count(statistics_.l1_write_hit, traffic.l1_write_hit) : count(statistics_.l1_write_miss, traffic.l1_write_miss);
}

bool L1Pipe::store_through(MemoryOperation& operation, unsigned index, Tick tick) {
  L1Cache& l1 = lines_.cache();
  if (sender_.room() == 0) return lacks(StallReason::kInjectionSlot);
  const LineAccess& access = operation.lines[index];
  Transaction& request = sender_.packet(RequestKind::kStore, Client::kLsu, operation);
  operation.store(index, request.request.data);
  lines_.close_entries(access.line);
  const std::uint32_t slot = l1.find(access.line);
  bool hit = false;
  if (slot != L1Cache::kNone) {
    if (too_old(slot, operation, index)) l1.empty(slot);
    const ByteMask present = access.bytes.both(l1.at(slot).valid);
    hit = present == access.bytes;
    copy_bytes(l1.data(slot), request.request.data, present);
    if (hit) l1.touch(slot);
    l1.release_if_empty(slot);
  }
  count_write(operation, hit);
  sender_.send_store(request, access.line, access.bytes, PacketSender::Listener::kWarp);
  operations_.part_done(operation, tick);
  return true;
}

bool L1Pipe::store_back(MemoryOperation& operation, unsigned index, Tick tick) {
  L1Cache& l1 = lines_.cache();
  const LineAccess& access = operation.lines[index];
  std::uint32_t slot = l1.find(access.line);
  const bool hit = slot != L1Cache::kNone && !l1.at(slot).valid.none();
  if (slot == L1Cache::kNone) {
    const std::uint32_t way = l1.way_for(access.line);
    if (way == L1Cache::kNone) return lacks_way(access.line);
    if (l1.dirty(way)) {
      if (sender_.room() == 0) return lacks(StallReason::kInjectionSlot);
      write_back(way);
    }
    l1.place(way, access.line, static_cast<std::uint16_t>(operation.issue.context));
    slot = way;
  }
  lines_.close_entries(access.line);
  if (operations_.watched()) {
    // A change of bytes in local memory disturbs the spin watch, because a loop may depend on these bytes.
    std::byte before[kMaxLineBytes];
    std::memcpy(before, l1.data(slot), machine_.l1.line);
    operation.store(index, l1.data(slot));
    const bool known = access.bytes.without(l1.at(slot).valid).none();
    if (!known || !equal_bytes(before, l1.data(slot), access.bytes)) operations_.watch()->disturb();
  } else {
    operation.store(index, l1.data(slot));
  }
  l1.at(slot).valid.add(access.bytes);
  l1.at(slot).dirty.add(access.bytes);
  l1.touch(slot);
  count_write(operation, hit);
  const unsigned warp = operation.issue.warp;
  operations_.part_done(operation, tick);
  operations_.client().acknowledged(warp);
  return true;
}

bool L1Pipe::bypass(MemoryOperation& operation, unsigned index, Cycle now, Tick tick) {
  L1Cache& l1 = lines_.cache();
  MshrFile& mshrs = lines_.mshrs();
  const LineAccess& access = operation.lines[index];
  const std::uint32_t slot = l1.find(access.line);
  const bool dirty_line = l1.dirty(slot);
  if (operation.has_result && mshrs.full()) return lacks(StallReason::kEntry);
  if (sender_.room() < (dirty_line ? 2U : 1U)) return lacks(StallReason::kInjectionSlot);
  ++statistics_.l1_bypassed;
  lines_.close_entries(access.line);
  if (slot != L1Cache::kNone) {
    if (dirty_line) write_back(slot);
    l1.release(slot);
  }
  const isa::MemoryOp& op = operation.access.op;
  const std::uint8_t sectors = access.bytes.sectors();
  const RequestKind kind = op.kind == isa::MemoryKind::kLoad     ? RequestKind::kLoad
                           : op.kind == isa::MemoryKind::kStore  ? RequestKind::kStore
                           : op.kind == isa::MemoryKind::kAtomic ? RequestKind::kAtomic
                                                                 : RequestKind::kReduction;
  const bool swaps = operation.issue.record == nullptr;
  Transaction& request = sender_.packet(kind, swaps ? Client::kSwap : Client::kBypass, operation);
  if (kind == RequestKind::kStore) {
    using Listener = PacketSender::Listener;
    operation.store(index, request.request.data);
    sender_.send_store(request, access.line, access.bytes, swaps ? Listener::kSwap : Listener::kWarp,
                       operation.issue.context);
    operations_.part_done(operation, tick);
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
    ++primary_misses_;
  }
  sender_.inject(request, access.line);
  if (kind == RequestKind::kReduction) operations_.part_done(operation, tick);
  return true;
}

// --- Replies ---------------------------------------------------------------------------------------------------------

void L1Pipe::take_atomic(const Transaction& reply, Tick tick) {
  MshrFile& mshrs = lines_.mshrs();
  const MemoryRequest& request = reply.request;
  const MshrFile::Target target = mshrs.target(mshrs.at(request.tag).first);
  mshrs.free(request.tag);
  released(reply.line());
  MemoryOperation& operation = *target.operation;
  for (unsigned i = 0; i < request.lane_count; ++i) {
    std::memcpy(operation.access.data + request.lanes[i].lane * std::size_t{16}, &request.lanes[i].value,
                operation.access.lane_bytes);
  }
  operation.waited = true;
  operation.missed |= request.missed;
  operations_.client().acknowledged(request.warp);
  operations_.part_done(operation, tick + 1 + machine_.l1.return_latency);
}

void L1Pipe::take_read(const Transaction& reply, Tick tick) {
  MshrFile& mshrs = lines_.mshrs();
  const MemoryRequest& request = reply.request;
  const Tick ready = tick + 1 + machine_.l1.return_latency;
  // A load that merged into a request sent before the watch's window returns bytes older than the window.
  if (operations_.watched() && request.performed < operations_.watch()->since()) operations_.watch()->disturb();
  MshrFile::Entry& entry = mshrs.at(request.tag);
  if (entry.open) lines_.install(entry, reply);
  for (std::uint32_t index = entry.first; index != MshrFile::kNone;) {
    const MshrFile::Target target = mshrs.target(index);
    index = target.next;
    MemoryOperation& operation = *target.operation;
    target.partial ? operation.load(target.line, request.data, target.missing)
                   : operation.load(target.line, request.data);
    operation.waited = true;
    operation.missed |= request.missed;
    operations_.part_done(operation, ready);
  }
  mshrs.free(request.tag);
  released(reply.line());
}

void L1Pipe::check_stale(Cycle now) {
  for (const Hit& hit : hits_) check_stale(hit, now);
  hits_.clear();
}

void L1Pipe::check_stale(const Hit& hit, Cycle now) {
  const L1Cache& l1 = lines_.cache();
  if (!l1.at(hit.slot).present || l1.at(hit.slot).address != hit.line) return;
  const std::byte* const memory = store_.bytes(hit.line);
  if (equal_bytes(l1.data(hit.slot), memory, hit.bytes)) return;
  // A store of this SM in flight makes the line in L1 newer than memory, not older.
  if (sender_.writes_to(hit.line)) return;
  if (operations_.watch() != nullptr) operations_.watch()->disturb();
  if (machine_.check.stale == StaleCheck::kOff) return;
  count(statistics_.stale_hit, *hit.traffic);
  CASTOR_ASSERT_AT(now, machine_.check.stale != StaleCheck::kError, "SM %u: stale bytes in L1, line 0x%" PRIx64, sm_,
                   hit.line);
}

}  // namespace castor::gpu
