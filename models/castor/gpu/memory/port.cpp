#include "castor/gpu/memory/port.h"

#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

void StampedFifo::grow() {
  std::vector<Entry> larger(2 * entries_.size());
  for (std::size_t i = begin_; i != end_; ++i) larger[i & (larger.size() - 1)] = entries_[i & mask_];
  entries_ = std::move(larger);
  mask_ = entries_.size() - 1;
}

std::uint32_t StampedFifo::cost() const {
  std::uint32_t sum = 0;
  for (std::size_t i = begin_; i != end_; ++i) sum += entries_[i & mask_].transaction->request.cost;
  return sum;
}

InitiatorPort::InitiatorPort(const char* name, Unit& owner, std::uint32_t request_depth)
    : socket(name), owner_(owner), credits_(request_depth) {
  socket.bind(*this);
}

tlm::tlm_fw_transport_if<>& InitiatorPort::peer() {
  if (peer_ == nullptr) peer_ = socket.operator->();
  return *peer_;
}

void InitiatorPort::send(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible) {
  CASTOR_ASSERT(visible > now && credits_.available(now) >= cost, "request sent without credit");
  credits_.spend(cost);
  transaction.request.cost = cost;
  transaction.request.visible = visible;
  ++sent_;
  if (hand_over_ == nullptr) {
    forward(transaction, tlm::BEGIN_REQ);
    return;
  }
  CASTOR_ASSERT(held_request_ == nullptr, "two requests in one cycle");
  held_request_ = &transaction;
  hand_over_->raise();
}

Transaction& InitiatorPort::take_reply(Cycle now) {
  Transaction* const transaction = replies_.head(now);
  CASTOR_ASSERT(transaction != nullptr, "take_reply() without a reply");
  replies_.pop();
  release(*transaction, now);
  return *transaction;
}

void InitiatorPort::release(Transaction& transaction, Cycle now) {
  ++taken_;
  transaction.request.visible = now;
  if (hand_over_ == nullptr) {
    forward(transaction, tlm::END_RESP);
    return;
  }
  CASTOR_ASSERT(held_reply_ == nullptr, "two replies in one cycle");
  transaction.acquire();
  held_reply_ = &transaction;
  hand_over_->raise();
}

void InitiatorPort::deliver() {
  if (held_reply_ != nullptr) {
    forward(*held_reply_, tlm::END_RESP);
    held_reply_->release();
    held_reply_ = nullptr;
  }
  if (held_request_ == nullptr) return;
  forward(*held_request_, tlm::BEGIN_REQ);
  held_request_ = nullptr;
}

void InitiatorPort::forward(Transaction& transaction, tlm::tlm_phase_enum begin) {
  if (direct_ != nullptr) {
    direct_->receive(transaction, begin);
    return;
  }
  tlm::tlm_phase phase = begin;
  sc_core::sc_time zero;
  peer().nb_transport_fw(transaction, phase, zero);
}

void InitiatorPort::receive(Transaction& transaction, tlm::tlm_phase_enum phase) {
  if (phase == tlm::END_REQ) {
    if (credits_.give_back(transaction.request.cost, transaction.request.visible)) {
      owner_.wake_at(transaction.request.visible + 1);
    }
  } else {
    CASTOR_ASSERT(phase == tlm::BEGIN_RESP, "phase on the backward path");
    if (sink_ != nullptr) {
      sink_->arrived(transaction, sink_port_);
    } else {
      replies_.push(transaction);
    }
    owner_.wake_at(transaction.request.visible);
  }
}

tlm::tlm_sync_enum InitiatorPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& /*time*/) {
  receive(Transaction::of(payload), static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase)));
  return tlm::TLM_ACCEPTED;
}

TargetPort::TargetPort(const char* name, Unit& owner, std::uint32_t reply_depth)
    : socket(name), owner_(owner), credits_(reply_depth) {
  socket.bind(*this);
}

tlm::tlm_bw_transport_if<>& TargetPort::peer() {
  if (peer_ == nullptr) peer_ = socket.operator->();
  return *peer_;
}

Transaction& TargetPort::take_request(Cycle now) {
  Transaction& transaction = accept_request(now);
  release(transaction, now);
  return transaction;
}

Transaction& TargetPort::accept_request(Cycle now) {
  Transaction* const transaction = requests_.head(now);
  CASTOR_ASSERT(transaction != nullptr, "accept_request() without a request");
  requests_.pop();
  return *transaction;
}

void TargetPort::release(Transaction& transaction, Cycle now) {
  transaction.request.visible = now;
  back(transaction, tlm::END_REQ);
}

void TargetPort::back(Transaction& transaction, tlm::tlm_phase_enum begin) {
  if (direct_ != nullptr) {
    direct_->receive(transaction, begin);
    return;
  }
  tlm::tlm_phase phase = begin;
  sc_core::sc_time zero;
  peer().nb_transport_bw(transaction, phase, zero);
}

void TargetPort::reply(Transaction& transaction, std::uint32_t cost, Cycle now, Cycle visible) {
  CASTOR_ASSERT(visible > now && credits_.available(now) >= cost, "reply sent without credit");
  credits_.spend(cost);
  transaction.request.cost = cost;
  transaction.request.visible = visible;
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  back(transaction, tlm::BEGIN_RESP);
}

void TargetPort::receive(Transaction& transaction, tlm::tlm_phase_enum phase) {
  if (phase == tlm::BEGIN_REQ) {
    if (on_arrival) on_arrival(transaction);
    if (sink_ != nullptr) {
      sink_->arrived(transaction, sink_port_);
    } else {
      requests_.push(transaction);
    }
    owner_.wake_at(transaction.request.visible);
  } else {
    CASTOR_ASSERT(phase == tlm::END_RESP, "phase on the forward path");
    if (credits_.give_back(transaction.request.cost, transaction.request.visible)) {
      owner_.wake_at(transaction.request.visible + 1);
    }
  }
}

tlm::tlm_sync_enum TargetPort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& /*time*/) {
  receive(Transaction::of(payload), static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase)));
  return tlm::TLM_ACCEPTED;
}

void TargetPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*time*/) {
  if (on_blocking) {
    on_blocking(payload);
  } else {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
}

void connect(InitiatorPort& from, TargetPort& to) {
  from.socket.bind(to.socket);
  from.direct_ = &to;
  from.peer_ = &to;
  to.direct_ = &from;
  to.peer_ = &from;
}

}  // namespace castor::gpu
