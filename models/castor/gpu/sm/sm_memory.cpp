#include "castor/gpu/sm/sm_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "castor/base/error.h"

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

std::optional<AccessFault> SmMemory::issue(const MemoryIssue& instruction, MemoryAccepted& accepted) {
  CASTOR_ASSERT_AT(instruction.now, instruction.mask != 0 && can_accept(*instruction.record),
                   "memory instruction of warp %u without lanes or queue entry", instruction.warp);
  MemoryOperation& operation = operations_.get();
  operation.issue = instruction;
  std::optional<AccessFault> fault = resolver_.resolve(operation, operations_.context(instruction.context));
  if (fault) {
    operations_.free(operation);
    return fault;
  }
  accepted.acknowledges =
      operation.writes ? static_cast<unsigned>(operation.lines.size()) + (operation.rounds.total != 0 ? 1 : 0) : 0;
  unsigned sectors = 0;
  for (const LineAccess& line : operation.lines) sectors += sector_count(line.bytes.sectors());
  operations_.statistics().coalesced_lines += operation.lines.size();
  operations_.statistics().sectors += sectors;
  MemoryTraffic& traffic = operations_.traffic(operation);
  traffic.coalesced_lines += operation.lines.size();
  traffic.sectors += sectors;
  if (resolver_.any_outside()) {
    const isa::Program& program = *operations_.context(instruction.context).kernel->program;
    resolver_.note_outside(operation, program, traffic.outside_reads);
  }
  if (operations_.watched() && operation.has_result) note_reads(*operations_.watch(), operation);
  lsu_.enqueue(operation);
  accepted.holds = operation.rounds.total != 0 && lsu_.shared_unit().holds(operation);
  return std::nullopt;
}

bool SmMemory::store_record(const StoredRecord& record, unsigned warp, unsigned context, std::uint32_t number) {
  if (sender_.room() == 0) return false;
  Transaction& request = sender_.packet(RequestKind::kStore, Client::kLaunch, context);
  request.request.warp = static_cast<std::uint16_t>(warp);
  const std::uint64_t line = record.address - record.address % machine_.l1.line;
  const auto offset = static_cast<unsigned>(record.address - line);
  std::memcpy(request.request.data + offset, record.image.data(), record.image.size());
  ByteMask bytes;
  bytes.set(offset, static_cast<unsigned>(record.image.size()));
  sender_.send_store(request, line, bytes, PacketSender::Listener::kRecord, number);
  return true;
}

MemoryOperation* SmMemory::swap(std::uint64_t address, const std::byte* from, const MemoryIssue& access) {
  constexpr unsigned kLanes = 32, kWord = 4;
  if (!lsu_.has_entry()) return nullptr;
  MemoryOperation& operation = operations_.get();
  operation.issue = access;
  operation.compact = operation.bypass_global = operation.gathered = true;
  operation.writes = from != nullptr;
  operation.has_result = from == nullptr;
  operation.access.op = {};
  operation.access.op.kind = from != nullptr ? isa::MemoryKind::kStore : isa::MemoryKind::kLoad;
  operation.pieces = 1;
  operation.piece_bytes = operation.lane_stride = kWord;
  operation.ideal_left = 0;
  operation.pending = 1;
  if (from != nullptr) std::memcpy(operation.access.data, from, std::size_t{kLanes} * kWord);
  LineAccess line;
  line.line = address;
  line.bytes = ByteMask::of_sectors(sender_.all_sectors());
  line.shape = Shape::kUnit;
  line.count = kLanes;
  operation.lines.push_back(line);
  lsu_.enqueue(operation);
  swapped_ = warp_bit(access.warp);
  return &operation;
}

void SmMemory::finish_swap(MemoryOperation& operation, std::byte* to) {
  std::memcpy(to, operation.access.data, 128);
  operations_.free(operation);
}

void SmMemory::save_local(unsigned context, std::vector<std::byte>& bytes) const {
  const TbMemory& tb = operations_.context(context);
  const std::byte* const memory = store_.bytes(tb.local_base);
  bytes.assign(memory, memory + local_bytes(tb));
  const auto put = [&](std::uint64_t line, const std::byte* from, const ByteMask& which) {
    const std::uint64_t offset = line - tb.local_base;
    for (unsigned i = 0; i < machine_.l1.line && offset + i < bytes.size(); ++i) {
      if (which.test(i)) bytes[offset + i] = from[i];
    }
  };
  // Lines that were written back may still be in flight to memory. Their bytes are applied before dirty bytes still in
  // L1.
  std::vector<const Transaction*> writes;
  for (const PacketSender::Write& write : sender_.writes()) writes.push_back(write.transaction);
  std::sort(writes.begin(), writes.end(),
            [](const Transaction* one, const Transaction* other) { return one->request.id < other->request.id; });
  for (const Transaction* const write : writes) {
    put(write->line(), write->request.data, {{write->request.byte_mask[0], write->request.byte_mask[1]}});
  }
  const L1Cache& l1 = pipe_.lines().cache();
  for (std::uint32_t slot = 0; slot < l1.slots(); ++slot) {
    const L1Cache::Line& line = l1.at(slot);
    if (line.present && line.owner == context) put(line.address, l1.data(slot), line.dirty);
  }
}

void SmMemory::restore_local(unsigned context, const std::vector<std::byte>& bytes) {
  if (bytes.empty()) return;
  const TbMemory& tb = operations_.context(context);
  std::memcpy(store_.host(tb.local_base), bytes.data(), bytes.size());
  // Stores in flight from the previous TB in this context must not overwrite the restored bytes.
  for (const PacketSender::Write& write : sender_.writes()) {
    MemoryRequest& late = write.transaction->request;
    if (write.transaction->line() - tb.local_base < bytes.size()) late.byte_mask[0] = late.byte_mask[1] = 0;
  }
}

void SmMemory::serve(const Transaction& reply, Tick tick) {
  const MemoryRequest& request = reply.request;
  switch (request.kind) {
    case RequestKind::kFetch:
      operations_.client().fetched(reply.line());
      return;
    case RequestKind::kStore: {
      const PacketSender::Write done = sender_.stored(request.tag);
      using Listener = PacketSender::Listener;
      if (done.listener == Listener::kWarp) return operations_.client().acknowledged(request.warp);
      if (done.listener == Listener::kRecord) operations_.client().record_stored(request.warp, done.number);
      if (done.listener == Listener::kSwap) operations_.client().swap_stored(done.number);
      return;
    }
    case RequestKind::kReduction:
      operations_.client().acknowledged(request.warp);
      return;
    case RequestKind::kAtomic:
      pipe_.take_atomic(reply, tick);
      return;
    default:
      pipe_.take_read(reply, tick);
  }
}

void SmMemory::take_reply(Cycle now, Tick tick) {
  if (port_.reply(now) == nullptr) return;
  Transaction& reply = port_.take_reply(now);
  serve(reply, tick);
  reply.release();
}

Cycle SmMemory::request_translations(Cycle now) {
  SmTlb* const tlb = sender_.injection().tlb();
  if (tlb == nullptr || !tlb->asks()) return kForever;
  tlb->ask(now);
  return tlb->next();
}

bool SmMemory::read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned warp_in_tb,
                    unsigned context) const {
  auto* const out = static_cast<std::byte*>(to);
  for (std::size_t i = 0; i < size; ++i) {
    if (!read_byte(generic + i, out[i], lane, warp_in_tb, context)) return false;
  }
  return true;
}

bool SmMemory::read_byte(std::uint64_t generic, std::byte& to, unsigned lane, unsigned warp_in_tb,
                         unsigned context) const {
  const TbMemory& tb = operations_.context(context);
  const Region region = resolver_.check().region(Space::kGeneric, generic, false, AccessResolver::reach(tb));
  if (region.refused() || !region.holds(generic, 1)) return false;
  const std::uint64_t offset = generic - region.start;
  if (region.space == Space::kShared) {
    to = tb.shared[offset];
    return true;
  }
  if (region.space != Space::kLocal) {
    to = *store_.bytes(region.address + offset);
    return true;
  }
  const std::uint64_t address =
      tb.local_base + warp_in_tb * tb.kernel->local_stride + local_offset(offset, lane, machine_.sm.lanes);
  const std::uint64_t line = address & ~std::uint64_t{machine_.l1.line - 1};
  const auto byte = static_cast<unsigned>(address - line);
  to = *store_.bytes(address);
  // Bytes newer than memory: dirty lines in flight to memory, then dirty lines in L1.
  std::uint64_t newest = 0;
  for (const PacketSender::Write& write : sender_.writes()) {
    const MemoryRequest& request = write.transaction->request;
    if (write.transaction->line() != line || request.id < newest) continue;
    if ((request.byte_mask[byte >> 6] >> (byte & 63) & 1) == 0) continue;
    newest = request.id;
    to = request.data[byte];
  }
  const L1Cache& l1 = pipe_.lines().cache();
  const std::uint32_t slot = l1.find(line);
  if (slot != L1Cache::kNone && l1.at(slot).dirty.test(byte)) to = l1.data(slot)[byte];
  return true;
}

std::string SmMemory::waiting() const {
  char text[200];
  const MshrFile& mshrs = pipe_.lines().mshrs();
  if (!pipe_.accesses().empty()) {
    const L1Pipe::Access& head = pipe_.accesses().front();
    std::snprintf(text, sizeof text, "L1 pipe: warp %u, record %u, line 0x%" PRIx64 "%s", head.operation->issue.warp,
                  head.operation->issue.pc, head.operation->lines[head.line].line,
                  !pipe_.stalled()      ? ""
                  : sender_.room() == 0 ? ", injection FIFO full"
                  : mshrs.full()        ? ", no free MSHR"
                                        : ", no free way, or the line's MSHR is full");
    return text;
  }
  for (const unsigned number : {0U, 1U}) {
    const LoadStoreUnit::Queue& queue = lsu_.queue(number);
    if (queue.empty()) continue;
    const MemoryIssue& issue = queue.front().operation->issue;
    std::snprintf(text, sizeof text, "load/store queue: warp %u, record %u", issue.warp, issue.pc);
    return text;
  }
  if (!sender_.injection().empty()) {
    return sender_.short_of_credit()               ? "injection FIFO: no credit"
           : sender_.injection().head() == nullptr ? "injection FIFO: address translation"
                                                   : "injection FIFO";
  }
  const MshrFile::Entry* oldest = nullptr;
  for (const MshrFile::Entry& entry : mshrs.entries())
    if (entry.used && (oldest == nullptr || entry.sent < oldest->sent)) oldest = &entry;
  if (oldest != nullptr) {
    std::snprintf(text, sizeof text, "read of line 0x%" PRIx64 ", sent in cycle %" PRIu64, oldest->line, oldest->sent);
    return text;
  }
  if (port_.outstanding() != 0) return std::to_string(port_.outstanding()) + " requests unanswered";
  return {};
}

std::string SmMemory::load_of(unsigned warp) const {
  char text[160];
  const auto what = [](const MemoryOperation& operation) {
    return operation.is_atomic() ? "atomic" : operation.writes ? "store" : "load";
  };
  if (const MemoryOperation* const operation = lsu_.shared_unit().back_of(warp); operation != nullptr) {
    std::snprintf(text, sizeof text, "%s of shared memory, %u rounds left", what(*operation), operation->rounds.left);
    return text;
  }
  const MshrFile& mshrs = pipe_.lines().mshrs();
  for (std::size_t i = 0; i < mshrs.entries().size(); ++i) {
    const MshrFile::Entry& entry = mshrs.entries()[i];
    if (!entry.used) continue;
    for (std::uint32_t t = entry.first; t != MshrFile::kNone; t = mshrs.target(t).next) {
      const MemoryOperation& operation = *mshrs.target(t).operation;
      if (operation.issue.warp != warp) continue;
      std::snprintf(text, sizeof text, "%s of %s line 0x%" PRIx64 ", requested in cycle %" PRIu64 " (MSHR %zu)",
                    what(operation), operation.is_local(mshrs.target(t).line) ? "local" : "global", entry.line,
                    entry.sent, i);
      return text;
    }
  }
  for (std::size_t i = 0; i < pipe_.accesses().size(); ++i) {
    const L1Pipe::Access& access = pipe_.accesses().at(i);
    if (access.operation->issue.warp != warp) continue;
    std::snprintf(text, sizeof text, "%s of %s line 0x%" PRIx64 " in the L1 pipe, %zu accesses ahead",
                  what(*access.operation), access.operation->is_local(access.line) ? "local" : "global",
                  access.operation->lines[access.line].line, i);
    return text;
  }
  for (const unsigned number : {0U, 1U}) {
    const LoadStoreUnit::Queue& queue = lsu_.queue(number);
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
