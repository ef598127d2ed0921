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

/// What a slice asks of memory: reads of missing sectors and write-backs of dirty ones, in one queue of `l2.miss_queue`
/// places, of which one leaves per cycle.
///
/// In a cycle: `read` and `write_back` while requests are decided, which need a place each, then `send`; `next` is
/// asked behind it.
class L2MemorySide {
 public:
  /// `port` is the slice's, whose replies are not looked at here.
  L2MemorySide(const Machine& machine, InitiatorPort& port, const Store& store, L2Traffic& traffic,
               base::StatisticGroup& slice);

  /// Places of the queue that are free.
  [[nodiscard]] std::size_t room() const { return queue_.reserve(); }
  [[nodiscard]] bool full() const { return queue_.full(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }

  /// Reads sectors of a line for `cause`; its reply carries `tag`.
  void read(std::uint64_t line, std::uint8_t sectors, std::uint32_t tag, const MemoryRequest& cause);
  /// Writes the dirty sectors of a line that leaves because of `cause`; without any does nothing.
  void write_back(std::uint64_t line, std::uint8_t dirty, const MemoryRequest& cause);
  /// Sends the oldest if there is a credit.
  void send(Cycle now);
  /// One was sent in this cycle.
  [[nodiscard]] bool sent() const { return sent_; }
  /// First cycle behind `now` in which `send` has something to do.
  [[nodiscard]] Cycle next(Cycle now) const {
    if (queue_.empty()) return kForever;
    return sent_ ? now + 1 : port_.next_credit();
  }

  /// Memory has data of its own: write-backs carry the bytes they write, and `check` compares what a read brings with
  /// the store (statistic l2_fill_differs). Off: only timing moves.
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
