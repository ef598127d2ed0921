#include "castor/gpu/sm/hook_port.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {

HookPort::HookPort(const Machine& machine, unsigned sm, const SmHooks& hooks, const SmClock& clock, FaultPort& faults,
                   base::StatisticGroup& statistics)
    : hooks_(hooks),
      any_(hooks.fetch_filter != nullptr || hooks.issue != nullptr),
      sm_(sm),
      clock_(clock),
      schedulers_(machine) {
  attach(hooks_.fetch_filter, "fetch_filter", machine, faults, statistics);
  attach(hooks_.issue, "issue_policy", machine, faults, statistics);
}

HookPort::~HookPort() {
  if (hooks_.fetch_filter != nullptr) hooks_.fetch_filter->detach();
  if (hooks_.issue != nullptr) hooks_.issue->detach();
}

void HookPort::attach(Hook* hook, const char* name, const Machine& machine, FaultPort& faults,
                      base::StatisticGroup& statistics) {
  if (hook == nullptr) return;
  CASTOR_ASSERT(schedulers_.count <= kMaxSchedulers, "hooks see %u schedulers at most", kMaxSchedulers);
  HookSite site;
  site.machine = &machine;
  site.sm = sm_;
  if (hook == hooks_.fetch_filter) site.terms = &terms_;
  site.statistics = &groups_.emplace_back(statistics, name);
  site.error = [&faults, text = std::string(name)](unsigned code, std::uint64_t info) {
    faults.report_hook(text.c_str(), code, info);
  };
  hook->attach(site);
  hook->reset();
}

void HookPort::started(const TbStartEvent& event, bool first) {
  kernel_start_ = first;
  (first ? late_start_ : start_) = event;
  for (WarpMask left = event.warps; left != 0; left &= left - 1) {
    tb_of_[lowest(left)] = event.tb;
    age_of_[lowest(left)] = static_cast<std::uint32_t>(clock_.now());
  }
}

void HookPort::settle_early() {
  if (hooks_.issue == nullptr) return;
  in_ = {};
  in_.now = clock_.now();
  in_.tb = tb_of_.data();
  in_.age = age_of_.data();
  barrier_ok_ = hooks_.issue->settle(in_).barrier_ok;
}

void HookPort::settle(const Offer& offer, Picks& picks) {
  in_.valid = offer.valid;
  in_.ready = offer.offered;
  in_.long_wait = offer.long_wait;
  in_.start = start_;
  in_.kernel_start = kernel_start_;
  in_.issue_class = offer.issue_class;
  const IssueOut& out = hooks_.issue->settle(in_);
  CASTOR_HOOK_CHECK(*hooks_.issue, clock_.now(), out.barrier_ok == barrier_ok_,
                    "issue_policy of SM %u changes barrier_ok after settle", sm_);
  picked_ = {};
  if (offer.ready == 0) {
    check_none(out);
  } else {
    take_picks(out, offer.offered, picks);
  }
}

void HookPort::check_none(const IssueOut& out) const {
  int none = -1;  // stays negative as long as all are
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) none &= out.pick[s][j];
  }
  CASTOR_HOOK_CHECK(*hooks_.issue, clock_.now(), none < 0, "issue_policy of SM %u picks a warp where none is ready",
                    sm_);
}

void HookPort::take_picks(const IssueOut& out, WarpMask offered, Picks& picks) {
  WarpMask left = offered;  // a warp is picked once
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) {
      if (out.pick[s][j] < 0) continue;
      const unsigned w = static_cast<std::uint8_t>(out.pick[s][j]);
      CASTOR_HOOK_CHECK(*hooks_.issue, clock_.now(), (left & schedulers_.warps[s] & warp_bit(w)) != 0,
                        "issue_policy of SM %u picks warp %u for scheduler %u, which is not ready", sm_, w, s);
      CASTOR_HOOK_CHECK(*hooks_.issue, clock_.now(), !schedulers_.by_class() || (in_.issue_class[j] & warp_bit(w)) != 0,
                        "issue_policy of SM %u picks warp %u for issue class %u", sm_, w, j);
      left &= ~warp_bit(w);
      picks[s][j] = out.pick[s][j];
      picked_[j] |= static_cast<std::uint8_t>(1U << s);
    }
  }
  picks_ = picks;
}

void HookPort::clock(View<BarrierArrival> arrivals, View<WarpExit> exits, WarpMask unblocked, WarpMask refused) {
  if (hooks_.issue == nullptr) return;
  in_.arrive = arrivals;
  in_.exit = exits;
  in_.unblock = unblocked;
  in_.free = free_;
  // A pick issues in its tick or is refused.
  in_.ack = picked_;
  for (unsigned s = 0; refused != 0 && s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) {
      if ((in_.ack[j] >> s & 1) != 0 && (refused & warp_bit(static_cast<std::uint8_t>(picks_[s][j]))) != 0) {
        in_.ack[j] ^= static_cast<std::uint8_t>(1U << s);
      }
    }
  }
  hooks_.issue->clock(in_);
}

void HookPort::idle(Tick ticks) {
  if (hooks_.fetch_filter != nullptr) hooks_.fetch_filter->idle(ticks);
  if (hooks_.issue != nullptr) hooks_.issue->idle(ticks);
}

Cycle HookPort::wake() const {
  Cycle quiet = kForever;
  if (hooks_.fetch_filter != nullptr) quiet = std::min(quiet, hooks_.fetch_filter->quiet());
  if (hooks_.issue != nullptr) quiet = std::min(quiet, hooks_.issue->quiet());
  return quiet >= kForever - clock_.now() - 1 ? kForever : clock_.now() + 1 + quiet;
}

void HookPort::add_waves(Waves& waves, const std::string& scope) const {
  if (hooks_.fetch_filter != nullptr) hooks_.fetch_filter->add_waves(waves, scope);
  if (hooks_.issue != nullptr) hooks_.issue->add_waves(waves, scope);
}

}  // namespace castor::gpu
