#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/front_end/built_in_dispatch.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/source_select.h"
#include "castor/gpu/hooks/execution_study.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/hooks/study.h"
#include "castor/gpu/machine.h"

// Null adapters for all hooks (docs/gpu/hooks.md, "Hooks"). They change nothing: each has the built-in behaviour of the
// machine, or none. To write an adapter, copy one of them, keep the checks of its base class, and replace `decide` and
// `watch`.
namespace castor::gpu::test {
/// FNV-1a hash over values.
class Digest {
 public:
  template <class T>
  Digest& add(const T& value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (unsigned i = 0; i < 8; ++i) state_ = (state_ ^ (bits >> (8 * i) & 0xff)) * 0x100000001b3ULL;
    return *this;
  }
  template <std::size_t N>
  Digest& add(const std::bitset<N>& set) {
    for (std::size_t i = set._Find_first(); i < N; i = set._Find_next(i)) add(i);
    return add(N);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// --- What an input says: levels, which hold while a hook is skipped, and events, of which there are none then --------

inline void add(Digest& digest, const TbEvent& e) {
  digest.add(e.sm).add(e.slot).add(e.kd).add(e.queue).add(e.kid).add(e.gid).add(e.first).add(e.last);
}
inline void add(Digest& digest, const KernelEvent& e) { digest.add(e.kd).add(e.queue).add(e.kid).add(e.queue_empty); }
inline void add(Digest& digest, const WorkItem& e) {
  digest.add(e.kd).add(e.queue).add(e.kid).add(e.tbs).add(e.grid.count()).add(e.need.warps);
  digest.add(e.need.threads).add(e.need.reg_units).add(e.need.smem_units);
}
inline void add(Digest& digest, const RegisterAccess& e) {
  digest.add(e.window).add(e.write).add(e.offset).add(e.value);
}
inline void add(Digest& digest, const TbStartEvent& e) {
  digest.add(e.tb).add(e.warps).add(e.full).add(e.gid).add(e.entry).add(e.enable).add(e.promote).add(e.base);
  digest.add(e.rows).add(e.slots);
}
inline void add(Digest& digest, std::uint8_t value) { digest.add(value); }
/// Adds an optional value with a number that names its field; adds nothing if there is no value.
template <class T>
void add(Digest& digest, unsigned field, const Maybe<T>& value) {
  if (value) add(digest.add(field), *value);
}

/// Returns a digest of the events of a front-end cycle; 0 if there are none.
inline std::uint64_t events_of(const FrontEvents& ev) {
  Digest digest;
  const std::uint64_t none = digest.value();
  add(digest, 1, ev.placed);
  add(digest, 2, ev.done);
  for (const TbEvent& event : ev.retired) add(digest.add(3), event);
  add(digest, 4, ev.started);
  add(digest, 5, ev.completed);
  add(digest, 6, ev.pushed);
  add(digest, 7, ev.reg);
  return digest.value() == none ? 0 : digest.value();
}
inline std::uint64_t events_of(const JobIn& in) {
  return in.granted < 0 ? events_of(in.ev) : Digest().add(events_of(in.ev)).add(in.granted).value();
}
inline std::uint64_t events_of(const DispatchIn& in) {
  return in.taken ? Digest().add(events_of(in.ev)).add(1).value() : events_of(in.ev);
}
inline std::uint64_t events_of(const GovernIn& in) { return events_of(in.ev); }

inline std::uint64_t events_of(const FetchIn& in) {
  Digest digest;
  const std::uint64_t none = digest.value();
  if (in.decode.valid) {
    digest.add(1).add(in.decode.warp).add(in.decode.pc).add(in.decode.count);
    for (unsigned s = 0; s < in.decode.count; ++s) digest.add(in.decode.slot[s].mark).add(in.decode.slot[s].ndst);
  }
  for (const IssueSlot& slot : in.issued) {
    digest.add(2).add(slot.warp).add(slot.lead).add(slot.ndst).add(slot.nsrc);
    for (unsigned i = 0; i < slot.nsrc; ++i) digest.add(slot.src[i]);
  }
  for (const RowEvent& row : in.written) digest.add(3).add(row.tb).add(row.tag);
  if (in.stores != 0) digest.add(4).add(in.stores);
  if (in.global_op) digest.add(5);
  if (in.branch != 0) digest.add(6).add(in.branch).add(in.taken);
  if (in.leave != 0) digest.add(7).add(in.leave);
  if (in.exit != 0) digest.add(8).add(in.exit);
  if (in.barrier != 0) digest.add(9).add(in.barrier).add(in.barrier_join);
  add(digest, 10, in.retire);
  add(digest, 11, in.start);
  if (in.copy_ack) digest.add(12);
  return digest.value() == none ? 0 : digest.value();
}
inline void add(Digest& digest, const SyncKernel& e) { digest.add(e.kd).add(e.queue).add(e.kid).add(e.tbs).add(e.fit); }
inline void add(Digest& digest, const SyncMessage& e) { digest.add(e.word[0]).add(e.word[3]).add(e.bits); }
inline std::uint64_t events_of(const HubIn& in) {
  Digest digest;
  const std::uint64_t none = digest.value();
  add(digest, 1, in.launch);
  if (in.stopped) digest.add(2);
  if (const std::uint64_t events = events_of(in.ev); events != 0) digest.add(3).add(events);
  return digest.value() == none ? 0 : digest.value();
}
inline std::uint64_t events_of(const AgentIn& in) {
  Digest digest;
  const std::uint64_t none = digest.value();
  add(digest, 1, in.kernel_start);
  add(digest, 2, in.start);
  if (in.stopped != 0) digest.add(3).add(in.stopped);
  if (in.send_ready) digest.add(4);
  for (const WarpExit& one : in.exit) digest.add(5).add(one.scheduler).add(one.warp).add(one.tb);
  add(digest, 6, in.retired);
  for (const SyncIssue& one : in.issue) digest.add(7).add(one.scheduler).add(one.warp).add(one.tb);
  return digest.value() == none ? 0 : digest.value();
}
inline void add(Digest& digest, const SwapKernel& e) {
  digest.add(e.warps).add(e.registers).add(e.simt_lines).add(e.shared_lines).add(e.slots);
  digest.add(e.register_homes).add(e.shared_homes).add(e.in_place).add(e.copies);
}
inline void add(Digest& digest, const SiteMask& e) { digest.add(e.site).add(e.live[0]).add(e.live[3]); }
inline void add(Digest& digest, const ReadOnlySegment& e) {
  digest.add(e.slot).add(e.index).add(e.lines).add(e.first).add(e.address);
}
inline void add(Digest& digest, std::uint64_t value) { digest.add(value); }
inline void add(Digest& digest, const SwapJob& e) {
  digest.add(e.slot).add(e.out).add(e.gid).add(e.site).add(e.fresh).add(e.in_gid).add(e.entry.word[0]);
}
inline std::uint64_t events_of(const SwapIn& in) {
  Digest digest;
  const std::uint64_t none = digest.value();
  add(digest, 1, in.configure);
  add(digest, 2, in.sites);
  add(digest, 3, in.segment);
  add(digest, 4, in.page);
  if (in.access_taken) digest.add(5);
  if (in.load_done) digest.add(6);
  return digest.value() == none ? 0 : digest.value();
}
inline std::uint64_t events_of(const IssueIn& in) {
  Digest digest;
  const std::uint64_t none = digest.value();
  for (const BarrierArrival& one : in.arrive) digest.add(1).add(one.scheduler).add(one.warp).add(one.tb);
  for (const WarpExit& one : in.exit) digest.add(2).add(one.scheduler).add(one.warp).add(one.tb);
  if (in.unblock != 0) digest.add(3).add(in.unblock);
  add(digest, 4, in.start);
  add(digest, 5, in.free);
  if (in.kernel_start) digest.add(6);
  for (unsigned j = 0; j < kMaxPicks; ++j) {
    if (in.ack[j] != 0) digest.add(7).add(j).add(in.ack[j]);
  }
  return digest.value() == none ? 0 : digest.value();
}

inline std::uint64_t levels_of(const JobIn& in) { return Digest().add(*in.eligible).add(*in.fits).value(); }
inline std::uint64_t levels_of(const DispatchIn& in) {
  Digest digest;
  digest.add(*in.fits).add(in.open).add(in.quota != nullptr);
  for (unsigned sm = 0; sm < in.room->sms(); ++sm) {
    const SmResources& room = in.room->free(sm);
    digest.add(room.tbs).add(room.warps).add(room.threads).add(room.reg_units).add(room.smem_units);
  }
  return digest.value();
}
inline std::uint64_t levels_of(const GovernIn& in) {
  Digest digest;
  for (const SmPulse& p : in.pulse) {
    digest.add(p.lanes).add(p.l1_primary_misses).add(p.memory_stall).add(p.outstanding);
  }
  for (const SmLoad& load : in.load) digest.add(load.warps).add(load.tbs).add(load.in_flight);
  return digest.add(in.fits_head).add(in.bound_wait).add(in.ready).add(in.waiting).value();
}
inline std::uint64_t levels_of(const FetchIn& in) {
  Digest digest;
  digest.add(in.eligible).add(in.oc_idle);
  for (WarpMask left = in.eligible; left != 0; left &= left - 1) digest.add(in.pc[__builtin_ctzll(left)]);
  return digest.value();
}
inline std::uint64_t levels_of(const IssueIn& in) {
  Digest digest;
  digest.add(in.valid).add(in.ready).add(in.long_wait);
  for (WarpMask left = in.valid; left != 0; left &= left - 1) {
    digest.add(in.tb[__builtin_ctzll(left)]).add(in.age[__builtin_ctzll(left)]);
  }
  return digest.value();
}

inline std::uint64_t levels_of(const HubIn& in) {
  Digest digest;
  for (const Maybe<SyncMessage>& message : in.up) add(digest, 1, message);
  return digest.add(in.room).add(in.filled).value();
}
inline std::uint64_t levels_of(const AgentIn& in) {
  Digest digest;
  add(digest, 1, in.received);
  return digest.add(in.quiesced).value();
}

// `park_ready` and `enter_ready` are left out: they have a meaning only together with an output of the engine.
inline std::uint64_t levels_of(const SwapIn& in) {
  Digest digest;
  add(digest, 1, in.job);
  return digest.add(in.local_room).add(in.outstanding).value();
}

// --- Whether two outputs are the same --------------------------------------------------------------------------------

template <class T, class Same>
bool same(const Maybe<T>& a, const Maybe<T>& b, Same&& equal) {
  return a.has_value() == b.has_value() && (!a || equal(*a, *b));
}
inline bool same(const JobOut& a, const JobOut& b) {
  return a.beat_ready == b.beat_ready && a.pick == b.pick && a.preempt == b.preempt && a.irq == b.irq &&
         a.verdict.has_value() == b.verdict.has_value() && a.end.has_value() == b.end.has_value();
}
inline bool same(const DispatchOut& a, const DispatchOut& b) {
  return a.push_ready == b.push_ready && a.hold == b.hold && a.ready == b.ready && a.fits_head == b.fits_head &&
         a.bound_wait == b.bound_wait && same(a.place, b.place, [](const Placement& x, const Placement& y) {
           return x.kd == y.kd && x.sm == y.sm && x.position == y.position;
         });
}
inline bool same(const GovernOut& a, const GovernOut& b) {
  return a.open == b.open && a.quota == b.quota && a.clock_enable == b.clock_enable &&
         a.uncore_enable == b.uncore_enable && a.pulses == b.pulses;
}
inline bool same(const FetchOut& a, const FetchOut& b) {
  return a.hold == b.hold && a.skip == b.skip && a.copy.has_value() == b.copy.has_value() &&
         std::equal(std::begin(a.act), std::end(a.act), std::begin(b.act));
}
inline bool same(const IssueOut& a, const IssueOut& b) {
  return a.barrier_ok == b.barrier_ok && std::memcmp(a.pick, b.pick, sizeof a.pick) == 0;
}

inline bool same(const SyncMessage& a, const SyncMessage& b) { return a.word == b.word && a.bits == b.bits; }
inline bool same(const HubOut& a, const HubOut& b) {
  return a.take == b.take && a.hold == b.hold && same(a.down, b.down, [](const SyncDown& x, const SyncDown& y) {
           return x.to == y.to && same(x.message, y.message);
         });
}
inline bool same(const AgentOut& a, const AgentOut& b) {
  return a.stall == b.stall && a.acquire == b.acquire && a.receive_ready == b.receive_ready &&
         a.issue_ready == b.issue_ready &&
         same(a.send, b.send, [](const SyncMessage& x, const SyncMessage& y) { return same(x, y); });
}

inline bool same(const SwapOut& a, const SwapOut& b) {
  return a.job_ready == b.job_ready && a.parked.has_value() == b.parked.has_value() &&
         a.enter.has_value() == b.enter.has_value() && a.page_request == b.page_request &&
         a.access.has_value() == b.access.has_value() && a.block_memory == b.block_memory;
}

// --- The adapters ----------------------------------------------------------------------------------------------------

/// Base class of all adapters. It checks the rules for hooks: `settle` changes nothing (it is called twice, and
/// `decide` is const), edges are consecutive whether they are clocked or skipped, and only quiet edges are skipped.
///
/// `seen` digests all inputs of all edges: events with their cycles, and levels times the number of edges for which
/// they held. The digest does not depend on whether the platform skips edges.
template <class In, class Out, class Base = ClockedHook<In, Out>>
class NullHook : public Base {
 public:
  void attach(const HookSite& site) override {
    site_ = site;
    level_ = first_level();
  }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const final { return sleeps ? rest() : 0; }
  void idle(Cycle n) final {
    EXPECT_LE(n, quiet());
    next_ += n;
    skipped += n;
    level_sum_ += n * level_;
  }
  const Out& settle(const In& in) final {
    out_ = decide(in);
    EXPECT_TRUE(same(out_, decide(in))) << "cycle " << in.now;
    return out_;
  }
  void clock(const In& in) final {
    EXPECT_EQ(in.now, next_) << "an edge is lost or comes twice";
    next_ = in.now + 1;
    ++clocked;
    level_ = levels_of(in);
    level_sum_ += level_;
    if (const std::uint64_t events = events_of(in); events != 0) {
      ++eventful;
      events_ = Digest().add(events_).add(in.now).add(events).value();
    }
    watch(in);
  }

  bool sleeps = true;  ///< false: the hook is clocked in every cycle
  std::uint64_t clocked = 0, skipped = 0, eventful = 0;
  /// Returns the cycles (or ticks) clocked or skipped so far.
  [[nodiscard]] std::uint64_t edges() const { return clocked + skipped; }
  [[nodiscard]] std::uint64_t seen() const { return Digest().add(events_).add(level_sum_).value(); }

 protected:
  /// Returns the outputs of this cycle.
  [[nodiscard]] virtual Out decide(const In& in) const = 0;
  /// Called at the clock edge with the final inputs.
  virtual void watch(const In& /*in*/) {}
  /// Returns the digest of the level inputs that hold before the first clocked edge.
  [[nodiscard]] virtual std::uint64_t first_level() const { return 0; }
  /// Returns the number of coming edges that change no output while the inputs stay the same.
  [[nodiscard]] virtual Cycle rest() const { return kForever; }
  HookSite site_;
  Out out_;

 private:
  Cycle next_ = 0;
  std::uint64_t level_ = 0, level_sum_ = 0, events_ = 0;
};

/// Job scheduler with round robin over the eligible queues, at once or by a scan (docs/gpu/front-end.md, "Parsing").
/// Admits all jobs.
class NullJobScheduler final : public NullHook<JobIn, JobOut, JobScheduler> {
 public:
  void attach(const HookSite& site) override {
    NullHook::attach(site);
    select_.emplace_back(site.machine->queue.count, site.machine->parse.select_scan);
  }

 private:
  [[nodiscard]] JobOut decide(const JobIn& in) const override {
    SourceSelect next = select_.back();
    next.advance(*in.eligible, resting_, in.now);
    JobOut out;
    out.pick = next.offer(*in.eligible);
    return out;
  }
  void watch(const JobIn& in) override {
    const QueueMask ready = *in.eligible;
    select_.back().advance(ready, resting_, in.now);
    resting_ = ready;
    if (in.granted < 0) return;
    EXPECT_EQ(in.granted, out_.pick);
    select_.back().granted(static_cast<unsigned>(in.granted), in.now);
    resting_[static_cast<std::size_t>(in.granted)] = false;
  }
  // The scan advances every cycle while queues are ready, so no cycle may be skipped then.
  [[nodiscard]] Cycle rest() const override {
    return site_.machine->parse.select_scan != 0 && resting_.any() ? 0 : kForever;
  }

  std::deque<SourceSelect> select_;
  QueueMask resting_;
};

/// Dispatch policy: first come, first served (docs/gpu/front-end.md, "Dispatch").
class NullDispatchPolicy final : public NullHook<DispatchIn, DispatchOut> {
 public:
  void attach(const HookSite& site) override {
    NullHook::attach(site);
    items_.emplace_back(*site.machine);
    search_.emplace_back(site.machine->chip.sms);
  }

 private:
  [[nodiscard]] DispatchOut decide(const DispatchIn& in) const override {
    DispatchOut out;
    const FcfsDispatcher& items = items_.back();
    out.ready = !items.empty();
    if (items.empty()) return out;
    const DispatchView view{ledger(in), in.open, in.quota};
    out.fits_head = in.room->fits(static_cast<unsigned>(items.next(view, false)));
    const auto choice = items.choose(view, search_.back(), in.now);
    if (choice.entry < 0) return out;
    Placement placement;
    placement.kd = static_cast<std::uint16_t>(choice.entry);
    placement.position = next_[placement.kd];
    placement.sm = static_cast<std::uint16_t>(choice.sm);
    out.place = placement;
    return out;
  }
  // Returns the ledger behind the view. The built-in dispatcher, which this adapter uses, needs it.
  static const Ledger& ledger(const DispatchIn& in) { return static_cast<const Ledger&>(*in.room); }
  void watch(const DispatchIn& in) override {
    if (in.taken) {
      const Placement& placed = *out_.place;
      search_.back().chosen(placed.sm);
      items_.back().placed(placed.kd);
      ++next_[placed.kd];
      if (in.ev.placed->last) items_.back().remove(placed.kd);
    }
    if (in.push) {
      next_[in.push->kd] = 0;
      items_.back().push(in.push->kd);
    }
  }
  // With one SM per cycle the choice depends on the cycle, so no cycle may be skipped while a TB waits.
  [[nodiscard]] Cycle rest() const override {
    return site_.machine->dispatch.search == DispatchSearch::kRoundRobinOne && !items_.back().empty() ? 0 : kForever;
  }

  std::deque<FcfsDispatcher> items_;
  std::deque<SmSearch> search_;
  std::array<std::uint32_t, kMaxEntries> next_{};
};

/// Governor that allows everything, and reads pulses.
class NullGovernor final : public NullHook<GovernIn, GovernOut> {
 public:
  bool pulses = true;

 private:
  [[nodiscard]] GovernOut decide(const GovernIn& /*in*/) const override {
    GovernOut out;
    out.pulses = pulses;
    return out;
  }
};

/// Fetch filter that holds and skips nothing.
class NullFetchFilter final : public NullHook<FetchIn, FetchOut> {
 private:
  [[nodiscard]] FetchOut decide(const FetchIn& /*in*/) const override { return {}; }
};

/// Study that does nothing and has no rows: the filter acts on issue only.
class NullStudy final : public Study {};

/// Execution study that ignores all instructions.
class NullExecutionStudy final : public ExecutionStudy {
 public:
  [[nodiscard]] std::unique_ptr<BlockStudy> start(const Launch& /*launch*/, unsigned /*warps*/,
                                                  unsigned /*lanes*/) override {
    return nullptr;
  }
  void end(const Launch& /*launch*/, std::uint64_t /*block*/, BlockStudy& /*study*/) override { ADD_FAILURE(); }
  void end(const Launch& /*launch*/) override { ++launches; }
  unsigned launches = 0;
};

/// Fetch filter with a study that does nothing.
class NullStudyFilter final : public NullHook<FetchIn, FetchOut> {
 public:
  void attach(const HookSite& site) override {
    NullHook::attach(site);
    site.terms->study = &study_;
  }

 private:
  [[nodiscard]] FetchOut decide(const FetchIn& /*in*/) const override { return {}; }
  NullStudy study_;
};

/// Issue policy that equals the one of the machine file: gto, lrr or oldest. Checks the SM's events about barriers and
/// exits.
class NullIssuePolicy final : public NullHook<IssueIn, IssueOut> {
 public:
  NullIssuePolicy() {
    for (auto& scheduler : greedy_) scheduler.fill(-1);
    last_.fill(63);
  }

 private:
  static unsigned oldest(const IssueIn& in, WarpMask set) {
    auto best = static_cast<unsigned>(__builtin_ctzll(set));
    for (WarpMask left = set; left != 0; left &= left - 1) {
      const auto w = static_cast<unsigned>(__builtin_ctzll(left));
      if (in.age[w] < in.age[best]) best = w;
    }
    return best;
  }
  [[nodiscard]] unsigned choose(const IssueIn& in, unsigned s, unsigned j, WarpMask set, unsigned last) const {
    if (site_.machine->issue.policy == IssuePolicy::kLrr) {
      const WarpMask behind = last == 63 ? 0 : set & (~WarpMask{0} << (last + 1));
      return static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : set));
    }
    const int greedy = greedy_[s][j];
    if (site_.machine->issue.policy == IssuePolicy::kGto && greedy >= 0 && (set >> greedy & 1) != 0) {
      return static_cast<unsigned>(greedy);
    }
    return oldest(in, set);
  }
  [[nodiscard]] IssueOut decide(const IssueIn& in) const override {
    IssueOut out;
    std::memset(out.pick, -1, sizeof out.pick);
    const Machine& machine = *site_.machine;
    for (unsigned s = 0; s < machine.schedulers; ++s) {
      WarpMask mine = 0;
      for (unsigned w = s; w < 64; w += machine.schedulers) mine |= in.ready & WarpMask{1} << w;
      unsigned last = last_[s];
      for (unsigned j = 0; j < machine.issue.warps; ++j) {
        const WarpMask set = machine.issue.warps == kMaxPicks ? mine & in.issue_class[j] : mine;
        if (set == 0) continue;
        const unsigned w = choose(in, s, j, set, last);
        out.pick[s][j] = static_cast<std::int8_t>(w);
        mine &= ~(WarpMask{1} << w);
        if (machine.issue.warps != kMaxPicks) last = w;
      }
    }
    return out;
  }
  void watch(const IssueIn& in) override {
    for (unsigned s = 0; s < site_.machine->schedulers; ++s) {
      for (unsigned j = 0; j < kMaxPicks; ++j) {
        if ((in.ack[j] >> s & 1) == 0) continue;
        const auto picked = static_cast<std::uint8_t>(out_.pick[s][j]);  // acknowledged, so the pick is valid
        greedy_[s][j] = picked;
        last_[s] = picked;
      }
    }
    watch_barriers(in);
    if (in.start) warps_[in.start->tb] = in.start->warps;
    if (!in.free) return;
    for (auto& scheduler : greedy_) {  // a new TB in these slots has no greedy warp
      for (int& w : scheduler) {
        if (w >= 0 && (warps_[*in.free] >> w & 1) != 0) w = -1;
      }
    }
  }

  // Checks barrier events: a warp waits from its arrival until its barrier completes. The warp whose arrival completes
  // the barrier never waits.
  void watch_barriers(const IssueIn& in) {
    EXPECT_EQ(in.ready & waiting_, 0U) << "a warp that waits is ready";
    waiting_ &= ~in.unblock;
    unsigned schedulers = 0;
    const auto event = [&](unsigned scheduler, unsigned w, const char* what) {
      EXPECT_EQ(scheduler, w % site_.machine->schedulers) << what;
      EXPECT_EQ(waiting_ >> w & 1, 0U) << "a warp that waits " << what;
      EXPECT_EQ(schedulers >> scheduler & 1, 0U) << "two events of one scheduler, a warp " << what;
      schedulers |= 1U << scheduler;
    };
    for (const WarpExit& one : in.exit) event(one.scheduler, one.warp, "exits");
    for (const BarrierArrival& one : in.arrive) {
      event(one.scheduler, one.warp, "arrives");
      EXPECT_EQ(in.unblock >> one.warp & 1, 0U) << "a warp waits at a barrier that is complete";
      waiting_ |= WarpMask{1} << one.warp;
    }
    if (in.free) {
      EXPECT_EQ(waiting_ & warps_[*in.free], 0U) << "a thread block leaves with warps that wait";
    }
  }

  std::array<std::array<int, kMaxPicks>, kMaxSchedulers> greedy_{};
  std::array<unsigned, kMaxSchedulers> last_{};
  WarpMask waiting_ = 0;
  std::array<WarpMask, 64> warps_{};
};

/// Synchronisation hub that accepts every message, sends none and holds nothing.
class NullHub final : public NullHook<HubIn, HubOut> {
 private:
  [[nodiscard]] HubOut decide(const HubIn& in) const override {
    HubOut out;
    for (unsigned sm = 0; sm < in.up.size; ++sm) out.take[sm] = in.up[sm].has_value();
    return out;
  }
};

/// Synchronisation agent that accepts every message and stalls no warp.
class NullAgent final : public NullHook<AgentIn, AgentOut> {
 private:
  [[nodiscard]] AgentOut decide(const AgentIn& /*in*/) const override { return {}; }
  [[nodiscard]] std::uint64_t first_level() const override { return levels_of(AgentIn{}); }
};

/// Swap engine that accepts no job, so thread blocks stay where they are.
class NullSwapEngine final : public NullHook<SwapIn, SwapOut, SwapEngine> {
 private:
  [[nodiscard]] SwapOut decide(const SwapIn& /*in*/) const override { return {}; }
  [[nodiscard]] std::uint64_t first_level() const override { return levels_of(SwapIn{}); }
};

/// Null adapters for all hooks of a machine. `hooks` plugs in the requested ones.
class NullHooks {
 public:
  explicit NullHooks(unsigned sms) : filters(sms), studies(sms), issue(sms), agents(sms), swap(sms) {}

  enum Which : unsigned {
    kJobScheduler = 1,
    kDispatchPolicy = 2,
    kGovernor = 4,
    kFetchFilter = 8,
    kIssuePolicy = 16,
    kAll = 31,
    kStudy = 32,  ///< instead of kFetchFilter
    kSync = 64,   ///< hub and agents
    kSwap = 128   ///< swap engines; not beside kFetchFilter
  };
  [[nodiscard]] Hooks hooks(unsigned which) {
    Hooks result;
    if ((which & kJobScheduler) != 0) result.job_scheduler = &jobs;
    if ((which & kDispatchPolicy) != 0) result.dispatch = &dispatch;
    if ((which & kGovernor) != 0) result.governors = {&governors[0], &governors[1]};
    if ((which & kFetchFilter) != 0) {
      for (auto& one : filters) result.fetch_filter.push_back(&one);
    }
    if ((which & kStudy) != 0) {
      for (auto& one : studies) result.fetch_filter.push_back(&one);
    }
    if ((which & kIssuePolicy) != 0) {
      for (auto& one : issue) result.issue.push_back(&one);
    }
    if ((which & kSync) != 0) {
      result.hub = &hub;
      for (auto& one : agents) result.agents.push_back(&one);
    }
    if ((which & kSwap) != 0) {
      for (auto& one : swap) result.swap.push_back(&one);
    }
    return result;
  }
  /// Calls `act` for each adapter.
  template <class Act>
  void each(Act&& act) {
    act("job scheduler", jobs);
    act("dispatch policy", dispatch);
    act("governor 0", governors[0]);
    act("governor 1", governors[1]);
    act("synchronisation hub", hub);
    for (std::size_t sm = 0; sm < filters.size(); ++sm) {
      const std::string name = " of SM " + std::to_string(sm);
      act("fetch filter" + name, filters[sm]);
      act("issue policy" + name, issue[sm]);
      act("synchronisation agent" + name, agents[sm]);
      act("swap engine" + name, swap[sm]);
    }
  }

  NullJobScheduler jobs;
  NullDispatchPolicy dispatch;
  std::array<NullGovernor, 2> governors;
  std::deque<NullFetchFilter> filters;
  std::deque<NullStudyFilter> studies;
  std::deque<NullIssuePolicy> issue;
  NullHub hub;
  std::deque<NullAgent> agents;
  std::deque<NullSwapEngine> swap;
};

}  // namespace castor::gpu::test
