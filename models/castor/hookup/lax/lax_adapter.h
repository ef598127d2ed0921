#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/hookup/lax/lax_configuration.h"
#include "castor/hookup/lax/lax_control.h"
#include "castor/hookup/lax/lax_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/lax/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The laxity engine on a GPU (docs/gpu/jobs.md, "Laxity engine"): one twin answers the job scheduler, this object, and
/// the dispatch policy, `dispatch()`. Both have to be plugged in.
///
/// | port of the engine | the GPU's |
/// |---|---|
/// | js_*, wl_* | beats of announcements |
/// | adm_* | verdicts, taken at once |
/// | pe_vec, psel_* | eligible queues; pick and grant |
/// | de_vec, df_vec, dsel_* | queues with a TB that fits, or does not; offer of a TB for any SM, taken |
/// | ks_*, ki_*, wgc_*, kd_* | first TB placed, last TB placed, completion drained, kernel complete |
/// | pre_vec | preempted queues |
/// | jd_*, irq, reg_* | end of a job, interrupt, accesses to window 0 |
///
/// Timing: the twin settles in F5 and F8 and has one edge per cycle, in the job scheduler's clock. The engine sees
/// time, events and vectors of the same cycle. It is clocked lazily (lazy_twin.h).
///
/// Jobs that the front end announces for itself are acknowledged here when they end, the host's by the host. Kernels of
/// queues that the engine does not know (their job was given up) are kept from it. A kernel that completes without
/// having placed a TB starts, issues and ends in one cycle for the engine.
///
/// Limits: PREPARSE has no effect, since a queue shows its next kernel when the one before is complete.
class LaxAdapter final : public gpu::JobScheduler {
 public:
  /// Registers are written before cycle 0, and again after a reset.
  LaxAdapter(std::unique_ptr<twin::Twin<lax::Block>> twin, std::vector<RegisterValue> registers);
  ~LaxAdapter() override;

  [[nodiscard]] gpu::DispatchPolicy& dispatch() { return dispatch_; }
  /// Up to date.
  [[nodiscard]] twin::Twin<lax::Block>& twin() { return lax_.twin(); }
  [[nodiscard]] const lax::Outputs& outputs() const { return lax_.out(); }

  [[nodiscard]] const char* block() const override { return lax::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// <scope>.lax: ports and probes of the engine, masks of queues in words of 64 (`pe_vec0`, `pe_vec1`).
  void add_waves(gpu::Waves& waves, const std::string& scope) override { lax_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override;
  /// Updates of keys let nothing proceed: what waits and may go on is offered whatever its key is. What may: a job that
  /// waits for its verdict, one that will be dropped when it is late, and preemption.
  [[nodiscard]] bool inert() const override;
  void idle(gpu::Cycle n) override;
  [[nodiscard]] int window() const override { return LaxControl::kWindow; }
  [[nodiscard]] bool judges() const override { return true; }
  [[nodiscard]] const gpu::JobControl* control() const override { return &control_; }
  const gpu::JobOut& settle(const gpu::JobIn& in) override;
  void clock(const gpu::JobIn& in) override;

 private:
  /// The half that chooses TBs.
  class Dispatch final : public gpu::DispatchPolicy {
   public:
    explicit Dispatch(LaxAdapter& owner) : owner_(owner) {}
    void attach(const gpu::HookSite& /*site*/) override {}
    void reset() override {}
    [[nodiscard]] gpu::Cycle quiet() const override { return gpu::kForever; }
    void idle(gpu::Cycle /*n*/) override {}
    const gpu::DispatchOut& settle(const gpu::DispatchIn& in) override;
    void clock(const gpu::DispatchIn& in) override;

   private:
    LaxAdapter& owner_;
    gpu::DispatchOut out_;
  };
  /// A kernel with TBs to place.
  struct Item {
    std::uint16_t queue = 0;
    std::uint32_t next = 0, tbs = 0;
  };
  struct Done {
    std::uint16_t queue = 0;
    std::uint8_t kid = 0;
    bool last = false;
  };
  enum class Access : std::uint8_t { kNone, kPlatform, kOwn };

  void set_vectors(const gpu::DispatchIn& in);
  void place(const gpu::DispatchIn& in);
  void present(const gpu::JobIn& in);
  void present_access(const gpu::JobIn& in);
  void present_events(const gpu::JobIn& in);
  void note(const gpu::JobIn& in);
  void edge();
  [[nodiscard]] bool may_drop() const;

  LazyTwin<lax::Block> lax_;
  std::vector<RegisterValue> registers_;
  LaxControl control_;
  unsigned groups_;
  std::unique_ptr<LaxStatistics> statistics_;
  gpu::JobOut job_out_;
  Dispatch dispatch_;

  std::vector<Item> items_;            // [entry]
  std::vector<std::uint16_t> active_;  // entries with TBs to place
  std::vector<int> entry_of_;          // [queue] its entry in active_, -1 = none
  gpu::QueueMask live_;                // queues whose job the engine has admitted
  gpu::QueueMask own_;                 // of them those announced by the front end
  gpu::QueueMask asked_own_;           // announced by the front end, not judged
  gpu::QueueMask asked_;               // announced, not judged
  gpu::QueueMask dated_;               // the job has a deadline
  gpu::QueueMask started_;             // the kernel under way has placed a TB
  std::deque<Done> unplaced_;          // kernels that completed without a TB
  std::deque<std::uint16_t> acks_;     // queues whose own job ended
  Access access_ = Access::kNone;
  gpu::Cycle next_ = 0;  // cycle of the next edge
  bool taken_ = false;   // the TB offered was placed
  std::uint32_t ctrl_ = 0;
};

}  // namespace castor::hookup
