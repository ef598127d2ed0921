#pragma once

#include <cstdint>
#include <memory>

#include "castor/dtbl/ports.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/launch_unit.h"
#include "castor/hookup/dtbl/dtbl_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// Dynamic thread block launch on a GPU (docs/gpu/launches.md, "Groups of thread blocks"). One twin serves two hooks:
/// the launch unit (this object) and the dispatch policy (`dispatch()`). Either both are plugged in, or only the launch
/// unit, beside another policy that supports groups. In the second case the distributing half of the block is idle: no
/// kernel fits, its memory requests are dropped, and the assumption a_group_is_pushed_once of its properties is
/// excused.
///
/// | port of the block | the GPU's |
/// |---|---|
/// | agg_* | groups that SMs launch; a valid/ready handshake |
/// | key_idx, key_* | kernel table at the start of the cycle |
/// | att_*, att_ready; launch_hold | groups that attach, with ready; kernels that must stay in the table |
/// | fb_* | groups that become kernels; always accepted |
/// | done_* | TB completion, drained by the front end |
/// | push_*, fits | kernels written to the table; entries whose next TB fits an SM |
/// | pl_*; dispatch_hold | offer of a TB for any SM; kernels that must stay in the table |
/// | mem_*, rsp_* | memory of the dispatch policy: records of groups without an entry in the group table |
///
/// Timing: the twin settles in F5 (placement) and F6 (groups) and has one edge per cycle, in the clock of the launch
/// unit. It is clocked lazily (lazy_twin.h). The adapter accepts a memory request at the edge if no earlier request
/// waits to be sent, and sends it in the next cycle.
///
/// Errors of the block are reported: 0x60 frame of a command, 0x61 completion, 0x62 kernel pushed twice, 0x63 reply,
/// 0x64 placement without offer.
class DtblAdapter final : public gpu::LaunchUnit {
 public:
  /// `places`: whether `dispatch()` is plugged in.
  DtblAdapter(std::unique_ptr<twin::Twin<dtbl::Block>> twin, bool places);
  ~DtblAdapter() override;

  [[nodiscard]] gpu::DispatchPolicy& dispatch() { return dispatch_; }
  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<dtbl::Block>& twin() { return dtbl_.twin(); }

  [[nodiscard]] const char* block() const override { return dtbl::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.dtbl; masks of kernel entries are split into words of 64 bits.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { dtbl_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return dtbl_.quiet(); }
  void idle(gpu::Cycle n) override;
  const gpu::LaunchOut& settle(const gpu::LaunchIn& in) override;
  void clock(const gpu::LaunchIn& in) override;

 private:
  /// The dispatch policy: the half of the block that chooses TBs.
  class Dispatch final : public gpu::DispatchPolicy {
   public:
    explicit Dispatch(DtblAdapter& owner) : owner_(owner) {}
    void attach(const gpu::HookSite& site) override { owner_.memory_ = site.memory; }
    void detach() override { owner_.memory_ = nullptr; }
    void reset() override {}
    [[nodiscard]] gpu::Cycle quiet() const override { return gpu::kForever; }
    void idle(gpu::Cycle /*n*/) override {}
    const gpu::DispatchOut& settle(const gpu::DispatchIn& in) override;
    void clock(const gpu::DispatchIn& in) override;

   private:
    DtblAdapter& owner_;
    gpu::DispatchOut out_;
  };

  void take_reply(const gpu::MemoryReply& reply);
  void send_request();
  void report_errors();

  LazyTwin<dtbl::Block> dtbl_;
  const bool places_;
  gpu::LaunchOut launch_out_;
  Dispatch dispatch_;
  gpu::HookMemory* memory_ = nullptr;
  gpu::HookError error_;
  std::unique_ptr<DtblStatistics> statistics_;
};

}  // namespace castor::hookup
