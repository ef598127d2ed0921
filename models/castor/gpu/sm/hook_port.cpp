#include "castor/gpu/sm/hook_port.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/barriers.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

void attach_hook(Hook& hook, const char* name, const SmParts& parts, base::StatisticGroup& statistics,
                 FilterTerms* terms) {
  CASTOR_ASSERT(parts.machine.schedulers <= kMaxSchedulers, "hooks see %u schedulers at most", kMaxSchedulers);
  HookSite site;
  site.machine = &parts.machine;
  site.sm = parts.sm;
  site.terms = terms;
  site.statistics = &statistics;
  site.error = HookError(
      [&faults = parts.faults, text = std::string(name)](unsigned code, std::uint64_t info, Maybe<unsigned> blamed) {
        faults.report_hook(text.c_str(), code, info, blamed);
      });
  hook.attach(site);
  hook.reset();
}

void add_waits(const Hook& hook, const char* name, unsigned sm, WaitGraph& graph) {
  graph.speaks(std::string(name) + " of SM " + std::to_string(sm), hook.block());
  hook.waits(graph);
}

Cycle wake_of(const Hook& hook, const SmClock& clock) {
  const Cycle quiet = hook.quiet();
  return quiet >= kForever - clock.now() - 1 ? kForever : clock.now() + 1 + quiet;
}

HookPort::HookPort(const SmParts& parts)
    : parts_(parts), schedulers_(parts.machine), group_(parts.statistics, "issue_policy"), hook_(*parts.hooks.issue) {
  attach_hook(hook_, "issue_policy", parts, group_);
}

WarpMask HookPort::ready_to_be_picked() const {
  const InstructionBuffer& buffer = parts_.buffer;
  const Scoreboard& scoreboard = parts_.scoreboard;
  return buffer.valid() & ~parts_.blocked.any() & ~(buffer.drains() & scoreboard.memory_busy()) & scoreboard.clear();
}

void HookPort::started(const TbStartEvent& event, bool first) {
  kernel_start_ = first;
  starts_.add(event, first);
  for (WarpMask left = event.warps; left != 0; left &= left - 1) {
    tb_of_[lowest(left)] = event.tb;
    age_of_[lowest(left)] = static_cast<std::uint32_t>(parts_.clock.now());
  }
}

void HookPort::come_back(TbStart& start, const SavedTb& saved) {
  starts_.keep(start.tb.live, start.first);
  for (unsigned i = 0; i < saved.warps.size(); ++i) {
    const SavedWarp& warp = saved.warps[i];
    if (!warp.live || !warp.at_barrier) continue;
    told_.push_back({start.tb.slots[i], start.event.tb, static_cast<std::uint8_t>(warp.barrier.barrier), false});
  }
}

void HookPort::stop(unsigned context) {
  told_.erase(std::remove_if(told_.begin(), told_.end(), [context](const Told& one) { return one.tb == context; }),
              told_.end());
}

void HookPort::freeze(unsigned context) {
  for (WarpMask left = parts_.tbs[context].live; left != 0; left &= left - 1) {
    const auto w = static_cast<std::uint8_t>(lowest(left));
    // An arrival or exit of the warp that is not reported yet is replaced by this exit.
    told_.erase(std::remove_if(told_.begin(), told_.end(), [w](const Told& one) { return one.warp == w; }),
                told_.end());
    told_.push_back({w, static_cast<std::uint8_t>(context), 0, true});
  }
}

bool HookPort::may_leave(unsigned context) const {
  return std::none_of(told_.begin(), told_.end(), [context](const Told& one) { return one.tb == context; });
}

// Adds events of moving thread blocks to those of the tick: one for each scheduler that has no other event and may
// report one. Start events come first.
void HookPort::tell(View<BarrierArrival>& arrivals, View<WarpExit>& exits, WarpMask unblocked) {
  parts_.clock.stir();
  told_.erase(std::remove_if(told_.begin(), told_.end(),
                             [&](const Told& one) { return !one.exits && (unblocked & warp_bit(one.warp)) != 0; }),
              told_.end());
  unsigned busy = ~unsigned{barrier_ok_};
  for (const BarrierArrival& one : arrivals) busy |= 1U << one.scheduler;
  for (const WarpExit& one : exits) busy |= 1U << one.scheduler;
  std::size_t arrived = arrivals.size, exited = exits.size;
  std::copy(arrivals.begin(), arrivals.end(), told_arrivals_.begin());
  std::copy(exits.begin(), exits.end(), told_exits_.begin());
  for (auto one = told_.begin(); one != told_.end();) {
    const auto s = static_cast<std::uint8_t>(one->warp % schedulers_.count);
    const bool starts =
        (starts_.now() && starts_.now()->tb == one->tb) || (starts_.late() && starts_.late()->tb == one->tb);
    if ((busy >> s & 1) != 0 || starts) {
      ++one;
      continue;
    }
    busy |= 1U << s;
    if (one->exits)
      told_exits_[exited++] = {s, one->warp, one->tb};
    else
      told_arrivals_[arrived++] = {s, one->warp, one->tb, one->barrier};
    one = told_.erase(one);
  }
  arrivals = {told_arrivals_.data(), arrived};
  exits = {told_exits_.data(), exited};
}

void HookPort::settle_early(WarpMask /*eligible*/) {
  in_ = {};
  in_.now = parts_.clock.now();
  in_.tb = tb_of_.data();
  in_.age = age_of_.data();
  barrier_ok_ = hook_.settle(in_).barrier_ok;
}

bool HookPort::pick() {
  const InstructionBuffer& buffer = parts_.buffer;
  const Scoreboard& scoreboard = parts_.scoreboard;
  IssueStage& issue = parts_.issue;
  Offer offer;
  offer.valid = buffer.valid();
  offer.long_wait = buffer.valid() & ~scoreboard.clear() & scoreboard.waits_load();
  offer.ready = issue.ready();
  offer.offered = issue.offered();
  if (issue.schedulers().by_class()) offer.issue_class = issue.issue_classes();
  choose(offer, issue.picks());
  return true;
}

void HookPort::choose(const Offer& offer, Picks& picks) {
  in_.valid = offer.valid;
  in_.ready = offer.offered;
  in_.long_wait = offer.long_wait;
  in_.start = starts_.now();
  in_.kernel_start = kernel_start_;
  in_.issue_class = offer.issue_class;
  const IssueOut& out = hook_.settle(in_);
  CASTOR_HOOK_CHECK(hook_, parts_.clock.now(), out.barrier_ok == barrier_ok_,
                    "issue_policy of SM %u changes barrier_ok after settle", parts_.sm);
  picked_ = {};
  if (offer.ready == 0) {
    check_none(out);
  } else {
    take_picks(out, offer.offered, picks);
  }
}

void HookPort::check_none(const IssueOut& out) const {
  int none = -1;  // stays negative as long as all picks are negative
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) none &= out.pick[s][j];
  }
  CASTOR_HOOK_CHECK(hook_, parts_.clock.now(), none < 0, "issue_policy of SM %u picks a warp where none is ready",
                    parts_.sm);
}

void HookPort::take_picks(const IssueOut& out, WarpMask offered, Picks& picks) {
  WarpMask left = offered;  // warps that have not been picked yet
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) {
      if (out.pick[s][j] < 0) continue;
      const unsigned w = static_cast<std::uint8_t>(out.pick[s][j]);
      CASTOR_HOOK_CHECK(hook_, parts_.clock.now(), (left & schedulers_.warps[s] & warp_bit(w)) != 0,
                        "issue_policy of SM %u picks warp %u for scheduler %u, which is not ready", parts_.sm, w, s);
      CASTOR_HOOK_CHECK(hook_, parts_.clock.now(), !schedulers_.by_class() || (in_.issue_class[j] & warp_bit(w)) != 0,
                        "issue_policy of SM %u picks warp %u for issue class %u", parts_.sm, w, j);
      left &= ~warp_bit(w);
      picks[s][j] = out.pick[s][j];
      picked_[j] |= static_cast<std::uint8_t>(1U << s);
    }
  }
  picks_ = picks;
}

void HookPort::clock() {
  const Barriers& barriers = parts_.barriers;
  View<BarrierArrival> arrivals = barriers.arrivals();
  View<WarpExit> exits = barriers.exits();
  if (!told_.empty()) tell(arrivals, exits, barriers.unblocked());
  clock(arrivals, exits, barriers.unblocked(), parts_.issue.refused_warps());
  if (starts_.late()) parts_.clock.stir();
}

void HookPort::clock(View<BarrierArrival> arrivals, View<WarpExit> exits, WarpMask unblocked, WarpMask refused) {
  in_.arrive = arrivals;
  in_.exit = exits;
  in_.unblock = unblocked;
  in_.free = free_;
  // A pick either issues in its tick or is refused.
  in_.ack = picked_;
  for (unsigned s = 0; refused != 0 && s < schedulers_.count; ++s) {
    for (unsigned j = 0; j < schedulers_.picks; ++j) {
      if ((in_.ack[j] >> s & 1) != 0 && (refused & warp_bit(static_cast<std::uint8_t>(picks_[s][j]))) != 0) {
        in_.ack[j] ^= static_cast<std::uint8_t>(1U << s);
      }
    }
  }
  hook_.clock(in_);
}

}  // namespace castor::gpu
