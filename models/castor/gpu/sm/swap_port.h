#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/page_port.h"
#include "castor/gpu/sm/agent_jobs.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/simt_lines.h"
#include "castor/gpu/sm/swap_homes.h"
#include "castor/gpu/sm/swap_sites.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/swap_record.h"

namespace castor::gpu {

/// Counters of the accesses of an SM's swap engine, in group "swap_port" of the SM.
struct SwapCounters {
  explicit SwapCounters(base::StatisticGroup& sm) : group(sm, "swap_port") {}
  base::StatisticGroup group;
  base::Counter jobs{group, {"jobs", "", "jobs that the swap engine has taken"}};
  base::Counter stores{group, {"stores", "", "lines that the swap engine has stored to device memory"}};
  base::Counter loads{group, {"loads", "", "lines that the swap engine has loaded from device memory"}};
  base::Counter copies{group, {"copies", "", "lines that the swap engine has copied inside the SM"}};
  base::Counter refused{
      group, {"refused", "ticks", "ticks in which the load/store unit had no entry for an access of the swap engine"}};
  base::Counter blocked{group,
                        {"blocked", "ticks", "ticks in which the swap engine kept memory instructions from issue"}};
  base::Counter page_waits{
      group, {"page_waits", "ticks", "ticks in which the swap engine waited for an image in device memory"}};
  base::Counter deep_stacks{group,
                            {"deep_stacks", "", "warps moved out whose SIMT stack was deeper than a SIMT line holds"}};
};

/// Mechanism that connects an SM to its SwapEngine hook (docs/gpu/swapping.md): it passes jobs to the engine, and
/// performs the engine's accesses. Present only if an engine is plugged in. TbMover asks for moves
/// (ThreadBlocks::engine_moves), or the synchronisation agent of the SM (AgentWires). The list of mechanisms has the
/// agent's port before this one.
class SwapPort : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static bool present(const SmParts& parts) { return parts.hooks.swap != nullptr; }

  explicit SwapPort(const SmParts& parts);
  ~SwapPort() { engine_.detach(); }
  SwapPort(const SwapPort&) = delete;
  SwapPort& operator=(const SwapPort&) = delete;

  void start(TbStart& start);
  /// Poisons the storage of the context and asks the engine to move the thread block in.
  void come_back(TbStart& start, const SavedTb& saved);
  void stop(unsigned context);
  /// Packs the SIMT lines of a thread block and asks the engine to move it out.
  void freeze(unsigned context);
  void leave(unsigned context, SavedTb& saved);

  void begin_tick();
  /// Settles the engine for the agent, which sees what has been moved out.
  void take_messages();
  /// Settles the engine, unless it is dormant, and makes its access.
  void settle_early(WarpMask eligible);
  bool take(const SmEvent& event);
  void swap_loaded(MemoryOperation& operation, Tick ready);
  void swap_stored(unsigned context);
  [[nodiscard]] WarpMask busy_warps() const;
  void clock();
  [[nodiscard]] Cycle wake() const;

  void idle(Tick ticks);
  void hand_over() { agent_.hand_over(); }
  [[nodiscard]] bool still() const { return open_ == 0 && wake() == kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void waits(WaitGraph& graph) const { add_waits(engine_, "swap_engine", parts_.sm, graph); }
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  /// Job of a TB context, and what the engine has done of it.
  struct Moving {
    SwapJob job;
    SwapKernel constants;
    const KernelContext* kernel = nullptr;  ///< kernel or group of the thread blocks that the job moves
    bool agent = false;                     ///< the synchronisation agent has given the job
    bool dropped = false;                   ///< the thread block was stopped: the result of the job is not used
    bool parked = false;                    ///< the engine has moved the thread block out
    bool entered = false;                   ///< the engine has said `enter`
    unsigned stores = 0;                    ///< stores that are not in memory yet
    Tick since = 0;                         ///< of the agent: tick in which the context could begin to move in
    SimtLines lines;                        ///< SIMT lines of the thread block
    SegmentTable left;                      ///< read-only segments of the thread block that moves out
    std::shared_ptr<SwapRecord> record;     ///< where the context is; kept until the job is over
    /// Returns whether a thread block that leaves its context empty has stores that are not in memory yet. It stays on
    /// the SM until then: no other thread block in the context would keep the kernel from ending.
    [[nodiscard]] bool lingers() const { return agent && job.fresh && job.in_gid == SwapJob::kNoTb && stores != 0; }
    /// Returns the address of the image of the thread block that the job moves out, or of the one that it moves in; 0 =
    /// none.
    [[nodiscard]] std::uint64_t image(bool out, const AgentJobs& jobs, const Hook& engine) const;
  };

  Moving& ask(const SwapJob& job, const KernelContext& kernel, const SwapKernel& constants);
  void take_agent_job();
  void answer();
  [[nodiscard]] bool lost(unsigned context) const;
  void park(const SwapParked& parked);
  void offer_job();
  void check(const SwapOut& out) const;
  [[nodiscard]] bool make_access(const SwapAccess& access);
  [[nodiscard]] bool access_memory(const SwapAccess& access, std::byte* line);
  [[nodiscard]] std::byte* line_of(const SwapAccess& access);
  [[nodiscard]] bool awake() const;
  void flush();
  void take_page();
  void apply();
  void enter(const SwapEnter& entered);
  void end_if_over(unsigned context);
  void end(unsigned context);

  const SmParts parts_;
  base::StatisticGroup group_;  // of the engine
  SwapCounters counters_;
  SwapEngine& engine_;
  SwapHomes homes_;
  SwapSetup setup_;
  EngineMoves& moves_;
  AgentJobs agent_;
  PagePort pages_;
  std::vector<Moving> moving_;  // [context] job of the context; valid with a bit in open_
  TbMask open_ = 0;             // contexts with a job that is not over
  TbMask taken_ = 0;            // those whose job the engine has taken
  std::deque<unsigned> queue_;  // contexts whose job waits for the engine, oldest first
  Maybe<unsigned> no_image_;    // TB context whose request for an image is not granted yet
  unsigned acknowledges_ = 0;   // loads performed that the engine has not been told of
  std::uint32_t tokens_ = 0;    // tokens given to thread blocks that moved out
  /// Destination of a line that is loaded.
  struct Destination {
    std::byte* line = nullptr;
    unsigned context = 0;
  };
  std::unordered_map<const MemoryOperation*, Destination> loads_;  // lines that are loaded
  SwapIn in_;                                                      // inputs of this tick
  SwapOut out_;                                                    // outputs of the engine's last settle
  bool awake_ = false;                                             // the engine is called in this tick
  bool called_open_ = false;                                       // a job was open at the engine's last edge
  Cycle quiet_ = 0;                                                // Hook::quiet after the engine's last edge
  Tick owed_ = 0;                                                  // ticks since then, to be applied by Hook::idle
};

}  // namespace castor::gpu
