#include "castor/hookup/saws/saws_adapter.h"

#include <cstring>
#include <string>
#include <utility>

#include "castor/base/error.h"

namespace castor::hookup {

SawsAdapter::SawsAdapter(std::unique_ptr<twin::Twin<saws::Block>> twin, Settings settings)
    : twin_(std::move(twin)), settings_(settings) {
  std::memset(out_.pick, -1, sizeof out_.pick);
  std::memset(none_.pick, -1, sizeof none_.pick);
}

void SawsAdapter::attach(const gpu::HookSite& site) {
  site_ = site;
  statistics_ = std::make_unique<SawsStatistics>(*site.statistics);
}

void SawsAdapter::detach() { statistics_.reset(); }

void SawsAdapter::reset() {
  twin_->reset();
  in_ = {};
  clocked_ = {};
  fresh_ = false;
  owed_ = 0;
  twin_quiet_ = twin_->quiet();
  used_ = 0;
  cta_of_context_.fill(kNone);
}

void SawsAdapter::catch_up() {
  if (owed_ != 0) twin_->idle(std::exchange(owed_, 0));
}

// The twin's outputs for these ready warps.
void SawsAdapter::look(saws::WarpBits ready) {
  catch_up();
  in_.w_ready = ready;
  shown_ = twin_->settle(in_);
  CASTOR_ASSERT(shown_.err == 0, "SM %u breaks the rules of the block saws: err %u", site_.sm, unsigned{shown_.err});
  fresh_ = true;
  const unsigned schedulers = twin_->params().NumSched;
  out_.barrier_ok = static_cast<std::uint8_t>(shown_.wev_ready | ~((1U << schedulers) - 1));
  for (unsigned s = 0; s < schedulers; ++s) {
    const bool valid = (shown_.issue_valid >> s & 1) != 0;
    out_.pick[s][0] = static_cast<std::int8_t>(valid ? shown_.issue_idx[s] * schedulers + s : -1);
  }
}

// Before it is known which warps are ready, and when none is, only barrier_ok counts, which does not depend on them. A
// queue without room is one with messages, and while one waits the twin is not quiet (docs/blocks/saws.md, "The SM's
// part"). If it is not, the first look behind an edge is at the warps that were ready in the last cycle, which often
// are so again.
const gpu::IssueOut& SawsAdapter::settle(const gpu::IssueIn& in) {
  if (in.ready == 0 && twin_quiet_ != 0) {
    none_.barrier_ok = 0xff;
    return none_;
  }
  const saws::WarpBits ready(in.ready);
  if (!fresh_) {
    look(in.ready == 0 ? in_.w_ready : ready);
  } else if (in.ready != 0 && in_.w_ready != ready) {
    look(ready);
  }
  if (in.ready != 0) return out_;
  none_.barrier_ok = out_.barrier_ok;
  return none_;
}

std::uint8_t SawsAdapter::take_cta(unsigned context) {
  const unsigned cta = static_cast<unsigned>(__builtin_ctz(~used_));
  CASTOR_ASSERT(~used_ != 0 && cta < twin_->params().MaxCta, "SM %u holds more thread blocks than the block saws",
                site_.sm);
  used_ |= 1U << cta;
  cta_of_context_[context] = static_cast<std::uint8_t>(cta);
  return cta_of_context_[context];
}

void SawsAdapter::clock(const gpu::IssueIn& in) {
  const unsigned schedulers = twin_->params().NumSched;
  const saws::WarpBits ready(in.ready);
  const bool rests = !in.kernel_start && !in.start && !in.free && in.arrive.empty() && in.exit.empty() &&
                     in.unblock == 0 && in.ack[0] == 0 && ready == clocked_;
  if (rests && owed_ < twin_quiet_) {
    ++owed_;
    return;
  }
  catch_up();
  // The outputs of a cycle are those of the inputs with which it ends.
  if (fresh_ && in_.w_ready != ready) look(ready);
  in_.w_ready = ready;
  // Not asked in this tick: it is quiet, and there is nothing to count but barriers.
  if (statistics_ && fresh_) statistics_->cycle(shown_, twin_->params());
  if (statistics_ && in.unblock != 0) statistics_->compare_orders(twin_->probes(), twin_->params());
  if (in.kernel_start) {
    in_.kernel_start = 1;
    in_.mode_sel = settings_.mode_sel;
    in_.toggle_en = settings_.toggle ? 1 : 0;
  }
  if (in.start) {
    in_.cta_valid = 1;
    in_.cta_id = take_cta(in.start->tb);
    in_.cta_wmask = saws::WarpBits(in.start->warps);
  } else if (in.free) {
    in_.cta_valid = in_.cta_free = 1;
    in_.cta_id = cta_of_context_[*in.free];
    used_ &= ~(1U << in_.cta_id);
  }
  const auto report = [&](unsigned scheduler, unsigned warp, bool exit) {
    in_.wev_valid |= static_cast<std::uint8_t>(1U << scheduler);
    if (exit) in_.wev_exit |= static_cast<std::uint8_t>(1U << scheduler);
    in_.wev_idx[scheduler] = static_cast<std::uint8_t>(warp / schedulers);
  };
  for (const gpu::BarrierArrival& arrival : in.arrive) report(arrival.scheduler, arrival.warp, false);
  for (const gpu::WarpExit& exit : in.exit) report(exit.scheduler, exit.warp, true);
  in_.unblock = saws::WarpBits(in.unblock);
  in_.issue_ack = in.ack[0];
  twin_->clock(in_);
  in_ = {};
  in_.w_ready = clocked_ = ready;
  fresh_ = false;
  twin_quiet_ = twin_->quiet();
}

}  // namespace castor::hookup
