#include "castor/gpu/hook_watch.h"

#include <string>

#include "castor/gpu/hook_check.h"

namespace castor::gpu {
namespace {

std::string numbers(WarpMask warps) {
  std::string text;
  for (WarpMask left = warps; left != 0; left &= left - 1) {
    text += (text.empty() ? "" : " ") + std::to_string(lowest(left));
  }
  return text;
}

}  // namespace

void HookWatch::look(Cycle now, Cycle length, std::uint64_t progress, bool rests) {
  std::uint64_t instructions = 0;
  for (const Sm* const sm : cores_) instructions += sm->accounts().instructions.total();
  const bool stood = snapshot_valid_ && progress == progress_ && instructions == instructions_;
  progress_ = progress;
  instructions_ = instructions;
  snapshot_valid_ = true;
  if (!stood) return;
  check_issue(now, length);
  if (rests) check_front_end(now, length);
}

// Throws if some warp could issue during the whole window. The instruction of such a warp is decoded and its operands
// are ready, so only the issue policy, or a synchronisation agent that refuses the instruction, can have stalled the
// warp.
void HookWatch::check_issue(Cycle now, Cycle length) const {
  for (const Sm* const sm : cores_) {
    const auto* const agent = sm->mechanism<SyncAgentPort>();
    if (agent != nullptr && agent->refused() != 0) {
      hook_failed(agent->block(), now,
                  "sync_agent of SM %u has refused the instructions of warps %s for %llu cycles (watchdog.cycles)",
                  sm->index(), numbers(agent->refused()).c_str(), static_cast<unsigned long long>(length));
    }
    const auto* const port = sm->mechanism<HookPort>();
    const WarpMask ready = port != nullptr ? port->ready_to_be_picked() : 0;
    const SmMask& enabled = front_end_.mechanism<GovernorSide>().governors().clock_enable();
    if (ready == 0 || !enabled[sm->index()]) continue;
    hook_failed(
        port->block(), now,
        "issue_policy of SM %u has let no warp issue for %llu cycles (watchdog.cycles), although instructions of "
        "warps %s are decoded and have their operands",
        sm->index(), static_cast<unsigned long long>(length), numbers(ready).c_str());
  }
}

void HookWatch::check_front_end(Cycle now, Cycle length) const {
  if (front_end_.idle() || !front_end_.quiescent_except_hooks()) return;
  WaitGraph graph;
  front_end_.waits(graph);
  const std::string waiting = front_end_.waiting() + graph.said() + graph.cycle_text();
  // Kernels in the table can only wait for the dispatch policy.
  const char* const block = front_end_.table().valid() != 0 ? front_end_.mechanism<DispatchPort>().block() : "";
  hook_failed(block, now,
              "hooks of the front end have woken it up for %llu cycles (watchdog.cycles), and nothing proceeds:\n%s",
              static_cast<unsigned long long>(length), waiting.c_str());
}

}  // namespace castor::gpu
