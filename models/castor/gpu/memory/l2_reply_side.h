#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

/// Replies of a slice to the crossbar. Those of atomics enter later than others, which may overtake them; the credits
/// they will need are kept for them.
///
/// In a cycle: `send_delayed` first, then at most one request is served, if `can_reply`: `reply` or `delay`.
class L2ReplySide {
 public:
  /// `port` is the slice's, whose requests are not looked at here.
  L2ReplySide(const Machine& machine, TargetPort& port)
      : port_(port),
        flit_bytes_(machine.xbar.flit_bytes),
        // Each keeps the slice busy for as long as it comes later than the one before.
        delayed_(machine.atomic.latency + 2) {}

  /// The network has room for the reply to this request besides those that wait; if not, the slice is woken when it
  /// may.
  [[nodiscard]] bool can_reply(const MemoryRequest& request, Cycle now) {
    return port_.can_reply(cost(request) + delayed_cost_, now);
  }
  /// First cycle at which room comes back.
  [[nodiscard]] Cycle next_credit() const { return port_.next_credit(); }
  /// Visible in the next cycle.
  void reply(Transaction& transaction, Cycle now) { port_.reply(transaction, cost(transaction.request), now, now + 1); }
  /// Visible in a later cycle, not before those that were delayed earlier.
  void delay(Transaction& transaction, Cycle visible) {
    const std::uint32_t flits = cost(transaction.request);
    delayed_.push_back({&transaction, visible, flits});
    delayed_cost_ += flits;
  }
  /// Sends the delayed replies that are visible in the next cycle.
  void send_delayed(Cycle now) {
    while (!delayed_.empty() && delayed_.front().visible <= now + 1) {
      const Delayed& oldest = delayed_.front();
      delayed_cost_ -= oldest.cost;
      port_.reply(*oldest.transaction, oldest.cost, now, oldest.visible);
      delayed_.pop_front();
    }
  }
  /// First cycle in which `send_delayed` has something to do.
  [[nodiscard]] Cycle next() const { return delayed_.empty() ? kForever : delayed_.front().visible - 1; }
  [[nodiscard]] std::size_t delayed() const { return delayed_.size(); }

 private:
  struct Delayed {
    Transaction* transaction;
    Cycle visible;
    std::uint32_t cost;
  };

  [[nodiscard]] std::uint32_t cost(const MemoryRequest& request) const {
    return flits(request.reply_bytes(), flit_bytes_);
  }

  TargetPort& port_;
  unsigned flit_bytes_;
  boost::circular_buffer<Delayed> delayed_;
  std::uint32_t delayed_cost_ = 0;  ///< credits that delayed replies will need
};

}  // namespace castor::gpu
