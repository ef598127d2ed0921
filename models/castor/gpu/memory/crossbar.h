#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/address_map.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/switch_network.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

class Waves;

/// Request and reply crossbar between the initiators of the device and its L2 slices (docs/gpu/memory.md, "Crossbars").
///
/// Inputs in this order: SMs, front end, two copy engines, then `extra_inputs` more. A request of n flits granted in
/// cycle g is visible to its slice at g + xbar.latency + n - 1, and holds its input and output for n cycles. A reply
/// holds them for max(n, data / l2.port_bytes) cycles, rounded up. Every queue is xbar.fifo_flits deep, in flits.
/// Initiators build their ports with that depth and pay flits(bytes, xbar.flit_bytes) per packet.
///
/// Limits: packets are switched as a whole, so their flits occupy the queue until the last flit has left.
class Crossbar final : public sc_core::sc_module, public Unit, private MessageSink {
 public:
  /// Number of inputs besides the SMs: front end and two copy engines.
  static constexpr unsigned kOtherInputs = 3;

  /// The statistics group `xbar` is created in `parent`.
  Crossbar(const sc_core::sc_module_name& name, const Machine& machine, base::StatisticGroup& parent,
           unsigned extra_inputs = 0);

  [[nodiscard]] unsigned inputs() const { return static_cast<unsigned>(inputs_.size()); }
  [[nodiscard]] unsigned outputs() const { return static_cast<unsigned>(outputs_.size()); }
  /// Returns the port to which initiator `i` is connected.
  [[nodiscard]] TargetPort& input(unsigned i) { return *inputs_[i]; }
  /// Returns the port to which slice `k` is connected.
  [[nodiscard]] InitiatorPort& output(unsigned k) { return *outputs_[k]; }
  [[nodiscard]] const AddressMap& map() const { return map_; }

  void tick(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns whether no packet waits in the crossbar.
  [[nodiscard]] bool idle() const { return requests_.empty() && replies_.empty(); }
  /// Returns the number of replies of one slice that wait for a grant.
  [[nodiscard]] std::uint32_t queued_replies(unsigned slice) const { return replies_.queued_packets(slice); }
  /// Return the number of packets that wait for a grant, summed over all inputs: requests; replies.
  [[nodiscard]] std::size_t waiting_requests() const { return requests_.waiting(); }
  [[nodiscard]] std::size_t waiting_replies() const { return replies_.waiting(); }
  /// Return the flits in the input queue of one input (requests) or one slice (replies).
  [[nodiscard]] std::uint32_t queued_request_flits(unsigned input) const { return requests_.queued_flits(input); }
  [[nodiscard]] std::uint32_t queued_reply_flits(unsigned slice) const { return replies_.queued_flits(slice); }

 private:
  /// Adapters of the request and reply directions to SwitchNetwork: credits of an output and the transfer of a granted
  /// packet.
  struct RequestEnds {
    Crossbar& xbar;
    [[nodiscard]] bool covers(unsigned output, std::uint32_t flits, Cycle now) const;
    [[nodiscard]] Cycle next_credit(unsigned output) const;
    unsigned move(unsigned input, unsigned output, Transaction& transaction, Cycle now) const;
  };
  struct ReplyEnds {
    Crossbar& xbar;
    [[nodiscard]] bool covers(unsigned output, std::uint32_t flits, Cycle now) const;
    [[nodiscard]] Cycle next_credit(unsigned output) const;
    unsigned move(unsigned input, unsigned output, Transaction& transaction, Cycle now) const;
  };

  void arrived(Transaction& transaction, unsigned port) override;

  AddressMap map_;
  unsigned latency_, port_bytes_;
  std::vector<std::unique_ptr<TargetPort>> inputs_;
  std::vector<std::unique_ptr<InitiatorPort>> outputs_;
  SwitchNetwork requests_, replies_;

  base::StatisticGroup group_;
  base::Counter packets_request_, packets_reply_, bytes_request_, bytes_reply_, link_busy_;
};

}  // namespace castor::gpu
