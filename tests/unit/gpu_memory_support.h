#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/memory/memory_system.h"
#include "platforms/machines.h"

// Shared code of the tests of the memory system: a machine's memory with hand-driven initiators and a clock.
namespace castor::gpu::test {

inline Machine memory_machine(const std::vector<std::string>& overrides = {},
                              const std::string& name = "kepler_k20c_study") {
  return platforms::load_machine(name, overrides).machine;
}

/// Initiator that sends its requests in order, each not before its cycle, and takes every reply as soon as it is
/// visible.
class Initiator : public Unit {
 public:
  explicit Initiator(const std::string& name, const Machine& machine)
      : port(name.c_str(), *this, machine.xbar.fifo_flits), flit_bytes_(machine.xbar.flit_bytes) {}

  InitiatorPort port;
  TransactionPool pool;
  /// Called with every reply and the cycle in which it is taken; the transaction is given back afterwards.
  std::function<void(Transaction&, Cycle)> on_reply;

  /// Schedules a request that is sent in `cycle` (visible to the crossbar in the next one) if the network has a free
  /// entry. The caller fills its fields before the clock runs.
  Transaction& send_at(Cycle cycle, RequestKind kind, std::uint64_t line, std::uint8_t sectors) {
    Transaction& transaction = pool.get();
    MemoryRequest& request = transaction.request;
    request.kind = kind;
    request.client = Client::kLsu;
    request.sectors = sectors;
    request.id = sent_++;
    transaction.prepare(line);
    queue_.push_back({cycle, &transaction});
    wake_at(cycle);
    return transaction;
  }

  void tick(Cycle now) override {
    while (port.reply(now) != nullptr) {
      Transaction& reply = port.take_reply(now);
      ++answered_;
      if (on_reply) on_reply(reply, now);
      reply.release();
    }
    Cycle next = kForever;
    if (!queue_.empty() && queue_.front().cycle <= now) {
      Transaction& transaction = *queue_.front().transaction;
      const std::uint32_t cost = flits(transaction.request.request_bytes(), flit_bytes_);
      if (port.can_send(cost, now)) {
        transaction.request.issued = now;
        port.send(transaction, cost, now, now + 1);
        queue_.pop_front();
        if (!queue_.empty()) next = std::max(queue_.front().cycle, now + 1);
      } else {
        next = port.next_credit();
      }
    } else if (!queue_.empty()) {
      next = queue_.front().cycle;
    }
    sleep_until(std::min(next, port.next_reply()));
  }

  [[nodiscard]] bool done() const { return queue_.empty() && port.outstanding() == 0; }
  [[nodiscard]] std::size_t answered() const { return answered_; }

 private:
  struct Waiting {
    Cycle cycle;
    Transaction* transaction;
  };
  unsigned flit_bytes_;
  std::deque<Waiting> queue_;
  std::uint64_t sent_ = 0;
  std::size_t answered_ = 0;
};

/// Mode of the clock: every cycle or only when a unit is due, in fixed or in shuffled order of units.
struct ClockMode {
  bool sleep = true;
  std::uint64_t shuffle = 0;  ///< seed; 0 = fixed order
};

/// A machine's memory system with an initiator at every input.
class MemoryRig : public sc_core::sc_module {
 public:
  explicit MemoryRig(const Machine& m, ClockMode mode = {}, MemorySystem::Options options = {})
      : MemoryRig(sc_core::sc_module_name(sc_core::sc_gen_unique_name("rig")), m, mode, options) {}
  MemoryRig(const sc_core::sc_module_name& name, const Machine& m, ClockMode mode, MemorySystem::Options options)
      : sc_module(name),
        machine(m),
        store({std::min<std::uint64_t>(m.memory.bytes, 64 << 20), false}),
        statistics("memory"),
        memory(machine, store, statistics, options),
        mode_(mode),
        rng_(mode.shuffle) {
    for (unsigned i = 0; i < memory.crossbar().inputs(); ++i) {
      initiators.push_back(std::make_unique<Initiator>("initiator" + std::to_string(i), machine));
      connect(initiators.back()->port, memory.input(i));
    }
    units = memory.units();
    for (const auto& initiator : initiators) units.push_back(initiator.get());
  }

  /// Runs until all work is done. Returns false if work is left but no unit will wake up.
  bool run(Cycle limit = 10'000'000) {
    while (now < limit) {
      Cycle next = kForever;
      for (const Unit* unit : units) next = std::min(next, unit->wake());
      const bool all_done = std::all_of(initiators.begin(), initiators.end(), [](const auto& i) { return i->done(); });
      if (next == kForever) return all_done && memory.idle();
      if (mode_.sleep) now = std::max(now, next);
      step();
    }
    return false;
  }
  /// Runs one cycle.
  void step() {
    if (mode_.shuffle != 0) {
      for (std::size_t i = units.size(); i > 1; --i) std::swap(units[i - 1], units[rng_.below(i)]);
    }
    for (Unit* unit : units) {
      if (!mode_.sleep || unit->wake() <= now) unit->tick(now);
    }
    ++now;
    if (between_cycles) between_cycles();
  }

  Machine machine;
  Store store;
  base::StatisticGroup statistics;
  MemorySystem memory;
  std::vector<std::unique_ptr<Initiator>> initiators;
  std::vector<Unit*> units;
  Cycle now = 0;
  std::function<void()> between_cycles;

 private:
  ClockMode mode_;
  base::Xoshiro256 rng_;
};

}  // namespace castor::gpu::test
