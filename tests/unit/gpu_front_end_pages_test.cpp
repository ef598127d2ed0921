// Tests of the memory for swapped-out thread blocks: sizes of images, and the page allocator's messages with the SMs
// (docs/gpu/sync-network.md, "Images").
#include <map>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/swap_image.h"
#include "common/hook_fails.h"
#include "common/null_hooks.h"
#include "gpu_front_end_pages_support.h"
#include "gpu_front_end_sync_support.h"

namespace castor::gpu::gpu_front_end_pages_test {
namespace {

using test::load;
using test::NullHooks;
using test::Rig;
using test::hooks::kSubmit;
using test::pages::kMega;
using test::pages::machine_with;
using test::pages::SlowPages;
using test::sync::Agents;
using test::sync::Hub;
using test::sync::options;
using test::sync::synchronising;

// --- Sizes of images -------------------------------------------------------------------------------------------------

isa::Program program_with(unsigned registers, const std::vector<unsigned>& sites, bool predicates = false) {
  isa::Program program;
  program.registers = registers;
  for (const unsigned live : sites) {
    isa::SyncSite site;
    for (unsigned r = 0; r < live; ++r) site.registers.set(r);
    site.predicates = predicates;
    program.sync.sites.push_back(site);
  }
  return program;
}

TEST(Images, HoldControlStateRegistersAndSharedMemoryInWholeLines) {
  Machine machine = machine_with("dynamic", "8MiB");
  SwapLimits& limits = machine.chip.sync.limits;
  const auto bytes = [&](const isa::Program& program, unsigned threads, unsigned shared) {
    return image_bytes(machine, program, {threads, program.registers, shared});
  };
  // 8 warps of 20 registers: 8 x 112 bytes are 7 lines; 160 lines; 1000 bytes are 8 lines.
  EXPECT_EQ(bytes(program_with(20, {4}), 256, 1000), (7 + 160 + 8) * 128U);
  limits.block_bytes = 129;
  EXPECT_EQ(bytes(program_with(20, {4}), 256, 1000), (7 + 2 + 160 + 8) * 128U);
  limits.block_bytes = 0;
  limits.live_registers = true;
  // At the only site 4 registers and no predicates are live: 8 x 80 bytes are 5 lines.
  EXPECT_EQ(bytes(program_with(20, {4}), 256, 0), (5 + 32) * 128U);
  EXPECT_EQ(bytes(program_with(20, {4}, true), 256, 0), (7 + 32) * 128U);
  EXPECT_EQ(bytes(program_with(20, {4, 4}), 256, 0), (7 + 160) * 128U) << "several sites keep all registers";
  EXPECT_EQ(bytes(program_with(20, {}), 255, 0), (7 + 160) * 128U);
  machine.context.mover = ContextMover::kEngine;
  EXPECT_EQ(bytes(program_with(20, {4}), 256, 0), (7 + 160) * 128U) << "preempted thread blocks keep all registers";
  machine.context.mover = ContextMover::kDrain;
  limits.images = false;
  EXPECT_EQ(bytes(program_with(20, {4}), 256, 1000), 0U);
  EXPECT_EQ(images_needed(machine, 200, 104), 200 - 104 + 3 * 13U);
  EXPECT_EQ(images_needed(machine, 105, 104), 40U);
  EXPECT_EQ(images_needed(machine, 30, 26), 30U);
}

// --- Messages with the SMs -------------------------------------------------------------------------------------------

/// Requests and returns of SMs in given cycles, and the grants that the SMs have received.
class Requests {
 public:
  explicit Requests(Rig& rig) : rig_(rig) {
    rig.before = [this](Cycle now) {
      for (const auto& [sm, entry, returns] : actions_[now]) {
        if (returns == 0) {
          rig_.sms[sm]->pages.request(kernel(entry), now);
        } else {
          rig_.sms[sm]->pages.give_back(kernel(entry), returns, now);
        }
      }
      actions_.erase(now);
    };
  }
  void request(Cycle now, unsigned sm, unsigned entry = 0) { add(now, {sm, entry, 0}); }
  void give_back(Cycle now, unsigned sm, std::uint64_t address, unsigned entry = 0) { add(now, {sm, entry, address}); }
  /// Returns cycle and address of the next grant of an SM; {0, 0} if there is none.
  std::pair<Cycle, std::uint64_t> granted(unsigned sm, unsigned entry = 0) {
    PagePort& port = rig_.sms[sm]->pages;
    const PageGrantMessage* const grant = port.granted(kernel(entry), kForever);
    if (grant == nullptr) return {0, 0};
    const std::pair<Cycle, std::uint64_t> result{grant->visible, grant->address};
    port.take();
    return result;
  }
  /// Returns the kernel of an entry, or the last one if the entry is free.
  const KernelContext& kernel(unsigned number = 0) {
    if (const KernelEntry& entry = rig_.front_end->table()[number]; entry.state != EntryState::kFree) {
      last_[number] = entry.context();
    }
    return last_[number];
  }

 private:
  struct Action {
    unsigned sm = 0, entry = 0;
    std::uint64_t returns = 0;
  };
  void add(Cycle now, Action action) {
    actions_[now].push_back(action);
    rig_.pins.insert(now);
  }
  Rig& rig_;
  std::map<unsigned, KernelContext> last_;
  std::map<Cycle, std::vector<Action>> actions_;
};

TEST(Pages, AGrantTakesTwoCyclesOrThoseOfAPage) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = true;
    Rig rig(machine_with("dynamic", "8MiB"), options(hub, agents, every_cycle));
    rig.service = 20'000;
    Requests requests(rig);
    // 2 warps of 16 registers: an image has 34 lines, so pages of 2 MB.
    constexpr std::uint64_t kImage = 34 * 128;
    rig.submit(0, synchronising(Rig::kernel(rig.program("k"), 2, 64)), kSubmit);
    // Two SMs request images in one cycle. Grants are in the order of the SMs, whatever the order of their ticks. Both
    // need the first page.
    requests.request(2000, 5);
    requests.request(2000, 2);
    requests.request(2040, 7);  // the page is being taken
    requests.request(2098, 8);
    requests.request(2500, 5);
    rig.run_until([&] { return rig.now >= 2700; }, 2700);
    const auto [first, region] = requests.granted(2);
    EXPECT_EQ(first, 2100U);
    EXPECT_EQ(region % (2 * kMega), 0U);
    EXPECT_EQ(requests.granted(5), std::make_pair(Cycle{2100}, region + kImage));
    EXPECT_EQ(requests.granted(7), std::make_pair(Cycle{2100}, region + 2 * kImage));
    EXPECT_EQ(requests.granted(8), std::make_pair(Cycle{2100}, region + 3 * kImage));
    EXPECT_EQ(requests.granted(5), std::make_pair(Cycle{2502}, region + 4 * kImage));
    EXPECT_EQ(requests.granted(5).first, 0U);
    EXPECT_EQ(rig.statistic("front_end.pages.images"), 5U);
    EXPECT_EQ(rig.statistic("front_end.pages.taken"), 1U);
    EXPECT_EQ(rig.statistic("front_end.pages.waits"), 3U);  // the grant to SM 8 comes as early as without a page
    EXPECT_EQ(rig.statistic("front_end.pages.wait_cycles"), 98 + 98 + 58U);
    EXPECT_EQ(rig.statistic("front_end.pages.images_max"), 5U);
    EXPECT_EQ(rig.statistic("front_end.pages.taken_max"), 1U);

    // Images returned in a cycle can be granted in the same cycle, the last returned one first.
    requests.request(3000, 1);
    requests.give_back(3000, 9, region);
    requests.give_back(3000, 11, region + 3 * kImage);
    requests.request(3000, 12);
    requests.request(3001, 0);
    rig.run_until([&] { return rig.now >= 3300; }, 3300);
    EXPECT_EQ(requests.granted(1), std::make_pair(Cycle{3002}, region + 3 * kImage));
    EXPECT_EQ(requests.granted(12), std::make_pair(Cycle{3002}, region));
    EXPECT_EQ(requests.granted(0), std::make_pair(Cycle{3003}, region + 5 * kImage));
    EXPECT_EQ(rig.statistic("front_end.pages.images_max"), 6U);
    EXPECT_EQ(rig.statistic("front_end.pages.images"), 8U);
  }
}

TEST(Pages, GrantsOfAnSmKeepTheOrderOfItsRequests) {
  Agents agents(13);
  Hub hub;
  Machine machine = machine_with("dynamic", "8MiB");
  machine.chip.sync.limits.block_bytes = 1'300'000;  // one image per page
  Rig rig(machine, options(hub, agents));
  rig.service = 20'000;
  Requests requests(rig);
  rig.submit(0, synchronising(Rig::kernel(rig.program("k"), 2, 64)), kSubmit);
  requests.request(2000, 3);
  rig.run_until([&] { return rig.now >= 2200; }, 2200);
  const auto [first, region] = requests.granted(3);
  EXPECT_EQ(first, 2100U);
  requests.request(2300, 4);            // an image in a page of its own, until 2400
  requests.give_back(2310, 3, region);  // the image is free at once
  requests.request(2320, 4);
  requests.request(2320, 5);
  rig.run_until([&] { return rig.now >= 2600; }, 2600);
  EXPECT_EQ(requests.granted(4), std::make_pair(Cycle{2400}, region + 2 * kMega));
  EXPECT_EQ(requests.granted(4), std::make_pair(Cycle{2400}, region));
  EXPECT_EQ(requests.granted(5), std::make_pair(Cycle{2420}, region + 4 * kMega));
}

TEST(Pages, StaticTakesNoPage) {
  Agents agents(13);
  Hub hub;
  Rig rig(machine_with("static", "4MiB"), options(hub, agents));
  rig.service = 20'000;
  Requests requests(rig);
  rig.submit(0, synchronising(Rig::kernel(rig.program("k"), 2, 64)), kSubmit);
  for (unsigned sm = 0; sm < 13; ++sm) requests.request(2000, sm);
  rig.run_until([&] { return rig.now >= 2200; }, 2200);
  const std::uint64_t region = requests.granted(0).second;
  for (unsigned sm = 1; sm < 13; ++sm) {
    EXPECT_EQ(requests.granted(sm), std::make_pair(Cycle{2002}, region + std::uint64_t{sm} * 34 * 128));
  }
  EXPECT_EQ(rig.statistic("front_end.pages.taken"), 0U);
  EXPECT_EQ(rig.statistic("front_end.pages.waits"), 0U);
}

TEST(Pages, TheEndOfTheKernelGivesBackEverything) {
  Agents agents(13);
  Hub hub;
  Rig rig(machine_with("dynamic", "8MiB"), options(hub, agents));
  rig.service = 2000;
  Requests requests(rig);
  const ProgramHandle program = rig.program("k");
  const Ticket first = rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), kSubmit);
  const Ticket second = rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), kSubmit + 1);
  requests.request(1500, 1);
  requests.request(1500, 2);
  rig.run_until([&] { return rig.now >= 1700; }, 1700);
  const KernelContext old = requests.kernel();
  const auto [granted, region] = requests.granted(1);
  EXPECT_EQ(granted, 1600U);
  const std::uint64_t other = requests.granted(2).second;
  EXPECT_NE(other, region);
  rig.run_until([&] { return rig.log.of("written").size() == 2; });
  const Cycle written = rig.log.cycle("written", second);
  EXPECT_GT(written, rig.log.cycle("completed", first));
  // Messages for the complete kernel have no effect, whatever their contents. Its images go to the next kernel.
  rig.sms[1]->pages.give_back(old, region, rig.now);
  rig.sms[2]->pages.request(old, rig.now);
  requests.request(written + 50, 6);
  requests.request(written + 50, 7);
  rig.run();
  EXPECT_EQ(rig.statistic("front_end.pages.images"), 4U);
  EXPECT_EQ(requests.granted(6), std::make_pair(written + 150, region));
  EXPECT_EQ(requests.granted(7), std::make_pair(written + 150, other));
  EXPECT_EQ(rig.statistic("front_end.pages.taken"), 2U);
  EXPECT_EQ(rig.statistic("front_end.pages.taken_max"), 1U);
  EXPECT_EQ(rig.statistic("front_end.pages.images_max"), 2U);
}

TEST(Pages, ARequestOfAStoppedKernelIsNotAnswered) {
  Agents agents(13);
  Hub hub;
  Rig rig(machine_with("dynamic", "8MiB"), options(hub, agents));
  rig.service = 20'000;
  Requests requests(rig);
  const ProgramHandle program = rig.program("k");
  rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), kSubmit);
  rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), kSubmit + 1);
  requests.request(1500, 1);
  requests.request(1990, 3);
  rig.run_until([&] { return rig.now >= 1995; }, 1995);
  const std::uint64_t region = requests.granted(1).second;
  rig.sms[0]->fault_now(requests.kernel(), "stop", rig.now);
  requests.request(1996, 4);  // the kernel's TBs have not ended yet
  rig.run_until([&] { return rig.log.of("written").size() == 2; });
  EXPECT_EQ(rig.statistic("front_end.pages.images"), 2U) << "one was granted after the stop";
  requests.request(rig.now + 10, 3);
  rig.run_until([&] { return rig.now >= 6000; }, 6000);
  // A grant of the first kernel that SM 3 has not taken must not reach the second kernel.
  EXPECT_EQ(requests.granted(3).second, region);
  EXPECT_EQ(requests.granted(3).first, 0U);
}

// --- Several kernels -------------------------------------------------------------------------------------------------

/// A machine whose swap engines move preempted TBs, and which has no hub. Images have 34 lines and a page of 2 MB each.
Machine moving_machine(const std::string& region) {
  Machine machine = load({"context.mover=engine", "context.region=" + region, "context.page_latency=100"});
  machine.chip.sync.limits.images = true;
  machine.chip.sync.limits.warp_bytes = 80;
  machine.chip.sync.limits.predicate_bytes = 32;
  machine.chip.sync.limits.block_bytes = 1'300'000;
  return machine;
}

Rig::Options moving_options(NullHooks& adapters, bool every_cycle = false) {
  Rig::Options options;
  options.hooks = adapters.hooks(NullHooks::kSwap);
  options.every_cycle = every_cycle;
  return options;
}

TEST(Pages, KernelsShareTheRegionAndRequestsWithoutRoomWait) {
  for (const bool every_cycle : {false, true}) {
    SCOPED_TRACE(every_cycle);
    NullHooks adapters(13);
    Rig::Options with = moving_options(adapters, every_cycle);
    with.service = [](const KernelContext& kernel, std::uint64_t) { return kernel.entry == 0 ? 20'000 : 4000; };
    Rig rig(moving_machine("6MiB"), with);
    Requests requests(rig);
    const ProgramHandle program = rig.program("k");
    rig.submit(0, Rig::kernel(program, 2, 64), kSubmit);
    const Ticket second = rig.submit(1, Rig::kernel(program, 2, 64), kSubmit);
    // Two pages for the first kernel, one for the second.
    requests.request(2000, 1, 0);
    requests.request(2000, 2, 1);
    requests.request(2001, 3, 0);
    rig.run_until([&] { return rig.now >= 2200; }, 2200);
    const auto [first, region] = requests.granted(1, 0);
    EXPECT_EQ(first, 2100U);
    EXPECT_EQ(requests.granted(2, 1), std::make_pair(Cycle{2100}, region + 2 * kMega));
    EXPECT_EQ(requests.granted(3, 0), std::make_pair(Cycle{2101}, region + 4 * kMega));
    const std::string image = std::to_string(requests.kernel(0).image_bytes);
    // The region is full. The page of the second kernel is its own, also when its image is given back.
    requests.request(2300, 5, 0);
    requests.request(2310, 4, 0);
    requests.request(2320, 6, 1);
    requests.give_back(2400, 2, region + 2 * kMega, 1);
    rig.run_until([&] { return rig.now >= 2600; }, 2600);
    EXPECT_EQ(requests.granted(4, 0).first + requests.granted(5, 0).first, 0U);
    EXPECT_EQ(requests.granted(6, 1), std::make_pair(Cycle{2402}, region + 2 * kMega));
    EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("images: SM 5 waits for an image of " + image + " bytes"));
    EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("context.region has no room for it (3 images in use)"));
    if (!every_cycle) {
      EXPECT_GT(rig.front_end->wake(), rig.now + 1) << "requests that wait are polled";
    }
    // The oldest request of the first kernel is served first.
    requests.give_back(2700, 3, region + 4 * kMega, 0);
    rig.run_until([&] { return rig.now >= 2800; }, 2800);
    EXPECT_EQ(requests.granted(5, 0), std::make_pair(Cycle{2702}, region + 4 * kMega));
    EXPECT_EQ(requests.granted(4, 0).first, 0U);
    // The second kernel ends, and its page is free.
    rig.run_until([&] { return !rig.log.of("completed").empty(); });
    const Cycle ended = rig.log.cycle("completed", second);
    rig.run_until([&] { return rig.now >= ended + 200; }, ended + 200);
    EXPECT_EQ(requests.granted(4, 0), std::make_pair(ended + 100, region + 2 * kMega));
    EXPECT_EQ(rig.statistic("front_end.pages.taken"), 4U);
    EXPECT_EQ(rig.statistic("front_end.pages.taken_max"), 3U);
  }
}

// A stopped kernel keeps its images until its last TB has ended, since stores of it may be in flight until then.
TEST(Pages, AStoppedKernelGivesBackItsImagesWhenItIsComplete) {
  NullHooks adapters(13);
  Rig rig(moving_machine("2MiB"), moving_options(adapters));
  rig.service = 20'000;
  Requests requests(rig);
  const ProgramHandle program = rig.program("k");
  const Ticket first = rig.submit(0, Rig::kernel(program, 40, 64), kSubmit);
  rig.submit(1, Rig::kernel(program, 2, 64), kSubmit);
  requests.request(2000, 1, 0);
  requests.request(2500, 2, 1);
  requests.request(2510, 3, 0);
  rig.run_until([&] { return rig.now >= 2600; }, 2600);
  const auto [granted, region] = requests.granted(1, 0);
  EXPECT_EQ(granted, 2100U);
  const Cycle stop = rig.now;
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("SM 3 waits for an image"));
  rig.sms[0]->fault_now(requests.kernel(0), "stop", stop);
  rig.run_until([&] { return rig.now >= stop + 3; }, stop + 3);
  EXPECT_THAT(rig.front_end->waiting(), testing::Not(testing::HasSubstr("SM 3 waits for an image")));
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("SM 2 waits for an image"));
  EXPECT_TRUE(rig.log.of("completed").empty());
  rig.run_until([&] { return !rig.log.of("completed").empty(); });
  const Cycle ended = rig.log.cycle("completed", first);
  EXPECT_GT(ended, stop + 3);
  EXPECT_EQ(requests.granted(2, 1).first, 0U);
  rig.run_until([&] { return rig.now >= ended + 300; }, ended + 300);
  EXPECT_EQ(requests.granted(2, 1), std::make_pair(ended + 100, region));
  EXPECT_EQ(rig.statistic("front_end.pages.images"), 2U);
}

TEST(Pages, ADeviceThatIsResetHasTheWholeRegionAgain) {
  Agents agents(13);
  Hub hub;
  Rig rig(machine_with("dynamic", "8MiB"), options(hub, agents));
  rig.service = 20'000;
  Requests requests(rig);
  const ProgramHandle program = rig.program("k");
  rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), kSubmit);
  requests.request(1500, 1);
  rig.run_until([&] { return rig.now >= 1700; }, 1700);
  const std::uint64_t region = requests.granted(1).second;
  EXPECT_NE(region, 0U);
  rig.front_end->abandon();
  rig.run();
  EXPECT_TRUE(rig.front_end->idle());
  rig.front_end->reset();
  rig.submit(0, synchronising(Rig::kernel(program, 2, 64)), rig.now + 10);
  requests.request(rig.now + 2000, 1);
  rig.run_until([&] { return rig.now >= 6000; }, 6000);
  EXPECT_EQ(requests.granted(1).second, region);
}

TEST(Pages, OnlyMachinesThatNeedItHaveTheRegion) {
  Agents agents(13);
  Hub hub;
  {
    Rig rig(machine_with("dynamic", "8MiB"), options(hub, agents));
    EXPECT_EQ(rig.store.used(AllocationKind::kBlock), 8 * kMega);
    EXPECT_THAT(rig.statistics(), testing::HasSubstr("pages"));
  }
  Machine machine = machine_with("dynamic", "8MiB");
  machine.chip.sync.limits.images = false;
  for (const bool has_hub : {false, true}) {
    Rig rig(has_hub ? machine : machine_with("dynamic", "8MiB"), has_hub ? options(hub, agents) : Rig::Options{});
    EXPECT_EQ(rig.store.used(AllocationKind::kBlock), 0U);
    EXPECT_THAT(rig.statistics(), testing::Not(testing::HasSubstr("pages")));
  }
  Machine small = machine_with("dynamic", "8MiB");
  small.memory.bytes = 4 * kMega;
  try {
    const Rig rig(small, options(hub, agents));
    ADD_FAILURE() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("no device memory left for the contexts of swapped-out thread blocks"));
  }
}

/// Requests and returns at random, in shuffled order of the units, against the slow model.
TEST(Pages, RandomRequestsInAnyOrderOfTheUnitsAreGrantedAsTheModelSays) {
  constexpr std::uint64_t kImage = 34 * 128;
  std::string first;
  for (const std::uint64_t shuffle : {0, 1, 2}) {
    Agents agents(13);
    Hub hub;
    Rig::Options with = options(hub, agents, shuffle == 1);
    with.shuffle = shuffle;
    Rig rig(machine_with("dynamic", "8MiB", 60), with);
    rig.service = 20'000;
    rig.submit(0, synchronising(Rig::kernel(rig.program("k"), 2, 64)), kSubmit);
    const KernelContext* kernel = nullptr;
    std::map<Cycle, std::vector<std::pair<unsigned, std::uint64_t>>> done;  // cycle: SM and image returned, or 0
    std::vector<std::vector<std::uint64_t>> owned(13);
    std::vector<std::vector<std::pair<Cycle, std::uint64_t>>> grants(13);
    base::Xoshiro256 random(7);
    rig.before = [&](Cycle now) {
      if (now < 2000 || now >= 8000) return;
      kernel = &rig.front_end->table()[0].context();
      for (unsigned sm = 0; sm < 13; ++sm) {
        PagePort& port = rig.sms[sm]->pages;
        while (const PageGrantMessage* const grant = port.granted(*kernel, now)) {
          EXPECT_EQ(grant->visible, now);
          grants[sm].emplace_back(now, grant->address);
          owned[sm].push_back(grant->address);
          port.take();
        }
        const std::uint64_t draw = random.below(100);
        if (draw < 14) {
          port.request(*kernel, now);
          done[now].emplace_back(sm, 0);
        } else if (draw < 20 && !owned[sm].empty()) {
          const std::size_t which = random.below(owned[sm].size());
          port.give_back(*kernel, owned[sm][which], now);
          done[now].emplace_back(sm, owned[sm][which]);
          owned[sm].erase(owned[sm].begin() + static_cast<long>(which));
        }
      }
    };
    for (Cycle now = 2000; now < 8200; ++now) rig.pins.insert(now);
    // No SM may request more pages than exist.
    rig.run_until([&] { return rig.now >= 2900; }, 2900);
    const Cycle last = rig.now;
    SlowPages slow(true, 60, grants[0].empty() ? 0 : grants[0].front().second / (2 * kMega) * (2 * kMega), 8 * kMega);
    std::vector<std::vector<std::pair<Cycle, std::uint64_t>>> expected(13);
    for (const auto& [now, acts] : done) {
      for (const auto& [sm, returns] : acts) {
        if (returns != 0) slow.give_back(returns);
      }
      for (const auto& [sm, returns] : acts) {
        if (returns != 0) continue;
        const auto [address, ready] = slow.take(kImage, now).value();
        Cycle at = std::max(now + 2, ready);
        if (!expected[sm].empty()) at = std::max(at, expected[sm].back().first);
        expected[sm].emplace_back(at, address);
      }
    }
    std::string text;
    std::size_t count = 0;
    for (unsigned sm = 0; sm < 13; ++sm) {
      while (!expected[sm].empty() && expected[sm].back().first >= last) expected[sm].pop_back();
      EXPECT_EQ(grants[sm], expected[sm]) << "SM " << sm;
      count += grants[sm].size();
      for (const auto& [at, address] : grants[sm]) text += std::to_string(at) + " " + std::to_string(address) + "\n";
    }
    EXPECT_GT(count, 1000U);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_pages_test
