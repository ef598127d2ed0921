#include "castor/gpu/front_end/memory_client.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {

void MemoryClient::push(Fifo& fifo, const Access& access) {
  if (fifo.full()) fifo.set_capacity(fifo.capacity() * 2);
  fifo.push_back(access);
}

MemoryClient::Access MemoryClient::make(RequestKind kind, std::uint64_t address, unsigned bytes, std::uint32_t tag) {
  const std::uint64_t offset = address % owner_->line_;
  CASTOR_ASSERT(bytes >= 1 && offset + bytes <= owner_->line_, "front end accesses %u bytes at 0x%llx: not in one line",
                bytes, static_cast<unsigned long long>(address));
  Access access;
  access.transaction = &owner_->pool_.get();
  access.address = address;
  access.tag = tag;
  access.bytes = static_cast<std::uint8_t>(bytes);
  MemoryRequest& request = access.transaction->request;
  request.kind = kind;
  request.client = Client::kFrontEnd;
  request.initiator = static_cast<std::uint16_t>(owner_->initiator_);
  request.entry = kNoKernelEntry;
  const unsigned first = static_cast<unsigned>(offset) / kSectorBytes;
  const unsigned last = (static_cast<unsigned>(offset) + bytes - 1) / kSectorBytes;
  request.sectors = static_cast<std::uint8_t>((2U << last) - (1U << first));
  return access;
}

std::uint64_t MemoryClient::allocate(std::uint64_t bytes, const char* what) {
  const auto address =
      owner_->store_ == nullptr ? std::nullopt : owner_->store_->allocate(bytes, AllocationKind::kBlock, what);
  if (address) return *address;
  throw base::InputError("no device memory left for the " + std::string(what) + ": " + std::to_string(bytes) +
                         " bytes");
}

void MemoryClient::read(std::uint64_t address, unsigned bytes, std::uint32_t tag) {
  push(waiting_, make(RequestKind::kLoad, address, bytes, tag));
  ++owner_->waiting_;
}

void MemoryClient::write(std::uint64_t address, const void* data, unsigned bytes, std::uint32_t tag) {
  const Access access = make(RequestKind::kStore, address, bytes, tag);
  MemoryRequest& request = access.transaction->request;
  const std::uint64_t offset = address % owner_->line_;
  for (std::uint64_t i = offset; i < offset + bytes; ++i) request.byte_mask[i / 64] |= std::uint64_t{1} << i % 64;
  std::memcpy(request.data + offset, data, bytes);
  push(waiting_, access);
  ++owner_->waiting_;
}

void MemoryClient::add(std::uint64_t address, std::uint64_t value, unsigned bytes, std::uint32_t tag) {
  const Access access = make(RequestKind::kPosted, address, bytes, tag);
  MemoryRequest& request = access.transaction->request;
  request.op = isa::AtomicOp::kAdd;
  request.type = bytes == 8 ? isa::Type::kU64 : isa::Type::kU32;
  request.lane_count = 1;
  request.lanes[0] = {0, static_cast<std::uint8_t>(address % owner_->line_), value, 0};
  push(waiting_, access);
  ++owner_->waiting_;
}

MemoryReply MemoryClient::reply() const {
  const Access& access = replies_.front();
  MemoryReply reply;
  reply.tag = access.tag;
  if (access.transaction->request.kind == RequestKind::kLoad) {
    reply.bytes = access.bytes;
    std::memcpy(reply.data.data(), access.transaction->request.data + access.address % owner_->line_, access.bytes);
  }
  return reply;
}

void MemoryClient::pop() {
  replies_.front().transaction->release();
  replies_.pop_front();
}

FrontEndMemory::FrontEndMemory(const Machine& machine, InitiatorPort& port, base::StatisticGroup& statistics,
                               Store* store)
    : line_(machine.l2.line),
      flit_(machine.xbar.flit_bytes),
      initiator_(machine.chip.sms),
      port_(port),
      store_(store),
      requests_(statistics, {"memory_requests", "", "requests at the front end's memory port"}),
      bytes_(statistics, {"memory_bytes", "bytes", "bytes read and written by the front end itself"}) {
  for (std::size_t i = 0; i < kUsers; ++i) {
    clients_[i].owner_ = this;
    clients_[i].index_ = static_cast<unsigned>(i);
  }
}

void FrontEndMemory::step(Cycle now) {
  take_reply(now);
  hand_over(now);
  send(now);
}

void FrontEndMemory::take_reply(Cycle now) {
  if (port_.reply(now) == nullptr) return;
  const MemoryRequest& request = port_.take_reply(now).request;
  MemoryClient& client = clients_[request.context];
  MemoryClient::Access& access = client.sent_[request.tag - client.first_sent_];
  CASTOR_ASSERT_AT(now, !access.done && &access.transaction->request == &request, "reply to no request");
  access.done = true;
  ++done_;
}

void FrontEndMemory::hand_over(Cycle now) {
  if (done_ == 0) return;
  for (std::size_t i = 1; i <= kUsers; ++i) {
    const std::size_t user = (last_handed_ + i) % kUsers;
    MemoryClient& client = clients_[user];
    if (client.sent_.empty() || !client.sent_.front().done) continue;
    client.sent_.front().visible = now + 1;
    MemoryClient::push(client.replies_, client.sent_.front());
    client.sent_.pop_front();
    ++client.first_sent_;
    last_handed_ = user;
    --outstanding_;
    --done_;
    return;
  }
}

void FrontEndMemory::send(Cycle now) {
  blocked_ = false;
  if (waiting_ == 0 || outstanding_ == kOutstanding) return;
  for (std::size_t i = 1; i <= kUsers; ++i) {
    const std::size_t user = (last_sent_ + i) % kUsers;
    MemoryClient& client = clients_[user];
    if (client.waiting_.empty()) continue;
    const MemoryClient::Access access = client.waiting_.front();
    MemoryRequest& request = access.transaction->request;
    const unsigned cost = flits(request.request_bytes(), flit_);
    blocked_ = !port_.can_send(cost, now);
    if (blocked_) return;
    request.context = static_cast<std::uint16_t>(client.index_);
    request.tag = client.first_sent_ + static_cast<std::uint32_t>(client.sent_.size());
    request.issued = now;
    request.id = next_id_++;
    access.transaction->prepare(access.address - access.address % line_);
    client.waiting_.pop_front();
    MemoryClient::push(client.sent_, access);
    last_sent_ = user;
    --waiting_;
    ++outstanding_;
    ++requests_;
    bytes_ += access.bytes;
    port_.send(*access.transaction, cost, now, now + 1);
    return;
  }
}

Cycle FrontEndMemory::next(Cycle now) const {
  Cycle next = port_.next_reply();
  if (done_ != 0) {
    for (const MemoryClient& client : clients_) {
      if (!client.sent_.empty() && client.sent_.front().done) next = now + 1;
    }
  }
  // Without credits, the next request can be sent when credits return. The port knows the cycle of credits in flight,
  // and wakes its owner for later ones.
  if (waiting_ != 0 && outstanding_ < kOutstanding) next = std::min(next, blocked_ ? port_.next_credit() : now + 1);
  for (const MemoryClient& client : clients_) next = std::min(next, client.next_reply());
  return std::max(next, now + 1);
}

}  // namespace castor::gpu
