#pragma once

#include <array>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/execution/sync_operands.h"
#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sync_link.h"
#include "castor/gpu/sync_statistics.h"

namespace castor::gpu {

struct AgentWires;

/// Mechanism that connects an SM to its SyncAgent hook and to the synchronisation network (docs/gpu/sync-network.md):
/// it passes messages, events and instructions to the agent, and stalls the warps that the agent names. It passes the
/// agent's jobs to SwapPort, and what the swap engine has moved out to the agent (AgentWires). Present only if an agent
/// is plugged in.
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
  void come_back(TbStart& start, const SavedTb& saved);
  void stop(unsigned context) { in_.stopped |= TbMask{1} << context & tbs_; }
  void leave(unsigned context, SavedTb& /*saved*/) { tbs_ &= ~(TbMask{1} << context); }
  void retire(unsigned context, TbRetireMessage& message);

  void begin_tick();
  void take_messages();
  /// Settles the agent, unless it is dormant, and applies its outputs.
  void settle_early(WarpMask eligible);
  /// Determines the quiesced TBs of the tick.
  void begin_issue() {
    if (awake_) in_.quiesced = quiesced();
  }
  /// Shows the agent the picked instructions of its TBs, and refuses the picks that the agent does not let issue.
  void settle(const Picks& picks);
  /// Records an instruction for the agent's edge. Returns false, since the SM executes it.
  bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void clock();
  [[nodiscard]] Cycle wake() const;

  void idle(Tick ticks);
  void hand_over() { link_.deliver(); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void waits(WaitGraph& graph) const;
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns the name of the block that implements the agent (Hook::block).
  [[nodiscard]] const char* block() const { return agent_.block(); }
  /// Returns the warps whose instruction the agent has refused in this tick.
  [[nodiscard]] WarpMask refused() const { return refused_; }

  /// Returns the number of ticks in which the agent was clocked; for tests.
  [[nodiscard]] std::uint64_t clocked() const { return clocked_; }

 private:
  /// Instruction at which a warp waits, for reports.
  struct Wait {
    isa::SyncOp op = isa::SyncOp::kGridBarrier;
    SyncOperands operands;
    std::uint32_t pc = 0;
  };
  /// Instructions of one tick, at most one per scheduler, in ascending order of the scheduler.
  struct Instructions {
    std::array<SyncIssue, kMaxSchedulers> list{};
    std::size_t count = 0;
    void add(const SyncIssue& one) { list[count++] = one; }
    [[nodiscard]] View<SyncIssue> view() const { return {list.data(), count}; }
  };

  [[nodiscard]] bool awake() const;
  void settle_parked(AgentWires& wires);
  void show_job(AgentWires& wires);
  void check_early(const AgentOut& early) const;
  [[nodiscard]] bool is_candidate(unsigned w) const;
  [[nodiscard]] SyncIssue describe(unsigned scheduler, unsigned w) const;
  void settle_candidates();
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
  SyncIssueCounters issue_counters_;
  SyncAgent& agent_;
  SyncLink link_;
  TbMask tbs_ = 0;  // resident TBs that the agent sees; set at their start, cleared when they retire
  AgentIn in_;      // inputs of this tick
  AgentOut out_;    // outputs of the agent's last settle
  std::array<WarpExit, kMaxWarps> exits_{};  // storage of in_.exit
  Instructions candidates_;                  // picked in this tick; set in S5, cleared in S0
  Instructions issued_;                      // those of them that have issued; set in S5, cleared in S0
  WarpMask refused_ = 0;                     // warps of refused picks of this tick
  // warps that have issued a blocking instruction and have been stalled since; and the instruction
  WarpMask waiting_ = 0;
  std::array<Wait, kMaxWarps> waits_{};
  bool awake_ = false;    // the agent is called in this tick
  bool blocked_ = false;  // the agent's message had no room in its last tick
  Cycle quiet_ = 0;       // Hook::quiet after the agent's last edge
  Tick owed_ = 0;         // ticks since then, to be applied by Hook::idle
  std::uint64_t clocked_ = 0;
};

}  // namespace castor::gpu
