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

/// The fetch filter of one SM as the block darsie (docs/gpu/fetch-filter.md, "FetchFilter"). The block hears of TBs on
/// which it acts, and of nothing else; an SM without one costs nothing.
///
/// | port of the block | the SM's |
/// |---|---|
/// | lnch_*, retire_* | `start` with `enable`; `retire`, a tick behind the TB's end, perhaps with the next start |
/// | f_elig, f_pc | `eligible` and `pc` of warps that live |
/// | d_* | `decode`; what names registers beyond the block's is no instruction to skip |
/// | i_* | S5: what may issue, for its sources; at the edge: what has issued |
/// | wb_*, oc_idle, ev_*, br, leave, bar, exit | `written` and the events, at the edge |
/// | f_hold, f_skip, d_act, d_tag, i_srow | `hold`, `skip`, `act`, `tag`, `rename` |
/// | cp_* | `copy` and `copy_ack`; a copy for a warp that has ended meanwhile is dropped |
///
/// Timing: settles in S0 (hold and copy, functions of its state) and in S5, one edge per tick in S9. The twin is
/// clocked lazily (lazy_twin.h).
///
/// Errors: whatever breaks the rules of the block is an assertion, but the exit of a warp that is held: a kernel that
/// is stopped ends its warps wherever they are.
class DarsieAdapter final : public gpu::FetchFilter {
 public:
  /// `twin` is in reset.
  explicit DarsieAdapter(std::unique_ptr<twin::Twin<darsie::Block>> twin);

  /// Up to date.
  [[nodiscard]] twin::Twin<darsie::Block>& twin() { return darsie_.twin(); }

  [[nodiscard]] const char* block() const override { return darsie::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// <scope>.darsie: ports and probes of the block.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { darsie_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  /// 0 behind an edge that the block has seen, which may have changed what it holds.
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
  /// A copy is asked for by a warp that has ended.
  [[nodiscard]] bool copies_for_nobody(const darsie::Outputs& out) const;

  LazyTwin<darsie::Block> darsie_;
  const darsie::Counters* counters_;
  const darsie::WarpMask all_warps_;
  const darsie::U64 pc_mask_;
  const unsigned registers_;  // that a port can name
  gpu::HookSite site_;
  std::unique_ptr<DarsieStatistics> statistics_;
  gpu::FetchOut out_;          // what the block says
  gpu::FetchOut none_;         // the same without a TB
  darsie::TbMask tbs_ = 0;     // on which it acts
  darsie::WarpMask live_ = 0;  // their warps that have not ended
  bool rests_ = true;          // the last edge is owed to the twin
  darsie::U8 tolerated_ = 0;   // bits of err
};

}  // namespace castor::hookup
