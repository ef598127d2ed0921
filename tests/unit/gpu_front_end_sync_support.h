#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "common/sync_stubs.h"
#include "gpu_front_end_hooks_support.h"

// A synchronisation hub that tests script, beside SMs that are stubs.
namespace castor::gpu::test::sync {

/// A hub whose behaviour a test sets.
class Hub final : public SyncStub<HubIn, HubOut> {
 public:
  void attach(const HookSite& site) override {
    SyncStub::attach(site);
    if (attached) attached(site);
  }
  void reset() override { restart(); }
  [[nodiscard]] Cycle quiet() const override { return sleeps ? kForever : 0; }
  [[nodiscard]] int window() const override { return registers; }
  const HubOut& settle(const HubIn& in) override {
    if (decide) decide(in, out);
    return out;
  }
  bool sleeps = false;
  int registers = -1;
  HubOut out;
  std::function<void(const HookSite&)> attached;
  std::function<void(const HubIn&, HubOut&)> decide;
  std::function<void(const HubIn&)> see;
  [[nodiscard]] const HookSite& site() const { return site_; }

 private:
  void edge(const HubIn& in) override {
    if (see) see(in);
  }
};

/// Agents that are not called: the SMs are stubs.
struct Agents {
  explicit Agents(unsigned sms) : all(sms) {
    for (auto& one : all) list.push_back(&one);
  }
  std::deque<TrafficAgent> all;
  std::vector<SyncAgent*> list;
};

inline Hooks hooks(Hub& hub, Agents& agents) {
  Hooks hooks;
  hooks.hub = &hub;
  hooks.agents = agents.list;
  return hooks;
}

inline KernelPacket synchronising(KernelPacket packet) {
  packet.synchronises = true;
  return packet;
}

inline Rig::Options options(Hub& hub, Agents& agents, bool every_cycle = false) {
  Rig::Options options;
  options.hooks = hooks(hub, agents);
  options.every_cycle = every_cycle;
  return options;
}

}  // namespace castor::gpu::test::sync
