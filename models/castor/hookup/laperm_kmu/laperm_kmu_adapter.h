#pragma once

#include <memory>

#include "castor/gpu/hooks/source_order.h"
#include "castor/hookup/laperm_kmu/laperm_kmu_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/laperm_kmu/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The launcher's choice of the next kernel as source order of a GPU (docs/gpu/launches.md, "Locality-aware
/// scheduling").
///
/// | port of the block | the GPU's |
/// |---|---|
/// | list_rdy | lists of launches by SM and level, or those by level as SM 0 |
/// | susp_rdy | a suspended TB may come back |
/// | host_rdy | queues with a kernel at their head |
/// | pick_* | what is to be granted next |
/// | pick_grant | a parse lane took it |
///
/// Timing: the twin shows in F8 what its registers have; its edge is in F10. It is clocked lazily (lazy_twin.h).
class LapermKmuAdapter final : public gpu::SourceOrder {
 public:
  /// `by_sm`: launches are listed by SM and level, else by level alone.
  LapermKmuAdapter(std::unique_ptr<twin::Twin<laperm_kmu::Block>> twin, bool by_sm);
  ~LapermKmuAdapter() override;

  /// Up to date.
  [[nodiscard]] twin::Twin<laperm_kmu::Block>& twin() { return kmu_.twin(); }

  [[nodiscard]] gpu::LaunchListing listing() const override { return {kmu_.params().LvlMax, by_sm_}; }
  [[nodiscard]] const char* block() const override { return laperm_kmu::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// <scope>.laperm_kmu: ports and probes of the block.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { kmu_.add_waves(waves, scope); }
  void detach() override { statistics_.reset(); }
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return changed_ ? 0 : kmu_.quiet(); }
  void idle(gpu::Cycle n) override { kmu_.idle(n); }
  const gpu::SourceOut& settle(const gpu::SourceIn& in) override;
  void clock(const gpu::SourceIn& in) override;

 private:
  void present(const gpu::SourceIn& in);

  LazyTwin<laperm_kmu::Block> kmu_;
  const bool by_sm_;
  gpu::SourceOut out_;
  bool changed_ = false;  ///< the last edge changed what is offered
  std::unique_ptr<LapermKmuStatistics> statistics_;
};

}  // namespace castor::hookup
