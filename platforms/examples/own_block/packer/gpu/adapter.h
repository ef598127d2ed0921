#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/hookup/waiting_kernels.h"
#include "packer/ports.h"

namespace blocks::packer {

/// Statistics of the block, counted at its ports, so that model and RTL give equal counts.
struct Statistics {
  explicit Statistics(castor::base::StatisticGroup& parent) : group(parent, "packer") {}

  castor::base::StatisticGroup group;
  castor::base::Counter placed{group, {"placed", "TBs", "thread blocks placed"}};
  castor::base::Counter moves{group, {"moves", "", "of them those that went to another SM than the one before"}};
};

/// The block as dispatch policy of a GPU. The oldest kernel that fits on any SM is placed, and the block chooses the
/// SM.
///
/// | port | the GPU's |
/// |---|---|
/// | fits | SMs that can take the kernel's next thread block: free resources, open, below quota |
/// | depth | key blocks.packer.depth |
/// | place_* | the SM that is offered; whether the offer was accepted |
///
/// Timing: settles in step F5 (placement), one clock edge per cycle in F10 (clock of all hooks). The twin is clocked
/// lazily (castor/hookup/lazy_twin.h).
class Adapter final : public castor::gpu::DispatchPolicy {
 public:
  Adapter(std::unique_ptr<twin::Twin<Block>> twin, unsigned depth)
      : packer_(std::move(twin)), depth_(static_cast<U8>(depth)) {}

  void attach(const castor::gpu::HookSite& site) override {
    statistics_ = std::make_unique<Statistics>(*site.statistics);
  }
  /// Adds the ports and probes of the block to the waves, in scope <scope>.packer.
  void add_waves(castor::gpu::Waves& waves, const std::string& scope) override { packer_.add_waves(waves, scope); }
  void detach() override { statistics_.reset(); }
  void reset() override {
    packer_.reset();
    packer_.in.depth = depth_;
    kernels_.reset();
    last_sm_ = -1;
  }
  [[nodiscard]] castor::gpu::Cycle quiet() const override { return packer_.quiet(); }
  void idle(castor::gpu::Cycle n) override { packer_.idle(n); }

  const castor::gpu::DispatchOut& settle(const castor::gpu::DispatchIn& in) override {
    out_ = {};
    out_.ready = !kernels_.empty();
    const int oldest = kernels_.oldest(*in.fits);
    if (!kernels_.empty()) out_.fits_head = in.room->fits(oldest >= 0 ? oldest : kernels_.order().front());
    const auto entry = static_cast<unsigned>(oldest);
    packer_.in.fits = oldest < 0 ? 0 : castor::hookup::WaitingKernels::takers(in, entry).to_ulong();
    if (oldest < 0) return out_;
    packer_.look();
    if (packer_.out().place_valid != 0) out_.place = kernels_.next(entry, packer_.out().place_sm);
    return out_;
  }

  void clock(const castor::gpu::DispatchIn& in) override {
    packer_.in.place_grant = in.taken ? 1 : 0;
    if (in.taken && statistics_) {
      ++statistics_->placed;
      if (packer_.out().place_sm != last_sm_) ++statistics_->moves;
      last_sm_ = packer_.out().place_sm;
    }
    packer_.edge();
    packer_.make_idle();
    kernels_.clock(in);
  }

 private:
  castor::hookup::LazyTwin<Block> packer_;
  castor::hookup::WaitingKernels kernels_;
  const U8 depth_;
  int last_sm_ = -1;  ///< SM of the last thread block; -1 = none yet
  std::unique_ptr<Statistics> statistics_;
  castor::gpu::DispatchOut out_;
};

}  // namespace blocks::packer
