#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/launch_check.h"
#include "castor/gpu/occupancy.h"
#include "common/random_swap_engine.h"
#include "common/sync_model.h"
#include "common/sync_stubs.h"
#include "platform/timing/rig.h"
#include "platforms/machines.h"

// Shared code of the tests of the whole timing GPU with swap engines: hub and agents of tests/common/sync_model.h, and
// the engines of tests/common/random_swap_engine.h.
namespace castor::gpu::timing_test {

using test::RandomSwapEngine;

/// Agent whose outputs a test may change.
struct Agent final : test::SyncModelAgent<test::SyncStub<AgentIn, AgentOut>> {
  std::function<void(AgentOut&)> change;
  const AgentOut& settle(const AgentIn& in) override {
    const AgentOut& out = SyncModelAgent::settle(in);
    if (!change) return out;
    changed_ = out;
    change(changed_);
    return changed_;
  }

 private:
  AgentOut changed_;
};
struct Hub final : test::SyncModelHub<test::SyncStub<HubIn, HubOut>> {
  std::vector<Cycle> stops;
  std::function<void()> on_stop = [] {};
  void edge(const HubIn& in) override {
    if (in.stopped) on_stop();
    SyncModelHub::edge(in);
  }
};

/// Passes everything through to a RandomSwapEngine, and knows its current action.
class Engine final : public SwapEngine {
 public:
  enum class Does { kNothing, kMovesOut, kMovesIn };
  explicit Engine(const RandomSwapEngine::Options& options) : inner_(options) {}
  [[nodiscard]] const char* block() const override { return inner_.block(); }
  [[nodiscard]] SwapStorage storage() const override { return inner_.storage(); }
  void attach(const HookSite& site) override { inner_.attach(site); }
  void reset() override { inner_.reset(); }
  [[nodiscard]] Cycle quiet() const override { return inner_.quiet(); }
  void idle(Cycle n) override { inner_.idle(n); }
  const SwapOut& settle(const SwapIn& in) override {
    out_ = inner_.settle(in);
    if (alter) alter(out_);
    return out_;
  }
  void clock(const SwapIn& real) override {
    SwapIn in = real;
    if (change) change(in);
    if (see) see(in, out_);
    if (in.job && out_.job_ready) does = in.job->out ? Does::kMovesOut : Does::kMovesIn;
    if (out_.parked && in.park_ready) does = Does::kMovesIn;
    if (out_.enter && in.enter_ready) does = Does::kNothing;
    inner_.clock(in);
  }
  Does does = Does::kNothing;
  std::function<void(SwapOut&)> alter;                     ///< changes the outputs
  std::function<void(SwapIn&)> change;                     ///< changes the inputs of an edge
  std::function<void(const SwapIn&, const SwapOut&)> see;  ///< called with the inputs and outputs of an edge

 private:
  RandomSwapEngine inner_;
  SwapOut out_;
};

inline RandomSwapEngine::Options one_tick_pauses() {
  RandomSwapEngine::Options options;
  options.longest_pause = 1;
  return options;
}

/// Options of an engine that moves all contexts to memory.
inline RandomSwapEngine::Options to_memory(bool live = false) {
  RandomSwapEngine::Options options = one_tick_pauses();
  options.live = live;
  options.homes = options.places = options.queue = 0;
  return options;
}

/// A timing GPU with hub, agents and swap engines.
struct SwapRig {
  explicit SwapRig(const std::vector<std::string>& overrides, const std::string& machine = "maxwell_liu13",
                   const RandomSwapEngine::Options& options = one_tick_pauses()) {
    const unsigned sms = platforms::load_machine(machine, overrides).machine.chip.sms;
    agents.resize(sms);
    Hooks hooks;
    hooks.hub = &hub;
    for (unsigned sm = 0; sm < sms; ++sm) {
      hooks.agents.push_back(&agents[sm]);
      hooks.swap.push_back(&engines.emplace_back(options));
    }
    rig = std::make_unique<Rig>(machine, overrides, hooks);
    rig->recorder.keep_issues = false;
  }
  Ticket submit(ProgramHandle program, unsigned blocks, unsigned threads, const std::vector<std::uint64_t>& parameters,
                std::shared_ptr<const SyncOptions> options = nullptr, unsigned queue = 0) {
    KernelPacket packet;
    packet.program = program;
    packet.grid = {blocks};
    packet.block = {threads};
    packet.sync = std::move(options);
    packet.parameters.resize(parameters.size() * 8);
    if (!parameters.empty()) std::memcpy(packet.parameters.data(), parameters.data(), packet.parameters.size());
    return rig->device->submit(queue, std::move(packet));
  }
  [[nodiscard]] unsigned room(ProgramHandle program, unsigned threads) const {
    const Machine& machine = rig->machine();
    return blocks_per_sm(machine, rig->program(program), threads, 0) * machine.chip.sms;
  }
  /// Sum of a statistic over the SMs.
  [[nodiscard]] std::uint64_t sum(const std::string& name) const {
    std::uint64_t sum = 0;
    for (unsigned sm = 0; sm < agents.size(); ++sm) sum += rig->statistic("sm" + std::to_string(sm) + "." + name);
    return sum;
  }
  Hub hub;
  std::deque<Agent> agents;
  std::deque<Engine> engines;
  std::unique_ptr<Rig> rig;
};

}  // namespace castor::gpu::timing_test
