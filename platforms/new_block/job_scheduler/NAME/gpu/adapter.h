#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "@NAME@/gpu/plugged.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/hookup/block_type.h"

namespace blocks::@NAME@ {

/// The block as job scheduler of a GPU: it is offered the queue that is next in a circle, as the machine would take it,
/// and admits every job.
///
/// Timing: settles in F8, one edge per cycle in F10.
class Adapter final : public Plugged<castor::gpu::JobScheduler> {
 public:
  using Plugged::Plugged;

  void reset() override {
    Plugged::reset();
    last_ = castor::gpu::kMaxQueues - 1;
  }

  const castor::gpu::JobOut& settle(const castor::gpu::JobIn& in) override {
    const castor::gpu::QueueMask& ready = *in.eligible;
    std::size_t queue = ready._Find_next(last_);
    if (queue == ready.size()) queue = ready._Find_first();
    offer(0, queue < ready.size(), queue);
    block_.look();
    out_.pick = picks(0) ? static_cast<int>(pick(0)) : -1;
    return out_;
  }

  void clock(const castor::gpu::JobIn& in) override {
    if (in.granted >= 0) last_ = static_cast<std::size_t>(in.granted);
    edge(in.granted >= 0 ? 1 : 0);
  }

 private:
  std::size_t last_ = castor::gpu::kMaxQueues - 1;  ///< queue that was granted last
  castor::gpu::JobOut out_;
};

/// One adapter for the GPU.
inline std::shared_ptr<void> plug_adapters(const castor::hookup::PlugSite& site, castor::gpu::Hooks& hooks) {
  if (site.machine.parse.select_scan != 0) refuse("parse.select_scan is not 0", "0, or a scan in the adapter");
  Params params;
  params.Width = std::max(twin::log2_ceil(site.machine.queue.count), 1U);
  auto adapter = std::make_shared<Adapter>(castor::hookup::twin_of<Block>(site, params));
  hooks.job_scheduler = adapter.get();
  return adapter;
}

}  // namespace blocks::@NAME@
