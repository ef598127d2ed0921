#pragma once

#include <array>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sync_link.h"
#include "castor/gpu/sync_statistics.h"

namespace castor::gpu {

/// Mechanism that connects an SM to its SyncAgent hook and to the synchronisation network (docs/gpu/sync.md): it passes
/// messages and events to the agent, and stalls the warps that the agent names. Present only if an agent is plugged in.
///
/// The agent sees the TBs of kernels that synchronise (KernelContext::synchronises). Without such a TB the mechanism is
/// dormant: the agent is called only if a message arrives, a kernel is announced, or the agent is not quiet.
class SyncAgentPort : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static bool present(const SmParts& parts) { return parts.hooks.agent != nullptr; }

  explicit SyncAgentPort(const SmParts& parts);
  ~SyncAgentPort() { agent_.detach(); }
  SyncAgentPort(const SyncAgentPort&) = delete;
  SyncAgentPort& operator=(const SyncAgentPort&) = delete;

  void start(TbStart& start);
  void stop(unsigned context) { in_.stopped |= TbMask{1} << context & tbs_; }
  void retire(unsigned context, TbRetireMessage& message);

  void begin_tick();
  void take_messages();
  /// Settles the agent, unless it is dormant, and applies its outputs.
  void settle_early(WarpMask eligible);
  void clock();
  [[nodiscard]] Cycle wake() const;

  void idle(Tick ticks);
  void hand_over() { link_.deliver(); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void waits(WaitGraph& graph) const;
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns the number of ticks in which the agent was clocked; for tests.
  [[nodiscard]] std::uint64_t clocked() const { return clocked_; }

 private:
  [[nodiscard]] bool awake() const;
  [[nodiscard]] WarpMask live_warps() const;
  [[nodiscard]] TbMask quiesced() const;
  [[nodiscard]] View<WarpExit> exits();
  void flush();
  void send();
  void take_received();
  void reset();

  const SmParts parts_;
  base::StatisticGroup group_;  // of the agent
  SyncUpCounters counters_;
  SyncAgent& agent_;
  SyncLink link_;
  TbMask tbs_ = 0;  // resident TBs that the agent sees; set at their start, cleared when they retire
  AgentIn in_;      // inputs of this tick
  AgentOut out_;    // outputs of the agent's last settle
  std::array<WarpExit, kMaxWarps> exits_{};  // storage of in_.exit
  bool awake_ = false;                       // the agent is called in this tick
  bool blocked_ = false;                     // the agent's message had no room in its last tick
  Cycle quiet_ = 0;                          // Hook::quiet after the agent's last edge
  Tick owed_ = 0;                            // ticks since then, to be applied by Hook::idle
  std::uint64_t clocked_ = 0;
};

}  // namespace castor::gpu
