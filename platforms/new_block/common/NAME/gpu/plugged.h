#pragma once

#include <memory>
#include <string>
#include <utility>

#include "@NAME@/gpu/statistics.h"
#include "@NAME@/ports.h"
#include "castor/base/error.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/hookup/twin_of.h"

namespace blocks::@NAME@ {

/// What the adapter does whatever the hook asks. The twin is clocked lazily: castor/hookup/lazy_twin.h.
template <class HookT>
class Plugged : public HookT {
 public:
  explicit Plugged(std::unique_ptr<twin::Twin<Block>> twin) : block_(std::move(twin)) {}

  void attach(const castor::gpu::HookSite& site) override {
    statistics_ = std::make_unique<Statistics>(*site.statistics);
  }
  /// <scope>.@NAME@: ports and probes of the block.
  void add_waves(castor::gpu::Waves& waves, const std::string& scope) override { block_.add_waves(waves, scope); }
  void detach() override { statistics_.reset(); }
  void reset() override { block_.reset(); }
  [[nodiscard]] castor::gpu::Cycle quiet() const override { return block_.quiet(); }
  void idle(castor::gpu::Cycle n) override { block_.idle(n); }

 protected:
  /// One lane's offer, or none.
  void offer(unsigned lane, bool valid, U64 value) {
    block_.in.offer_valid = (block_.in.offer_valid & ~(U32{1} << lane)) | U32{valid} << lane;
    block_.in.offer[lane] = valid ? value : 0;
  }
  /// What the block makes of it.
  [[nodiscard]] bool picks(unsigned lane) const { return (block_.out().pick_valid >> lane & 1) != 0; }
  [[nodiscard]] U64 pick(unsigned lane) const { return block_.out().pick[lane]; }

  /// The edge of the cycle; bit of `taken` = lane.
  void edge(U32 taken) {
    block_.in.taken = taken;
    if (statistics_) statistics_->taken += static_cast<unsigned>(__builtin_popcount(taken));
    block_.edge();
    block_.make_idle();
  }

  castor::hookup::LazyTwin<Block> block_;
  std::unique_ptr<Statistics> statistics_;
};

/// The machine has something that the adapter does not do.
[[noreturn]] inline void refuse(const std::string& key, const std::string& hint) {
  throw castor::base::InputError("block @NAME@ does not work on this machine: key " + key, hint);
}

}  // namespace blocks::@NAME@
