// Compares the crossbar with a second one that evaluates every cycle with plain lists: every packet must be granted in
// the same cycle, in both directions, with and without one queue per output.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/memory/crossbar.h"
#include "gpu_memory_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::gpu_memory_crossbar_test {
namespace {

using test::memory_machine;

/// A packet of one direction, with the cycles in which it becomes visible to the crossbar and to its receiver.
struct Packet {
  Cycle visible = 0;
  unsigned input = 0, output = 0, flits = 0, hold = 0;
  Cycle delivered = 0;
};
/// Flits that a receiver gave back.
struct Return {
  Cycle cycle = 0;
  unsigned output = 0, flits = 0;
};

/// A side of the crossbar that takes arriving packets after a delay.
class Source : public Unit {
 public:
  Source(const std::string& name, const Machine& machine, unsigned index, std::uint64_t seed, unsigned slowest)
      : port(name.c_str(), *this, machine.xbar.fifo_flits),
        flit_bytes_(machine.xbar.flit_bytes),
        index_(index),
        rng_(seed),
        slowest_(slowest) {}
  InitiatorPort port;
  TransactionPool pool;
  std::deque<std::pair<Cycle, Transaction*>> to_send;
  std::vector<Packet>* requests = nullptr;  ///< the packet's number is request.id
  std::vector<Packet>* replies = nullptr;
  std::vector<Return>* returns = nullptr;

  void tick(Cycle now) override {
    if (port.reply(now) != nullptr && now >= ready_) {
      const MemoryRequest& reply = port.reply(now)->request;
      (*replies)[reply.tag].delivered = reply.visible;
      returns->push_back({now, index_, reply.cost});
      port.take_reply(now).release();
      ready_ = now + 1 + rng_.below(slowest_);
    }
    if (!to_send.empty() && to_send.front().first <= now) {
      Transaction& transaction = *to_send.front().second;
      const unsigned cost = flits(transaction.request.request_bytes(), flit_bytes_);
      if (port.can_send(cost, now)) {
        const Cycle visible = now + 1;
        (*requests)[transaction.request.id].visible = visible;
        port.send(transaction, cost, now, visible);
        to_send.pop_front();
      }
    }
    sleep_until(now + 1);
  }

 private:
  unsigned flit_bytes_, index_;
  base::Xoshiro256 rng_;
  unsigned slowest_;
  Cycle ready_ = 0;
};

class Sink : public Unit {
 public:
  Sink(const std::string& name, const Machine& machine, unsigned index, std::uint64_t seed, unsigned slowest)
      : port(name.c_str(), *this, machine.xbar.fifo_flits),
        flit_bytes_(machine.xbar.flit_bytes),
        port_bytes_(machine.l2.port_bytes),
        index_(index),
        rng_(seed),
        slowest_(slowest) {}
  TargetPort port;
  std::vector<Packet>* requests = nullptr;
  std::vector<Packet>* replies = nullptr;
  std::vector<Return>* returns = nullptr;

  void tick(Cycle now) override {
    if (port.request(now) != nullptr && now >= ready_) {
      MemoryRequest& request = port.request(now)->request;
      (*requests)[request.id].delivered = request.visible;
      returns->push_back({now, index_, request.cost});
      held_.push_back(&port.take_request(now));
      ready_ = now + 1 + rng_.below(slowest_);
    }
    if (!held_.empty()) {
      Transaction& transaction = *held_.front();
      const unsigned bytes = transaction.request.reply_bytes();
      const unsigned cost = flits(bytes, flit_bytes_);
      if (port.can_reply(cost, now)) {
        transaction.request.tag = static_cast<std::uint32_t>(replies->size());
        replies->push_back({now + 1, index_, transaction.request.initiator, cost,
                            std::max(cost, (bytes + port_bytes_ - 1) / port_bytes_), 0});
        port.reply(transaction, cost, now, now + 1);
        held_.pop_front();
      }
    }
    sleep_until(now + 1);
  }
  [[nodiscard]] bool empty() const { return held_.empty(); }

 private:
  unsigned flit_bytes_, port_bytes_, index_;
  base::Xoshiro256 rng_;
  unsigned slowest_;
  Cycle ready_ = 0;
  std::deque<Transaction*> held_;
};

/// Returns the cycle in which each packet reaches its receiver, computed from the documented rules alone.
std::vector<Cycle> reference(const Machine& machine, const std::vector<Packet>& packets,
                             const std::vector<Return>& returns, unsigned inputs, unsigned outputs) {
  // Queues by arrival: (input, output), or one per input.
  std::vector<std::vector<std::deque<std::size_t>>> queue(inputs, std::vector<std::deque<std::size_t>>(outputs));
  std::vector<std::deque<std::size_t>> whole(inputs);
  std::vector<std::size_t> order(packets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return packets[a].visible < packets[b].visible; });
  for (const std::size_t i : order) {
    queue[packets[i].input][packets[i].output].push_back(i);
    whole[packets[i].input].push_back(i);
  }
  std::vector<Cycle> delivered(packets.size(), 0);
  std::vector<unsigned> last(outputs, inputs - 1);
  std::vector<Cycle> input_free(inputs, 0), output_free(outputs, 0);
  std::vector<long> credit(outputs, machine.xbar.fifo_flits);
  unsigned start = 0;
  std::size_t left = packets.size(), returned = 0;
  for (Cycle now = 0; left > 0; ++now) {
    for (; returned < returns.size() && returns[returned].cycle < now; ++returned) {
      credit[returns[returned].output] += returns[returned].flits;
    }
    std::vector<bool> taken(inputs, false);
    int starved = -1;
    // Inputs that could serve an output at the start of the cycle.
    std::vector<std::vector<bool>> able(outputs, std::vector<bool>(inputs, false));
    for (unsigned input = 0; input < inputs; ++input) {
      if (input_free[input] > now) continue;
      for (unsigned output = 0; output < outputs; ++output) {
        const std::deque<std::size_t>& line = machine.xbar.voq ? queue[input][output] : whole[input];
        able[output][input] =
            !line.empty() && packets[line.front()].output == output && packets[line.front()].visible <= now;
      }
    }
    for (unsigned k = 0; k < outputs; ++k) {
      const unsigned output = (start + k) % outputs;
      if (output_free[output] > now) continue;
      bool found = false, lost = false;
      for (unsigned step = 1; step <= inputs && !found; ++step) {
        const unsigned input = (last[output] + step) % inputs;
        if (!able[output][input]) continue;
        if (taken[input]) {
          lost = true;
          continue;
        }
        found = true;
        std::deque<std::size_t>& line = machine.xbar.voq ? queue[input][output] : whole[input];
        const std::size_t index = line.front();
        const Packet& packet = packets[index];
        if (credit[output] < static_cast<long>(packet.flits)) break;
        line.pop_front();
        credit[output] -= packet.flits;
        delivered[index] = now + machine.xbar.latency + packet.flits - 1;
        input_free[input] = output_free[output] = now + packet.hold;
        last[output] = input;
        taken[input] = true;
        --left;
      }
      if (!found && lost && starved < 0) starved = static_cast<int>(output);
    }
    if (starved >= 0) start = static_cast<unsigned>(starved);
  }
  return delivered;
}

class Rig : public sc_core::sc_module {
 public:
  Rig(const Machine& machine, std::uint64_t seed)
      : Rig(sc_core::sc_module_name(sc_core::sc_gen_unique_name("xbar_rig")), machine, seed) {}
  Rig(const sc_core::sc_module_name& name, const Machine& machine, std::uint64_t seed)
      : sc_module(name), statistics("memory"), xbar("xbar", machine, statistics), rng(seed) {
    const auto slow_source = static_cast<unsigned>(1 + rng.below(6));
    const auto slow_sink = static_cast<unsigned>(1 + rng.below(6));
    for (unsigned i = 0; i < xbar.inputs(); ++i) {
      sources.push_back(std::make_unique<Source>("source" + std::to_string(i), machine, i, seed + i, slow_source));
      connect(sources[i]->port, xbar.input(i));
      sources[i]->requests = &requests;
      sources[i]->replies = &replies;
      sources[i]->returns = &reply_returns;
    }
    for (unsigned k = 0; k < xbar.outputs(); ++k) {
      sinks.push_back(std::make_unique<Sink>("sink" + std::to_string(k), machine, k, seed + 100 + k, slow_sink));
      connect(xbar.output(k), sinks[k]->port);
      sinks[k]->requests = &requests;
      sinks[k]->replies = &replies;
      sinks[k]->returns = &request_returns;
    }
    for (unsigned n = 0; n < 1500; ++n) {
      const auto input = static_cast<unsigned>(rng.below(xbar.inputs()));
      Source& source = *sources[input];
      Transaction& transaction = source.pool.get();
      MemoryRequest& request = transaction.request;
      request.kind = rng.below(2) == 0 ? RequestKind::kLoad : RequestKind::kStore;
      request.sectors = static_cast<std::uint8_t>(1 + rng.below(15));
      request.id = requests.size();
      const std::uint64_t line = Store::kBase + rng.below(rng.below(2) == 0 ? 8 : 4096) * 128;
      transaction.prepare(line);
      const unsigned cost = flits(request.request_bytes(), machine.xbar.flit_bytes);
      requests.push_back({0, input, xbar.map().slice(line), cost, cost, 0});
      source.to_send.emplace_back(n / 8 + rng.below(30), &transaction);
    }
  }
  void run() {
    for (Cycle now = 0; now < 100'000; ++now) {
      for (const auto& source : sources) source->tick(now);
      if (xbar.wake() <= now) xbar.tick(now);
      for (const auto& sink : sinks) sink->tick(now);
    }
  }
  base::StatisticGroup statistics;
  Crossbar xbar;
  base::Xoshiro256 rng;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<Sink>> sinks;
  std::vector<Packet> requests, replies;
  std::vector<Return> request_returns, reply_returns;
};

class CrossbarRules : public ::testing::TestWithParam<int> {};

TEST_P(CrossbarRules, EveryPacketIsGrantedInTheCycleThatTheRulesSay) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE("--gtest_filter=*CrossbarRules*/" + std::to_string(seed));
  base::Xoshiro256 rng(seed);
  // Up to 64 inputs, up to 128, and more have separate paths in the code.
  const bool wide = seed % 4 < 2;
  const std::uint64_t wide_from = seed % 8 < 4 ? 62 : seed % 16 < 8 ? 124 : 252;
  const Machine machine = memory_machine(
      {"chip.sms=" + std::to_string(wide ? wide_from + rng.below(5) : 1 + rng.below(20)),
       "xbar.latency=" + std::to_string(1 + rng.below(9)), "xbar.voq=" + std::to_string(seed % 2),
       "xbar.fifo_flits=" + std::to_string(5 + rng.below(20)), "xbar.flit_bytes=" + std::to_string(30 + rng.below(30)),
       "l2.port_bytes=" + std::to_string(8 << rng.below(4))},
      rng.below(2) == 0 ? "tiny" : "kepler_k20c_study");
  Rig rig(machine, seed);
  rig.run();
  ASSERT_EQ(rig.replies.size(), rig.requests.size()) << "packets are stuck";
  const auto compare = [](const std::vector<Packet>& packets, const std::vector<Cycle>& expected) {
    for (std::size_t i = 0; i < packets.size(); ++i) {
      ASSERT_EQ(packets[i].delivered, expected[i])
          << "packet " << i << " from " << packets[i].input << " to " << packets[i].output;
    }
  };
  compare(rig.requests, reference(machine, rig.requests, rig.request_returns, rig.xbar.inputs(), rig.xbar.outputs()));
  compare(rig.replies, reference(machine, rig.replies, rig.reply_returns, rig.xbar.outputs(), rig.xbar.inputs()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, CrossbarRules, ::testing::Range(1, unless_sanitized(25, 13)));

}  // namespace
}  // namespace castor::gpu::gpu_memory_crossbar_test
