#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/occupancy.h"
#include "castor/gpu/replay/replay_sm.h"

namespace castor::gpu {

/// Everything that happened to one TB.
struct TbHistory {
  unsigned launch = 0, sm = 0, context = 0;
  std::uint64_t gid = 0;
  Cycle placed = 0, wire = 0;
  friend bool operator==(const TbHistory& a, const TbHistory& b) {
    return std::tie(a.launch, a.sm, a.context, a.gid, a.placed, a.wire) ==
           std::tie(b.launch, b.sm, b.context, b.gid, b.placed, b.wire);
  }
};

struct ReplayRun {
  std::vector<TbHistory> tbs;  ///< in the order of placement
  std::vector<Cycle> drained;  ///< cycles in which a completion was taken, with its SM below
  std::vector<unsigned> drained_sm;
  std::vector<std::vector<std::uint64_t>>
      pulse;  ///< [sm] sums of lanes, misses, stall, outstanding, as a governor reads them
  std::uint64_t statistics = 0;
  std::uint64_t ticks = 0;  ///< calls of ReplaySm::tick
  Cycle cycles = 0;
};

struct ReplayLaunch {
  std::string kernel;
  unsigned tbs = 0;
  Cycle at = 0;  ///< earliest cycle of the placement
};

/// A minimal front end. It places the launches' TBs in order, one per cycle, on the next SM with free resources. It
/// drains one completion per cycle, except in the cycles for which `stall` returns true.
class ReplayBench final : public Unit {
 public:
  struct Options {
    bool every_cycle = false;
    std::uint64_t shuffle = 0;  ///< seed of the order of ticks; 0 = ascending
    unsigned stall = 0;         ///< about every stall-th cycle nothing is drained; 0 = never
    Cycle limit = 10'000'000;
  };

  ReplayBench(const Machine& machine, const ReplayFile& file, const std::string& name)
      : machine_(machine), file_(file), clocks_(machine, file), statistics_("gpu") {
    for (unsigned i = 0; i < machine.chip.sms; ++i) {
      sms_.push_back(
          std::make_unique<ReplaySm>((name + std::to_string(i)).c_str(), i, machine, file, clocks_, statistics_));
      sms_.back()->set_front_end(*this);
      if (file.has_pulses()) sms_.back()->read_pulses(true, 0);
    }
    room_.resize(machine.chip.sms);
    drain_rr_ = place_rr_ = machine.chip.sms - 1;
  }

  std::vector<std::unique_ptr<ReplaySm>>& sms() { return sms_; }
  VirtualClocks& clocks() { return clocks_; }
  KernelContext& context(unsigned launch) { return *contexts_[launch]; }

  KernelContext& add(const ReplayLaunch& launch) {
    const ReplayType& type = file_.type(launch.kernel);
    auto context = std::make_unique<KernelContext>();
    context->program = type.program.get();
    context->ticket = contexts_.size() + 1;
    context->grid = {launch.tbs, 1, 1};
    context->block = {type.threads, 1, 1};
    const Occupancy need = occupancy(machine_, {type.threads, type.registers, type.shared});
    context->need.warps = static_cast<std::uint16_t>(need.warps_per_tb);
    context->need.threads = static_cast<std::uint16_t>(need.warps_per_tb * machine_.sm.lanes);
    context->need.reg_units = static_cast<std::uint16_t>(need.register_units);
    context->need.smem_units = static_cast<std::uint16_t>(need.shared_units);
    contexts_.push_back(std::move(context));
    launches_.push_back(launch);
    return *contexts_.back();
  }

  ReplayRun run(const std::vector<ReplayLaunch>& launches, const Options& options) {
    for (const ReplayLaunch& launch : launches) add(launch);
    options_ = options;
    run_.pulse.assign(sms_.size(), std::vector<std::uint64_t>(4, 0));
    base::Xoshiro256 random(options.shuffle);
    std::vector<unsigned> order(sms_.size() + 1);
    std::iota(order.begin(), order.end(), 0U);
    Cycle now = 0, last = 0;
    while (!done() && now < options.limit) {
      for (std::size_t i = order.size(); options.shuffle != 0 && i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
      }
      // A governor reads levels, so skipped cycles count with the same values.
      for (std::size_t s = 0; s < sms_.size(); ++s) {
        const SmPulse& pulse = sms_[s]->pulse(now);
        const std::uint64_t cycles = now - last;
        run_.pulse[s][0] += cycles * pulse.lanes;
        run_.pulse[s][1] += cycles * pulse.l1_primary_misses;
        run_.pulse[s][2] += cycles * (pulse.memory_stall ? 1U : 0U);
        run_.pulse[s][3] += cycles * pulse.outstanding;
      }
      last = now;
      for (const unsigned which : order) {
        if (which == sms_.size()) {
          if (options.every_cycle || wake() <= now) tick(now);
        } else if (options.every_cycle || sms_[which]->wake() <= now) {
          sms_[which]->tick(now);
          ++run_.ticks;
        }
      }
      Cycle next = wake();
      for (const auto& sm : sms_) next = std::min(next, sm->wake());
      now = options.every_cycle ? now + 1 : std::max(next, now + 1);
      if (next == kForever) break;
    }
    run_.cycles = last;
    for (const auto& sm : sms_) sm->count_until(last + 1);
    run_.statistics = statistics_.hash();
    return run_;
  }

  void tick(Cycle now) override {
    const auto sms = static_cast<unsigned>(sms_.size());
    bool drain = options_.stall == 0 || base::mix(now) % options_.stall != 0;
    for (unsigned i = 1; i <= sms && drain; ++i) {
      const unsigned s = (drain_rr_ + i) % sms;
      const TbRetireMessage* const message = sms_[s]->retired().head(now);
      if (message == nullptr) continue;
      drain = false;
      drain_rr_ = s;
      const auto launch = static_cast<unsigned>(message->kernel->ticket - 1);
      TbHistory& tb = run_.tbs[index_[{launch, message->gid}]];
      tb.wire = message->visible;
      tb.context = message->slot;
      run_.drained.push_back(now);
      run_.drained_sm.push_back(s);
      ++finished_;
      take(s, *message->kernel, -1);
      sms_[s]->retired().pop();
      sms_[s]->done_drained(now);
    }
    bool placed = false;
    while (next_launch_ < launches_.size() && next_tb_ == launches_[next_launch_].tbs) {
      ++next_launch_;
      next_tb_ = 0;
    }
    const bool open = next_launch_ < launches_.size() && launches_[next_launch_].at <= now;
    for (unsigned i = 1; i <= sms && open && !placed; ++i) {
      const unsigned s = (place_rr_ + i) % sms;
      const KernelContext& kernel = *contexts_[next_launch_];
      if (!fits(s, kernel)) continue;
      placed = true;
      place_rr_ = s;
      take(s, kernel, 1);
      TbStartMessage message;
      message.visible = now + 1;
      message.kernel = &kernel;
      message.item = kernel.item();
      message.gid = next_tb_;
      index_[{next_launch_, next_tb_}] = run_.tbs.size();
      run_.tbs.push_back({next_launch_, s, 0, next_tb_, now, 0});
      sms_[s]->start(message);
      ++next_tb_;
    }
    Cycle next = placed ? now + 1 : kForever;
    if (next_launch_ < launches_.size() && launches_[next_launch_].at > now) {
      next = std::min(next, launches_[next_launch_].at);
    }
    for (const auto& sm : sms_) next = std::min(next, std::max(sm->retired().next(), now + 1));
    if (!drain) next = now + 1;
    sleep_until(next);
  }

 private:
  struct Room {
    int tbs = 0, warps = 0, threads = 0, registers = 0, shared = 0;
  };

  [[nodiscard]] bool done() const {
    std::uint64_t all = 0;
    for (const ReplayLaunch& launch : launches_) all += launch.tbs;
    return finished_ == all;
  }
  void take(unsigned s, const KernelContext& kernel, int sign) {
    Room& room = room_[s];
    room.tbs += sign;
    room.warps += sign * kernel.need.warps;
    room.threads += sign * kernel.need.threads;
    room.registers += sign * kernel.need.reg_units;
    room.shared += sign * kernel.need.smem_units;
  }
  [[nodiscard]] bool fits(unsigned s, const KernelContext& kernel) const {
    const Machine::Sm& sm = machine_.sm;
    const Room& room = room_[s];
    const TbNeed& need = kernel.need;
    return room.tbs < static_cast<int>(sm.tb_slots) && room.warps + need.warps <= static_cast<int>(sm.warps) &&
           room.threads + need.threads <= static_cast<int>(sm.threads) &&
           room.registers + need.reg_units <= static_cast<int>(sm.registers / sm.reg_alloc_unit) &&
           room.shared + need.smem_units <= static_cast<int>(sm.smem_bytes / sm.smem_alloc_unit);
  }

  const Machine& machine_;
  const ReplayFile& file_;
  VirtualClocks clocks_;
  base::StatisticGroup statistics_;
  std::vector<std::unique_ptr<ReplaySm>> sms_;
  std::vector<std::unique_ptr<KernelContext>> contexts_;
  std::vector<ReplayLaunch> launches_;
  std::vector<Room> room_;
  std::map<std::pair<unsigned, std::uint64_t>, std::size_t> index_;
  Options options_;
  ReplayRun run_;
  unsigned next_launch_ = 0, next_tb_ = 0, drain_rr_ = 0, place_rr_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace castor::gpu
