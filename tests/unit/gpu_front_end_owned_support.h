#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu_front_end_sync_support.h"

// A hub and SMs that swap the thread blocks of a kernel that owns the machine, for tests of the front end.
namespace castor::gpu::test::owned {

using sync::Agents;

inline constexpr unsigned kSms = 13;      // SMs of the machine; one TB of `owned_kernel` fits on each
inline constexpr Cycle kNever = 1 << 30;  // service time of TBs whose end a test requests

enum Kind : std::uint64_t { kArrive, kExit, kSwap, kEnter, kRelease };

inline SyncMessage message(Kind kind, std::uint64_t tb, std::uint64_t other = 0) {
  SyncMessage message;
  message.word = {kind, tb, other, 0};
  message.bits = SyncMessage::kMaxBits;
  return message;
}

/// Hub of a barrier over the grid that swaps out TBs, one message per cycle once the fill is over. While TBs remain to
/// be started, each TB that arrives is swapped out. When all have arrived, each TB that ends is replaced by one that
/// was swapped out.
class SwapHub final : public SyncStub<HubIn, HubOut> {
 public:
  Cycle delay = 0;  ///< cycles from the end of the last TB to the report of the end
  bool deaf = false;
  std::vector<std::uint32_t> popped;
  std::vector<std::pair<Cycle, bool>> fills;  ///< changes of `filled`
  std::vector<SyncKernel> launches;
  std::vector<Cycle> dones, stops;
  std::function<void(Cycle)> on_send;  ///< called with the cycle in which a message is sent

  void reset() override {
    clear();
    restart();
  }
  [[nodiscard]] Cycle quiet() const override { return out_.down || due_ != kForever || out_.done ? 0 : kForever; }
  const HubOut& settle(const HubIn& in) override {
    out_.take.reset();
    out_.pop = false;
    for (unsigned i = 1; !deaf && (filled_ || stopped_) && !out_.down && i <= in.up.size; ++i) {
      const auto sm = static_cast<unsigned>((last_ + i) % in.up.size);
      if (!in.up[sm]) continue;
      out_.take[sm] = true;
      const bool last = in.up[sm]->word[0] == kArrive && arrived_ + 1 == tbs_;
      out_.pop = !stopped_ && !last && in.next_tb.has_value();
      break;
    }
    EXPECT_EQ(in.none_left && in.next_tb.has_value(), false);
    return out_;
  }
  void waits(WaitGraph& graph) const override { graph.say(std::to_string(arrived_) + " blocks have arrived"); }

 private:
  void edge(const HubIn& in) override {
    out_.done = false;
    if (out_.down && (out_.down->to & ~in.room).none()) {
      if (on_send) on_send(in.now);
      out_.down.reset();
    }
    if (in.launch) {
      clear();
      launches.push_back(*in.launch);
      tbs_ = in.launch->tbs;
      active_ = true;
    }
    if (fills.empty() || fills.back().second != in.filled) fills.emplace_back(in.now, in.filled);
    filled_ = in.filled;
    if (in.ev.placed && active_ && in.ev.placed->kd == launches.back().kd) on_sms_.insert(in.ev.placed->gid);
    if (in.stopped) {
      stops.push_back(in.now);
      stopped_ = true;
    }
    if (out_.take.any()) process(in, static_cast<unsigned>(out_.take._Find_first()));
    if (active_ && due_ == kForever && (stopped_ ? on_sms_.empty() && !out_.down : ended_ == tbs_)) {
      due_ = in.now + delay;
    }
    if (due_ == kForever || in.now < due_) return;
    due_ = kForever;
    active_ = false;
    out_.done = true;
    dones.push_back(in.now + 1);
  }
  void process(const HubIn& in, unsigned sm) {
    last_ = sm;
    const SyncMessage& up = *in.up[sm];
    const std::uint64_t tb = up.word[1];
    if (out_.pop) popped.push_back(*in.next_tb);
    if (up.word[0] == kExit) {
      ++ended_;
      on_sms_.erase(tb);
    } else {
      ++arrived_;
    }
    if (stopped_) return;
    const auto send = [&](Kind kind, std::uint64_t which) {
      out_.down = SyncDown{SmMask{}.set(sm), message(kind, tb, which)};
      on_sms_.insert(which);
    };
    if (up.word[0] == kArrive && arrived_ == tbs_) {
      SmMask all;
      for (unsigned i = 0; i < in.up.size; ++i) all[i] = true;
      out_.down = SyncDown{all, message(kRelease, 0)};
    } else if (up.word[0] == kArrive && out_.pop) {
      send(kSwap, *in.next_tb);
      on_sms_.erase(tb);
      away_.push_back(tb);
    } else if (out_.pop) {
      send(kEnter, *in.next_tb);
    } else if (up.word[0] == kExit && arrived_ == tbs_ && !away_.empty()) {
      send(kEnter, away_.front());
      away_.pop_front();
    }
  }
  void clear() {
    out_ = {};
    arrived_ = ended_ = tbs_ = 0;
    filled_ = stopped_ = active_ = false;
    on_sms_.clear();
    away_.clear();
    due_ = kForever;
  }

  HubOut out_;
  unsigned last_ = 0;
  std::uint64_t tbs_ = 0, arrived_ = 0, ended_ = 0;
  bool filled_ = false, stopped_ = false, active_ = false;
  std::set<std::uint64_t> on_sms_;  // TBs on an SM or in flight to one
  std::deque<std::uint64_t> away_;  // TBs that are swapped out
  Cycle due_ = kForever;            // cycle in which the hub reports the end of all TBs
};

/// Drives the SMs: TBs arrive at the barrier or end, are swapped on the hub's command, and end after the release.
class SwapRig {
 public:
  struct Options {
    bool every_cycle = false;
    bool barrier = true;  ///< false: TBs end without a barrier
    std::function<Cycle(std::uint64_t)> run = [](std::uint64_t tb) { return 50 + tb % 7; };  ///< time to the barrier
    std::vector<SmGovernor*> governors;
    std::vector<std::string> keys;
    SwapLimits limits;
  };

  explicit SwapRig(Options options) : options_(std::move(options)), agents_(kSms) {
    Machine machine = load(options_.keys);
    machine.chip.sync.swaps = true;
    machine.chip.sync.limits = options_.limits;
    Rig::Options with;
    with.every_cycle = options_.every_cycle;
    with.hooks.hub = &hub;
    with.hooks.agents = agents_.list;
    with.hooks.governors = options_.governors;
    with.service = [this](const KernelContext& kernel, std::uint64_t /*tb*/) {
      return kernel.owned ? kNever : service;
    };
    rig.emplace(std::move(machine), with);
    program = rig->program("owner", 16, 49152);
    plain = rig->program("plain");
    out_.resize(kSms);
    hub.on_send = [this](Cycle now) { rig->pins.insert(now + 20); };
    rig->before = [this](Cycle now) { before(now); };
    for (const auto& sm : rig->sms) {
      sm->on_start = [this](unsigned index, const TbStartMessage& start, Cycle now) {
        rig->log.add({"started", now, start.kernel->ticket, start.gid, index});
        if (start.kernel->owned) started(index, start.gid, now);
      };
      sm->on_retire = [this](unsigned index, const KernelContext& kernel, std::uint64_t tb, Cycle now) {
        rig->log.add({"retired", now, kernel.ticket, tb, index});
        if (kernel.owned) send(index, message(kExit, tb), now);
      };
    }
  }
  Ticket submit_owned(unsigned queue, std::uint32_t tbs, Cycle visible) {
    KernelPacket packet = Rig::kernel(program, tbs, 64);
    packet.synchronises = packet.owned = true;
    return rig->submit(queue, packet, visible);
  }
  Ticket submit_plain(unsigned queue, std::uint32_t tbs, Cycle visible) {
    return rig->submit(queue, Rig::kernel(plain, tbs, 32), visible);
  }
  void at(Cycle cycle, std::function<void(Cycle)> act) {
    rig->pins.insert(cycle);
    acts_.emplace(cycle, std::move(act));
  }
  /// Returns the kernel owned by the block, or null if it is not in the table.
  const KernelContext* owner() {
    for (unsigned entry = 0; entry < rig->front_end->table().size(); ++entry) {
      const KernelEntry& one = rig->front_end->table()[entry];
      if (one.state == EntryState::kWritten && one.context().owned) return &one.context();
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<std::uint64_t> tbs_of(const std::string& what, Ticket ticket) const {
    std::vector<std::uint64_t> tbs;
    for (const Logged& event : rig->log.of(what)) {
      if (event.a == ticket) tbs.push_back(event.b);
    }
    return tbs;
  }
  void expect_clean() {
    EXPECT_TRUE(rig->front_end->idle());
    const Ledger& ledger = rig->front_end->ledger();
    EXPECT_EQ(ledger.resident_total(), 0U);
    for (unsigned sm = 0; sm < kSms; ++sm) {
      EXPECT_EQ(ledger.free(sm).tbs, ledger.capacity().tbs);
      EXPECT_EQ(ledger.free(sm).smem_units, ledger.capacity().smem_units);
    }
    EXPECT_EQ(rig->front_end->table().records().live(), 0U);
  }

  Options options_;
  SwapHub hub;
  Cycle service = 100;  // service time of TBs of other kernels
  ProgramHandle program = 0, plain = 0;

 private:
  void before(Cycle now) {
    for (auto act = acts_.begin(); act != acts_.end() && act->first <= now; act = acts_.erase(act)) act->second(now);
    for (unsigned sm = 0; sm < kSms; ++sm) {
      SyncLink& link = *rig->sms[sm]->sync_link();
      if (link.started(now) != nullptr) {
        away_.clear();  // drops swapped-out TBs of a stopped kernel
        link.take_start();
      }
      if (const SyncMessage* const down = link.received(now)) {
        take(sm, *down, now);
        link.take_received(now);
        link.deliver();
        rig->front_end->wake_at(now + 1);
      }
      if (out_[sm].empty() || out_[sm].front().first > now || !link.can_send(now)) continue;
      rig->front_end->wake_at(link.send(out_[sm].front().second, now));
      link.deliver();
      out_[sm].pop_front();
      rig->pins.insert(now + 1);
    }
  }
  void take(unsigned sm, const SyncMessage& down, Cycle now) {
    const std::uint64_t tb = down.word[1], other = down.word[2];
    if (down.word[0] == kRelease) {
      for (const auto& [which, where] : resident_) {
        if (where == sm) end(sm, which, now + 3);
      }
      return;
    }
    const KernelContext* const kernel = owner();
    const bool stopped = kernel == nullptr || rig->front_end->table()[kernel->entry].killed;
    if (stopped) {  // the TB of a stopped kernel does not start, and never retires
      send(sm, message(kExit, other), now);
    } else if (down.word[0] == kSwap) {
      rig->sms[sm]->exchange(tb, other);
      resident_.erase(tb);
      away_.insert(tb);
      rig->log.add({"started", now, kernel->ticket, other, sm});
      started(sm, other, now);
    } else {
      rig->sms[sm]->enter(*kernel, other, now);
    }
  }
  void started(unsigned sm, std::uint64_t tb, Cycle now) {
    resident_[tb] = sm;
    const Cycle ready = now + options_.run(tb);
    if (away_.erase(tb) != 0 || !options_.barrier) return end(sm, tb, ready);
    at(ready, [this, sm, tb](Cycle then) {
      if (resident_.count(tb) != 0) send(sm, message(kArrive, tb), then);
    });
  }
  void end(unsigned sm, std::uint64_t tb, Cycle cycle) {
    at(cycle, [this, sm, tb](Cycle now) {
      if (resident_.count(tb) != 0) rig->sms[sm]->finish(tb, now);
    });
  }
  void send(unsigned sm, const SyncMessage& up, Cycle now) {
    if (up.word[0] == kExit) resident_.erase(up.word[1]);
    out_[sm].emplace_back(now + 1, up);
    rig->pins.insert(now + 1);
  }

  Agents agents_;
  std::multimap<Cycle, std::function<void(Cycle)>> acts_;
  std::vector<std::deque<std::pair<Cycle, SyncMessage>>> out_;
  std::map<std::uint64_t, unsigned> resident_;  // SM of each resident TB
  std::set<std::uint64_t> away_;

 public:
  std::optional<Rig> rig;  // destroyed first
};

inline SwapRig::Options every_cycle(bool on) {
  SwapRig::Options options;
  options.every_cycle = on;
  return options;
}

inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> all;
  for (; first < end; ++first) all.push_back(first);
  return all;
}

}  // namespace castor::gpu::test::owned
