#pragma once

#include <cstring>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

// Third-party models: they use TLM-2.0 and nothing of Castor.
namespace castor::examples {

/// A memory with its own data. It accepts one request at a time, which takes `accept`; a response follows `latency`
/// later, in order. Supports non-blocking and blocking transport.
class OutsideMemory : public sc_core::sc_module, tlm::tlm_fw_transport_if<> {
 public:
  OutsideMemory(const sc_core::sc_module_name& name, sc_dt::uint64 base, std::size_t size, sc_core::sc_time accept,
                sc_core::sc_time latency)
      : sc_module(name), socket("socket"), bytes(size), base_(base), accept_(accept), latency_(latency) {
    socket.bind(*this);
    using SC_CURRENT_USER_MODULE = OutsideMemory;
    SC_METHOD(end_request);
    sensitive << accepted_;
    dont_initialize();
    SC_METHOD(respond);
    sensitive << answer_;
    dont_initialize();
  }

  tlm::tlm_target_socket<> socket;
  std::vector<unsigned char> bytes;

 private:
  /// An accepted request, and the time at which its response is due.
  struct Open {
    tlm::tlm_generic_payload* payload;
    sc_core::sc_time due;
  };

  void access(tlm::tlm_generic_payload& payload) {
    const sc_dt::uint64 at = payload.get_address() - base_;
    if (payload.get_address() < base_ || at + payload.get_data_length() > bytes.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &bytes[at], payload.get_data_length());
    if (payload.is_write()) std::memcpy(&bytes[at], payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    if (phase == tlm::BEGIN_REQ) {
      payload.acquire();
      request_ = &payload;
      accepted_.notify(time + accept_);
      return tlm::TLM_ACCEPTED;
    }
    end_response();
    return tlm::TLM_COMPLETED;
  }
  void end_request() {
    open_.push_back({request_, sc_core::sc_time_stamp() + latency_});
    tlm::tlm_generic_payload& payload = *request_;
    request_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time zero;
    socket->nb_transport_bw(payload, phase, zero);
    if (open_.size() == 1) answer_.notify(latency_);
  }
  void respond() {
    if (open_.empty() || responding_) return;
    tlm::tlm_generic_payload& payload = *open_.front().payload;
    access(payload);
    responding_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time zero;
    if (socket->nb_transport_bw(payload, phase, zero) != tlm::TLM_ACCEPTED) end_response();
  }
  void end_response() {
    if (!responding_) return;
    responding_ = false;
    tlm::tlm_generic_payload* const payload = open_.front().payload;
    open_.pop_front();
    payload->release();
    if (open_.empty()) return;
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    answer_.notify(open_.front().due > now ? open_.front().due - now : sc_core::sc_time(1, sc_core::SC_NS));
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override {
    access(payload);
    time += accept_ + latency_;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& /*payload*/) override { return 0; }

  sc_dt::uint64 base_;
  sc_core::sc_time accept_, latency_;
  tlm::tlm_generic_payload* request_ = nullptr;
  std::deque<Open> open_;
  bool responding_ = false;
  sc_core::sc_event accepted_, answer_;
};

/// A payload with a memory manager, as the base protocol requires.
class ManagedPayload : public tlm::tlm_generic_payload, tlm::tlm_mm_interface {
 public:
  ManagedPayload() : tlm_generic_payload(this) { acquire(); }

 private:
  void free(tlm::tlm_generic_payload* /*payload*/) override {}
};

/// A master in approximately-timed style: `transfer` executes one transaction, phase by phase, in the calling thread.
class OutsideMaster : public sc_core::sc_module, tlm::tlm_bw_transport_if<> {
 public:
  explicit OutsideMaster(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(*this);
  }

  tlm::tlm_initiator_socket<> socket;

  tlm::tlm_response_status transfer(tlm::tlm_command command, sc_dt::uint64 address, void* data, unsigned length,
                                    bool blocking, unsigned char* byte_enables = nullptr) {
    ManagedPayload& payload = payloads_.emplace_back();
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(byte_enables);
    payload.set_byte_enable_length(byte_enables != nullptr ? length : 0);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    if (blocking) {
      socket->b_transport(payload, delay);
      sc_core::wait(delay);
      return payload.get_response_status();
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    answered_ = nullptr;
    if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED) {
      while (answered_ != &payload) sc_core::wait(response_);
      // The target may open its next response phase only after END_RESP.
      phase = tlm::END_RESP;
      delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(payload, phase, delay);
    }
    return payload.get_response_status();
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    if (phase == tlm::BEGIN_RESP) {
      answered_ = &payload;
      response_.notify(time);
    }
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

  std::deque<ManagedPayload> payloads_;
  const tlm::tlm_generic_payload* answered_ = nullptr;
  sc_core::sc_event response_;
};

}  // namespace castor::examples
