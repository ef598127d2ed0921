#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

/// Reply path of an L2 slice to the crossbar. Replies of atomics are delayed and other replies may overtake them. The
/// credits of delayed replies are reserved for them.
///
/// Order of calls in a cycle: `send_delayed` first. Then at most one request is served, if `can_reply`, with `reply` or
/// `delay`.
class L2ReplySide {
 public:
  /// `port`: the slice's port to the crossbar. This class only sends; the slice reads the requests.
  L2ReplySide(const Machine& machine, TargetPort& port)
      : port_(port),
        flit_bytes_(machine.xbar.flit_bytes),
        // Each delayed reply keeps the slice busy for the cycles by which it leaves after the previous delayed reply.
        // This bounds the number of delayed replies.
        delayed_(machine.atomic.latency + 2) {}

  /// Returns whether the reply to this request fits into the network in addition to the delayed replies. If not, the
  /// slice is woken when credits return.
  [[nodiscard]] bool can_reply(const MemoryRequest& request, Cycle now) {
    return port_.can_reply(cost(request) + delayed_cost_, now);
  }
  /// Returns the first cycle in which credits return.
  [[nodiscard]] Cycle next_credit() const { return port_.next_credit(); }
  /// Sends a reply that is visible in the next cycle.
  void reply(Transaction& transaction, Cycle now) { port_.reply(transaction, cost(transaction.request), now, now + 1); }
  /// Queues a reply that becomes visible in cycle `visible`, not before earlier delayed replies.
  void delay(Transaction& transaction, Cycle visible) {
    const std::uint32_t flits = cost(transaction.request);
    delayed_.push_back({&transaction, visible, flits});
    delayed_cost_ += flits;
  }
  /// Sends the delayed replies that become visible in the next cycle.
  void send_delayed(Cycle now) {
    while (!delayed_.empty() && delayed_.front().visible <= now + 1) {
      const Delayed& oldest = delayed_.front();
      delayed_cost_ -= oldest.cost;
      port_.reply(*oldest.transaction, oldest.cost, now, oldest.visible);
      delayed_.pop_front();
    }
  }
  /// Returns the first cycle in which `send_delayed` has work.
  [[nodiscard]] Cycle next() const { return delayed_.empty() ? kForever : delayed_.front().visible - 1; }
  [[nodiscard]] std::size_t delayed() const { return delayed_.size(); }

 private:
  /// Reply of an atomic that is not sent yet.
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
  std::uint32_t delayed_cost_ = 0;  ///< credits reserved for delayed replies
};

}  // namespace castor::gpu
