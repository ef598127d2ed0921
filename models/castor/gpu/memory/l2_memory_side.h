#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/l2_traffic.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Miss queue of an L2 slice: reads of missing sectors and write-backs of dirty sectors to memory. The queue has
/// `l2.miss_queue` slots; one entry leaves per cycle.
///
/// Order of calls in a cycle: `read` and `write_back` while requests are decided (one free slot each), then `send`,
/// then `next`.
class L2MemorySide {
 public:
  /// `port`: the slice's port to memory. This class only sends; the slice reads the replies.
  L2MemorySide(const Machine& machine, InitiatorPort& port, const Store& store, L2Traffic& traffic,
               base::StatisticGroup& slice);

  /// Returns the number of free slots.
  [[nodiscard]] std::size_t room() const { return queue_.reserve(); }
  [[nodiscard]] bool full() const { return queue_.full(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }

  /// Queues a read of sectors of a line for request `cause`. The reply carries `tag`.
  void read(std::uint64_t line, std::uint8_t sectors, std::uint32_t tag, const MemoryRequest& cause);
  /// Queues a write-back of the dirty sectors of a line evicted by request `cause`; no effect if `dirty` is 0.
  void write_back(std::uint64_t line, std::uint8_t dirty, const MemoryRequest& cause);
  /// Sends the oldest entry if a credit is available.
  void send(Cycle now);
  /// Returns whether an entry was sent in this cycle.
  [[nodiscard]] bool sent() const { return sent_; }
  /// Returns the first cycle after `now` in which `send` may have work.
  [[nodiscard]] Cycle next(Cycle now) const {
    if (queue_.empty()) return kForever;
    return sent_ ? now + 1 : port_.next_credit();
  }

  /// Tells the queue that the memory behind it holds data of its own. Write-backs then carry the bytes they write, and
  /// `check` compares the data of a read with the store (statistic l2_fill_differs). Without this mode, only timing is
  /// modelled.
  void set_keeps_data(bool keeps) { keeps_data_ = keeps; }
  void check(const Transaction& read) {
    if (keeps_data_) compare(read);
  }

 private:
  [[nodiscard]] Transaction& make(RequestKind kind, std::uint64_t line, std::uint8_t sectors,
                                  const MemoryRequest& cause);
  void compare(const Transaction& read);

  InitiatorPort& port_;
  const Store& store_;
  L2Traffic& traffic_;
  unsigned line_bytes_;
  bool keeps_data_ = false;
  bool sent_ = false;
  boost::circular_buffer<Transaction*> queue_;
  TransactionPool pool_;
  base::Counter fill_differs_;
};

}  // namespace castor::gpu
