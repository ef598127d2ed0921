#pragma once

#include <memory>

#include "castor/gpu/hooks/source_order.h"
#include "castor/hookup/laperm_kmu/laperm_kmu_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/laperm_kmu/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The block laperm_kmu as source order of a GPU: it chooses the kernel that the launcher starts next
/// (docs/gpu/launches.md, "Locality-aware scheduling").
///
/// | port of the block | the GPU's |
/// |---|---|
/// | list_rdy | lists of launches by SM and level; without `by_sm`, lists by level, as those of SM 0 |
/// | susp_rdy | a suspended TB may resume |
/// | host_rdy | host queues with a kernel at their head |
/// | pick_* | source to be granted next |
/// | pick_grant | a parse lane has accepted the source |
///
/// Timing: the twin shows registered outputs in F8 (parse); its edge is in F10. It is clocked lazily (lazy_twin.h).
class LapermKmuAdapter final : public gpu::SourceOrder {
 public:
  /// `by_sm`: launches are listed by SM and level; if false, by level only.
  LapermKmuAdapter(std::unique_ptr<twin::Twin<laperm_kmu::Block>> twin, bool by_sm);
  ~LapermKmuAdapter() override;

  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<laperm_kmu::Block>& twin() { return kmu_.twin(); }

  [[nodiscard]] gpu::LaunchListing listing() const override { return {kmu_.params().LvlMax, by_sm_}; }
  [[nodiscard]] const char* block() const override { return laperm_kmu::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.laperm_kmu.
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
  bool changed_ = false;  ///< the last edge changed whether a source is offered
  std::unique_ptr<LapermKmuStatistics> statistics_;
};

}  // namespace castor::hookup
