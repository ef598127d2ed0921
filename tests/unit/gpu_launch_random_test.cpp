// Random trees of launches: every admitted launch is granted and every thread block runs once, whatever the machine and
// the order in which its units tick. The machine without timing leaves the same memory.

#include "castor/base/rng.h"
#include "tests/common/sanitized.h"
#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::random {
namespace {

using Words = std::vector<std::uint32_t>;

// Trees as tables in memory, kMost words each.
constexpr unsigned kMost = 512;
enum Field : unsigned {
  kFirst,   // first of the node's children
  kKids,    // their number
  kGrid,    // thread blocks
  kBlock,   // threads
  kBase,    // first counter of the node's thread blocks among all counters
  kStream,  // 1: the launch has a stream of its own
  kFrom,    // the thread block that launches its children
  kParent,
  kTime,                    // run time of the node in ticks
  kToken,                   // written by its parent before the launch
  kSeen,                    // sum of the tokens that the node's thread blocks have read
  kRefused,                 // 1: the launch returned error 69; otherwise its result
  kHandle,                  // two tables
  kCounters = kHandle + 2,  // the remaining words are counters by thread block
};
constexpr unsigned kCounterTables = 8;

std::string field(Field f, const std::string& index) {
  // Returns PTX that computes the node's address into %rd90.
  return "mul.wide.u32 %rd90, " + index + ", 4;\nadd.u64 %rd90, %rd90, %rd0;\nadd.u64 %rd90, %rd90, " +
         std::to_string(4 * kMost * f) + ";\n";
}
std::string get(const std::string& to, Field f, const std::string& index = "%r0") {
  return field(f, index) + "ld.global.u32 " + to + ", [%rd90];\n";
}

const std::string kNode = kernel(
    "node",
    get("%r10", kFirst) + get("%r11", kKids) + get("%r12", kFrom) + get("%r13", kBase) + get("%r14", kTime) +
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra COUNTED;\nadd.u32 %r15, %r13, %r2;\n" + field(kCounters, "%r15") +
        "red.global.add.u32 [%rd90], 1;\n" + get("%r16", kToken) + field(kSeen, "%r0") +
        "red.global.add.u32 [%rd90], %r16;\nCOUNTED:\n" + "cvt.u64.u32 %rd20, %r14;\n" + spend("%rd20", "SPEND") +
        "setp.ne.u32 %p1, %r2, %r12;\n@%p1 bra END;\nmov.u32 %r17, %r1;\nmov.u32 %r18, %ntid.x;\nNEXT:\n" +
        "setp.ge.u32 %p2, %r17, %r11;\n@%p2 bra END;\nadd.u32 %r19, %r10, %r17;\nmad.lo.u32 %r20, %r19, 7, 3;\n" +
        field(kToken, "%r19") + "st.global.u32 [%rd90], %r20;\n" + get("%r21", kGrid, "%r19") +
        get("%r22", kBlock, "%r19") + get("%r23", kStream, "%r19") + "mov.u64 %rd3, 0;\n" +
        "setp.eq.u32 %p3, %r23, 0;\n@%p3 bra CALL;\n" + field(kHandle, "%r19") +
        "mul.wide.u32 %rd91, %r19, 4;\nadd.u64 %rd92, %rd90, %rd91;\n" + create_stream("%r24", "%rd92") +
        "ld.global.u64 %rd3, [%rd92];\nCALL:\n" + arguments("%rd4", "%rd0", "%r19") +
        launch("%r25", "node", "%rd4", {"%r21", "%r22", "0", "%rd3"}) + "setp.eq.u32 %p4, %r25, 0;\n@%p4 bra DONE;\n" +
        "setp.eq.u32 %p5, %r25, 69;\nselp.b32 %r25, 1, %r25, %p5;\n" + field(kRefused, "%r19") +
        "st.global.u32 [%rd90], %r25;\nDONE:\nadd.u32 %r17, %r17, %r18;\nbra NEXT;\nEND:\n");

/// Random forest of `roots` trees with `nodes` nodes in total. `mixed`: several warps of a block launch into its
/// default stream, and launches of such a stream have children.
struct Forest {
  Forest(std::uint64_t seed, unsigned nodes, unsigned roots, unsigned most_threads, bool mixed)
      : table(std::size_t{kMost} * (kCounters + kCounterTables)), count(nodes), trees(roots) {
    base::Xoshiro256 random(seed);
    // Breadth first: the next nodes are children of a random node that has none yet.
    unsigned next = roots;
    for (unsigned node = 0; node < nodes; ++node) {
      const bool must = node + 1 == next;  // without this child no node would be left
      unsigned kids =
          random.below(3) == 0 || must ? 1 + static_cast<unsigned>(random.below(random.below(4) == 0 ? 70 : 5)) : 0;
      kids = std::min(kids, nodes - next);
      if (!mixed && node >= roots && kids != 0) set(kStream, node, 1);
      set(kFirst, node, next);
      set(kKids, node, kids);
      const auto threads = 1 + static_cast<unsigned>(random.below(most_threads));
      for (unsigned k = 0; k < kids; ++k) {
        set(kParent, next + k, node);
        set(kStream, next + k, threads > 32 && !mixed ? 1 : static_cast<unsigned>(random.below(2)));
      }
      next += kids;
      const auto grid = 1 + static_cast<unsigned>(random.below(random.below(5) == 0 ? 7 : 2));
      set(kGrid, node, grid);
      set(kBlock, node, threads);
      set(kFrom, node, static_cast<unsigned>(random.below(grid)));
      set(kBase, node, tbs);
      set(kTime, node, random.below(4) == 0 ? static_cast<unsigned>(random.below(4000)) : 0);
      tbs += grid;
    }
    EXPECT_EQ(next, nodes);
    EXPECT_LE(tbs, kMost * kCounterTables);
  }
  void set(Field f, unsigned node, unsigned value) { table[std::size_t{kMost} * f + node] = value; }
  [[nodiscard]] unsigned get(Field f, unsigned node) const { return table[std::size_t{kMost} * f + node]; }

  Words table;
  unsigned count, trees;
  unsigned tbs = 0;
};

struct Case {
  std::string machine;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  unsigned nodes = 300, roots = 3, threads = 100;
  std::uint64_t pending = 2048;
  bool mixed = false;
};

Outcome run(Device& device, Host& host, const Forest& forest, std::uint64_t out) {
  host.set(out, forest.table);
  const unsigned queues = std::min(2U, device.machine().queue.count);
  std::vector<Ticket> tickets;
  for (unsigned root = 0; root < forest.trees; ++root) {
    tickets.push_back(host.submit("node", out, root, forest.get(kGrid, root), forest.get(kBlock, root), root % queues));
  }
  for (const Ticket ticket : tickets) {
    const Outcome outcome = device.advance_until(ticket);
    if (outcome != Outcome::kDone) return outcome;
  }
  return Outcome::kDone;
}

// Checks the memory after a run. Returns what is wrong, or an empty string. A node ran if no launch above it was
// refused.
std::string wrong(const Forest& forest, const Words& after, unsigned* ran = nullptr) {
  std::string all;
  std::vector<bool> runs(forest.count);
  const auto word = [&](Field f, unsigned i) { return after[std::size_t{kMost} * f + i]; };
  for (unsigned node = 0; node < forest.count; ++node) {
    const bool root = node < forest.trees;
    const std::uint32_t refused = word(kRefused, node);
    if (refused > 1) all += "launch of " + std::to_string(node) + " gave " + std::to_string(refused) + "; ";
    runs[node] = root || (runs[forest.get(kParent, node)] && refused == 0);
    if (runs[node] && ran != nullptr) ++*ran;
    for (unsigned tb = 0; tb < forest.get(kGrid, node); ++tb) {
      const std::uint32_t count = word(kCounters, forest.get(kBase, node) + tb);
      if (count != (runs[node] ? 1U : 0U))
        all += "block " + std::to_string(tb) + " of " + std::to_string(node) + " ran " + std::to_string(count) +
               " times; ";
    }
    const std::uint32_t seen = runs[node] && !root ? (node * 7 + 3) * forest.get(kGrid, node) : 0;
    if (word(kSeen, node) != seen) all += std::to_string(node) + " has not seen what its parent stored; ";
  }
  return all.substr(0, 2000);
}

// Runs a case in a new process. Returns what is wrong, or else a hash of all statistics and the number of launches that
// ran.
std::string timed(const Case& one) {
  return in_process([&] {
    const Machine m = machine(one.machine, one.overrides);
    const Forest forest(one.seed, one.nodes, one.roots, std::min(one.threads, m.sm.max_tb_threads), one.mixed);
    Timed timed(m, kNode);
    timed.device.launcher().set_limits({one.pending, 2});
    const std::uint64_t out = timed.host.words(forest.table.size());
    if (run(timed.device, timed.host, forest, out) != Outcome::kDone) return timed.host.said();
    unsigned ran = 0;
    std::string text = wrong(forest, timed.host.values(out, forest.table.size()), &ran);
    const auto expect = [&](const char* what, std::uint64_t is, std::uint64_t should) {
      if (is != should) text += std::string(what) + ": " + std::to_string(is) + " of " + std::to_string(should) + "; ";
    };
    const unsigned launched = ran - forest.trees;
    expect("admitted", timed.launches(), launched);
    expect("granted", timed.granted(), launched);
    expect("dropped", timed.dropped(), 0);
    expect("kernels", timed.events.order.size(), ran);
    std::uint64_t tbs = 0, device_launches = 0, rows_tbs = 0, again = 0;
    for (const auto& [ticket, of] : timed.events.kernels) {
      tbs += of.tbs;
      // A block that is swapped out and restored counts again.
      if (of.started != of.retired || of.started < of.tbs) text += "not all that started have left; ";
      if (m.context.random == 0) expect("started", of.started, of.tbs);
      again += of.started - of.tbs;
      if (of.completed == 0) text += "a kernel does not complete; ";
    }
    for (const KernelStatistics& row : timed.device.kernels()) {
      rows_tbs += row.thread_blocks;
      for (const auto& [name, value] : row.counts) device_launches += name == "device_launches" ? value : 0;
    }
    expect("rows' blocks", rows_tbs, tbs);
    expect("rows' launches", device_launches, launched);
    if ((m.context.random != 0) != (again != 0)) text += std::to_string(again) + " blocks came back; ";
    timed.device.gpu().check_invariants();
    if (!timed.device.gpu().idle()) text += "something is left; ";
    if (ran == one.nodes && timed.device.store().used(AllocationKind::kPool) != 0) text += "buffers are left; ";
    if (!text.empty()) return text;
    return "ran " + std::to_string(ran) + ", statistics " + std::to_string(timed.device.gpu().statistics().hash());
  });
}

/// Runs a case with each seed; under sanitizers with a third of the seeds.
void each_seed(Case one, unsigned seeds) {
  seeds = unless_sanitized(seeds, (seeds + 2) / 3);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    one.seed = seed;
    const std::string said = timed(one);
    EXPECT_EQ(said.substr(0, said.find(',')), "ran " + std::to_string(one.nodes)) << said << " seed " << seed;
  }
}

const std::vector<std::string> kNoTime = {"parse.latency=0",      "launch.stream_warp=0", "launch.buffer_warp=0",
                                          "launch.buffer_lane=0", "launch.launch_warp=0", "launch.launch_lane=0"};
std::vector<std::string> no_time(const std::vector<std::string>& more) {
  std::vector<std::string> all = kNoTime;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(LaunchTrees, WithStreamsOfManyLaunches) {
  each_seed({"kepler_k20c", {}, 1, 300, 3, 100, 2048, true}, 2);
  each_seed({"kepler_ideal", {}, 1, 300, 3, 100, 2048, true}, 2);
}
TEST(LaunchTrees, OnAK20c) { each_seed({"kepler_k20c", {}}, 6); }
TEST(LaunchTrees, WithoutLatencies) { each_seed({"kepler_ideal", {}}, 12); }
TEST(LaunchTrees, OnATinyMachine) { each_seed({"tiny", {}}, 6); }
TEST(LaunchTrees, OnATinyMachineWithoutLatencies) { each_seed({"tiny", no_time({})}, 10); }
TEST(LaunchTrees, WithFewEntriesAndAShortWindow) {
  each_seed({"tiny", no_time({"table.entries=2", "pool.window=1", "parse.interval=7"})}, 6);
}
TEST(LaunchTrees, WithFewPlacesOnAnSm) {
  each_seed({"tiny", no_time({"sm.tb_slots=1", "sm.tb_contexts=1", "table.entries=3"})}, 4);
}
TEST(LaunchTrees, OnOtherMachines) {
  for (const char* name :
       {"maxwell_gtx980", "pascal_titanx", "fermi_gtx480_study", "kepler_titan", "turing_rtx2060", "maxwell_liu13"}) {
    const std::string said = timed({name, {}, 3});
    EXPECT_EQ(said.substr(0, 9), "ran 300, ") << name << ": " << said;
  }
}
TEST(LaunchTrees, WithAcquiresOfTheBlockThatLaunches) {
  // The child's own view may be older than the launch. The counts are not affected where L1 keeps local data only.
  each_seed({"kepler_k20c", {"acquire.child=inherit"}}, 2);
}

// Blocks are swapped out before, during and after calls of the device runtime.
TEST(LaunchTrees, WithBlocksThatMoveAtRandom) {
  each_seed({"kepler_k20c", {"context.random=1"}}, 3);
  each_seed({"kepler_ideal", {"context.random=2"}, 1, 300, 3, 100, 2048, true}, 3);
  each_seed({"tiny", no_time({"context.random=3", "table.entries=2"})}, 3);
  each_seed({"tiny", no_time({"sm.tb_slots=1", "sm.tb_contexts=1", "context.random=4"})}, 2);
}
TEST(LaunchTrees, SleepingAndOrderOfUnitsChangeNothingWhileBlocksMove) {
  Case one{"kepler_ideal", {"context.random=5"}, 5, 150};
  const std::string first = timed(one);
  EXPECT_EQ(first.substr(0, 9), "ran 150, ") << first;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"run.sleep=0"}, {"run.shuffle=1"}, {"run.shuffle=1", "run.seed=7", "run.sleep=0"}}) {
    one.overrides = {"context.random=5"};
    one.overrides.insert(one.overrides.end(), more.begin(), more.end());
    EXPECT_EQ(timed(one), first) << more[0];
  }
}

TEST(LaunchTrees, WithFewPendingLaunches) {
  for (const std::uint64_t pending : {1, 3, 17}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const std::string said = timed({"tiny", no_time({}), seed, 300, 3, 100, pending});
      EXPECT_EQ(said.substr(0, 4), "ran ") << said;
    }
  }
}

TEST(LaunchTrees, SleepingAndOrderOfUnitsChangeNothing) {
  for (const char* name : {"kepler_ideal", "tiny"}) {
    for (unsigned seed = 1; seed <= unless_sanitized(3U, 1U); ++seed) {
      Case one{name, {}, seed, 150};
      const std::string first = timed(one);
      EXPECT_EQ(first.substr(0, 9), "ran 150, ") << first;
      for (const std::vector<std::string>& more : {std::vector<std::string>{"run.sleep=0"},
                                                   {"run.shuffle=1"},
                                                   {"run.shuffle=1", "run.seed=7"},
                                                   {"run.shuffle=1", "run.seed=3", "run.sleep=0"}}) {
        one.overrides = more;
        EXPECT_EQ(timed(one), first) << name << ' ' << seed << ' ' << more[0];
      }
    }
  }
}

TEST(LaunchTrees, SleepingAndOrderOfUnitsChangeNothingUnderALimit) {
  Case one{"kepler_ideal", {}, 5, 200, 3, 100, 9};
  const std::string first = timed(one);
  EXPECT_EQ(first.substr(0, 4), "ran ") << first;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"run.sleep=0"}, {"run.shuffle=1"}, {"run.shuffle=1", "run.seed=7", "run.sleep=0"}}) {
    one.overrides = more;
    EXPECT_EQ(timed(one), first) << more[0];
  }
}

// Returns a hash of the memory that a run leaves (without stream handles) and of the number of launches in the reports.
std::string left_by(Device& device, Host& host, std::uint64_t seed) {
  const Forest forest(seed, 250, 2, 100, false);
  const std::uint64_t out = host.words(forest.table.size());
  if (run(device, host, forest, out) != Outcome::kDone) return host.said();
  const Words words = host.values(out, forest.table.size());
  std::uint64_t hash = 1, launches = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i / kMost < kHandle || i / kMost >= kCounters) hash = base::mix(hash ^ words[i]);
  }
  for (const KernelStatistics& row : device.kernels()) {
    for (const auto& [name, value] : row.counts) launches += name == "device_launches" ? value : 0;
  }
  return wrong(forest, words) + "launches " + std::to_string(launches) + ", hash " + std::to_string(hash);
}

TEST(LaunchTrees, TheMachineWithoutTimingComesToTheSameMemory) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const std::string plain = in_process([&] {
      functional::FunctionalDevice device(machine("tiny", kNoTime), {});
      Host host(device, kNode);
      return left_by(device, host, seed);
    });
    EXPECT_EQ(plain.substr(0, 14), "launches 248, ") << plain;
    for (const std::vector<std::string>& overrides : {kNoTime, {}}) {
      EXPECT_EQ(in_process([&] {
                  Timed timed(machine("tiny", overrides), kNode);
                  return left_by(timed.device, timed.host, seed);
                }),
                plain)
          << seed;
    }
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::random
