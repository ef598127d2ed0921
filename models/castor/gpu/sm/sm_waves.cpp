// Number of warps whose PC and active lanes are shown. Signal widths are those of the largest machine, so that saved
// views fit all machines.

#include "castor/gpu/sm/sm_waves.h"

#include <algorithm>
#include <string>

#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {
namespace {

constexpr unsigned kShownWarps = 4;

}  // namespace

void add_core_waves(const SmParts& parts, Waves& waves, const std::string& scope) {
  const WarpTable& warps = parts.warps;
  const InstructionBuffer& buffer = parts.buffer;
  const Scoreboard& scoreboard = parts.scoreboard;
  const BlockedWarps& blocked = parts.blocked;
  const IssueStage& issue = parts.issue;
  // Masks over warp slots.
  waves.add(scope, "live", 64, [&warps] { return warps.live(); });
  waves.add(scope, "valid", 64, [&buffer] { return buffer.valid(); });
  waves.add(scope, "clear", 64, [&scoreboard] { return scoreboard.clear(); });
  waves.add(scope, "blocked", 64, [&blocked] { return blocked.any(); });
  waves.add(scope, "ready", 64, [&buffer, &scoreboard, &blocked] {
    return buffer.valid() & scoreboard.clear() & ~blocked.any() & ~(buffer.drains() & scoreboard.memory_busy());
  });
  waves.add(scope, "waits_load", 64,
            [&buffer, &scoreboard] { return buffer.valid() & ~scoreboard.clear() & scoreboard.waits_load(); });
  waves.add(scope, "at_barrier", 64, [&blocked] { return blocked.at_barrier(); });
  waves.add(scope, "in_fence", 64, [&blocked] { return blocked.in_fence(); });
  waves.add(scope, "fetching", 64, [&parts] { return parts.fetch.out(); });
  // Masks over TB contexts.
  waves.add(scope, "resident", 64, [&parts] { return parts.tbs.resident(); });
  waves.add(scope, "draining", 64, [&parts] { return parts.tbs.finished(); });
  // Mask over schedulers, then the stall reason of each scheduler.
  waves.add(scope, "issued", 8, [&issue] { return issue.issued(); });
  for (unsigned s = 0; s < issue.schedulers().count; ++s) {
    waves.add(scope, "stall" + std::to_string(s), 3, [&issue, s] {
      return static_cast<std::uint64_t>((issue.issued() >> s & 1) != 0 ? StallClass::kIssued : issue.stalls()[s]);
    });
  }
  waves.add(scope, "lanes_issued", 16, [&issue] { return issue.lanes_issued(); });
  for (unsigned w = 0; w < std::min(kShownWarps, warps.size()); ++w) {
    waves.add(scope, "pc" + std::to_string(w), 32, &warps[w].pc);
    waves.add(scope, "active" + std::to_string(w), 64, &warps[w].active);
  }
  parts.memory.add_waves(waves, scope + ".l1");
}

void SmMemory::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "lsu_queue", 16, [this] { return lsu_.queue(0).size(); });
  waves.add(scope, "shared_queue", 16, [this] { return lsu_.queue(1).size(); });
  waves.add(scope, "pipe", 16, [this] { return pipe_.accesses().size(); });
  waves.add(scope, "blocked", 1, [this] { return blocked() ? 1 : 0; });
  waves.add(scope, "mshrs", 16, [this] { return pipe_.lines().mshrs().in_use(); });
  waves.add(scope, "outstanding", 16, [this] { return outstanding(); });
  waves.add(scope, "injection", 16, [this] { return sender_.injection().size(); });
}

}  // namespace castor::gpu
