#include "castor/gpu/sm/agent_jobs.h"

#include <utility>

#include "castor/gpu/hook_check.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/swap_sites.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

void AgentJobs::own(const KernelContext& kernel, const SwapKernel& constants) {
  if (kernel_ != nullptr && kernel.ticket == ticket_) return;
  kernel_ = &kernel;
  ticket_ = kernel.ticket;
  constants_ = constants;
  configures_ = true;
}

// Returns whether the kernel was stopped.
bool AgentJobs::stopped() const { return parts_.tbs.killed(*kernel_); }

// --- Moves out -------------------------------------------------------------------------------------------------------

bool AgentJobs::accept(const SwapJob& job, const Hook& engine) {
  const Cycle now = parts_.clock.now();
  const TbMask bit = TbMask{1} << job.slot % 64;
  CASTOR_HOOK_CHECK(engine, now, job.slot < parts_.machine.sm.tb_contexts,
                    "sync_agent of SM %u gives a job for TB context %u, which does not exist", parts_.sm,
                    unsigned{job.slot});
  if (!job.out) {
    CASTOR_HOOK_CHECK(engine, now, (parts_.tbs.engine_moves().kept & bit) != 0,
                      "sync_agent of SM %u gives a job for TB context %u, which no TB has left to it", parts_.sm,
                      unsigned{job.slot});
    return true;
  }
  const TbState& tb = parts_.tbs[job.slot];
  CASTOR_HOOK_CHECK(engine, now, (parts_.tbs.resident() & bit) != 0 && tb.kernel->owned && tb.gid == job.gid,
                    "sync_agent of SM %u moves out TB %u of TB context %u, which is not there", parts_.sm, job.gid,
                    unsigned{job.slot});
  if (tb.killed) return false;
  check_stalled(tb, engine);
  CASTOR_HOOK_CHECK(engine, now, is_swap_site(program(), job.site),
                    "sync_agent of SM %u moves out TB %u at site %u, which its program does not have", parts_.sm,
                    job.gid, unsigned{job.site});
  parts_.tbs.request_swap({job.slot, SwapReason::kSynchronisation, parts_.clock.tick(), 0, job.site});
  asked_ |= bit;
  return true;
}

void AgentJobs::check_stalled(const TbState& tb, const Hook& engine) const {
  const Scoreboard& scoreboard = parts_.scoreboard;
  bool still = tb.live != 0 && (tb.live & ~parts_.blocked.stalled()) == 0 &&
               (tb.warps & (scoreboard.memory_busy() | scoreboard.in_flight())) == 0;
  for (WarpMask left = tb.live; left != 0; left &= left - 1) still = still && scoreboard.quiet(lowest(left));
  CASTOR_HOOK_CHECK(engine, parts_.clock.now(), still,
                    "sync_agent of SM %u moves out TB %llu, which is not stalled and quiesced", parts_.sm,
                    static_cast<unsigned long long>(tb.gid));
}

void AgentJobs::announce(std::uint32_t gid, std::uint64_t image) {
  announced_.emplace_back(gid, image);
  parts_.hand_over.raise();
}

// --- Moves in --------------------------------------------------------------------------------------------------------

// Returns the place of a thread block that is swapped out.
const AwayTbs::Place& AgentJobs::away(std::uint32_t gid, const Hook& engine) const {
  const AwayTbs::Place* const place = parts_.hooks.away->find(ticket_, gid);
  CASTOR_HOOK_CHECK(engine, parts_.clock.now(), place != nullptr,
                    "sync_agent of SM %u brings back TB %u, which is not swapped out", parts_.sm, gid);
  return *place;
}

bool AgentJobs::may_start(const SwapJob& job, const Hook& engine) const {
  if ((parts_.tbs.resident() >> job.slot & 1) != 0) return parts_.tbs[job.slot].killed;
  return job.fresh || stopped() || away(job.in_gid, engine).tb != nullptr;
}

// The thread block of a stopped kernel starts, too: it is stopped and retires, so that the agent sees its end. If the
// one before it was stopped in its context, that one retires, and no other starts.
void AgentJobs::start(const SwapJob& job, Tick took, const Hook& engine) {
  if ((parts_.tbs.resident() >> job.slot & 1) != 0) return;
  if (job.fresh && job.in_gid == SwapJob::kNoTb) return;
  const Cycle now = parts_.clock.now();
  TbStartMessage message;
  message.visible = now + 1;
  message.kernel = kernel_;
  message.item = kernel_->item();
  message.gid = message.position = job.in_gid;
  message.acquire = kernel_->written;
  message.context = job.slot;
  if (!job.fresh && !stopped()) {
    message.acquire = now;
    message.saved = away(job.in_gid, engine).tb;
    message.load = took;
    back_.push_back(job.in_gid);
    parts_.hand_over.raise();
  }
  parts_.inbox.push(std::move(message));
  parts_.clock.stir();
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

void AgentJobs::hand_over() {
  if (parts_.hooks.away == nullptr) return;
  AwayTbs& away = *parts_.hooks.away;
  for (const std::uint32_t gid : back_) away.remove(ticket_, gid);
  for (const auto& [gid, image] : announced_) away.announce(ticket_, gid, image);
  std::vector<AwayTbs::Saved>& left = parts_.tbs.engine_moves().agent.left;
  for (AwayTbs::Saved& tb : left) away.put(std::move(tb));
  back_.clear();
  announced_.clear();
  left.clear();
}

}  // namespace castor::gpu
