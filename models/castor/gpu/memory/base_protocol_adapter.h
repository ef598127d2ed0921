#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/store.h"
#include "castor/gpu/system_time.h"
#include "castor/gpu/unit.h"

// The memory path speaks a protocol of its own (docs/gpu/memory.md, "Sockets"): credits, and stamps instead of time.
// These two adapters turn it into the strict TLM-2.0 base protocol, for models that are not ours: one request and one
// response phase at a time, times by annotation and by the simulation's clock.
//
// Both are units of the core clock: `tick(c)` is called at the SystemC time of cycle c. What an outside model does at
// time t counts from the first cycle whose time lies behind t, so the order of processes at one time does not matter.
namespace castor::gpu {

/// Puts a memory from outside in the place of a DRAM channel: takes requests of L2 slices on our side, and is an
/// initiator of the base protocol on the other (docs/gpu/memory.md, "Sockets").
///
/// A request becomes one outside transaction per run of neighbouring sectors, in order, at most one BEGIN_REQ per
/// cycle; addresses are device addresses. The reply goes to the slice when all of them are complete. What the memory
/// answers does not change values (those live in the store, see L2Slice::set_memory_keeps_data), only time; a response
/// other than TLM_OK_RESPONSE is counted.
class OutsideMemoryAdapter final : public sc_core::sc_module, public Unit, private tlm::tlm_bw_transport_if<> {
 public:
  enum class Style : std::uint8_t {
    kNonBlocking,  ///< nb_transport, approximately timed
    kBlocking,     ///< b_transport from a thread of the adapter, one transaction after the other
  };

  /// `ports` slices may be connected. Statistics go into a group `name` of `parent`.
  OutsideMemoryAdapter(const sc_core::sc_module_name& name, const Machine& machine, base::StatisticGroup& parent,
                       unsigned ports = 1, Style style = Style::kNonBlocking);
  ~OutsideMemoryAdapter() override;

  [[nodiscard]] TargetPort& slice(unsigned s) { return *ports_[s]; }
  tlm::tlm_initiator_socket<> socket;

  void tick(Cycle now) override;
  /// Called when an answer from outside makes this unit due in a cycle; a clock that sleeps has to run that cycle.
  std::function<void(Cycle)> on_wake;

  [[nodiscard]] bool idle() const;
  /// Answers other than TLM_OK_RESPONSE.
  [[nodiscard]] std::uint64_t errors() const { return errors_.value(); }
  /// Calls of the memory that the base protocol forbids; they are ignored.
  [[nodiscard]] std::uint64_t violations() const { return violations_.value(); }

 private:
  struct Piece;
  class Pieces;
  struct Job;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

  void take_requests(Cycle now);
  void start_next(Cycle now);
  void finish_pieces(Cycle now);
  void reply(Cycle now);
  void request_ended();
  void complete(Piece& piece, const sc_core::sc_time& delay);
  void wake_from_outside(const sc_core::sc_time& delay);
  void run_blocking();

  SystemTime system_;
  base::Clock clock_;
  Style style_;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  std::unique_ptr<Pieces> pieces_;
  std::deque<Piece*> waiting_;           ///< to be started
  Piece* request_ = nullptr;             ///< between BEGIN_REQ and END_REQ
  std::vector<Piece*> responded_;        ///< complete in some cycle to come
  std::vector<std::deque<Job*>> ready_;  ///< per port: answered requests
  std::deque<std::unique_ptr<Job>> jobs_;
  std::vector<Job*> free_jobs_;
  std::size_t open_jobs_ = 0;
  std::uint64_t responses_ = 0;
  std::deque<Piece*> blocking_;
  sc_core::sc_event blocking_work_;

  base::StatisticGroup group_;
  base::Counter reads_, writes_, bytes_, errors_, violations_;
};

/// Lets a master from outside into our memory: a target of the base protocol (nb_transport and b_transport) on one
/// side, an initiator of the crossbar on the other (docs/gpu/memory.md, "Sockets").
///
/// A transaction of up to kMostBytes bytes becomes one request per line, at most one per cycle; it is answered when all
/// are. Answered with an error, counted, and without effect: byte enables (TLM_BYTE_ENABLE_ERROR_RESPONSE), length 0 or
/// above the limit or a streaming width below the length (TLM_BURST_ERROR_RESPONSE), addresses outside one live
/// allocation (TLM_ADDRESS_ERROR_RESPONSE), other commands than read and write (TLM_COMMAND_ERROR_RESPONSE). A request
/// that begins while another request phase is open is a violation: TLM_GENERIC_ERROR_RESPONSE, counted.
///
/// No direct memory interface; debug transport reaches the store.
class OutsideMasterAdapter final : public sc_core::sc_module, public Unit, private tlm::tlm_fw_transport_if<> {
 public:
  static constexpr unsigned kMostBytes = 4096;

  /// Statistics go into a group `name` of `parent`.
  OutsideMasterAdapter(const sc_core::sc_module_name& name, const Machine& machine, const Store& store,
                       base::StatisticGroup& parent);
  ~OutsideMasterAdapter() override;

  tlm::tlm_target_socket<> socket;
  InitiatorPort memory;  ///< to be connected with an input of the crossbar

  void tick(Cycle now) override;
  /// As OutsideMemoryAdapter::on_wake.
  std::function<void(Cycle)> on_wake;

  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::uint64_t errors() const { return errors_.value(); }
  [[nodiscard]] std::uint64_t violations() const { return violations_.value(); }

 private:
  struct Job;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  /// TLM_OK_RESPONSE, or the error of a payload that cannot be served, counted.
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload);
  Job& add_job(tlm::tlm_generic_payload& payload, sc_core::sc_event* done, const sc_core::sc_time& delay);
  [[nodiscard]] Job* first_unsent() const;
  void take_replies(Cycle now);
  void send_next(Cycle now);
  void end_request();
  void respond();
  void finish(Job& job);

  SystemTime system_;
  base::Clock clock_;
  const Store& store_;
  unsigned line_, flit_bytes_;
  TransactionPool pool_;
  std::deque<std::unique_ptr<Job>> jobs_;        ///< in the order of their requests
  std::deque<Job*> answered_;                    ///< in the order of their last replies
  Job* responding_ = nullptr;                    ///< between BEGIN_RESP and END_RESP
  tlm::tlm_generic_payload* request_ = nullptr;  ///< between BEGIN_REQ and END_REQ
  std::uint32_t next_number_ = 0;
  bool blocked_ = false;  ///< no credits for the next request in this cycle

  base::StatisticGroup group_;
  base::Counter reads_, writes_, bytes_, errors_, violations_;
};

}  // namespace castor::gpu
