// Hooks of an SM: what they are told and when (docs/gpu.md, "Hooks").

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_hook_state.h"

namespace castor::gpu {

void Sm::attach(Hook* hook, const char* name) {
  if (hook == nullptr) return;
  HookSite site;
  site.machine = &machine_;
  site.sm = index();
  site.statistics = &hook_groups_.emplace_back(group_, name);
  site.error = [this, name](unsigned code, std::uint64_t info) { hook_error(name, code, info); };
  hook->attach(site);
  hook->reset();
}

void Sm::hook_error(const char* name, unsigned code, std::uint64_t info) {
  // A block sees the thread blocks of its SM; the one in the lowest context names the kernel that stops.
  if (resident_ == 0) return;
  const TbContext& tb = contexts_[static_cast<unsigned>(__builtin_ctzll(resident_))];
  char text[160];
  std::snprintf(text, sizeof text, "%s of SM %u reports error 0x%x, information 0x%" PRIx64, name, index(), code, info);
  Fault fault;
  fault.kind = FaultKind::kIllegalInstruction;
  fault.kernel = tb.kernel->program->kernel;
  fault.block = tb.index;
  fault.message = std::string(text) + "\n  in kernel " + fault.kernel;
  report({now_ + 1, tb.kernel, fault});
}

void Sm::early_outputs() {
  HookState& state = *hook_state_;
  if (hooks_.fetch_filter != nullptr) {
    state.fetch = {};
    state.fetch.now = now_;
    state.hold = hooks_.fetch_filter->settle(state.fetch).hold;
  }
  if (hooks_.issue != nullptr) {
    state.issue = {};
    state.issue.now = now_;
    state.issue.tb = state.tb_of.data();
    state.issue.age = state.age_of.data();
    state.barrier_ok = hooks_.issue->settle(state.issue).barrier_ok;
  }
  if (hooks_.sync != nullptr) {
    state.agent = {};
    state.agent.now = now_;
    const WarpMask before = std::exchange(agent_stall_, hooks_.sync->settle(state.agent).stall);
    if (before != agent_stall_) busy_ = true;
  }
}

WarpMask Sm::permitted(WarpMask ready) const {
  const std::uint8_t ok = hook_state_->barrier_ok;
  for (unsigned s = 0; s < schedulers_; ++s) {
    if ((ok >> s & 1) == 0) ready &= ~(meets_ & scheduler_mask_[s]);
  }
  return ready;
}

void Sm::settle_issue(WarpMask ready, unsigned acting) {
  CASTOR_ASSERT_AT(now_, schedulers_ <= kMaxSchedulers, "issue policies see %u schedulers at most", kMaxSchedulers);
  HookState& state = *hook_state_;
  WarpMask mine = 0;
  for (unsigned s = 0; s < schedulers_; ++s) {
    if ((acting >> s & 1) != 0) mine |= scheduler_mask_[s];
  }
  IssueIn& in = state.issue;
  in.valid = valid_;
  in.ready = ready & mine;
  in.long_wait = valid_ & ~clear_ & waits_load_;
  in.start = state.tb_start;
  in.kernel_start = state.kernel_start;
  const IssueOut& out = hooks_.issue->settle(in);
  for (unsigned s = 0; s < schedulers_; ++s) {
    for (unsigned j = 0; j < machine_.issue.warps; ++j) {
      const auto w = static_cast<int>(out.pick[s][j]);
      if (w < 0) continue;
      CASTOR_ASSERT_AT(now_, (in.ready & scheduler_mask_[s] & bit(static_cast<unsigned>(w))) != 0,
                       "issue policy of SM %u picks warp %d for scheduler %u, which is not ready", index(), w, s);
      picks_[s][j] = static_cast<std::int8_t>(w);
    }
  }
}

void Sm::settle_others() {
  HookState& state = *hook_state_;
  if (hooks_.fetch_filter != nullptr) {
    FetchIn& in = state.fetch;
    in.now = now_;
    in.eligible = fetch_eligible();
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      state.pc_of[w] = contexts_[warps_[w].context].kernel != nullptr
                           ? contexts_[warps_[w].context].kernel->code_base + std::uint64_t{8} * warps_[w].pc
                           : 0;
    }
    in.pc = state.pc_of.data();
    in.start = state.tb_start;
    const FetchOut& out = hooks_.fetch_filter->settle(in);
    state.skipped = out.skip;
  }
  if (hooks_.sync != nullptr) {
    state.agent.start = state.tb_start;
    state.agent.outstanding = static_cast<std::uint16_t>(memory_side_.outstanding());
    (void)hooks_.sync->settle(state.agent);
  }
}

void Sm::clock_hooks() {
  HookState& state = *hook_state_;
  const View<WarpExit> exits{exits_.data(), exit_count_};
  if (hooks_.fetch_filter != nullptr) {
    FetchIn& in = state.fetch;
    for (unsigned i = 0; i < exit_count_; ++i) in.exit |= bit(exits_[i].warp);
    in.retire = state.tb_free;
    hooks_.fetch_filter->clock(in);
    for (WarpMask left = state.skipped & live_ & ~valid_ & ~fetch_out_; left != 0; left &= left - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctzll(left));
      step(w);
      busy_ = true;
    }
    state.skipped = 0;
  }
  if (hooks_.issue != nullptr) {
    IssueIn& in = state.issue;
    in.arrive = {blocking_arrivals_.data(), blocking_count_};
    in.exit = exits;
    in.unblock = unblocked_now_;
    in.free = state.tb_free;
    in.ack = static_cast<std::uint8_t>(issued_);
    hooks_.issue->clock(in);
  }
  if (hooks_.sync != nullptr) {
    AgentIn& in = state.agent;
    in.exit = exits;
    // Quiesced: resident, and nothing of the TB is under way.
    for (TbMask left = resident_; left != 0; left &= left - 1) {
      const auto c = static_cast<unsigned>(__builtin_ctzll(left));
      if ((contexts_[c].warps & memory_busy_) == 0) in.quiesced |= TbMask{1} << c;
    }
    hooks_.sync->clock(in);
  }
  if (state.late_start) busy_ = true;
}

void Sm::idle_hooks(Cycle n) {
  if (hooks_.fetch_filter != nullptr) hooks_.fetch_filter->idle(n);
  if (hooks_.issue != nullptr) hooks_.issue->idle(n);
  if (hooks_.sync != nullptr) hooks_.sync->idle(n);
}

Cycle Sm::quiet_hooks() const {
  Cycle quiet = kForever;
  if (hooks_.fetch_filter != nullptr) quiet = std::min(quiet, hooks_.fetch_filter->quiet());
  if (hooks_.issue != nullptr) quiet = std::min(quiet, hooks_.issue->quiet());
  if (hooks_.sync != nullptr) quiet = std::min(quiet, hooks_.sync->quiet());
  return quiet >= kForever - now_ - 1 ? kForever : now_ + 1 + quiet;
}

}  // namespace castor::gpu
