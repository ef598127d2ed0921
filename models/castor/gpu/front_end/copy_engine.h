#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <variant>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/copy_plan.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class Waves;

/// Message of the front end to a copy engine: a copy or fill for the end of the engine's list.
struct CopyJob {
  Cycle visible = 0;
  Ticket ticket = 0;
  unsigned queue = 0;
  std::variant<CopyPacket, FillPacket> packet;
};

/// Message of a copy engine to the front end: the last beat of a copy or fill is acknowledged.
struct CopyDone {
  Cycle visible = 0;
  Ticket ticket = 0;
  unsigned queue = 0;
};

/// Copy engine (docs/gpu/front-end.md, "Copies"): executes one copy or fill at a time, in beats of `link.beat` bytes,
/// as planned by its CopyPlan. The device owns the engines; the front end submits work.
///
/// A piece of the plan that is due is written to or read from the L2 slices as one ordinary packet per line. At most
/// one packet is sent per cycle, with several in flight as credits permit. Packets of one line keep their order. Host
/// bytes are read when their packet is sent and written when its reply arrives. Limits: no copies from host memory to
/// host memory.
class CopyEngine final : public sc_core::sc_module, public Unit {
 public:
  /// `index`: engine 0 executes copies to the device, copies inside it and fills; engine 1 executes copies to the host.
  CopyEngine(const sc_core::sc_module_name& name, const Machine& machine, const Store& store, unsigned index,
             Observer* observer, base::StatisticGroup& statistics);

  [[nodiscard]] InitiatorPort& memory_port() { return port_; }
  void set_front_end(Unit& front_end) { front_end_ = &front_end; }
  /// Appends a copy or fill to the engine's list.
  void submit(const CopyJob& job);
  [[nodiscard]] Mailbox<CopyDone>& done() { return done_; }

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the engine's waveform signals. Called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns whether no copy or fill is active or waiting.
  [[nodiscard]] bool idle() const { return !active_ && jobs_.size() == 0; }
  /// Returns the active copy or fill, for deadlock reports; empty when idle.
  [[nodiscard]] std::string waiting() const;

 private:
  struct InFlight {
    CopyPlan::Piece piece;
    bool reading = false;
  };

  void start(const CopyJob& job, Cycle now);
  void take_replies(Cycle now);
  void send(Cycle now);
  [[nodiscard]] bool send_piece(const CopyPlan::Piece& piece, Cycle now);
  [[nodiscard]] bool send_write(Cycle now);
  void launch(Transaction& transaction, std::uint64_t address, unsigned bytes, RequestKind kind);
  void finish(Cycle now);
  void sleep(Cycle now);

  unsigned index_, line_, flit_, initiator_;
  const Store& store_;
  Observer* observer_;
  InitiatorPort port_;
  Unit* front_end_ = nullptr;
  TransactionPool pool_;
  Mailbox<CopyJob> jobs_;
  Mailbox<CopyDone> done_;

  // Active copy or fill.
  bool active_ = false;
  Ticket ticket_ = 0;
  unsigned queue_ = 0;
  CopyPlan plan_;
  Cycle counted_ = 0;       // first cycle that the statistics do not include yet
  bool blocked_ = false;    // the next packet waits for crossbar credits
  unsigned in_flight_ = 0;  // packets without a reply
  std::uint64_t next_id_ = 0;
  std::vector<InFlight> slots_;  // pieces in flight, by the tag of their packet
  std::vector<std::uint32_t> free_slots_;
  boost::circular_buffer<Transaction*> writes_{16};  // device data read by a copy inside the device, to be written

  base::Counter copies_, bytes_, busy_;
};

}  // namespace castor::gpu
