#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "castor/darsie/ports.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/hookup/darsie/counted_twin.h"
#include "castor/hookup/darsie/darsie_statistics.h"
#include "castor/hookup/lazy_twin.h"

namespace castor::hookup {

/// The fetch filter of one SM, implemented by the block darsie (docs/gpu/fetch-filter.md, "FetchFilter"). Only TBs with
/// enabled skipping are reported to the block. While an SM has no such TB, the block is not clocked.
///
/// | port of the block | the SM's |
/// |---|---|
/// | lnch_*, retire_* | `start` with `enable`; `retire`, one tick after the TB's end, perhaps with the next start |
/// | f_elig, f_pc | `eligible` and `pc` of live warps |
/// | d_* | `decode`; an instruction with registers beyond the block's is not marked as skippable |
/// | i_* | S5 (issue): candidates, for their sources; at the edge: issued instructions |
/// | wb_*, oc_idle, ev_*, br, leave, bar, exit | `written` and the events, at the edge |
/// | f_hold, f_skip, d_act, d_tag, i_srow | `hold`, `skip`, `act`, `tag`, `rename` |
/// | cp_* | `copy` and `copy_ack`; a copy for a warp that has ended meanwhile is dropped |
///
/// Timing: settles in S0 (fetch check: hold and copy, which are functions of state) and in S5 (issue), one clock edge
/// per tick in S9. The twin is clocked lazily (lazy_twin.h).
///
/// Errors: a violation of the block's rules is an assertion, except for the exit of a held warp: when a kernel is
/// stopped, its warps end in any state.
class DarsieAdapter final : public gpu::FetchFilter {
 public:
  /// `twin` must be in reset.
  explicit DarsieAdapter(std::unique_ptr<twin::Twin<darsie::Block>> twin);

  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<darsie::Block>& twin() { return darsie_.twin(); }

  [[nodiscard]] const char* block() const override { return darsie::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.darsie.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { darsie_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  /// Returns 0 after an edge that the twin executed, since the edge may have changed the held warps.
  [[nodiscard]] gpu::Cycle quiet() const override;
  void idle(gpu::Cycle n) override;
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  void clock(const gpu::FetchIn& in) override;

 private:
  explicit DarsieAdapter(Counted counted);

  void present_fetch(const gpu::FetchIn& in);
  void present_decode(const gpu::DecodeGroup& group);
  void present_issue(gpu::View<gpu::IssueSlot> issued);
  void present_events(const gpu::FetchIn& in);
  void present_launch(const gpu::TbStartEvent& start);
  void show();
  void show_registered(const darsie::Outputs& out);
  void show_rows(gpu::View<gpu::IssueSlot> issued);
  [[nodiscard]] bool starts(const gpu::FetchIn& in) const { return in.start && in.start->enable; }
  /// Returns whether the block requests a copy for a warp that has ended.
  [[nodiscard]] bool copies_for_nobody(const darsie::Outputs& out) const;

  LazyTwin<darsie::Block> darsie_;
  const darsie::Counters* counters_;
  const darsie::WarpMask all_warps_;
  const darsie::U64 pc_mask_;
  const unsigned registers_;  // number of registers that a port can name
  gpu::HookSite site_;
  std::unique_ptr<DarsieStatistics> statistics_;
  gpu::FetchOut out_;          // outputs of the block for the SM
  gpu::FetchOut none_;         // outputs while the SM has no TB with skipping
  darsie::TbMask tbs_ = 0;     // TBs with skipping
  darsie::WarpMask live_ = 0;  // live warps of these TBs
  bool rests_ = true;          // the last edge was skipped by the lazy twin
  darsie::U8 tolerated_ = 0;   // bits of `err` that are tolerated
};

}  // namespace castor::hookup
