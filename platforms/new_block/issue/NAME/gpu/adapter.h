#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "@NAME@/gpu/plugged.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/hookup/block_type.h"

namespace blocks::@NAME@ {

/// The block as warp schedulers of an SM: lane s * issue.warps + j is offered the j-th pick of scheduler s that the
/// machine's own policy (gto, lrr or oldest) makes.
///
/// Timing: settles in S0 and S5, one edge per tick in S9.
class Adapter final : public Plugged<castor::gpu::IssuePolicyHook> {
 public:
  Adapter(std::unique_ptr<twin::Twin<Block>> twin, const castor::gpu::Machine& machine)
      : Plugged(std::move(twin)),
        policy_(machine.issue.policy),
        schedulers_(machine.schedulers),
        warps_(machine.issue.warps),
        by_class_(machine.issue.warps == castor::gpu::kMaxPicks) {
    std::memset(out_.pick, -1, sizeof out_.pick);
  }

  void reset() override {
    Plugged::reset();
    for (auto& of_scheduler : greedy_) of_scheduler.fill(-1);
    last_.fill(kLastSlot);
  }

  const castor::gpu::IssueOut& settle(const castor::gpu::IssueIn& in) override {
    for (unsigned s = 0; s < schedulers_; ++s) offer_picks(s, in);
    block_.look();
    for (unsigned s = 0; s < schedulers_; ++s) {
      for (unsigned j = 0; j < warps_; ++j) {
        out_.pick[s][j] = static_cast<std::int8_t>(picks(lane(s, j)) ? static_cast<int>(pick(lane(s, j))) : -1);
      }
    }
    return out_;
  }

  void clock(const castor::gpu::IssueIn& in) override {
    U32 taken = 0;
    for (unsigned s = 0; s < schedulers_; ++s) {
      for (unsigned j = 0; j < warps_; ++j) {
        if ((in.ack[j] >> s & 1) == 0) continue;
        taken |= U32{1} << lane(s, j);
        greedy_[s][j] = out_.pick[s][j];
        last_[s] = static_cast<unsigned>(out_.pick[s][j]);
      }
    }
    edge(taken);
    if (in.start) of_tb_[in.start->tb] = in.start->warps;
    if (in.free) forget(of_tb_[*in.free]);
  }

 private:
  using WarpMask = castor::gpu::WarpMask;
  static constexpr unsigned kLastSlot = 63;

  [[nodiscard]] unsigned lane(unsigned scheduler, unsigned j) const { return scheduler * warps_ + j; }

  void offer_picks(unsigned s, const castor::gpu::IssueIn& in) {
    WarpMask mine = 0;
    for (unsigned w = s; w <= kLastSlot; w += schedulers_) mine |= in.ready & WarpMask{1} << w;
    unsigned last = last_[s];
    for (unsigned j = 0; j < warps_; ++j) {
      const WarpMask set = by_class_ ? mine & in.issue_class[j] : mine;
      const unsigned w = set != 0 ? choose(in, s, j, set, last) : 0;
      offer(lane(s, j), set != 0, w);
      if (set == 0) continue;
      mine &= ~(WarpMask{1} << w);
      if (!by_class_) last = w;
    }
  }

  [[nodiscard]] unsigned choose(const castor::gpu::IssueIn& in, unsigned s, unsigned j, WarpMask set,
                                unsigned last) const {
    if (policy_ == castor::gpu::IssuePolicy::kLrr) {
      const WarpMask behind = last == kLastSlot ? 0 : set & (~WarpMask{0} << (last + 1));
      return static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : set));
    }
    const int greedy = greedy_[s][j];
    if (policy_ == castor::gpu::IssuePolicy::kGto && greedy >= 0 && (set >> greedy & 1) != 0) {
      return static_cast<unsigned>(greedy);
    }
    auto oldest = static_cast<unsigned>(__builtin_ctzll(set));
    for (WarpMask left = set; left != 0; left &= left - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctzll(left));
      if (in.age[w] < in.age[oldest]) oldest = w;
    }
    return oldest;
  }

  // A new thread block in these slots inherits nothing.
  void forget(WarpMask warps) {
    for (auto& of_scheduler : greedy_) {
      for (int& w : of_scheduler) {
        if (w >= 0 && (warps >> w & 1) != 0) w = -1;
      }
    }
  }

  const castor::gpu::IssuePolicy policy_;
  const unsigned schedulers_, warps_;
  const bool by_class_;  ///< each pick is of an issue class of its own
  std::array<std::array<int, castor::gpu::kMaxPicks>, castor::gpu::kMaxSchedulers> greedy_{};  ///< -1 = none
  std::array<unsigned, castor::gpu::kMaxSchedulers> last_{};  ///< warp that issued last
  std::array<WarpMask, 256> of_tb_{};                         ///< warps by TB context
  castor::gpu::IssueOut out_;
};

/// One adapter for each SM.
inline std::shared_ptr<void> plug_adapters(const castor::hookup::PlugSite& site, castor::gpu::Hooks& hooks) {
  const castor::gpu::Machine& machine = site.machine;
  using castor::gpu::IssuePolicy;
  const IssuePolicy policy = machine.issue.policy;
  if (policy != IssuePolicy::kGto && policy != IssuePolicy::kLrr && policy != IssuePolicy::kOldest) {
    refuse("issue.policy is neither gto nor lrr nor oldest", "one of them, or another choice in the adapter");
  }
  Params params;
  params.NumLanes = machine.schedulers * machine.issue.warps;
  params.Width = std::max(twin::log2_ceil(machine.sm.warps), 1U);
  auto adapters = std::make_shared<std::vector<std::unique_ptr<Adapter>>>();
  for (unsigned sm = 0; sm < machine.chip.sms; ++sm) {
    adapters->push_back(
        std::make_unique<Adapter>(castor::hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm)), machine));
    hooks.issue.push_back(adapters->back().get());
  }
  return adapters;
}

}  // namespace blocks::@NAME@
