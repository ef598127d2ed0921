// Random programs on tiny and on real machines: every thread sees its own program order, and sleeping changes nothing.

#include "castor/base/hash.h"
#include "gpu_lsu_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::test::gpu_lsu_random_test {
namespace {

using isa::LaneMask;
using isa::MemoryKind;
using isa::Ordering;
using isa::Space;

/// Warps whose threads own private words in lines that all warps share, in global and in local memory. Each thread's
/// accesses are mirrored in a plain array at issue. The results of loads and atomics must equal the array.
class PrivateWords {
 public:
  struct Result {
    Cycle cycles = 0;
    std::uint64_t awake = 0;
    std::uint64_t hash = 0;
    std::uint64_t statistics = 0;
  };

  PrivateWords(const Machine& machine, std::uint64_t seed, bool sleeping, unsigned instructions, bool real = false)
      : random_(seed), rig_(machine, kWarps, real), instructions_(instructions), lanes_(machine.sm.lanes) {
    rig_.sleeping = sleeping;
    rig_.memory.delay = 1 + random_.below(60);
    rig_.memory.jitter = static_cast<unsigned>(random_.below(100));
    rig_.memory.seed = seed;
    rig_.memory.remember = false;
    rig_.kernel.bypass_l1 = random_.below(8) == 0;
    rig_.kernel.may_swap = random_.below(4) == 0;
    rig_.on_complete = [this](unsigned warp, std::uint32_t pc) { check(warp, pc); };
  }

  Result run() {
    unsigned left = instructions_;
    Cycle idle = 0;
    while (left != 0) {
      rig_.begin();
      // One warp tries to issue now and then; a warp's loads may be in flight together.
      if (random_.below(3) != 0) {
        const auto warp = static_cast<unsigned>(random_.below(kWarps));
        if (expected_[warp].size() < 4 && (rig_.held & warp_bit(warp)) == 0 && issue(warp)) {
          --left;
          idle = 0;
        }
      }
      if (random_.below(500) == 0) {  // an acquire of a block
        const auto context = static_cast<unsigned>(random_.below(kContexts));
        rig_.acquire(context);
      }
      if (++idle > 200000) {
        ADD_FAILURE() << "stands still: " << rig_.lsu.waiting();
        break;
      }
    }
    rig_.drain(1000000);
    Result result;
    result.cycles = rig_.now;
    result.awake = rig_.awake;
    result.hash = hash_.value();
    rig_.lsu.catch_up(rig_.now - 1);
    result.statistics = rig_.statistics.hash();
    return result;
  }

 private:
  static constexpr unsigned kWarps = 6;
  static constexpr unsigned kContexts = 2;
  static constexpr unsigned kWords = 6;  // per thread and space, each in another line

  struct Expected {
    std::uint32_t pc;
    LaneMask mask;
    std::uint32_t value[isa::kMaxLanes];
  };

  bool issue(unsigned warp) {
    Instruction instruction;
    const std::uint64_t choice = random_.below(10);
    instruction.kind = choice < 4   ? MemoryKind::kLoad
                       : choice < 8 ? MemoryKind::kStore
                       : choice < 9 ? MemoryKind::kAtomic
                                    : MemoryKind::kReduction;
    const bool generic = random_.below(4) == 0;
    const std::uint64_t where = random_.below(10);
    const bool plain = instruction.kind <= MemoryKind::kStore;
    const unsigned space = where < 5 || (!plain && where < 8) ? 0 : where < 8 ? 1 : 2;  // global, local, shared
    instruction.space = generic      ? Space::kGeneric
                        : space == 0 ? Space::kGlobal
                        : space == 1 ? Space::kLocal
                                     : Space::kShared;
    if (plain && random_.below(4) == 0) instruction.ordering = Ordering::kVolatile;
    if (instruction.kind == MemoryKind::kLoad && random_.below(6) == 0) instruction.cache = isa::CacheOp::kCg;
    const isa::Record record = instruction.record();
    if (!rig_.lsu.can_accept(record)) return false;

    const unsigned context = warp % kContexts;
    LaneMask mask = random_.below(2) == 0 ? rig_.all() : random_() & rig_.all();
    if (mask == 0) mask = 1;
    const bool uniform = random_.below(2) == 0;
    const auto common = static_cast<unsigned>(random_.below(kWords));
    Expected expected{};
    expected.mask = mask;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const auto word = uniform ? common : static_cast<unsigned>(random_.below(kWords));
      // A generic access mixes spaces lane by lane now and then.
      const unsigned lane_space = generic && plain && random_.below(8) == 0 ? (space + 1) % 3 : space;
      const unsigned thread = warp * lanes_ + lane;
      std::uint64_t address = 0;
      switch (lane_space) {
        case 0:  // neighbours in a line belong to other warps
          address = rig_.heap + std::uint64_t{4} * ((lane * kWarps + warp) + word * kWarps * lanes_);
          break;
        case 1:
          address = (generic ? isa::kLocalWindow : 0) + 4 * word;
          break;
        default:
          address = (generic ? isa::kSharedWindow : 0) +
                    std::uint64_t{4} * ((warp / kContexts * lanes_ + lane) + word * 4 * lanes_) % LsuRig::kSharedBytes;
          break;
      }
      rig_.set_address(warp, lane, address);
      const auto value = static_cast<std::uint32_t>(random_());
      rig_.warp(warp).put(kDataReg, 32, 0, lane, value);
      if ((mask >> lane & 1) == 0) continue;
      std::uint32_t& mirror = mirror_[std::size_t{lane_space} * 4096 * kWords + thread * std::size_t{kWords} + word];
      expected.value[lane] = mirror;
      if (instruction.kind == MemoryKind::kStore) mirror = value;
      if (instruction.kind >= MemoryKind::kAtomic) mirror += value;
    }
    EXPECT_FALSE(rig_.issue(instruction, warp, context, mask));
    expected.pc = static_cast<std::uint32_t>(rig_.records.size() - 1);
    if (instruction.kind == MemoryKind::kLoad || instruction.kind == MemoryKind::kAtomic)
      expected_[warp].push_back(expected);
    return true;
  }

  void check(unsigned warp, std::uint32_t pc) {
    auto& waiting = expected_[warp];
    const auto found =
        std::find_if(waiting.begin(), waiting.end(), [&](const Expected& expected) { return expected.pc == pc; });
    ASSERT_NE(found, waiting.end());
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if ((found->mask >> lane & 1) == 0) continue;
      const std::uint64_t value = rig_.loaded(warp, lane);
      EXPECT_EQ(value, found->value[lane]) << "warp " << warp << " lane " << lane << " instruction " << pc;
      hash_.add(value);
    }
    hash_.add(rig_.now);
    waiting.erase(found);
  }

  base::Xoshiro256 random_;
  LsuRig rig_;
  unsigned instructions_;
  unsigned lanes_;
  std::vector<std::uint32_t> mirror_ = std::vector<std::uint32_t>(std::size_t{3} * 4096 * kWords, 0);
  std::vector<Expected> expected_[kWarps];
  base::Hash hash_;
};

std::vector<std::string> tiny(base::Xoshiro256& random) {
  const auto pick = [&](unsigned least, unsigned most) {
    return std::to_string(least + random.below(most - least + 1));
  };
  const unsigned sets = 1U << random.below(3);
  const auto ways = static_cast<unsigned>(1 + random.below(8));
  return {"l1.sets=" + std::to_string(sets),
          "l1.ways=" + std::to_string(ways),
          "l1.sectored=" + pick(0, 1),
          "l1.access_latency=" + pick(1, 8),
          "l1.return_latency=" + pick(0, 3),
          "l1.banks=" + pick(1, 4),
          "l1.mshrs=" + pick(1, 8),
          "l1.merges=" + pick(1, 8),
          "l1.miss_queue=" + pick(2, 8),
          "l1.caches_global=" + pick(0, 1),
          "l1.local_write_back=" + pick(0, 1),
          "lsu.queue=" + pick(1, 8),
          "lsu.split_wide=" + pick(0, 1),
          "xbar.fifo_flits=" + pick(5, 12),
          "acquire.mode=" + std::string(random.below(4) == 0 ? "flush" : "stamp"),
          "oc_cycles=" + pick(1, 4),
          "smem.bank_bytes=8",
          "smem.interleave=" + std::string(random.below(2) == 0 ? "4" : "8"),
          "smem.round_ticks=" + pick(1, 3),
          "smem.conflict_ticks=" + pick(1, 3),
          "smem.replay_ticks=" + pick(0, 9),
          "smem.replay_rounds=" + pick(1, 3),
          "smem.atomics=" + std::string(random.below(2) == 0 ? "native" : "loop"),
          "smem.atomic_latency=" + pick(0, 5),
          "smem.atomic_ticks=" + pick(1, 3),
          "smem.lock_ticks=" + pick(1, 9),
          "smem.retry_ticks=" + pick(1, 9),
          "l1.obeys_ca=" + pick(0, 1),
          "l1.set_hash=" + std::string(random.below(2) == 0 ? "off" : "xor"),
          "tlb.page_bytes=4096",
          "tlb.l1_ways=1",
          "tlb.l1_entries=" + std::string(random.below(2) == 0 ? "0" : pick(1, 8)),
          "tlb.l2_latency=" + pick(1, 30),
          "tlb.l2_ways=1",
          "tlb.l2_entries=" + pick(1, 16),
          "tlb.walk_latency=" + pick(1, 100),
          "tlb.walkers=" + pick(1, 3)};
}

TEST(LsuRandom, ThreadsSeeTheirOwnProgramOrderOnTinyMachinesAndSleepingChangesNothing) {
  constexpr std::uint64_t kFirstSeed = 7000;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + unless_sanitized(150U, 50U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Xoshiro256 random(seed);
    const Machine machine = lsu_machine(tiny(random));
    PrivateWords::Result awake;
    PrivateWords::Result asleep;
    { awake = PrivateWords(machine, seed, false, 150).run(); }
    { asleep = PrivateWords(machine, seed, true, 150).run(); }
    EXPECT_EQ(awake.cycles, asleep.cycles);
    EXPECT_EQ(awake.hash, asleep.hash);
    EXPECT_EQ(awake.statistics, asleep.statistics);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LsuRandom, ThreadsSeeTheirOwnProgramOrderOnRealMachines) {
  for (const char* name : {"fermi_gtx480_study", "kepler_k20c_study", "maxwell_liu13", "pascal_titanx_study",
                           "turing_rtx2060_study", "gcn_apu"}) {
    SCOPED_TRACE(name);
    const Machine machine = lsu_machine({}, name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      PrivateWords::Result awake;
      PrivateWords::Result asleep;
      { awake = PrivateWords(machine, seed, false, 800).run(); }
      { asleep = PrivateWords(machine, seed, true, 800).run(); }
      EXPECT_EQ(awake.cycles, asleep.cycles);
      EXPECT_EQ(awake.hash, asleep.hash);
      EXPECT_EQ(awake.statistics, asleep.statistics);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(LsuRandom, ThreadsSeeTheirOwnProgramOrderThroughTheMachinesMemory) {
  for (const char* name : {"fermi_gtx480_study", "kepler_k20c_study", "turing_rtx2060_study", "gcn_apu"}) {
    SCOPED_TRACE(name);
    for (std::uint64_t seed = 11; seed <= 14; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      base::Xoshiro256 random(seed);
      // With tiny SMs as well; lines are those of the machine's L2.
      const Machine machine = lsu_machine(
          seed % 2 == 0 && std::string(name) != "gcn_apu" ? tiny(random) : std::vector<std::string>{}, name);
      PrivateWords::Result awake;
      PrivateWords::Result asleep;
      { awake = PrivateWords(machine, seed, false, 300, true).run(); }
      { asleep = PrivateWords(machine, seed, true, 300, true).run(); }
      EXPECT_EQ(awake.cycles, asleep.cycles);
      EXPECT_EQ(awake.hash, asleep.hash);
      EXPECT_EQ(awake.statistics, asleep.statistics);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(LsuRandom, NothingRunsWhileEverythingWaitsForMemory) {
  LsuRig rig(lsu_machine());
  rig.sleeping = true;
  rig.memory.delay = 10000;
  rig.set_addresses(0, rig.heap, 4);
  rig.begin();
  rig.issue({});
  rig.drain();
  // Tick 0, the pass, the lookup with the request, the reply.
  EXPECT_LE(rig.awake, 8U);
  EXPECT_GT(rig.now, 10000U);
}

}  // namespace
}  // namespace castor::gpu::test::gpu_lsu_random_test
