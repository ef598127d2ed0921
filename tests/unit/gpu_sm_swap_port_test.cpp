// Tests of the port of a swap engine: times, slots and entries that its accesses take, and rules for the engine
// (docs/gpu/swapping.md).

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "common/hook_fails.h"
#include "gpu_sm_swap_support.h"

namespace castor::gpu::gpu_sm_swap_port_test {
namespace {

using swap_test::kBefore;
using swap_test::kBody;
using swap_test::machine;
using swap_test::quick;
using swap_test::region;
using swap_test::SeenEngine;
using swap_test::SeenRig;
using swap_test::Swapping;
using test::RandomSwapEngine;

// Blocks run beside the one that is moved. The test checks which instructions issue, and when the engine's accesses are
// performed.
TEST(SwapPort, AnAccessTakesTheIssueSlotOfItsSchedulerAndBarsMemoryInstructions) {
  RandomSwapEngine::Options options;
  options.longest_pause = 1;
  Swapping one(options, {"context.random=5", "issue.per_warp=1"});
  SeenEngine seen(options);
  SmHooks hooks;
  hooks.swap = &seen;
  test::Rig rig(machine({"context.random=5", "issue.per_warp=1"}), hooks);
  rig.pages.emplace(rig.machine, region());
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &one.out, 8);
  const test::Kernel& kernel = rig.load(kBody, {6, 1, 1}, {64, 1, 1}, 0, kBefore, parameters);
  for (unsigned gid = 0; gid < 6; ++gid) rig.start(kernel, gid);
  ASSERT_TRUE(rig.run(6)) << rig.sm.waiting();
  std::map<Cycle, std::vector<Observer::Issue>> issues;
  for (const Observer::Issue& issue : rig.log.issues) issues[issue.tick].push_back(issue);
  unsigned beside = 0, loads = 0, done = 0, free_memory = 0;
  std::uint64_t stores = 0, most = 0;
  for (const SeenEngine::Tick& tick : seen.ticks) {
    const Maybe<SwapAccess>& access = tick.out.access;
    const auto found = issues.find(tick.now);
    if (tick.in.load_done) ++done;
    ASSERT_LE(done, loads) << "a load is done before it is made";
    if (tick.in.access_taken && !access->store) ++loads;
    if (tick.in.access_taken && access->store && !access->local) ++stores;
    most = std::max<std::uint64_t>(most, tick.in.outstanding);
    if (found == issues.end()) continue;
    for (const Observer::Issue& issue : found->second) {
      const bool memory = kernel.program->code[issue.pc].kind == isa::Kind::kMemory;
      if (tick.out.block_memory) {
        ASSERT_FALSE(memory) << "a memory instruction issues in tick " << tick.now;
      }
      if (memory) ++free_memory;
      if (!tick.in.access_taken || access->local) continue;
      // The blocks of two warps take the lowest free context and slots, so context c has slots 2 c and 2 c + 1.
      const unsigned warp = access->type == SwapAccess::Type::kRegister ? access->warp : 0;
      ASSERT_NE(issue.scheduler, (2 * access->slot + warp) % rig.machine.schedulers) << "tick " << tick.now;
      ++beside;
    }
  }
  EXPECT_EQ(done, loads);
  EXPECT_GT(loads, 50U);
  EXPECT_GT(stores, 50U);
  EXPECT_GT(beside, 20U) << "nothing issues beside the engine's accesses";
  EXPECT_GT(free_memory, 20U);
  EXPECT_GT(most, 4U);
  rig.store->free(kernel.context.parameters);
}
TEST(SwapPort, AnAccessWaitsWhileTheLoadStoreUnitIsFull) {
  Swapping one(quick(), {"l1.mshrs=2", "lsu.queue=2", "l1.access_latency=1", "l1.banks=1"});
  one.rig.network.latency = 700;
  one.rig.start(*one.kernel);
  one.run_to(2000);
  one.ask();
  ASSERT_TRUE(one.rig.run(1, 400'000)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), Swapping::expected());
  EXPECT_GT(one.statistic("swap_port.refused"), 500U);
  EXPECT_EQ(one.statistic("swap_port.loads"), one.lines());
}
// Each case breaks one rule for swap engines.
TEST(SwapPortDeathTest, AnEngineThatBreaksARuleStopsTheRunWithTheBlocksName) {
  const auto breaks = [](const std::function<void(SwapOut&)>& change) {
    const RandomSwapEngine::Options options;
    Swapping one(options);
    SeenEngine seen(options);
    seen.change = change;
    SmHooks hooks;
    hooks.swap = &seen;
    test::Rig rig(machine(), hooks);
    rig.pages.emplace(rig.machine, region());
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &one.out, 8);
    const test::Kernel& kernel = rig.load(kBody, {4, 1, 1}, {64, 1, 1}, 0, kBefore, parameters);
    rig.start(kernel);
    while (rig.now < 300) rig.cycle();
    rig.sm.swap_out({rig.now + 1, &kernel.context, kernel.context.ticket, 0, 0});
    static_cast<void>(rig.run(1, 20'000));
  };
  const auto on_access = [](const std::function<void(SwapAccess&)>& change) {
    return [change](SwapOut& out) {
      if (out.access) change(*out.access);
    };
  };
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) { access.slot = 3; })),
                    "block shuttle.*accesses TB context 3, which has no job");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) { access.home = 5; })),
                    "accesses a line that TB context 0 does not have");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) { access.reg = 250; })),
                    "accesses a line that TB context 0 does not have");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) {
                      if (access.type == SwapAccess::Type::kShared) access.line = 2;
                    })),
                    "accesses a line that TB context 0 does not have");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) {
                      if (access.type == SwapAccess::Type::kSimt) access.line = 2;
                    })),
                    "accesses a line that TB context 0 does not have");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) { access.address += 64; })),
                    "accesses a line that TB context 0 does not have");
  EXPECT_HOOK_FAILS(breaks(on_access([](SwapAccess& access) {
                      access.local = true;
                      access.address = 0;
                    })),
                    "accesses a line that TB context 0 does not have");
  const std::uint64_t image = std::uint64_t{kSwapLineBytes} * Swapping().lines();
  for (const bool store : {true, false}) {
    const std::string fails = std::string("block shuttle.*") + (store ? "stores" : "loads") +
                              " a line of TB context 0 at 0x[0-9a-f]+, outside its image of " + std::to_string(image) +
                              " bytes at 0x";
    EXPECT_HOOK_FAILS(breaks(on_access([&](SwapAccess& access) {
                        if (!access.local && access.store == store) access.address += image;
                      })),
                      fails);
    // The last line, one line further; the first line, one line before.
    EXPECT_HOOK_FAILS(breaks(on_access([&](SwapAccess& access) {
                        const bool last = !access.local && access.address == region() + image - kSwapLineBytes;
                        if (last && access.store == store) access.address += kSwapLineBytes;
                      })),
                      fails);
    EXPECT_HOOK_FAILS(breaks(on_access([&](SwapAccess& access) {
                        if (!access.local && access.address == region() && access.store == store)
                          access.address -= kSwapLineBytes;
                      })),
                      fails);
  }
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.enter && !out.enter->fresh) ++out.enter->gid;
                    }),
                    "enters TB 1 into TB context 0, where TB 0 comes in");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.parked) out.parked->local = true;
                    }),
                    "keeps the context of TB context 0 in the SM, which has no room for it");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.parked) out.parked->slot = 1;
                    }),
                    "has moved out TB context 1, which has no such job");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.enter) out.enter->fresh = !out.enter->fresh;
                    }),
                    "enters TB context 0, which has no such job");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.enter) out.enter->register_home = 1;
                    }),
                    "gives TB context 0 homes 1 and 0, which are not spare");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.enter && out.enter->free) *out.enter->free += 256;
                    }),
                    "does not give back the image of TB 0, which it has moved in");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.enter && out.enter->free) out.enter->free.reset();
                    }),
                    "does not give back the image of TB 0, which it has moved in");
  EXPECT_HOOK_FAILS(breaks([](SwapOut& out) {
                      if (out.page_request) out.page_request = 9;
                    }),
                    "asks for an image of TB context 9, which has no such job");
}
// An image arrives two cycles after its request. A load is done when its data are written, after the passes through
// LSU, L1 and network. The block leaves when the last store is acknowledged.
TEST(SwapPort, TimesOfAnImageOfALoadAndOfTheEndOfAJob) {
  SeenRig one(quick(), {"l1.return_latency=7"});
  const auto& l1 = one.rig.machine.l1;
  one.rig.network.latency = 5000;
  one.rig.brings_back = false;
  one.begin();
  ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.out.page_request.has_value(); }));
  const Cycle asked = one.rig.now;
  ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.in.page.has_value(); }));
  EXPECT_EQ(one.rig.now, asked + 2);
  ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.out.parked.has_value(); }));
  const Cycle parked = one.rig.now;
  EXPECT_LT(parked, asked + 1000) << "the engine waits for acknowledges";
  while (one.rig.away.empty() && one.rig.now < 50'000) one.rig.cycle();
  EXPECT_GT(one.rig.now, parked + 5000) << "the block leaves before its last store is in memory";
  EXPECT_LT(one.rig.now, parked + 5100);

  one.rig.network.latency = 100;
  one.rig.bring_back(one.rig.away.front());
  one.rig.away.clear();
  ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.in.access_taken; }));
  const Cycle taken = one.rig.now;
  ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.in.load_done; }));
  EXPECT_EQ(one.rig.now, taken + 1 + l1.access_latency + 1 + 100 + 1 + l1.return_latency);
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
}
// A line that is stored twice has its bytes at the first address and poison at the second.
TEST(SwapPort, AStoreLeavesPoison) {
  SeenRig one(quick());
  Maybe<SwapAccess> first;
  std::uint64_t second = 0;
  unsigned stores = 0;
  one.seen.change = [&](SwapOut& out) {
    if (!out.access || !out.access->store) return;
    if (!first && out.access->type == SwapAccess::Type::kRegister) first = out.access;
    if (!first || ++stores != 5) return;
    second = out.access->address;
    out.access = first;
    out.access->address = second;
  };
  one.rig.brings_back = false;
  one.begin();
  while (one.rig.away.empty() && one.rig.now < 50'000) one.rig.cycle();
  ASSERT_NE(second, 0U);
  const std::byte* const bytes = one.rig.store->bytes(second);
  for (unsigned i = 0; i < kSwapLineBytes; ++i) ASSERT_EQ(bytes[i], kSwapPoison) << i;
  const std::byte* const original = one.rig.store->bytes(first->address);
  EXPECT_FALSE(std::all_of(original, original + kSwapLineBytes, [](std::byte b) { return b == kSwapPoison; }));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_swap_port_test
