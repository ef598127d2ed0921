#include "castor/gpu/memory/crossbar.h"

#include <algorithm>
#include <string>

namespace castor::gpu {

Crossbar::Crossbar(const sc_core::sc_module_name& name, const Machine& machine, base::StatisticGroup& parent,
                   unsigned extra_inputs)
    : sc_module(name),
      map_(machine),
      latency_(machine.xbar.latency),
      port_bytes_(machine.l2.port_bytes),
      requests_(machine.chip.sms + kOtherInputs + extra_inputs, machine.l2.slices, machine.xbar.voq),
      replies_(machine.l2.slices, machine.chip.sms + kOtherInputs + extra_inputs, machine.xbar.voq),
      group_(parent, "xbar"),
      packets_request_(group_, {"packets_request", "", "packets from initiators to slices"}),
      packets_reply_(group_, {"packets_reply", "", "packets from slices to initiators"}),
      bytes_request_(group_, {"bytes_request", "bytes", "bytes sent from initiators to slices, headers included"}),
      bytes_reply_(group_, {"bytes_reply", "bytes", "bytes sent from slices to initiators, headers included"}),
      link_busy_(group_, {"link_busy", "cycles",
                          "cycles in which a packet held an output, summed over the outputs of both directions"}) {
  const unsigned inputs = machine.chip.sms + kOtherInputs + extra_inputs;
  for (unsigned i = 0; i < inputs; ++i) {
    inputs_.push_back(
        std::make_unique<TargetPort>(("input" + std::to_string(i)).c_str(), *this, machine.xbar.fifo_flits));
    inputs_.back()->deliver_to(*this, i);
  }
  for (unsigned k = 0; k < machine.l2.slices; ++k) {
    outputs_.push_back(
        std::make_unique<InitiatorPort>(("output" + std::to_string(k)).c_str(), *this, machine.xbar.fifo_flits));
    outputs_.back()->deliver_to(*this, inputs + k);
  }
}

void Crossbar::arrived(Transaction& transaction, unsigned port) {
  MemoryRequest& request = transaction.request;
  if (port < inputs_.size()) {
    request.initiator = static_cast<std::uint16_t>(port);
    request.route = static_cast<std::uint16_t>(map_.slice(transaction.line()));
    requests_.arrive(port, transaction);
  } else {
    request.route = request.initiator;
    replies_.arrive(port - inputs(), transaction);
  }
}

void Crossbar::tick(Cycle now) {
  const Cycle reply = replies_.grant(now, ReplyEnds{*this});
  const Cycle request = requests_.grant(now, RequestEnds{*this});
  sleep_until(std::min(reply, request));
}

bool Crossbar::RequestEnds::covers(unsigned output, std::uint32_t flits, Cycle now) const {
  return xbar.outputs_[output]->can_send(flits, now);
}

Cycle Crossbar::RequestEnds::next_credit(unsigned output) const { return xbar.outputs_[output]->next_credit(); }

unsigned Crossbar::RequestEnds::move(unsigned input, unsigned output, Transaction& transaction, Cycle now) const {
  const unsigned n = transaction.request.cost;
  xbar.inputs_[input]->release(transaction, now);
  xbar.outputs_[output]->send(transaction, n, now, now + xbar.latency_ + n - 1);
  ++xbar.packets_request_;
  xbar.bytes_request_ += kHeaderBytes + transaction.request.request_bytes();
  xbar.link_busy_ += n;
  return n;
}

bool Crossbar::ReplyEnds::covers(unsigned output, std::uint32_t flits, Cycle now) const {
  return xbar.inputs_[output]->can_reply(flits, now);
}

Cycle Crossbar::ReplyEnds::next_credit(unsigned output) const { return xbar.inputs_[output]->next_credit(); }

unsigned Crossbar::ReplyEnds::move(unsigned input, unsigned output, Transaction& transaction, Cycle now) const {
  const unsigned n = transaction.request.cost;
  const unsigned bytes = transaction.request.reply_bytes();
  const unsigned held = std::max(n, (bytes + xbar.port_bytes_ - 1) / xbar.port_bytes_);
  xbar.outputs_[input]->release(transaction, now);
  xbar.inputs_[output]->reply(transaction, n, now, now + xbar.latency_ + n - 1);
  ++xbar.packets_reply_;
  xbar.bytes_reply_ += kHeaderBytes + bytes;
  xbar.link_busy_ += held;
  return held;
}

}  // namespace castor::gpu
