#include "castor/hookup/saws/saws_adapter.h"

#include <cstring>
#include <string>
#include <utility>

#include "castor/base/error.h"

namespace castor::hookup {

SawsAdapter::SawsAdapter(std::unique_ptr<twin::Twin<saws::Block>> twin, Settings settings)
    : saws_(std::move(twin)), settings_(settings) {
  std::memset(out_.pick, -1, sizeof out_.pick);
  std::memset(none_.pick, -1, sizeof none_.pick);
}

void SawsAdapter::attach(const gpu::HookSite& site) {
  site_ = site;
  statistics_ = std::make_unique<SawsStatistics>(*site.statistics);
}

void SawsAdapter::detach() { statistics_.reset(); }

void SawsAdapter::reset() {
  saws_.reset();
  used_ = 0;
  cta_of_context_.fill(kNone);
}

void SawsAdapter::show_picks() {
  const saws::Outputs& out = saws_.out();
  CASTOR_ASSERT(out.err == 0, "SM %u breaks the rules of the block saws: err %u", site_.sm, unsigned{out.err});
  const unsigned schedulers = saws_.params().NumSched;
  out_.barrier_ok = static_cast<std::uint8_t>(out.wev_ready | ~((1U << schedulers) - 1));
  for (unsigned s = 0; s < schedulers; ++s) {
    const bool valid = (out.issue_valid >> s & 1) != 0;
    out_.pick[s][0] = static_cast<std::int8_t>(valid ? out.issue_idx[s] * schedulers + s : -1);
  }
}

// While the ready warps are unknown or none is ready, only the output barrier_ok is used, which does not depend on the
// ready warps. barrier_ok is all ones unless a queue is full. A full queue holds messages, and while a message waits
// the block is not quiescent (docs/blocks/saws.md, "The SM's part"). A non-quiescent block settles with the ready warps
// of the last cycle. The ready warps are often unchanged, which saves a second settle.
const gpu::IssueOut& SawsAdapter::settle(const gpu::IssueIn& in) {
  if (in.ready == 0 && saws_.rests()) {
    none_.barrier_ok = 0xff;
    return none_;
  }
  if (in.ready != 0) saws_.in.w_ready = saws::WarpBits(in.ready);
  if (saws_.look()) show_picks();
  if (in.ready != 0) return out_;
  none_.barrier_ok = out_.barrier_ok;
  return none_;
}

std::uint8_t SawsAdapter::take_cta(unsigned context) {
  const unsigned cta = static_cast<unsigned>(__builtin_ctz(~used_));
  CASTOR_ASSERT(~used_ != 0 && cta < saws_.params().MaxCta, "SM %u holds more thread blocks than the block saws",
                site_.sm);
  used_ |= 1U << cta;
  cta_of_context_[context] = static_cast<std::uint8_t>(cta);
  return cta_of_context_[context];
}

// Drives the events of the tick.
void SawsAdapter::present(const gpu::IssueIn& in) {
  const unsigned schedulers = saws_.params().NumSched;
  saws::Inputs& to = saws_.in;
  to.w_ready = saws::WarpBits(in.ready);
  if (in.kernel_start) {
    to.kernel_start = 1;
    to.mode_sel = settings_.mode_sel;
    to.toggle_en = settings_.toggle ? 1 : 0;
  }
  if (in.start) {
    to.cta_valid = 1;
    to.cta_id = take_cta(in.start->tb);
    to.cta_wmask = saws::WarpBits(in.start->warps);
  } else if (in.free) {
    to.cta_valid = to.cta_free = 1;
    to.cta_id = cta_of_context_[*in.free];
    used_ &= ~(1U << to.cta_id);
  }
  const auto report = [&](unsigned scheduler, unsigned warp, bool exit) {
    to.wev_valid |= static_cast<std::uint8_t>(1U << scheduler);
    if (exit) to.wev_exit |= static_cast<std::uint8_t>(1U << scheduler);
    to.wev_idx[scheduler] = static_cast<std::uint8_t>(warp / schedulers);
  };
  for (const gpu::BarrierArrival& arrival : in.arrive) report(arrival.scheduler, arrival.warp, false);
  for (const gpu::WarpExit& exit : in.exit) report(exit.scheduler, exit.warp, true);
  to.unblock = saws::WarpBits(in.unblock);
  to.issue_ack = in.ack[0];
}

void SawsAdapter::clock(const gpu::IssueIn& in) {
  present(in);
  if (statistics_ && in.unblock != 0) statistics_->compare_orders(saws_.twin().probes(), saws_.params());
  // In a tick without `look` only barriers have to be counted, because the block was quiescent.
  const Edge edge = saws_.edge([this](const saws::Inputs&, const saws::Outputs& out) {
    if (statistics_) statistics_->cycle(out, saws_.params());
  });
  if (edge != Edge::kSkipped) saws_.make_idle();
}

}  // namespace castor::hookup
