#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "castor/gpu/hooks/issue_policy.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/hookup/saws/saws_statistics.h"
#include "castor/saws/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The warp schedulers of one SM, implemented by the block saws (docs/gpu/sm.md, "Warp schedulers").
///
/// | port of the block | the SM's |
/// |---|---|
/// | kernel_start | the first thread block of a kernel comes to an SM that holds none |
/// | cta_* | a thread block was placed or removed; its CTA number is the lowest free one, not the SM's TB context |
/// | wev_* | a warp waits at an incomplete barrier, or exits; at most one per scheduler and tick |
/// | wev_ready | the scheduler may issue barriers and exits |
/// | unblock | warps whose barrier completed in this tick |
/// | w_ready, issue_* | ready warps; the picks; which of them issued |
///
/// Timing: settles in S0 (wev_ready) and S5 (issue: picks), one clock edge per tick in S9. The twin is clocked lazily
/// (lazy_twin.h). It does not settle while the ready warps are unknown or none is ready, unless a message may wait.
class SawsAdapter final : public gpu::IssuePolicyHook {
 public:
  /// Inputs of the block at a kernel start.
  struct Settings {
    std::uint8_t mode_sel = 1;
    bool toggle = true;
  };
  SawsAdapter(std::unique_ptr<twin::Twin<saws::Block>> twin, Settings settings);

  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<saws::Block>& twin() { return saws_.twin(); }

  [[nodiscard]] const char* block() const override { return saws::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.saws.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { saws_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return saws_.quiet(); }
  void idle(gpu::Cycle n) override { saws_.idle(n); }
  const gpu::IssueOut& settle(const gpu::IssueIn& in) override;
  void clock(const gpu::IssueIn& in) override;

 private:
  static constexpr std::uint8_t kNone = 0xff;

  [[nodiscard]] std::uint8_t take_cta(unsigned context);
  void show_picks();
  void present(const gpu::IssueIn& in);

  LazyTwin<saws::Block> saws_;
  const Settings settings_;
  gpu::HookSite site_;
  std::unique_ptr<SawsStatistics> statistics_;
  gpu::IssueOut out_;                               ///< outputs of the block for the SM
  gpu::IssueOut none_;                              ///< outputs of the block without a pick
  std::uint32_t used_ = 0;                          ///< bit per CTA of the block: in use
  std::array<std::uint8_t, 256> cta_of_context_{};  ///< CTA of each TB context of the SM
};

}  // namespace castor::hookup
