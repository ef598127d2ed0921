#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "castor/gpu/hooks/issue_policy.h"
#include "castor/hookup/saws/saws_statistics.h"
#include "castor/saws/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The warp schedulers of one SM as the block saws (docs/gpu.md, "Warp schedulers").
///
/// | port of the block | the SM's |
/// |---|---|
/// | kernel_start | the first thread block of a kernel comes to an SM that holds none |
/// | cta_* | a thread block was placed or has left; the CTA is the lowest free one, not the SM's context |
/// | wev_* | a warp waits at a barrier that stays open, or exits; at most one per scheduler and tick |
/// | wev_ready | the scheduler may issue barriers and exits |
/// | unblock | warps whose barrier completed in this tick |
/// | w_ready, issue_* | ready warps; the picks; which of them issued |
///
/// Timing: settles in S0 (wev_ready) and S5 (picks), one edge per tick in S9. The twin is asked only where its answer
/// may have changed: what it showed for the same ready warps is kept up to an edge that may move something, and edges
/// in which it is quiet, nothing happens and the ready warps stay are owed to it, and paid in one piece (Twin::idle)
/// before it is needed again. Nobody can tell the difference.
class SawsAdapter final : public gpu::IssuePolicyHook {
 public:
  struct Settings {
    std::uint8_t mode_sel = 1;
    bool toggle = true;
  };
  SawsAdapter(std::unique_ptr<twin::Twin<saws::Block>> twin, Settings settings);

  /// Up to date.
  [[nodiscard]] twin::Twin<saws::Block>& twin() {
    catch_up();
    return *twin_;
  }

  void attach(const gpu::HookSite& site) override;
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override {
    return twin_quiet_ == gpu::kForever ? gpu::kForever : twin_quiet_ - owed_;
  }
  void idle(gpu::Cycle n) override { owed_ += n; }
  const gpu::IssueOut& settle(const gpu::IssueIn& in) override;
  void clock(const gpu::IssueIn& in) override;

 private:
  static constexpr std::uint8_t kNone = 0xff;

  [[nodiscard]] std::uint8_t take_cta(unsigned context);
  void look(saws::WarpBits ready);
  void catch_up();

  std::unique_ptr<twin::Twin<saws::Block>> twin_;
  const Settings settings_;
  gpu::HookSite site_;
  std::unique_ptr<SawsStatistics> statistics_;
  saws::Inputs in_;                                 ///< w_ready: those for which out_ was asked
  saws::Outputs shown_;                             ///< what the twin answered
  gpu::IssueOut out_;                               ///< the same for the SM
  gpu::IssueOut none_;                              ///< the same without a pick
  saws::WarpBits clocked_;                          ///< ready warps of the twin's last edge
  bool fresh_ = false;                              ///< out_ is of the state behind that edge
  gpu::Cycle twin_quiet_ = 0;                       ///< edges behind it that change no output
  gpu::Cycle owed_ = 0;                             ///< of them those that the twin has not had
  std::uint32_t used_ = 0;                          ///< bit = CTA in use
  std::array<std::uint8_t, 256> cta_of_context_{};  ///< per context of the SM
};

}  // namespace castor::hookup
