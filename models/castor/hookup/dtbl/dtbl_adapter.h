#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "castor/dtbl/ports.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/launch_unit.h"
#include "castor/hookup/dtbl/dtbl_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// Dynamic thread block launch on a GPU (docs/gpu/launches.md, "Groups of thread blocks"): one twin answers the launch
/// unit, this object, and the dispatch policy, `dispatch()`. Both are plugged in; or the first alone, beside another
/// policy that knows groups. Then the half that distributes stands still: nothing fits, and its requests to memory go
/// nowhere.
///
/// | port of the block | the GPU's |
/// |---|---|
/// | agg_* | groups that SMs launch, taken when it says so |
/// | key_idx, key_* | kernel table, as it was at the start of the cycle |
/// | att_*, att_ready; launch_hold | groups that attach, and when they may; kernels that stay |
/// | fb_* | groups that become kernels, taken at once |
/// | done_* | completion drained |
/// | push_*, fits | kernels written; entries with a TB that fits |
/// | pl_*; dispatch_hold | offer of a TB for any SM; kernels that stay |
/// | mem_*, rsp_* | memory of the dispatch policy: records of groups that have no entry of the table |
///
/// Timing: the twin settles in F5 and F6 and has one edge per cycle, in the launch unit's clock. It is clocked lazily
/// (lazy_twin.h). A request to memory is handed over at the edge, if none waits to be sent: it goes out in the next
/// cycle.
///
/// Errors of the block are reported: 0x60 frame of a command, 0x61 completion, 0x62 kernel pushed twice, 0x63 reply,
/// 0x64 placement without offer.
class DtblAdapter final : public gpu::LaunchUnit {
 public:
  /// `places`: `dispatch()` is plugged in.
  DtblAdapter(std::unique_ptr<twin::Twin<dtbl::Block>> twin, bool places);
  ~DtblAdapter() override;

  [[nodiscard]] gpu::DispatchPolicy& dispatch() { return dispatch_; }
  /// Up to date.
  [[nodiscard]] twin::Twin<dtbl::Block>& twin() { return dtbl_.twin(); }

  [[nodiscard]] const char* block() const override { return dtbl::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// <scope>.dtbl: ports and probes of the block, masks of kernel entries in words of 64.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { dtbl_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return dtbl_.quiet(); }
  void idle(gpu::Cycle n) override;
  const gpu::LaunchOut& settle(const gpu::LaunchIn& in) override;
  void clock(const gpu::LaunchIn& in) override;

 private:
  /// The half that chooses TBs.
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
  std::function<void(unsigned code, std::uint64_t info)> error_;
  std::unique_ptr<DtblStatistics> statistics_;
};

}  // namespace castor::hookup
