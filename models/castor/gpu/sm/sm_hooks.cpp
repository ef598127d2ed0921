// Hooks of an SM: what they are told and when (docs/gpu.md, "Hooks").

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_filter.h"
#include "castor/gpu/sm/sm_hook_state.h"

namespace castor::gpu {

void Sm::attach(Hook* hook, const char* name) {
  if (hook == nullptr) return;
  CASTOR_ASSERT(schedulers_ <= kMaxSchedulers, "hooks see %u schedulers at most", kMaxSchedulers);
  HookSite site;
  site.machine = &machine_;
  site.sm = index();
  site.statistics = &hook_groups_.emplace_back(group_, name);
  site.error = [this, text = std::string(name)](unsigned code, std::uint64_t info) {
    faults_.report_hook(text.c_str(), code, info);
  };
  hook->attach(site);
  hook->reset();
}

void Sm::early_outputs(WarpMask eligible) {
  HookState& state = *hook_state_;
  if (filter_ != nullptr) {
    state.eligible = eligible;
    filter_early();
  }
  if (hooks_.issue != nullptr) {
    state.issue = {};
    state.issue.now = clock_.now();
    state.issue.tb = state.tb_of.data();
    state.issue.age = state.age_of.data();
    state.barrier_ok = hooks_.issue->settle(state.issue).barrier_ok;
  }
}

void Sm::settle_issue(WarpMask ready, WarpMask offered) {
  HookState& state = *hook_state_;
  const Schedulers& schedulers = issue_.schedulers();
  IssueIn& in = state.issue;
  in.valid = buffer_.valid();
  in.ready = offered;
  in.long_wait = buffer_.valid() & ~scoreboard_.clear() & scoreboard_.waits_load();
  in.start = state.tb_start;
  in.kernel_start = state.kernel_start;
  if (schedulers.by_class()) in.issue_class = issue_.issue_classes();
  const IssueOut& out = hooks_.issue->settle(in);
  CASTOR_ASSERT_AT(clock_.now(), out.barrier_ok == state.barrier_ok,
                   "issue_policy of SM %u changes barrier_ok after settle", index());
  state.picks = {};
  if (ready == 0) {
    int none = -1;  // stays negative as long as all are
    for (unsigned s = 0; s < schedulers_; ++s) {
      for (unsigned j = 0; j < machine_.issue.warps; ++j) none &= out.pick[s][j];
    }
    CASTOR_ASSERT_AT(clock_.now(), none < 0, "issue_policy of SM %u picks a warp where none is ready", index());
    return;
  }
  for (unsigned s = 0; s < schedulers_; ++s) {
    for (unsigned j = 0; j < machine_.issue.warps; ++j) {
      if (out.pick[s][j] < 0) continue;
      const unsigned w = static_cast<std::uint8_t>(out.pick[s][j]);
      CASTOR_ASSERT_AT(clock_.now(), (in.ready & schedulers.warps[s] & warp_bit(w)) != 0,
                       "issue_policy of SM %u picks warp %u for scheduler %u, which is not ready", index(), w, s);
      CASTOR_ASSERT_AT(clock_.now(), !schedulers.by_class() || (in.issue_class[j] & warp_bit(w)) != 0,
                       "issue_policy of SM %u picks warp %u for issue class %u", index(), w, j);
      // A warp is picked once.
      in.ready &= ~warp_bit(w);
      issue_.picks()[s][j] = out.pick[s][j];
      state.picks[j] |= static_cast<std::uint8_t>(1U << s);
    }
  }
  in.ready = offered;
  state.picked = issue_.picks();
}

// Which picks really issued: a pick issues in its tick or is refused.
void Sm::acknowledge(IssueIn& in) const {
  const HookState& state = *hook_state_;
  in.ack = state.picks;
  if (issue_.refused_warps() == 0) return;
  for (unsigned s = 0; s < schedulers_; ++s) {
    for (unsigned j = 0; j < machine_.issue.warps; ++j) {
      if ((in.ack[j] >> s & 1) != 0 &&
          (issue_.refused_warps() & warp_bit(static_cast<std::uint8_t>(state.picked[s][j]))) != 0) {
        in.ack[j] ^= static_cast<std::uint8_t>(1U << s);
      }
    }
  }
}

void Sm::clock_hooks() {
  HookState& state = *hook_state_;
  if (filter_ != nullptr) clock_filter();
  if (hooks_.issue != nullptr) {
    IssueIn& in = state.issue;
    in.arrive = barriers_.arrivals();
    in.exit = barriers_.exits();
    in.unblock = barriers_.unblocked();
    in.free = state.tb_free;
    acknowledge(in);
    hooks_.issue->clock(in);
  }
  if (state.late_start) busy_ = true;
}

void Sm::idle_hooks(Cycle n) {
  if (hooks_.fetch_filter != nullptr) hooks_.fetch_filter->idle(n);
  if (hooks_.issue != nullptr) hooks_.issue->idle(n);
}

Cycle Sm::quiet_hooks() const {
  Cycle quiet = kForever;
  if (hooks_.fetch_filter != nullptr) quiet = std::min(quiet, hooks_.fetch_filter->quiet());
  if (hooks_.issue != nullptr) quiet = std::min(quiet, hooks_.issue->quiet());
  return quiet >= kForever - clock_.now() - 1 ? kForever : clock_.now() + 1 + quiet;
}

}  // namespace castor::gpu
