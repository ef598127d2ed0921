#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/swap_record.h"
#include "common/random_swap_engine.h"
#include "gpu_sm_support.h"

// An SM with a swap engine, and device memory for contexts.
namespace castor::gpu::swap_test {

using test::RandomSwapEngine;
constexpr std::uint64_t kRegion = std::uint64_t{16} << 20;
/// Returns the address of the device memory for contexts. All tests of the process share one region.
inline std::uint64_t region() {
  static const std::uint64_t base =
      test::shared_store().allocate(kRegion, AllocationKind::kHeap, "", PageAllocator::kLargePage).value();
  return base;
}
inline Machine machine(const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = {"icache.ideal=1", "context.mover=engine", "context.pages=static",
                                   "context.region=16MiB"};
  keys.insert(keys.end(), more.begin(), more.end());
  Machine machine = test::machine("maxwell_liu13", keys);
  machine.chip.sync.limits = RandomSwapEngine::limits();
  return machine;
}
// 64 threads increment a counter for a while, with shared memory, local memory and predicates in use. The lanes of a
// warp leave the loop one after the other, so its SIMT stack has two entries for a long time.
inline const char* const kBefore = ".shared .align 4 .b32 words[64];\n";
inline const char* const kBody = R"(
  .local .align 4 .b8 depot[8];
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u64 %rd2, depot;
  st.local.u32 [%rd2], %r1;
  mov.u32 %r5, words;
  mad.lo.u32 %r5, %r1, 4, %r5;
  setp.gt.u32 %p3, %r1, 17;
  and.b32 %r7, %r1, 7;
  add.u32 %r7, %r7, 60;
  mov.u32 %r2, 0;
L: st.shared.u32 [%r5], %r2;  ld.shared.u32 %r6, [%r5];
  add.u32 %r2, %r6, 1;
  setp.lt.u32 %p1, %r2, %r7;
  @%p1 bra L;
  ld.local.u32 %r3, [%rd2];
  @%p3 add.u32 %r3, %r3, 1000;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%rd1], %r2;
  ret;
)";
class Swapping {
 public:
  explicit Swapping(const RandomSwapEngine::Options& options = {}, const std::vector<std::string>& more = {},
                    const std::string& body = kBody, unsigned threads = 64)
      : engine(options), rig(machine(more), hooks()), count(threads) {
    rig.pages.emplace(rig.machine, region());
    out = rig.store->allocate(4096, AllocationKind::kHeap).value();
    std::memset(rig.store->host(out), 0, 4096);
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &out, 8);
    kernel = &rig.load(body, {4, 1, 1}, {threads, 1, 1}, 0, kBefore, parameters);
  }
  ~Swapping() { rig.store->free(out); }
  void ask() { rig.sm.swap_out({rig.now + 1, &kernel->context, kernel->context.ticket, 0, 0}); }
  void run_to(Cycle cycle) {
    while (rig.now < cycle) rig.cycle();
  }
  std::shared_ptr<const SavedTb> leave(Cycle limit = 20'000) {
    rig.brings_back = false;
    for (const Cycle end = rig.now + limit; rig.away.empty() && rig.now < end;) rig.cycle();
    EXPECT_FALSE(rig.away.empty()) << rig.sm.waiting();
    if (rig.away.empty()) return nullptr;
    auto tb = rig.away.front();
    rig.away.pop_front();
    return tb;
  }
  [[nodiscard]] MoveState state(unsigned context = 0) const { return rig.sm.mechanism<TbMover>()->state(context); }
  [[nodiscard]] std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> values(count);
    std::memcpy(values.data(), rig.store->host(out), values.size() * 4);
    return values;
  }
  [[nodiscard]] static std::vector<std::uint32_t> expected() {
    std::vector<std::uint32_t> values(64);
    for (std::uint32_t i = 0; i < 64; ++i) values[i] = 60 + i % 8 + i + (i > 17 ? 1000 : 0);
    return values;
  }
  [[nodiscard]] std::uint64_t lines() const {
    return 2 + 2 * kernel->program->registers +
           2;  // SIMT lines of 2 x 112 bytes, registers, 256 bytes of shared memory
  }
  [[nodiscard]] std::uint64_t statistic(const std::string& name) const {
    const std::string text = rig.statistics.text(), key = name + " ";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) throw std::runtime_error("no statistic " + name + " in\n" + text);
    return std::stoull(text.substr(at + key.size()));
  }

  RandomSwapEngine engine;
  test::Rig rig;
  unsigned count;
  std::uint64_t out = 0;
  const test::Kernel* kernel = nullptr;

 private:
  SmHooks hooks() {
    SmHooks result;
    result.swap = &engine;
    return result;
  }
};
/// Swap engine that forwards all calls to a RandomSwapEngine and records its accesses.
class SeenEngine final : public SwapEngine {
 public:
  explicit SeenEngine(const RandomSwapEngine::Options& options) : inner(options) {}
  struct Tick {
    Cycle now = 0;
    SwapOut out;
    SwapIn in;
  };
  [[nodiscard]] const char* block() const override { return inner.block(); }
  [[nodiscard]] SwapStorage storage() const override { return inner.storage(); }
  void attach(const HookSite& site) override { inner.attach(site); }
  void reset() override { inner.reset(); }
  /// An engine whose `parked` was not taken sleeps until the SM ticks.
  [[nodiscard]] Cycle quiet() const override {
    const bool refused = !ticks.empty() && ticks.back().out.parked && !ticks.back().in.park_ready;
    return refused ? kForever : inner.quiet();
  }
  void idle(Cycle n) override { inner.idle(n); }
  const SwapOut& settle(const SwapIn& in) override {
    out_ = inner.settle(in);
    if (change) change(out_);
    return out_;
  }
  void clock(const SwapIn& in) override {
    ticks.push_back({in.now, out_, in});
    inner.clock(in);
  }
  RandomSwapEngine inner;
  std::function<void(SwapOut&)> change;
  std::vector<Tick> ticks;

 private:
  SwapOut out_;
};
/// An SM with a SeenEngine.
class SeenRig {
 public:
  explicit SeenRig(const RandomSwapEngine::Options& options, const std::vector<std::string>& more = {})
      : base(options), seen(options), rig(machine(more), hooks()) {
    rig.pages.emplace(rig.machine, region());
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &base.out, 8);
    kernel = &rig.load(kBody, {4, 1, 1}, {64, 1, 1}, 0, kBefore, parameters);
  }
  /// Starts a block and requests its swap-out in cycle 300.
  void begin() {
    rig.start(*kernel);
    while (rig.now < 300) rig.cycle();
    rig.sm.swap_out({rig.now + 1, &kernel->context, kernel->context.ticket, 0, 0});
  }
  /// Runs until an edge of the engine for which `holds`; false after `limit` cycles.
  template <class Holds>
  [[nodiscard]] bool run_until(Holds&& holds, Cycle limit = 50'000) {
    for (const Cycle end = rig.now + limit; rig.now < end;) {
      rig.cycle();
      if (!seen.ticks.empty() && seen.ticks.back().now == rig.now && holds(seen.ticks.back())) return true;
    }
    return false;
  }

  Swapping base;
  SeenEngine seen;
  test::Rig rig;
  const test::Kernel* kernel = nullptr;

 private:
  SmHooks hooks() {
    SmHooks result;
    result.swap = &seen;
    return result;
  }
};
inline RandomSwapEngine::Options quick() {
  RandomSwapEngine::Options options;
  options.longest_pause = 0;
  options.homes = options.places = 0;
  return options;
}

}  // namespace castor::gpu::swap_test
