#pragma once

#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

// A module between an initiator and a target that records every call which violates the TLM-2.0 base protocol. It
// forwards all calls unchanged.
namespace castor::examples {

/// Rules checked, for non-blocking transport (IEEE 1666-2011, section 15) and, where they apply, for blocking
/// transport:
///  1. A request phase (BEGIN_REQ) opens only if no other request phase is open and the payload is not in flight.
///  2. A response phase (BEGIN_RESP) opens only if no other response phase is open, and once per payload.
///  3. END_REQ and END_RESP end the open phase of the same payload and come from the correct side.
///  4. When a payload begins, it has a memory manager and references, a data pointer, a length, a streaming width, and
///     an incomplete response. Its attributes do not change afterwards; when it is answered, it has a response.
///  5. A call that returns TLM_UPDATED has advanced the phase by a legal step. TLM_COMPLETED ends the transaction and
///     is not returned where it would skip a phase.
///  6. Time annotations are not negative and do not decrease during a call.
class BaseProtocolChecker : public sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
 public:
  explicit BaseProtocolChecker(const sc_core::sc_module_name& name)
      : sc_module(name), from_initiator("from_initiator"), to_target("to_target") {
    from_initiator.bind(*this);
    to_target.bind(*this);
  }

  tlm::tlm_target_socket<> from_initiator;
  tlm::tlm_initiator_socket<> to_target;

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  /// Returns the number of transactions that have ended.
  [[nodiscard]] unsigned long completed() const { return completed_; }
  /// Returns the number of transactions that have begun and not ended.
  [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }

 private:
  enum class Stage { kRequested, kAccepted, kResponding };
  /// A transaction in flight: its stage, and the attributes that it had at its begin.
  struct Record {
    Stage stage = Stage::kRequested;
    sc_dt::uint64 address = 0;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    unsigned length = 0;
    const unsigned char* data = nullptr;
  };
  using Payload = tlm::tlm_generic_payload;

  void report(const std::string& what) { violations_.push_back(what + " at " + sc_core::sc_time_stamp().to_string()); }
  void require(bool kept, const char* what) {
    if (!kept) report(what);
  }

  void check_start(const Payload& payload) {
    require(payload.get_data_ptr() != nullptr, "payload without data pointer");
    require(payload.get_data_length() > 0, "payload of length 0");
    require(payload.get_streaming_width() > 0, "streaming width 0");
    require(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "response status not reset");
    require(!payload.is_dmi_allowed(), "DMI hint not reset");
  }
  void check_unchanged(const Record& record, const Payload& payload) {
    require(record.address == payload.get_address() && record.command == payload.get_command() &&
                record.length == payload.get_data_length() && record.data == payload.get_data_ptr(),
            "attributes changed under way");
  }
  void check_answer(const Payload& payload) {
    require(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "answer without response status");
  }
  void check_time(const sc_core::sc_time& before, const sc_core::sc_time& after) {
    require(after >= before, "time annotation goes backwards");
  }

  /// Checks and records a step of a transaction, on the forward, backward or return path.
  void step(Payload& payload, const tlm::tlm_phase& phase) {
    const auto found = under_way_.find(&payload);
    if (phase == tlm::BEGIN_REQ) {
      require(request_ == nullptr, "request phase opened while another is open");
      if (found != under_way_.end()) {
        report("request for a payload under way");
        return;
      }
      require(payload.has_mm(), "payload without memory manager");
      require(!payload.has_mm() || payload.get_ref_count() > 0, "payload without reference");
      check_start(payload);
      under_way_[&payload] = {Stage::kRequested, payload.get_address(), payload.get_command(),
                              payload.get_data_length(), payload.get_data_ptr()};
      request_ = &payload;
      return;
    }
    if (found == under_way_.end()) {
      report(std::string(phase.get_name()) + " for a payload that is not under way");
      return;
    }
    Record& record = found->second;
    check_unchanged(record, payload);
    if (phase == tlm::END_REQ) {
      require(record.stage == Stage::kRequested, "END_REQ twice or after the response");
      record.stage = Stage::kAccepted;
      if (request_ == &payload) request_ = nullptr;
    } else if (phase == tlm::BEGIN_RESP) {
      require(record.stage != Stage::kResponding, "response twice");
      require(response_ == nullptr, "response phase opened while another is open");
      check_answer(payload);
      if (request_ == &payload) request_ = nullptr;
      record.stage = Stage::kResponding;
      response_ = &payload;
    } else if (phase == tlm::END_RESP) {
      require(record.stage == Stage::kResponding && response_ == &payload, "END_RESP without a response phase");
      end(payload);
    } else {
      report(std::string("phase ") + phase.get_name());
    }
  }
  void end(Payload& payload) {
    if (request_ == &payload) request_ = nullptr;
    if (response_ == &payload) response_ = nullptr;
    under_way_.erase(&payload);
    ++completed_;
  }

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& time) override {
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time before = time;
    require(sent == tlm::BEGIN_REQ || sent == tlm::END_RESP, "phase of the target on the forward path");
    // After END_RESP the payload belongs to the target, so it must not be accessed after the call.
    step(payload, sent);
    const tlm::tlm_sync_enum status = to_target->nb_transport_fw(payload, phase, time);
    check_time(before, time);
    if (sent != tlm::BEGIN_REQ) {
      require(status != tlm::TLM_UPDATED, "answer to END_RESP");
      return status;
    }
    if (status == tlm::TLM_UPDATED) {
      require(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP, "BEGIN_REQ updated to a wrong phase");
      step(payload, phase);
    } else if (status == tlm::TLM_COMPLETED) {
      check_answer(payload);
      if (under_way_.count(&payload) != 0) end(payload);
    }
    return status;
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& time) override {
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time before = time;
    require(sent == tlm::END_REQ || sent == tlm::BEGIN_RESP, "phase of the initiator on the backward path");
    step(payload, sent);
    const tlm::tlm_sync_enum status = from_initiator->nb_transport_bw(payload, phase, time);
    check_time(before, time);
    if (sent == tlm::BEGIN_RESP && status == tlm::TLM_UPDATED) {
      require(phase == tlm::END_RESP, "BEGIN_RESP updated to a wrong phase");
      step(payload, phase);
    } else if (sent == tlm::BEGIN_RESP && status == tlm::TLM_COMPLETED) {
      if (under_way_.count(&payload) != 0) end(payload);
    } else if (sent == tlm::END_REQ) {
      require(status == tlm::TLM_ACCEPTED, "answer to END_REQ");
    }
    return status;
  }

  void b_transport(Payload& payload, sc_core::sc_time& time) override {
    check_start(payload);
    const Record record{Stage::kRequested, payload.get_address(), payload.get_command(), payload.get_data_length(),
                        payload.get_data_ptr()};
    to_target->b_transport(payload, time);
    check_unchanged(record, payload);
    check_answer(payload);
    ++completed_;
  }
  unsigned transport_dbg(Payload& payload) override { return to_target->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return to_target->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    from_initiator->invalidate_direct_mem_ptr(start, end);
  }

  std::vector<std::string> violations_;
  std::map<const Payload*, Record> under_way_;
  const Payload* request_ = nullptr;
  const Payload* response_ = nullptr;
  unsigned long completed_ = 0;
};

}  // namespace castor::examples
