#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/away_tbs.h"
#include "castor/gpu/front_end/sync_network.h"
#include "common/sync_stubs.h"
#include "gpu_sm_swap_support.h"

// An SM with a swap engine and a synchronisation agent that a test drives by hand. The rig plays the front end's part:
// it grants images, and places and stops thread blocks.
namespace castor::gpu::agent_jobs_test {

using swap_test::quick;
using swap_test::RandomSwapEngine;
using swap_test::SeenEngine;

/// An agent that stalls the warps and offers the jobs that a test sets between two cycles.
class HandAgent final : public test::SyncStub<AgentIn, AgentOut> {
 public:
  struct Parked {
    Cycle first = 0, taken = 0;  ///< cycles in which the agent has seen it, and has taken it
    SwapParked what;
  };
  void reset() override { restart(); }
  [[nodiscard]] Cycle quiet() const override { return 0; }
  const AgentOut& settle(const AgentIn& in) override {
    out_.stall = stall;
    out_.local_room = local_room;
    out_.job.reset();
    if (!jobs.empty()) out_.job = jobs.front();
    if (in.parked && since_ == kForever) since_ = in.now;
    out_.park_ready = in.parked && in.now >= since_ + park_delay;
    if (change) change(++settled_, out_);
    return out_;
  }
  [[nodiscard]] WarpMask warps(unsigned context) const { return warps_.at(context); }

  WarpMask stall = 0;
  bool releases = true;   ///< a thread block that starts is not stalled
  bool withdraws = true;  ///< jobs that have not been taken are withdrawn when a thread block is stopped
  bool local_room = false;
  std::deque<SwapJob> jobs;                         ///< the first one is offered
  Cycle park_delay = 0;                             ///< ticks in which the agent does not take what has been moved out
  std::function<void(unsigned, AgentOut&)> change;  ///< gets the number of the settle in the tick, from 1 on
  std::function<void(const AgentIn&)> see = [](const AgentIn&) {};
  std::vector<std::pair<Cycle, SwapJob>> taken;            ///< cycle in which a job was taken
  std::vector<Parked> parked;                              ///< thread blocks that have been moved out
  std::vector<std::pair<Cycle, TbStartEvent>> starts;      ///< cycle in which the agent has seen the start
  std::vector<std::pair<Cycle, unsigned>> retired, exits;  ///< context; scheduler of the warp is left out
  std::map<unsigned, unsigned> stopped;                    ///< context: how often
  TbMask quiesced = 0;                                     ///< of the last edge

 private:
  void edge(const AgentIn& in) override {
    see(in);
    settled_ = 0;
    quiesced = in.quiesced;
    if (in.job_ready) {
      taken.emplace_back(in.now, jobs.front());
      jobs.pop_front();
    }
    if (in.parked && (parked.empty() || parked.back().taken != 0)) parked.push_back({in.now, 0, *in.parked});
    if (in.parked && out_.park_ready) {
      parked.back().taken = in.now;
      since_ = kForever;
    }
    if (in.start) starts.emplace_back(in.now, *in.start);
    if (in.start) warps_[in.start->tb] = in.start->warps;
    if (in.start && releases) stall &= ~in.start->warps;
    if (in.stopped != 0 && withdraws) jobs.clear();
    for (const WarpExit& one : in.exit) exits.emplace_back(in.now, one.tb);
    for (TbMask left = in.stopped; left != 0; left &= left - 1) ++stopped[lowest(left)];
    if (in.retired) retired.emplace_back(in.now, *in.retired);
  }
  AgentOut out_;
  Cycle since_ = kForever;  ///< tick in which the agent has seen `parked` first
  unsigned settled_ = 0;    ///< settles of this tick
  std::map<unsigned, WarpMask> warps_;
};

// A thread block with a number below 100 counts in registers, shared and local memory, and stores a word per thread.
// One with a number from 100 on ends at once.
inline constexpr const char* kDeclarations = ".shared .align 4 .b32 words[64];\n";
inline constexpr const char* kProgram = R"(
  .local .align 4 .b8 depot[8];
  mov.u32 %r8, %ctaid.x;
  setp.gt.u32 %p6, %r8, 99;
  @%p6 bra END;
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r9, %r8, 64, %r1;
  mul.wide.u32 %rd1, %r9, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u64 %rd2, depot;
  st.local.u32 [%rd2], %r9;
  mov.u32 %r5, words;
  mad.lo.u32 %r5, %r1, 4, %r5;
  setp.gt.u32 %p3, %r1, 17;
  mov.u32 %r2, 0;
L: st.shared.u32 [%r5], %r2;
  ld.shared.u32 %r6, [%r5];
  add.u32 %r2, %r6, 1;
  setp.lt.u32 %p1, %r2, 60;
  @%p1 bra L;
  ld.local.u32 %r3, [%rd2];
  @%p3 add.u32 %r3, %r3, 1000;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%rd1], %r2;
END: ret;
)";
inline constexpr unsigned kThreads = 64, kMostTbs = 100;

class AgentRig {
 public:
  /// `shared`: store of swapped-out thread blocks of another SM.
  explicit AgentRig(const RandomSwapEngine::Options& options = quick(), unsigned contexts = 8,
                    AwayTbs* shared = nullptr)
      : engine(options),
        away_(shared != nullptr ? shared : &away),
        rig(machine_of(contexts), hooks()),
        net({&rig.sm}, front_end_),
        out_(rig.store->allocate(kMostTbs * kThreads * 4, AllocationKind::kHeap).value()) {
    std::memset(rig.store->host(out_), 0, kMostTbs * kThreads * 4);
    parameters_.resize(8);
    std::memcpy(parameters_.data(), &out_, 8);
    kernel = &load(kThreads);
    test::own_machine(*kernel, contexts);
  }
  ~AgentRig() { rig.store->free(out_); }
  test::Kernel& load(unsigned threads) {
    return rig.load(kProgram, {200, 1, 1}, {threads, 1, 1}, 0, kDeclarations, parameters_);
  }
  void place(std::uint64_t gid) { rig.start(*kernel, gid); }
  void cycle() {
    rig.cycle();
    while (const PageRequestMessage* const request = rig.sm.page_requests().head(rig.now)) {
      if (request->returns != 0) {
        EXPECT_EQ(images.erase(request->returns), 1U) << "an image is given back that nobody has";
        ++returned;
      } else if (grants) {
        const std::uint64_t address = swap_test::region() + granted++ * 8192;
        images.insert(address);
        rig.sm.grant_page({rig.now + 1, request->ticket, address});
      }
      rig.sm.page_requests().pop();
    }
  }
  template <class Holds>
  [[nodiscard]] bool until(Holds&& holds, Cycle limit = 30'000) {
    for (const Cycle end = rig.now + limit; !holds();) {
      if (rig.now == end) return false;
      cycle();
    }
    return true;
  }
  void run_for(Cycle cycles) {
    for (const Cycle end = rig.now + cycles; rig.now < end;) cycle();
  }
  /// Places TB `gid`, lets it run for a while, stalls it and waits until it is quiesced.
  void place_and_stall(std::uint64_t gid, Cycle runs = 150) {
    const std::size_t before = agent.starts.size();
    place(gid);
    ASSERT_TRUE(until([&] { return agent.starts.size() > before; }));
    run_for(runs);
    const unsigned context = agent.starts.back().second.tb;
    stall(context);
    ASSERT_TRUE(until([&] { return (agent.quiesced >> context & 1) != 0; }));
  }
  void stall(unsigned context) { agent.stall |= agent.warps(context); }
  void resume(unsigned context) { agent.stall &= ~agent.warps(context); }
  /// Returns the accesses of the engine that the SM has sent to memory.
  [[nodiscard]] std::uint64_t accesses() const {
    const std::string text = rig.statistics.text();
    std::uint64_t sum = 0;
    for (const std::string name : {"swap_port.stores ", "swap_port.loads "}) {
      const std::size_t at = text.find(name);
      if (at == std::string::npos) throw std::runtime_error("no statistic " + name);
      sum += std::stoull(text.substr(at + name.size()));
    }
    return sum;
  }
  [[nodiscard]] bool retired(std::size_t tbs) const { return rig.retired.size() >= tbs; }
  [[nodiscard]] const SwapEntry& entry_of(unsigned slot) const {
    const auto found = std::find_if(agent.parked.rbegin(), agent.parked.rend(),
                                    [slot](const HandAgent::Parked& one) { return one.what.slot == slot; });
    return found->what.entry;
  }
  /// Returns the words of a TB that are not those of a run without moves.
  [[nodiscard]] unsigned wrong(unsigned gid, unsigned threads = kThreads) const {
    unsigned wrong = 0;
    for (unsigned t = 0; t < threads; ++t) {
      std::uint32_t word = 0;
      std::memcpy(&word, rig.store->host(out_ + (gid * 64 + t) * 4), 4);
      wrong += word != 60 + gid * 64 + t + (t > 17 ? 1000 : 0);
    }
    return wrong;
  }
  /// Returns the cycles in which the engine's `enter` was taken.
  [[nodiscard]] std::vector<Cycle> enters() const {
    std::vector<Cycle> enters;
    for (const SeenEngine::Tick& tick : engine.ticks) {
      if (tick.out.enter && tick.in.enter_ready) enters.push_back(tick.now);
    }
    return enters;
  }

  HandAgent agent;
  SeenEngine engine;
  AwayTbs away;
  AwayTbs* const away_;
  test::Rig rig;
  base::StatisticGroup front_end_{"front_end"};
  SyncNetwork net;
  test::Kernel* kernel = nullptr;
  std::set<std::uint64_t> images;  ///< images that the SM has
  std::uint64_t granted = 0, returned = 0;
  bool grants = true;  ///< requests are granted; of a stopped kernel they have no effect

 private:
  static Machine machine_of(unsigned contexts) {
    const std::string count = std::to_string(contexts);
    Machine machine =
        test::machine("maxwell_liu13", {"icache.ideal=1", "sm.tb_slots=" + count, "sm.tb_contexts=" + count});
    machine.chip.sync.limits = RandomSwapEngine::limits();
    return machine;
  }
  SmHooks hooks() {
    SmHooks result;
    result.agent = &agent;
    result.swap = &engine;
    result.away = away_;
    return result;
  }
  std::uint64_t out_;
  std::vector<std::byte> parameters_;
};

inline SwapJob out_job(unsigned slot, unsigned gid, unsigned in = SwapJob::kNoTb) {
  SwapJob job;
  job.slot = static_cast<std::uint8_t>(slot);
  job.out = job.fresh = true;
  job.gid = gid;
  job.in_gid = in;
  return job;
}
inline SwapJob in_job(unsigned slot, unsigned gid, const SwapEntry& entry) {
  SwapJob job;
  job.slot = static_cast<std::uint8_t>(slot);
  job.in_gid = gid;
  job.entry = entry;
  return job;
}
inline SwapJob fresh_job(unsigned slot, unsigned gid) {
  SwapJob job;
  job.slot = static_cast<std::uint8_t>(slot);
  job.fresh = true;
  job.in_gid = gid;
  return job;
}

}  // namespace castor::gpu::agent_jobs_test
