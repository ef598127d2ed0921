#pragma once

#include <memory>
#include <string>
#include <vector>

#include "@NAME@/gpu/plugged.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/hookup/block_type.h"

namespace blocks::@NAME@ {

/// The block as fetch filter of an SM: it is offered to hold no warp back, and says which it holds. Nothing is skipped or
/// renamed.
///
/// Timing: settles in S0 and S5, one edge per tick in S9; `hold` depends on its state only.
class Adapter final : public Plugged<castor::gpu::FetchFilter> {
 public:
  using Plugged::Plugged;

  void reset() override {
    Plugged::reset();
    offer(0, true, 0);
  }

  const castor::gpu::FetchOut& settle(const castor::gpu::FetchIn& /*in*/) override {
    block_.look();
    out_.hold = pick(0);
    return out_;
  }

  void clock(const castor::gpu::FetchIn& in) override { edge(in.decode.valid ? 1 : 0); }

 private:
  castor::gpu::FetchOut out_;
};

/// One adapter for each SM.
inline std::shared_ptr<void> plug_adapters(const castor::hookup::PlugSite& site, castor::gpu::Hooks& hooks) {
  Params params;
  params.Width = site.machine.sm.warps;
  auto adapters = std::make_shared<std::vector<std::unique_ptr<Adapter>>>();
  for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) {
    adapters->push_back(
        std::make_unique<Adapter>(castor::hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm))));
    hooks.fetch_filter.push_back(adapters->back().get());
  }
  return adapters;
}

}  // namespace blocks::@NAME@
