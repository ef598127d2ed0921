#pragma once

#include <memory>

#include "@NAME@/gpu/plugged.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/hookup/block_type.h"

namespace blocks::@NAME@ {

/// The block as governor of a GPU's SMs: it is offered all of them, and says which may take thread blocks.
///
/// Timing: settles in F4, one edge per cycle in F10; what it says depends on its state only.
class Adapter final : public Plugged<castor::gpu::SmGovernor> {
 public:
  using Plugged::Plugged;

  void reset() override {
    Plugged::reset();
    all_ = twin::mask(block_.params().Width);
    offer(0, true, all_);
  }

  const castor::gpu::GovernOut& settle(const castor::gpu::GovernIn& /*in*/) override {
    block_.look();
    out_.open = pick(0) | ~all_;
    return out_;
  }

  void clock(const castor::gpu::GovernIn& in) override { edge(in.ev.placed ? 1 : 0); }

 private:
  castor::gpu::SmMask all_ = 0;
  castor::gpu::GovernOut out_;
};

/// One adapter for the GPU; there may be other governors beside it.
inline std::shared_ptr<void> plug_adapters(const castor::hookup::PlugSite& site, castor::gpu::Hooks& hooks) {
  Params params;
  params.Width = site.machine.chip.sms;
  auto adapter = std::make_shared<Adapter>(castor::hookup::twin_of<Block>(site, params));
  hooks.governors.push_back(adapter.get());
  return adapter;
}

}  // namespace blocks::@NAME@
