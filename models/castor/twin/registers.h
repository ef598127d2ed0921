#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>

#include "castor/twin/module.h"

namespace castor::twin {

/// TLM-2.0 target socket in front of the register port (reg_req, reg_we, ...) of a block's module, over any twin.
///
/// A transaction is one register access. It waits for its annotated delay, drives the port, and returns at the edge at
/// which reg_ack is seen. Accesses of several initiators are served in order of arrival. The socket annotates no delay;
/// the interconnect has to model it.
///
/// Responses: byte enables -> TLM_BYTE_ENABLE_ERROR_RESPONSE; a length other than 4, a streaming width below 4 or an
/// address that is no multiple of 4 -> TLM_BURST_ERROR_RESPONSE; an address beyond 16 bits, or reg_err 1 ->
/// TLM_ADDRESS_ERROR_RESPONSE; reg_err 2 -> TLM_GENERIC_ERROR_RESPONSE; an ignore command -> TLM_OK_RESPONSE.
///
/// Debug transport reads by Twin::peek, so it has no side effect and takes no time. It transfers 0 bytes for unknown
/// addresses, for writes, and for a twin without `peek` (RTL alone). Limits: no direct memory interface.
template <class ModuleT>
class Registers : public sc_core::sc_module {
 public:
  static_assert(has_registers<typename ModuleT::Block>, "the block has no register port");

  tlm_utils::simple_target_socket<Registers> socket{"socket"};
  sc_core::sc_in<bool> clk_i{"clk_i"};

  /// Binds this object to the register pins of `module`, and to no other pin.
  Registers(const sc_core::sc_module_name& name, ModuleT& module) : sc_core::sc_module(name), module_(module) {
    module_.reg_req_i(request_);
    module_.reg_we_i(write_);
    module_.reg_addr_i(address_);
    module_.reg_wdata_i(data_);
    module_.reg_ack_o(ack_);
    module_.reg_err_o(error_);
    module_.reg_rdata_o(answer_);
    socket.register_b_transport(this, &Registers::b_transport);
    socket.register_transport_dbg(this, &Registers::transport_dbg);
    using SC_CURRENT_USER_MODULE = Registers;
    SC_METHOD(edge);
    sensitive << clk_i.pos();
    dont_initialize();
  }

 private:
  static constexpr unsigned kBytes = 4;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_dmi_allowed(false);
    if (payload.is_read() || payload.is_write()) {
      const tlm::tlm_response_status refusal = check(payload);
      if (refusal != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(refusal);
        return;
      }
      sc_core::wait(delay);
      delay = sc_core::SC_ZERO_TIME;
      port_.lock();
      payload.set_response_status(access(payload));
      port_.unlock();
    } else {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  [[nodiscard]] static tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) {
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (payload.get_data_length() != kBytes || payload.get_streaming_width() < kBytes ||
        payload.get_address() % kBytes != 0) {
      return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    return payload.get_address() > 0xFFFF ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  }

  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload) {
    U32 word = 0;
    std::memcpy(&word, payload.get_data_ptr(), kBytes);
    request_.write(true);
    write_.write(payload.is_write());
    address_.write(static_cast<U16>(payload.get_address()));
    data_.write(payload.is_write() ? word : 0);
    sc_core::wait(done_);
    if (payload.is_read() && acked_error_ == 0) std::memcpy(payload.get_data_ptr(), &acked_data_, kBytes);
    switch (acked_error_) {
      case 0:
        return tlm::TLM_OK_RESPONSE;
      case 1:
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
      default:
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!payload.is_read() || check(payload) != tlm::TLM_OK_RESPONSE) return 0;
    const std::optional<U32> word = module_.twin().peek(static_cast<U16>(payload.get_address()));
    if (!word) return 0;
    std::memcpy(payload.get_data_ptr(), &*word, kBytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return kBytes;
  }

  void edge() {
    if (!ack_.read() || !request_.read()) return;
    acked_error_ = error_.read();
    acked_data_ = answer_.read();
    request_.write(false);
    write_.write(false);
    address_.write(0);
    data_.write(0);
    done_.notify(sc_core::SC_ZERO_TIME);
  }

  ModuleT& module_;
  // The initiator's process (begin) and the edge process (end) both write the request, but never in the same cycle.
  template <class T>
  using Signal = sc_core::sc_signal<T, sc_core::SC_MANY_WRITERS>;
  Signal<bool> request_{"request"};
  Signal<bool> write_{"write"};
  Signal<U16> address_{"address"};
  Signal<U32> data_{"data"};
  sc_core::sc_signal<bool> ack_{"ack"};
  sc_core::sc_signal<U8> error_{"error"};
  sc_core::sc_signal<U32> answer_{"answer"};
  sc_core::sc_mutex port_{"port"};
  sc_core::sc_event done_;
  U8 acked_error_ = 0;
  U32 acked_data_ = 0;
};

}  // namespace castor::twin
