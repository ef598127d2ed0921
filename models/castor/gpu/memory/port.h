#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tlm>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Credit counter of a sender: free space in the receiver's input FIFO. Credits given back in cycle c count from c + 1
/// on, whatever the order in which the two ends tick.
class Credits {
 public:
  explicit Credits(std::uint32_t depth) : depth_(depth), free_(depth) {}

  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] std::uint32_t available(Cycle now) {
    if (returned_ != 0 && returned_at_ < now) fold();
    return free_;
  }
  /// Returns whether `cost` credits are available. If not, the sender is registered as waiting, which the next
  /// `give_back` reports.
  [[nodiscard]] bool covers(std::uint32_t cost, Cycle now) {
    if (available(now) >= cost) return true;
    awaited_ = true;
    return false;
  }
  void spend(std::uint32_t amount) { free_ -= amount; }
  /// Returns credits. Returns true if the sender was refused since the last call; the caller must then wake it in `now`
  /// + 1.
  bool give_back(std::uint32_t amount, Cycle now) {
    if (returned_ != 0 && returned_at_ < now) fold();
    returned_ += amount;
    returned_at_ = now;
    return std::exchange(awaited_, false);
  }
  /// Returns the first cycle in which returned credits become available; kForever if none are returning.
  [[nodiscard]] Cycle next() const { return returned_ != 0 ? returned_at_ + 1 : kForever; }
  /// Returns the sum of free and returning credits. It equals `depth` when the receiver's FIFO is empty.
  [[nodiscard]] std::uint32_t total() const { return free_ + returned_; }

 private:
  void fold() {
    free_ += returned_;
    returned_ = 0;
  }

  std::uint32_t depth_;
  std::uint32_t free_;          ///< credits available to the sender
  std::uint32_t returned_ = 0;  ///< credits given back in cycle `returned_at_`, not yet in `free_`
  Cycle returned_at_ = 0;
  bool awaited_ = false;  ///< the sender was refused since the last `give_back`
};

/// FIFO of transactions with their stamps, the first cycles in which they are visible. Stamps must ascend.
class StampedFifo {
 public:
  void push(Transaction& transaction) {
    const Cycle visible = transaction.request.visible;
    CASTOR_ASSERT(empty() || entries_[(end_ - 1) & mask_].visible <= visible,
                  "messages of one link change their order");
    if (size() > mask_) grow();
    entries_[end_++ & mask_] = {&transaction, visible};
  }
  /// Returns the oldest transaction if it is visible in `now`, else null.
  [[nodiscard]] Transaction* head(Cycle now) const {
    return empty() || front().visible > now ? nullptr : front().transaction;
  }
  void pop() { ++begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  /// Returns the credits that the queued transactions hold; for checks.
  [[nodiscard]] std::uint32_t cost() const;
  /// Returns the stamp of the oldest transaction; kForever if empty.
  [[nodiscard]] Cycle next() const { return empty() ? kForever : front().visible; }

 private:
  struct Entry {
    Transaction* transaction;
    Cycle visible;
  };
  [[nodiscard]] const Entry& front() const { return entries_[begin_ & mask_]; }
  void grow();

  std::size_t begin_ = 0, end_ = 0;
  std::size_t mask_ = 15;  // number of slots minus 1; the number of slots is a power of two. The FIFO grows on demand;
                           // the sender's credits bound it.
  std::vector<Entry> entries_ = std::vector<Entry>(16);
};

class TargetPort;

/// Receiver of a port's messages that queues them itself (a crossbar). It returns their credits with `release` when
/// they leave its queues.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  /// Receives a message, which is visible from its stamp on. `port` is the number given to `deliver_to`.
  virtual void arrived(Transaction& transaction, unsigned port) = 0;
};

/// Initiator side of a memory link (docs/gpu/memory.md, "Sockets").
///
/// Phases: BEGIN_REQ carries a request and needs credits of the target's input FIFO. END_REQ returns these credits when
/// the request leaves that FIFO. BEGIN_RESP carries the reply; END_RESP returns the reply's credits when it leaves the
/// initiator's reply FIFO. The time argument is always SC_ZERO_TIME. A message is visible from the stamp that it
/// carries. Every request has exactly one reply (a store: an acknowledgement without data). Credits are flits on the
/// networks and requests on other links. Both ends are built with the same depths.
class InitiatorPort final : public tlm::tlm_bw_transport_if<> {
 public:
  /// `owner` is woken for replies and returned credits. `request_depth`: credits of the target's input FIFO.
  InitiatorPort(const char* name, Unit& owner, std::uint32_t request_depth);

  tlm::tlm_initiator_socket<> socket;

  /// Returns whether `cost` credits are available. If not, the owner is woken when credits are given back. For credits
  /// that are already in flight, the owner must use `next_credit`.
  [[nodiscard]] bool can_send(std::uint32_t cost, Cycle now) { return credits_.covers(cost, now); }
  /// Sends a request that takes `cost` credits. The target sees it from cycle `visible` > now on.
  void send(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible);
  /// Returns the first cycle in which returning credits become available; kForever if none.
  [[nodiscard]] Cycle next_credit() const { return credits_.next(); }

  /// Returns the oldest reply if it is visible in `now`, else null.
  [[nodiscard]] Transaction* reply(Cycle now) const { return replies_.head(now); }
  /// Removes the oldest reply from the FIFO and returns its credits.
  Transaction& take_reply(Cycle now);
  [[nodiscard]] Cycle next_reply() const { return replies_.next(); }
  /// Delivers replies to `sink` instead of the FIFO.
  void deliver_to(MessageSink& sink, unsigned port) {
    sink_ = &sink;
    sink_port_ = port;
  }
  /// From now on the owner's sends and releases are kept in the port until `deliver`, and `hand_over` is raised. Allows
  /// at most one request and one release per cycle.
  void hold(HandOver& hand_over) { hand_over_ = &hand_over; }
  void deliver();
  [[nodiscard]] std::size_t queued_replies() const { return replies_.size(); }
  /// Returns the credits held by replies in the FIFO.
  [[nodiscard]] std::uint32_t queued_cost() const { return replies_.cost(); }
  /// Returns the credits of a reply that a sink received.
  void release(Transaction& transaction, Cycle now);

  /// Returns the number of requests sent whose reply has not been taken from the FIFO.
  [[nodiscard]] std::uint64_t outstanding() const { return sent_ - taken_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] const Credits& credits() const { return credits_; }

  /// Handles a protocol phase from the target. A TargetPort at the other end calls this function directly, without TLM.
  void receive(Transaction& transaction, tlm::tlm_phase_enum phase);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

 private:
  friend void connect(InitiatorPort& from, TargetPort& to);
  [[nodiscard]] tlm::tlm_fw_transport_if<>& peer();

  void forward(Transaction& transaction, tlm::tlm_phase_enum phase);

  Unit& owner_;
  Credits credits_;
  StampedFifo replies_;
  HandOver* hand_over_ = nullptr;
  Transaction* held_request_ = nullptr;  ///< request kept until `deliver`; null if none
  Transaction* held_reply_ = nullptr;    ///< reply released and kept until `deliver`; null if none
  MessageSink* sink_ = nullptr;
  unsigned sink_port_ = 0;
  TargetPort* direct_ = nullptr;  // target end of the link if it is a TargetPort; called without TLM
  tlm::tlm_fw_transport_if<>* peer_ = nullptr;
  std::uint64_t sent_ = 0;   ///< requests sent
  std::uint64_t taken_ = 0;  ///< replies taken
};

/// Target side of a memory link; see InitiatorPort.
class TargetPort final : public tlm::tlm_fw_transport_if<> {
 public:
  /// `owner` is woken for requests and returned credits. `reply_depth`: credits of the initiator's reply FIFO.
  TargetPort(const char* name, Unit& owner, std::uint32_t reply_depth);

  /// The socket may stay unbound; the port then never receives a request.
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket;

  /// Returns the oldest request if it is visible in `now`, else null.
  [[nodiscard]] Transaction* request(Cycle now) const { return requests_.head(now); }
  /// Removes the oldest request from the FIFO and returns its credits.
  Transaction& take_request(Cycle now);
  [[nodiscard]] Cycle next_request() const { return requests_.next(); }
  [[nodiscard]] std::size_t waiting() const { return requests_.size(); }
  /// Returns the credits held by requests in the FIFO.
  [[nodiscard]] std::uint32_t queued_cost() const { return requests_.cost(); }
  /// Removes the oldest request from the FIFO but keeps its credits: its queue slot stays occupied until `release`.
  Transaction& accept_request(Cycle now);
  /// Returns the credits of a request that was taken with `accept_request` or received by a sink.
  void release(Transaction& transaction, Cycle now);
  /// Delivers requests to `sink` instead of the FIFO; the sink returns their credits with `release`.
  void deliver_to(MessageSink& sink, unsigned port) {
    sink_ = &sink;
    sink_port_ = port;
  }

  /// Returns whether `cost` credits for a reply are available. If not, the owner is woken when credits are given back.
  [[nodiscard]] bool can_reply(std::uint32_t cost, Cycle now) { return credits_.covers(cost, now); }
  /// Sends a reply that takes `cost` credits. The initiator sees it from cycle `visible` > now on.
  void reply(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible);
  [[nodiscard]] Cycle next_credit() const { return credits_.next(); }
  /// Returns the credits of sent replies that are not available again.
  [[nodiscard]] std::uint32_t unreturned(Cycle now) { return credits_.depth() - credits_.available(now); }
  [[nodiscard]] const Credits& credits() const { return credits_; }

  /// Handlers of debug transport and blocking transport, which are not queued. Without a handler, blocking transport
  /// answers TLM_GENERIC_ERROR_RESPONSE.
  std::function<unsigned(tlm::tlm_generic_payload&)> on_debug;
  std::function<void(tlm::tlm_generic_payload&)> on_blocking;
  /// Called for every request that arrives, before it is queued; may be empty.
  std::function<void(Transaction&)> on_arrival;

  /// Handles a protocol phase from the initiator. An InitiatorPort at the other end calls this function directly,
  /// without TLM.
  void receive(Transaction& transaction, tlm::tlm_phase_enum phase);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return on_debug ? on_debug(payload) : 0; }

 private:
  friend void connect(InitiatorPort& from, TargetPort& to);
  [[nodiscard]] tlm::tlm_bw_transport_if<>& peer();

  void back(Transaction& transaction, tlm::tlm_phase_enum phase);

  Unit& owner_;
  Credits credits_;
  StampedFifo requests_;
  MessageSink* sink_ = nullptr;
  unsigned sink_port_ = 0;
  InitiatorPort* direct_ = nullptr;  // initiator end of the link if it is an InitiatorPort; called without TLM
  tlm::tlm_bw_transport_if<>* peer_ = nullptr;
};

/// Binds the two sides of a link. The link works from then on, also in programs that never start the SystemC kernel
/// (unit tests tick units by hand).
void connect(InitiatorPort& from, TargetPort& to);

}  // namespace castor::gpu
