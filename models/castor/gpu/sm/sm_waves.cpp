// What waves show of an SM. Widths are those of the largest machine, so that saved views fit all of them.

#include <algorithm>
#include <string>

#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_memory_impl.h"

namespace castor::gpu {
namespace {

constexpr unsigned kShownWarps = 4;

}  // namespace

void Sm::add_waves(Waves& waves, const std::string& scope) const {
  // Masks over warp slots.
  waves.add(scope, "live", 64, [this] { return warps_.live(); });
  waves.add(scope, "valid", 64, [this] { return buffer_.valid(); });
  waves.add(scope, "clear", 64, [this] { return scoreboard_.clear(); });
  waves.add(scope, "blocked", 64, [this] { return blocked_.any(); });
  waves.add(scope, "ready", 64, [this] {
    return buffer_.valid() & scoreboard_.clear() & ~blocked_.any() & ~(buffer_.drains() & scoreboard_.memory_busy());
  });
  waves.add(scope, "waits_load", 64,
            [this] { return buffer_.valid() & ~scoreboard_.clear() & scoreboard_.waits_load(); });
  waves.add(scope, "at_barrier", 64, [this] { return blocked_.at_barrier(); });
  waves.add(scope, "in_fence", 64, [this] { return blocked_.in_fence(); });
  waves.add(scope, "fetching", 64, [this] { return fetch_.out(); });
  // Masks over TB contexts.
  waves.add(scope, "resident", 64, [this] { return tbs_.resident(); });
  waves.add(scope, "draining", 64, [this] { return tbs_.finished(); });
  // Mask over schedulers, and what each did.
  waves.add(scope, "issued", 8, [this] { return issue_.issued(); });
  for (unsigned s = 0; s < issue_.schedulers().count; ++s) {
    waves.add(scope, "stall" + std::to_string(s), 3, [this, s] {
      return static_cast<std::uint64_t>((issue_.issued() >> s & 1) != 0 ? StallClass::kIssued : issue_.stalls()[s]);
    });
  }
  waves.add(scope, "lanes_issued", 16, [this] { return issue_.lanes_issued(); });
  for (unsigned w = 0; w < std::min(kShownWarps, warps_.size()); ++w) {
    waves.add(scope, "pc" + std::to_string(w), 32, &warps_[w].pc);
    waves.add(scope, "active" + std::to_string(w), 64, &warps_[w].active);
  }
  memory_side_.add_waves(waves, scope + ".l1");
  hooks_.add_waves(waves, scope);
}

void SmMemory::add_waves(Waves& waves, const std::string& scope) const {
  const Impl& impl = *impl_;
  waves.add(scope, "lsu_queue", 16, [&impl] { return impl.queues[0].size(); });
  waves.add(scope, "shared_queue", 16, [&impl] { return impl.queues[1].size(); });
  waves.add(scope, "pipe", 16, [&impl] { return impl.pipe.size(); });
  waves.add(scope, "blocked", 1, [this] { return blocked() ? 1 : 0; });
  waves.add(scope, "mshrs", 16, [&impl] { return impl.mshrs.in_use(); });
  waves.add(scope, "outstanding", 16, [this] { return outstanding(); });
  waves.add(scope, "injection", 16, [&impl] { return impl.injection.size(); });
}

}  // namespace castor::gpu
