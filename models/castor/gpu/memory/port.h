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

/// Room that a sender may use in its receiver's input FIFO. What is given back in cycle c counts from c + 1 on,
/// whatever the order in which the two ends tick.
class Credits {
 public:
  explicit Credits(std::uint32_t depth) : depth_(depth), free_(depth) {}

  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] std::uint32_t available(Cycle now) {
    if (returned_ != 0 && returned_at_ < now) fold();
    return free_;
  }
  /// Whether `cost` is available; if not, the sender waits and `give_back` says so.
  [[nodiscard]] bool covers(std::uint32_t cost, Cycle now) {
    if (available(now) >= cost) return true;
    awaited_ = true;
    return false;
  }
  void spend(std::uint32_t amount) { free_ -= amount; }
  /// True if the sender was refused since the last call, so has to look again in `now` + 1.
  bool give_back(std::uint32_t amount, Cycle now) {
    if (returned_ != 0 && returned_at_ < now) fold();
    returned_ += amount;
    returned_at_ = now;
    return std::exchange(awaited_, false);
  }
  /// First cycle at which more will be available than counted so far; kForever if nothing is on its way.
  [[nodiscard]] Cycle next() const { return returned_ != 0 ? returned_at_ + 1 : kForever; }
  /// Free and returning: equals `depth` when the receiver's FIFO is empty.
  [[nodiscard]] std::uint32_t total() const { return free_ + returned_; }

 private:
  void fold() {
    free_ += returned_;
    returned_ = 0;
  }

  std::uint32_t depth_;
  std::uint32_t free_;
  std::uint32_t returned_ = 0;
  Cycle returned_at_ = 0;
  bool awaited_ = false;
};

/// FIFO of transactions with the cycles from which they may be looked at. Stamps ascend.
class StampedFifo {
 public:
  void push(Transaction& transaction) {
    const Cycle visible = transaction.request.visible;
    CASTOR_ASSERT(empty() || entries_[(end_ - 1) & mask_].visible <= visible,
                  "messages of one link change their order");
    if (size() > mask_) grow();
    entries_[end_++ & mask_] = {&transaction, visible};
  }
  /// The oldest transaction, if it is visible in `now`.
  [[nodiscard]] Transaction* head(Cycle now) const {
    return empty() || front().visible > now ? nullptr : front().transaction;
  }
  void pop() { ++begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  /// Credits that its transactions hold; for checks.
  [[nodiscard]] std::uint32_t cost() const;
  /// Stamp of the oldest transaction; kForever if there is none.
  [[nodiscard]] Cycle next() const { return empty() ? kForever : front().visible; }

 private:
  struct Entry {
    Transaction* transaction;
    Cycle visible;
  };
  [[nodiscard]] const Entry& front() const { return entries_[begin_ & mask_]; }
  void grow();

  std::size_t begin_ = 0, end_ = 0;
  std::size_t mask_ = 15;  // of places, a power of two; grows: what bounds it is the sender's credit
  std::vector<Entry> entries_ = std::vector<Entry>(16);
};

class TargetPort;

/// Receiver that keeps the messages of its ports in queues of its own (a crossbar). It gives their credits back with
/// `release` when they leave those queues.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  /// A message that may be looked at from its stamp on; `port` is the number given to `deliver_to`.
  virtual void arrived(Transaction& transaction, unsigned port) = 0;
};

/// Initiator's end of a memory link (docs/gpu/memory.md, "Sockets").
///
/// Phases: BEGIN_REQ carries a request and needs credits of the target's input FIFO; END_REQ gives them back when the
/// request leaves that FIFO. BEGIN_RESP carries the reply, END_RESP gives back its credits when it leaves this end's
/// reply FIFO. The time argument is always SC_ZERO_TIME; a message is visible at the stamp it carries. Every request
/// has exactly one reply (stores: an acknowledge without data). Credits are flits on the networks and requests
/// elsewhere; both ends are built with the same depths.
class InitiatorPort final : public tlm::tlm_bw_transport_if<> {
 public:
  /// `owner` is woken for replies and for returned credits. `request_depth`: credits of the target's input FIFO.
  InitiatorPort(const char* name, Unit& owner, std::uint32_t request_depth);

  tlm::tlm_initiator_socket<> socket;

  /// False makes the owner wake when credits come back; what is on its way already, `next_credit` says.
  [[nodiscard]] bool can_send(std::uint32_t cost, Cycle now) { return credits_.covers(cost, now); }
  /// Sends a request for `cost` credits, visible to the target from `visible` > now on.
  void send(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible);
  /// First cycle at which credits come back that are not counted yet.
  [[nodiscard]] Cycle next_credit() const { return credits_.next(); }

  [[nodiscard]] Transaction* reply(Cycle now) const { return replies_.head(now); }
  /// Takes the oldest reply from the FIFO and gives its credits back.
  Transaction& take_reply(Cycle now);
  [[nodiscard]] Cycle next_reply() const { return replies_.next(); }
  /// Has replies go to `sink` instead of the FIFO.
  void deliver_to(MessageSink& sink, unsigned port) {
    sink_ = &sink;
    sink_port_ = port;
  }
  /// From now on what the owner sends and gives back stays here until `deliver`, and `hand_over` is raised: at most one
  /// request and one reply per cycle.
  void hold(HandOver& hand_over) { hand_over_ = &hand_over; }
  void deliver();
  [[nodiscard]] std::size_t queued_replies() const { return replies_.size(); }
  /// Credits held by replies in the FIFO.
  [[nodiscard]] std::uint32_t queued_cost() const { return replies_.cost(); }
  /// Gives back the credits of a reply that a sink got.
  void release(Transaction& transaction, Cycle now);

  /// Requests sent and not answered, replies in the FIFO included.
  [[nodiscard]] std::uint64_t outstanding() const { return sent_ - taken_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] const Credits& credits() const { return credits_; }

  /// A phase of the other end, by a call without detours where that is one of ours.
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
  Transaction* held_request_ = nullptr;
  Transaction* held_reply_ = nullptr;
  MessageSink* sink_ = nullptr;
  unsigned sink_port_ = 0;
  TargetPort* direct_ = nullptr;  // the other end, if it is one of ours
  tlm::tlm_fw_transport_if<>* peer_ = nullptr;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
};

/// Target's end of a memory link; see InitiatorPort.
class TargetPort final : public tlm::tlm_fw_transport_if<> {
 public:
  /// `reply_depth`: credits of the initiator's reply FIFO.
  TargetPort(const char* name, Unit& owner, std::uint32_t reply_depth);

  /// May stay unbound: then nothing ever comes.
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket;

  [[nodiscard]] Transaction* request(Cycle now) const { return requests_.head(now); }
  /// Takes the oldest request from the FIFO and gives its credits back.
  Transaction& take_request(Cycle now);
  [[nodiscard]] Cycle next_request() const { return requests_.next(); }
  [[nodiscard]] std::size_t waiting() const { return requests_.size(); }
  /// Credits held by requests in the FIFO.
  [[nodiscard]] std::uint32_t queued_cost() const { return requests_.cost(); }
  /// Takes the oldest request from the FIFO but keeps its credits: the place in the queue is held until `release`.
  Transaction& accept_request(Cycle now);
  void release(Transaction& transaction, Cycle now);
  /// Has requests go to `sink` instead of the FIFO; their credits are given back by `release`.
  void deliver_to(MessageSink& sink, unsigned port) {
    sink_ = &sink;
    sink_port_ = port;
  }

  [[nodiscard]] bool can_reply(std::uint32_t cost, Cycle now) { return credits_.covers(cost, now); }
  void reply(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible);
  [[nodiscard]] Cycle next_credit() const { return credits_.next(); }
  /// Credits of replies that were sent and whose return is not counted yet.
  [[nodiscard]] std::uint32_t unreturned(Cycle now) { return credits_.depth() - credits_.available(now); }
  [[nodiscard]] const Credits& credits() const { return credits_; }

  /// Called instead of queueing for debug transport and for blocking transport (which answers
  /// TLM_GENERIC_ERROR_RESPONSE if there is no handler).
  std::function<unsigned(tlm::tlm_generic_payload&)> on_debug;
  std::function<void(tlm::tlm_generic_payload&)> on_blocking;
  /// Called for every request that arrives, before it is queued; may be empty.
  std::function<void(Transaction&)> on_arrival;

  /// A phase of the other end, by a call without detours where that is one of ours.
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
  InitiatorPort* direct_ = nullptr;  // the other end, if it is one of ours
  tlm::tlm_bw_transport_if<>* peer_ = nullptr;
};

/// Binds two ends. The link works from then on, also in programs that never start the SystemC kernel (unit tests tick
/// units by hand).
void connect(InitiatorPort& from, TargetPort& to);

}  // namespace castor::gpu
