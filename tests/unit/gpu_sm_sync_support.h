#pragma once

#include <functional>
#include <string>
#include <vector>

#include "castor/gpu/front_end/sync_network.h"
#include "common/sync_stubs.h"
#include "gpu_sm_support.h"

// Shared code of tests of one SM with a synchronisation agent and the network behind it.
namespace castor::gpu::test::sync {

/// An agent whose behaviour a test sets.
class Agent final : public SyncStub<AgentIn, AgentOut> {
 public:
  void reset() override { restart(); }
  [[nodiscard]] Cycle quiet() const override { return sleeps ? kForever : 0; }
  const AgentOut& settle(const AgentIn& in) override {
    if (decide) decide(in, out);
    return out;
  }
  bool sleeps = false;
  AgentOut out;
  std::function<void(const AgentIn&, AgentOut&)> decide;
  std::function<void(const AgentIn&)> see;

 private:
  void edge(const AgentIn& in) override {
    if (see) see(in);
  }
};

inline SmHooks hooks(SyncAgent& agent) {
  SmHooks result;
  result.agent = &agent;
  return result;
}

inline const std::vector<std::string> kIdeal = {"icache.ideal=1"};

/// An SM with an agent and the network behind it.
struct SyncRig : Rig {
  explicit SyncRig(Agent& agent, const std::vector<std::string>& overrides = kIdeal, bool sleep = true)
      : Rig(test::machine("kepler_k20c_study", overrides), hooks(agent), sleep), net({&sm}, front_end) {}
  Kernel& load_synchronising(const std::string& body, Dim3 grid, Dim3 block, std::vector<std::byte> parameters = {}) {
    Kernel& kernel = load(body, grid, block, 0, {}, std::move(parameters));
    kernel.context.synchronises = true;
    return kernel;
  }
  [[nodiscard]] std::uint64_t statistic(const std::string& path) const { return statistics.find(path)->integer(); }
  base::StatisticGroup front_end{"front_end"};
  SyncNetwork net;
};

}  // namespace castor::gpu::test::sync
