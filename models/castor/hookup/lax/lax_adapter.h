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

/// The laxity engine on a GPU (docs/gpu/jobs.md, "Laxity engine"). One twin serves two hooks: the job scheduler (this
/// object) and the dispatch policy (`dispatch()`). Both must be plugged in.
///
/// | port of the engine | the GPU's |
/// |---|---|
/// | js_*, wl_* | beats of announcements |
/// | adm_* | verdicts; always accepted |
/// | pe_vec, psel_* | queues eligible for a parse lane; pick and grant |
/// | de_vec, df_vec, dsel_* | queues whose next TB fits, or does not; offer of a TB for any SM, and grant |
/// | ks_*, ki_*, wgc_*, kd_* | first TB placed, last TB placed, TB completion drained, kernel complete |
/// | pre_vec | preempted queues |
/// | jd_*, irq, reg_* | end of a job, interrupt, accesses to window 0 |
///
/// Timing: the twin settles in F5 (placement) and F8 (parse) and has one edge per cycle, in the clock of the job
/// scheduler. Time, events and vectors at the engine's inputs belong to the same cycle. It is clocked lazily
/// (lazy_twin.h).
///
/// When a job ends, the adapter acknowledges it if the front end had announced it; the host acknowledges its own jobs.
/// Kernels of queues whose job the engine does not know (the job was dropped) are hidden from the engine. A kernel that
/// completes without having placed a TB starts, issues and ends in one cycle for the engine.
///
/// Limits: PREPARSE has no effect, since a queue shows its next kernel only after the previous one is complete.
class LaxAdapter final : public gpu::JobScheduler {
 public:
  /// `registers` are written before cycle 0, and again after a reset.
  LaxAdapter(std::unique_ptr<twin::Twin<lax::Block>> twin, std::vector<RegisterValue> registers);
  ~LaxAdapter() override;

  [[nodiscard]] gpu::DispatchPolicy& dispatch() { return dispatch_; }
  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<lax::Block>& twin() { return lax_.twin(); }
  [[nodiscard]] const lax::Outputs& outputs() const { return lax_.out(); }

  [[nodiscard]] const char* block() const override { return lax::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the engine as <scope>.lax; masks of queues are split into words of 64 bits (`pe_vec0`,
  /// `pe_vec1`).
  void add_waves(gpu::Waves& waves, const std::string& scope) override { lax_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override;
  /// An update of priorities alone enables no waiting kernel or TB, because every eligible kernel or TB is offered,
  /// whatever its priority. Three things may cause progress: a job that awaits its verdict, a job that may be dropped
  /// when late, and preemption.
  [[nodiscard]] bool inert() const override;
  void idle(gpu::Cycle n) override;
  [[nodiscard]] int window() const override { return LaxControl::kWindow; }
  [[nodiscard]] bool judges() const override { return true; }
  [[nodiscard]] const gpu::JobControl* control() const override { return &control_; }
  const gpu::JobOut& settle(const gpu::JobIn& in) override;
  void clock(const gpu::JobIn& in) override;

 private:
  /// The dispatch policy: the half of the engine that chooses TBs.
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
  /// A kernel with TBs still to place.
  struct Item {
    std::uint16_t queue = 0;
    std::uint32_t next = 0, tbs = 0;
  };
  /// A kernel that completed without having placed a TB.
  struct Done {
    std::uint16_t queue = 0;
    std::uint8_t kid = 0;
    bool last = false;
  };
  /// Origin of the register access in progress: none, an access of the platform, or an acknowledge of the adapter.
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

  std::vector<Item> items_;            // kernel of each kernel table entry
  std::vector<std::uint16_t> active_;  // kernel table entries with TBs to place
  std::vector<int> entry_of_;          // kernel table entry in active_ of each queue, -1 = none
  gpu::QueueMask live_;                // queues whose job the engine has admitted and that has not ended
  gpu::QueueMask own_;                 // live queues whose job the front end has announced
  // queues with a job that the front end announced itself and that awaits its verdict
  gpu::QueueMask asked_own_;
  gpu::QueueMask asked_;            // queues whose announced job awaits its verdict
  gpu::QueueMask dated_;            // queues whose job has a deadline
  gpu::QueueMask started_;          // queues whose current kernel has placed a TB
  std::deque<Done> unplaced_;       // kernels that completed without having placed a TB, not yet reported
  std::deque<std::uint16_t> acks_;  // queues whose ended job the adapter must acknowledge
  Access access_ = Access::kNone;
  gpu::Cycle next_ = 0;  // cycle of the next clock edge
  bool taken_ = false;   // the offered TB was placed in this cycle
  std::uint32_t ctrl_ = 0;
};

}  // namespace castor::hookup
