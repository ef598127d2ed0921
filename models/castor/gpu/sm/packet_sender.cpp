#include "castor/gpu/sm/packet_sender.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {

PacketSender::PacketSender(const Machine& machine, unsigned sm, InitiatorPort& port, const TbMemory* contexts)
    : machine_(machine),
      sm_(sm),
      all_sectors_(static_cast<std::uint8_t>((1U << (machine.l1.line / kSectorBytes)) - 1)),
      port_(port),
      contexts_(contexts),
      injection_(machine) {
  writes_.reserve(64);
}

Transaction& PacketSender::packet(RequestKind kind, Client from, unsigned context) {
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  request.kind = kind;
  request.client = from;
  request.initiator = static_cast<std::uint16_t>(sm_);
  const KernelContext* const kernel = contexts_[context].kernel;
  request.entry = kernel != nullptr ? kernel->entry : kNoKernelEntry;
  request.warp = 0;
  request.context = static_cast<std::uint16_t>(context);
  request.tag = 0;
  request.issued = 0;
  request.id = next_id_++;
  return transaction;
}

Transaction& PacketSender::packet(RequestKind kind, Client from, const MemoryOperation& operation) {
  Transaction& transaction = packet(kind, from, operation.issue.context);
  transaction.request.warp = static_cast<std::uint16_t>(operation.issue.warp);
  transaction.request.issued = operation.issue.now;
  return transaction;
}

void PacketSender::inject(Transaction& transaction, std::uint64_t line) {
  CASTOR_ASSERT(!injection_.full(), "SM %u: injection FIFO overflows", sm_);
  transaction.prepare(line);
  injection_.push(transaction);
  if (injection_.tlb() != nullptr && injection_.tlb()->asks()) raise_hand_over();
}

void PacketSender::send_store(Transaction& transaction, std::uint64_t line, const ByteMask& bytes, Listener listener,
                              std::uint32_t number) {
  MemoryRequest& request = transaction.request;
  request.byte_mask[0] = bytes.word[0];
  request.byte_mask[1] = bytes.word[1];
  request.sectors = bytes.sectors();
  request.tag = static_cast<std::uint32_t>(writes_.size());
  writes_.push_back({&transaction, listener, number});
  inject(transaction, line);
}

PacketSender::Write PacketSender::stored(std::uint32_t tag) {
  const Write done = writes_[tag];
  writes_[tag] = writes_.back();
  writes_[tag].transaction->request.tag = tag;
  writes_.pop_back();
  return done;
}

void PacketSender::send(Transaction& head, Cycle now) {
  const unsigned cost = flits(head.request.request_bytes(), machine_.xbar.flit_bytes);
  if (!port_.can_send(cost, now)) {
    short_of_credit_ = true;
    return;
  }
  injection_.pop(head);
  port_.send(head, cost, now, now + 1);
  sent_ = true;
}

void PacketSender::fetch(std::uint64_t line, unsigned context) {
  Transaction& transaction = packet(RequestKind::kFetch, Client::kFetch, context);
  transaction.request.sectors = all_sectors_;
  inject(transaction, line);
}

bool PacketSender::writes_to(std::uint64_t line) const {
  return std::any_of(writes_.begin(), writes_.end(),
                     [line](const Write& write) { return write.transaction->line() == line; });
}

}  // namespace castor::gpu
