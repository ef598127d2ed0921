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

// The memory path uses its own protocol (docs/gpu/memory.md, "Sockets"), with credits, and with stamps instead of time
// annotation. These two adapters convert it to the strict TLM-2.0 base protocol for external models: one request phase
// and one response phase at a time, with timing annotation and the simulation's clock.
//
// Both adapters are units of the core clock: `tick(c)` is called at the SystemC time of cycle c. An action of an
// external model at time t takes effect in the first cycle whose time is later than t. The order of processes at the
// same time therefore does not matter.
namespace castor::gpu {

/// Connects an external memory model in place of a DRAM channel. The adapter is the target of the L2 slices and the
/// initiator of the external model, with the base protocol (docs/gpu/memory.md, "Sockets").
///
/// A request becomes one external transaction per run of adjacent sectors, in order, with at most one BEGIN_REQ per
/// cycle. Addresses are device addresses. The slice gets its reply when all transactions of the request are complete.
/// Answers of the external memory determine only the time. Values are in the store (see
/// L2Slice::set_memory_keeps_data). Responses other than TLM_OK_RESPONSE are counted.
class OutsideMemoryAdapter final : public sc_core::sc_module, public Unit, private tlm::tlm_bw_transport_if<> {
 public:
  /// Transport calls of the external memory model.
  enum class Style : std::uint8_t {
    kNonBlocking,  ///< nb_transport, approximately timed
    kBlocking,     ///< b_transport from a thread of the adapter, one transaction at a time
  };

  /// `ports`: number of slices that may be connected. The statistics group `name` is created in `parent`.
  OutsideMemoryAdapter(const sc_core::sc_module_name& name, const Machine& machine, base::StatisticGroup& parent,
                       unsigned ports = 1, Style style = Style::kNonBlocking);
  ~OutsideMemoryAdapter() override;

  [[nodiscard]] TargetPort& slice(unsigned s) { return *ports_[s]; }
  tlm::tlm_initiator_socket<> socket;

  void tick(Cycle now) override;
  /// Called when a response of the external memory gives this unit work in a cycle. If the device sleeps, the callee
  /// must make it run that cycle.
  std::function<void(Cycle)> on_wake;

  [[nodiscard]] bool idle() const;
  /// Returns the number of answers other than TLM_OK_RESPONSE.
  [[nodiscard]] std::uint64_t errors() const { return errors_.value(); }
  /// Returns the number of calls by the external memory that the base protocol forbids; such calls are ignored.
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
  std::deque<Piece*> waiting_;           ///< transactions not yet started
  Piece* request_ = nullptr;             ///< transaction between BEGIN_REQ and END_REQ
  std::vector<Piece*> responded_;        ///< transactions answered externally, complete in a later cycle
  std::vector<std::deque<Job*>> ready_;  ///< per port: answered requests whose reply is not yet sent
  std::deque<std::unique_ptr<Job>> jobs_;
  std::vector<Job*> free_jobs_;
  std::size_t open_jobs_ = 0;
  std::uint64_t responses_ = 0;
  std::deque<Piece*> blocking_;
  sc_core::sc_event blocking_work_;

  base::StatisticGroup group_;
  base::Counter reads_, writes_, bytes_, errors_, violations_;
};

/// Gives an external master access to device memory. The adapter is a target of the base protocol (nb_transport and
/// b_transport) for the master and an initiator of the crossbar (docs/gpu/memory.md, "Sockets").
///
/// A transaction of up to kMostBytes bytes becomes one request per line, at most one request per cycle. It is answered
/// when all its requests are answered. The following are answered with an error, counted, and have no effect: byte
/// enables (TLM_BYTE_ENABLE_ERROR_RESPONSE); length 0, a length above the limit, or a streaming width below the length
/// (TLM_BURST_ERROR_RESPONSE); addresses outside one live allocation (TLM_ADDRESS_ERROR_RESPONSE); commands other than
/// read and write (TLM_COMMAND_ERROR_RESPONSE). A request that begins while another request phase is open is a counted
/// violation and gets TLM_GENERIC_ERROR_RESPONSE.
///
/// No direct memory interface. Debug transport accesses the store.
class OutsideMasterAdapter final : public sc_core::sc_module, public Unit, private tlm::tlm_fw_transport_if<> {
 public:
  static constexpr unsigned kMostBytes = 4096;

  /// The statistics group `name` is created in `parent`.
  OutsideMasterAdapter(const sc_core::sc_module_name& name, const Machine& machine, const Store& store,
                       base::StatisticGroup& parent);
  ~OutsideMasterAdapter() override;

  tlm::tlm_target_socket<> socket;
  InitiatorPort memory;  ///< initiator port; the owner connects it to an input of the crossbar

  void tick(Cycle now) override;
  /// Called when a request of the master gives this unit work in a cycle. If the device sleeps, the callee must make it
  /// run that cycle.
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

  /// Returns TLM_OK_RESPONSE, or the error of a payload that cannot be served. Errors are counted.
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
  std::deque<std::unique_ptr<Job>> jobs_;        ///< in the order of arrival
  std::deque<Job*> answered_;                    ///< jobs to be responded to, in the order of their last replies
  Job* responding_ = nullptr;                    ///< job between BEGIN_RESP and END_RESP
  tlm::tlm_generic_payload* request_ = nullptr;  ///< payload between BEGIN_REQ and END_REQ
  std::uint32_t next_number_ = 0;
  bool blocked_ = false;  ///< credits did not suffice for the next request in the last tick

  base::StatisticGroup group_;
  base::Counter reads_, writes_, bytes_, errors_, violations_;
};

}  // namespace castor::gpu
