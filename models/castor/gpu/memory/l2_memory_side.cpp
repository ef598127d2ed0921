#include "castor/gpu/memory/l2_memory_side.h"

#include <cstring>

namespace castor::gpu {

L2MemorySide::L2MemorySide(const Machine& machine, InitiatorPort& port, const Store& store, L2Traffic& traffic,
                           base::StatisticGroup& slice)
    : port_(port),
      store_(store),
      traffic_(traffic),
      line_bytes_(machine.l2.line),
      queue_(machine.l2.miss_queue),
      fill_differs_(slice,
                    {"l2_fill_differs", "", "sectors whose bytes in an external memory differed from the store"}) {}

void L2MemorySide::read(std::uint64_t line, std::uint8_t sectors, std::uint32_t tag, const MemoryRequest& cause) {
  Transaction& read = make(RequestKind::kLoad, line, sectors, cause);
  read.request.tag = tag;
  queue_.push_back(&read);
  traffic_.missed(cause, read.request.reply_bytes());
}

void L2MemorySide::write_back(std::uint64_t line, std::uint8_t dirty, const MemoryRequest& cause) {
  if (dirty == 0) return;
  Transaction& write = make(RequestKind::kStore, line, dirty, cause);
  MemoryRequest& request = write.request;
  for (unsigned sector = 0; sector < kMaxLineBytes / kSectorBytes; ++sector) {
    if ((dirty >> sector & 1) != 0) request.byte_mask[sector / 2] |= std::uint64_t{0xffffffff} << sector % 2 * 32;
  }
  // The line has not been accessed since it became a victim. The store therefore still holds the bytes that were
  // evicted.
  if (keeps_data_) std::memcpy(request.data, store_.host(write.line()), line_bytes_);
  queue_.push_back(&write);
  traffic_.evicted(cause, request.sector_bytes());
}

void L2MemorySide::send(Cycle now) {
  sent_ = !queue_.empty() && port_.can_send(1, now);
  if (!sent_) return;
  port_.send(*queue_.front(), 1, now, now + 1);
  queue_.pop_front();
}

Transaction& L2MemorySide::make(RequestKind kind, std::uint64_t line, std::uint8_t sectors,
                                const MemoryRequest& cause) {
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  request.kind = kind;
  request.client = cause.client;
  request.initiator = cause.initiator;
  request.entry = cause.entry;
  request.sectors = sectors;
  transaction.prepare(line);
  return transaction;
}

void L2MemorySide::compare(const Transaction& read) {
  for (unsigned sectors = read.request.sectors; sectors != 0; sectors &= sectors - 1) {
    const std::size_t at = static_cast<unsigned>(__builtin_ctz(sectors)) * std::size_t{kSectorBytes};
    if (std::memcmp(read.request.data + at, store_.host(read.line()) + at, kSectorBytes) != 0) ++fill_differs_;
  }
}

}  // namespace castor::gpu
