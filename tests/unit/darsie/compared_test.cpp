// Tests of the systems that DARSIE is compared with, as fetch filters of an SM: kernels have the same results with and
// without them, and each system eliminates the instructions that its definition names.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "castor/base/error.h"
#include "castor/hookup/darsie/compared/affine_instances.h"
#include "castor/hookup/darsie/compared/dac_ideal.h"
#include "castor/hookup/darsie/compared/no_sync.h"
#include "castor/hookup/darsie/compared/uniform_vector.h"
#include "castor/hookup/darsie/registration.h"
#include "unit/darsie/marked_kernels.h"

namespace castor::hookup::darsie_compared_test {
namespace {

using namespace darsie::test;
using gpu::test::Rig;

struct Outcome {
  std::vector<std::uint32_t> words;
  std::map<std::uint32_t, unsigned> executions;  // by record
  gpu::Cycle cycles = 0;
  std::map<std::string, std::uint64_t> counts;
  std::shared_ptr<const isa::Program> program;

  [[nodiscard]] std::uint64_t issues() const {
    std::uint64_t sum = 0;
    for (const auto& [pc, count] : executions) sum += count;
    return sum;
  }
};

/// Factory of an SM's filter. The SM passes it the program before the kernel runs.
using Make = std::function<std::unique_ptr<gpu::FetchFilter>(const isa::Program&)>;

/// Compiles the program. It does not depend on the rig, but the rig must have a filter before it is loaded.
std::shared_ptr<const isa::Program> program_of(const Kernel& what) {
  Rig rig(gpu::test::machine("pascal_titanx_study"));
  return marked(*rig.load(what.body, {4}, what.block, 0, what.before).program);
}

/// Runs thread blocks of a kernel side by side.
Outcome run(const Kernel& what, const Make& make, bool sleep = true) {
  Outcome result;
  result.program = program_of(what);
  const std::unique_ptr<gpu::FetchFilter> filter = make ? make(*result.program) : nullptr;
  gpu::SmHooks hooks;
  hooks.fetch_filter = filter.get();
  Rig rig(gpu::test::machine("pascal_titanx_study", {"icache.ideal=1", "check.rows=1"}), hooks, sleep);
  const std::uint64_t memory = rig.store->allocate(kMemoryBytes, gpu::AllocationKind::kHeap).value();
  fill_memory(rig, memory);
  gpu::test::Kernel& kernel = load_marked(rig, what, memory);
  kernel.context.ticket = 1;
  for (unsigned b = 0; b < what.tbs; ++b) rig.start(kernel, b);
  EXPECT_TRUE(rig.run(what.tbs)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty());
  result.cycles = rig.now;
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  rig.sm.count_until(rig.now + 1);
  result.words = words_of(rig, memory, what.tbs);
  for (const auto& issue : rig.log.issues) ++result.executions[issue.pc];
  for (const char* const path : {"uniform_vector.hits", "uniform_vector.misses", "no_cf_sync.leads", "no_cf_sync.skips",
                                 "no_cf_sync.leavers", "no_cf_sync.copies", "no_cf_sync.no_rows", "dac_ideal.leads",
                                 "dac_ideal.ghosts", "dac_ideal.ghost_loads", "dac_ideal.refused"}) {
    const base::Statistic* const found = rig.statistics.find(std::string("sm0.fetch_filter.") + path);
    if (found != nullptr) result.counts[path] = found->integer();
  }
  return result;
}

/// Runs the kernel with and without the system and compares the results. The run with the system must take the same
/// cycles whether the SM sleeps or not.
Outcome compare(const Kernel& kernel, const Make& make) {
  const Outcome plain = run(kernel, {});
  Outcome with = run(kernel, make);
  const Outcome awake = run(kernel, make, false);
  EXPECT_EQ(with.words, plain.words);
  EXPECT_EQ(awake.words, plain.words);
  EXPECT_EQ(awake.cycles, with.cycles);
  EXPECT_EQ(awake.executions, with.executions);
  EXPECT_EQ(awake.counts, with.counts);
  return with;
}

Kernel straight(gpu::Dim3 block = {16, 8, 1}, unsigned tbs = 1) {
  return {
      std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10; add.u32 %r9, %r9, %r6;" + kEnd, block, {}, tbs};
}

/// Returns a kernel in which one warp takes another path for a while. All warps then run a loop with barriers around
/// shared memory.
Kernel branches() {
  return {std::string(kStart) + kRedundantCode + R"(
    shr.u32 %r16, %r10, 5; setp.eq.u32 %p0, %r16, 2; mov.u32 %r9, 0;
    @%p0 bra ALONE;
    add.u32 %r17, %r6, 3; add.u32 %r9, %r17, %r5;
  ALONE:
    mov.u32 %r20, tile; mad.lo.u32 %r21, %r10, 4, %r20; mad.lo.u32 %r22, %r11, 4, %r20; mov.u32 %r23, 0;
  AGAIN:
    add.u32 %r24, %r10, %r23; st.shared.u32 [%r21], %r24;
    bar.sync 0;
    ld.shared.u32 %r25, [%r22]; ld.shared.u32 %r26, [%r22+64]; mul.lo.u32 %r27, %r25, %r26;
    add.u32 %r28, %r27, %r23; mad.lo.u32 %r9, %r28, %r10, %r9;
    bar.sync 0;
    add.u32 %r23, %r23, 1; setp.lt.u32 %p0, %r23, 6;
    @%p0 bra AGAIN;)" +
              kEnd,
          {16, 8, 1},
          ".shared .align 4 .b8 tile[512];",
          2};
}

}  // namespace

// --- UV --------------------------------------------------------------------------------------------------------------

namespace {

const Make kUniformVector = [](const isa::Program&) { return std::make_unique<UniformVector>(64); };

/// Tests the reuse buffer alone, with an SM whose warps are all at one marked addition: one instruction per tick.
struct Buffer final : gpu::StudiedSm {
  explicit Buffer(unsigned entries) : uv(entries) {
    gpu::HookSite site;
    site.statistics = &group;
    site.terms = &terms;
    uv.attach(site);
    uv.reset();
    uv.attach(*this);
    program.code.resize(1);
    program.code[0].kind = isa::Kind::kLane;
    program.code[0].guard = isa::kNoGuard;
    program.code[0].src[0] = 0;
    program.marks = {2};
    program.uses.resize(1);
    program.uses[0].dst = program.uses[0].src[0] = 1;
  }
  /// Returns whether the buffer has an instruction's result; it is written three ticks later.
  bool issue(std::uint64_t pc, std::uint32_t value, unsigned warp = 0, bool uniform = true) {
    code_base = pc;
    std::fill(row.begin(), row.end(), value);
    if (!uniform) ++row.back();
    gpu::FetchIn in;
    in.now = now++;
    (void)uv.settle(in);
    gpu::StudyIssue issue;
    issue.warp = static_cast<std::uint8_t>(warp);
    issue.mask = kAllLanes;
    const bool reuse = uv.issue(issue);
    uv.writes(in.now + 3);
    uv.clock(in);
    return reuse;
  }
  void start(std::uint8_t tb, gpu::WarpMask warps) {
    gpu::FetchIn in;
    in.now = now++;
    in.start.emplace();
    in.start->tb = tb;
    in.start->warps = warps;
    uv.clock(in);
  }
  void wait() { now += 5; }

  [[nodiscard]] gpu::StudiedWarp warp(unsigned /*w*/) const override { return {&program, 0, code_base, kAllLanes}; }
  [[nodiscard]] isa::RegisterView registers(unsigned /*w*/) override {
    return {reinterpret_cast<std::byte*>(row.data()), nullptr, nullptr, 32};
  }
  [[nodiscard]] bool ready(unsigned /*w*/) const override { return true; }
  void compute(unsigned /*w*/) override { ADD_FAILURE(); }
  void load_rows(unsigned /*w*/, const std::uint16_t* /*rows*/) override { ADD_FAILURE(); }

  base::StatisticGroup group{"hook"};
  gpu::FilterTerms terms;
  static constexpr isa::LaneMask kAllLanes = 0xffffffff;
  isa::Program program;
  std::uint64_t code_base = 0;
  alignas(64) std::array<std::uint32_t, 32> row{};
  UniformVector uv;
  gpu::Cycle now = 10;
};

}  // namespace

TEST(UniformVector, ResultIsThereBehindItsWriteBack) {
  Buffer buffer(64);
  EXPECT_EQ(buffer.terms.study, &buffer.uv);
  EXPECT_EQ(buffer.uv.rows(), 0U) << "it acts on issue alone";
  EXPECT_FALSE(buffer.issue(0, 7));  // issued in tick 10, written in tick 13
  EXPECT_FALSE(buffer.issue(0, 7));
  EXPECT_FALSE(buffer.issue(0, 7));
  EXPECT_FALSE(buffer.issue(0, 7));
  EXPECT_TRUE(buffer.issue(0, 7));
  EXPECT_FALSE(buffer.issue(0, 8)) << "another source value";
  EXPECT_FALSE(buffer.issue(8, 7)) << "another PC";
  buffer.wait();
  EXPECT_FALSE(buffer.issue(0, 8, 0, false)) << "lanes differ";
}

TEST(UniformVector, BlocksHaveTheirOwnResultsUntilTheNextOneStarts) {
  Buffer buffer(64);
  buffer.start(0, 3);
  buffer.start(1, 12);
  EXPECT_FALSE(buffer.issue(0, 7, 0));
  buffer.wait();
  EXPECT_TRUE(buffer.issue(0, 7, 1));
  EXPECT_FALSE(buffer.issue(0, 7, 2));
  buffer.wait();
  buffer.start(0, 3);
  EXPECT_FALSE(buffer.issue(0, 7, 1));
  EXPECT_TRUE(buffer.issue(0, 7, 3));
}

TEST(UniformVector, TheLeastRecentlyUsedResultGivesWay) {
  Buffer buffer(2);
  for (const std::uint32_t value : {1U, 2U}) EXPECT_FALSE(buffer.issue(0, value));
  buffer.wait();
  EXPECT_TRUE(buffer.issue(0, 1));
  EXPECT_FALSE(buffer.issue(0, 3)) << "instead of 2";
  buffer.wait();
  EXPECT_TRUE(buffer.issue(0, 1));
  EXPECT_TRUE(buffer.issue(0, 3));
  EXPECT_FALSE(buffer.issue(0, 2)) << "instead of 1";
  EXPECT_FALSE(buffer.issue(0, 1));
}

// Every warp looks up every sum, even if another warp was at the instruction before.
TEST(UniformVector, WarpsOfABlockLookForUniformArithmetic) {
  const Kernel kernel{std::string(kStart) + R"(
    mov.u32 %r1, 17; mad.lo.u32 %r2, %r1, %r1, 5; ld.global.u32 %r6, [%rd0]; add.u32 %r7, %r6, %r2;
    xor.b32 %r8, %r7, %r1; mul.wide.u32 %rd1, %r8, 3; cvt.u32.u64 %r9, %rd1; add.u32 %r9, %r9, %r10;)" +
                          kEnd,
                      {16, 8, 1},
                      {},
                      3};
  const Outcome with = compare(kernel, kUniformVector);
  EXPECT_EQ(with.executions, run(kernel, {}).executions) << "a hit takes its issue slot";
  std::uint64_t candidates = 0;
  for (std::uint32_t pc = 0; pc < with.program->code.size(); ++pc) {
    const bool arithmetic = with.program->code[pc].kind == isa::Kind::kLane && with.program->uses[pc].dst == 1;
    if (with.program->marks[pc] == kRedundant && arithmetic) candidates += 4 * 3;
  }
  EXPECT_GE(candidates, 5U * 4 * 3);
  EXPECT_GE(with.counts.at("uniform_vector.misses"), 5U * 3) << "each block has its own";
  EXPECT_EQ(with.counts.at("uniform_vector.misses") + with.counts.at("uniform_vector.hits"), candidates);
}

TEST(UniformVector, WarpsThatComeLaterHit) {
  // The marked sums follow a load that each warp waits for. The loop repeats them, so that later iterations find the
  // results in the buffer.
  const Kernel kernel{std::string(kStart) + R"(
    mov.u32 %r23, 0; mov.u32 %r9, 0;
  AGAIN:
    mov.u32 %r1, 17; add.u32 %r2, %r1, 5; mul.lo.u32 %r3, %r2, %r1; xor.b32 %r4, %r3, %r2; add.u32 %r9, %r9, %r4;
    add.u32 %r9, %r9, %r10;
    bar.sync 0;
    add.u32 %r23, %r23, 1; setp.lt.u32 %p0, %r23, 5;
    @%p0 bra AGAIN;)" +
                      kEnd};
  const Outcome with = compare(kernel, kUniformVector);
  EXPECT_GT(with.counts.at("uniform_vector.hits"), 4U * 4 * 3) << "rounds two to five of four warps";
  EXPECT_LE(with.cycles, run(kernel, {}).cycles);
}

// A buffer without hits changes no cycle.
TEST(UniformVector, MissesCostNothing) {
  Kernel kernel = straight();
  kernel.body = std::string(kStart) + "mul.lo.u32 %r9, %r10, %r10; add.u32 %r9, %r9, %r11; bar.sync 0;" + kEnd;
  const Make none = [](const isa::Program&) { return std::make_unique<UniformVector>(1); };
  const Outcome with = run(kernel, none);
  ASSERT_EQ(with.counts.at("uniform_vector.hits"), 0U);
  EXPECT_EQ(with.cycles, run(kernel, {}).cycles);
}

// --- NO-CF-SYNC ------------------------------------------------------------------------------------------------------

namespace {
const Make kNoSync = [](const isa::Program&) { return std::make_unique<NoSync>(); };
}  // namespace

TEST(NoSync, RedundantInstructionsAreExecutedOnce) {
  for (const gpu::Dim3 block : {gpu::Dim3{16, 8, 1}, gpu::Dim3{128, 1, 1}}) {
    const Kernel kernel = straight(block);
    const Outcome with = compare(kernel, kNoSync);
    unsigned redundant = 0;
    for (std::uint32_t pc = 0; pc < with.program->marks.size(); ++pc) {
      const std::uint8_t mark = with.program->marks[pc];
      const bool shared = mark == kRedundant || (mark == kConditional && block.y > 1);
      redundant += shared ? 1 : 0;
      EXPECT_EQ(with.executions.at(pc), shared ? 1U : 4U) << "record " << pc << ", mark " << unsigned{mark};
    }
    EXPECT_EQ(with.counts.at("no_cf_sync.leads"), redundant);
    EXPECT_EQ(with.counts.at("no_cf_sync.skips"), 3U * redundant);
    EXPECT_EQ(with.counts.at("no_cf_sync.no_rows"), 0U);
  }
}

// No warp waits at a branch. Warps that take the same path share results, on either path.
TEST(NoSync, WarpsNeitherMeetNorLeaveAtBranches) {
  const Outcome with = compare(branches(), kNoSync);
  EXPECT_EQ(with.counts.at("no_cf_sync.leavers"), 8U) << "at their exit";
  EXPECT_EQ(with.counts.at("no_cf_sync.copies"), 0U);
  EXPECT_GT(with.counts.at("no_cf_sync.skips"), 3U * 2 * 6 * 4);
  EXPECT_EQ(with.issues() + with.counts.at("no_cf_sync.skips"), run(branches(), {}).issues());
}

TEST(NoSync, WarpsThatDivergeGetTheirRegistersByCopies) {
  const Kernel kernel{std::string(kStart) + kRedundantCode + R"(
    and.b32 %r16, %r10, 1; setp.eq.u32 %p0, %r16, 0;
    @%p0 bra EVEN;
    add.u32 %r9, %r8, %r3; bra DONE;
  EVEN:
    add.u32 %r9, %r5, %r6;
  DONE:
    add.u32 %r9, %r9, %r4;)" +
                      kEnd};
  const Outcome with = compare(kernel, kNoSync);
  EXPECT_EQ(with.counts.at("no_cf_sync.leavers"), 4U);
  EXPECT_GT(with.counts.at("no_cf_sync.copies"), 8U);
}

// Three warps wait for loads that the first one does not execute. The first one runs so far ahead that there are more
// results than rows.
TEST(NoSync, WithoutARowAllExecute) {
  std::string body = std::string(kStart) + "shr.u32 %r16, %r10, 5; setp.ne.u32 %p0, %r16, 0; mov.u32 %r30, 0;";
  for (unsigned i = 0; i < 60; ++i) {
    body += "and.b32 %r31, %r30, 0; cvt.u64.u32 %rd5, %r31; add.u64 %rd5, %rd5, %rd0; @%p0 ld.global.u32 %r30, [%rd5+" +
            std::to_string(2048 + 128 * i) + "];";
  }
  const Kernel kernel{body + R"(
    mov.u32 %r9, 0; mov.u32 %r23, 0;
  AGAIN:
    add.u32 %r24, %r23, 7; mul.lo.u32 %r25, %r24, %r23; add.u32 %r26, %r25, %r10; add.u32 %r9, %r9, %r26;
    add.u32 %r23, %r23, 1; setp.lt.u32 %p1, %r23, 150;
    @%p1 bra AGAIN;)" +
                      kEnd};
  const Outcome with = compare(kernel, kNoSync);
  EXPECT_GT(with.counts.at("no_cf_sync.no_rows"), 0U);
  EXPECT_GT(with.counts.at("no_cf_sync.skips"), 200U);
}

// --- DAC-IDEAL -------------------------------------------------------------------------------------------------------

namespace {

/// Returns a factory of the compared system DAC-IDEAL. It is told that every instruction that could be affine is
/// affine, in each of `rounds` rounds, whether that is true or not.
Make dac(bool loads = true, unsigned rounds = 1) {
  return [=](const isa::Program& program) {
    auto instances = std::make_shared<AffineInstances>();
    AffineLaunch& launch = (*instances)[1];
    launch.kernel = program.kernel;
    launch.records = static_cast<std::uint32_t>(program.code.size());
    AffineSet set;
    set.occurrences.resize(launch.records);
    for (std::uint32_t pc = 0; pc < launch.records; ++pc) {
      const isa::Record& record = program.code[pc];
      const isa::RegisterUse& use = program.uses[pc];
      const bool load = record.kind == isa::Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad;
      if (use.dst == 0 || use.dst > 2 || use.predicates_read != 0 || use.predicates_written != 0) continue;
      if (record.kind == isa::Kind::kLane || load) set.occurrences[pc] = {{0, rounds - 1}};
    }
    launch.sets.push_back(set);
    launch.tbs[3] = {0, 0};
    return std::make_unique<DacIdeal>(instances, loads);
  };
}

bool is_load(const isa::Program& program, std::uint32_t pc) { return program.code[pc].kind == isa::Kind::kMemory; }

}  // namespace

TEST(DacIdeal, AffineArithmeticIsExecutedByTheFirstWarp) {
  const Kernel kernel = straight({16, 8, 1}, 2);
  const Outcome with = compare(kernel, dac(false));
  for (std::uint32_t pc = 0; pc < with.program->code.size(); ++pc) {
    const bool affine = with.program->code[pc].kind == isa::Kind::kLane && with.program->uses[pc].dst != 0;
    EXPECT_EQ(with.executions.at(pc), affine ? 2U : 8U) << "record " << pc << " of two blocks";
  }
  EXPECT_EQ(with.counts.at("dac_ideal.ghosts"), 3 * with.counts.at("dac_ideal.leads"));
  EXPECT_EQ(with.counts.at("dac_ideal.ghost_loads"), 0U);
  EXPECT_EQ(with.issues() + with.counts.at("dac_ideal.ghosts"), run(kernel, {}).issues());
}

// Loads from one address take the value that the first warp has loaded. A load from another address is detected and
// executed.
TEST(DacIdeal, LoadsFromOneAddressAreExecutedOnce) {
  const Kernel kernel = straight({16, 8, 1}, 2);
  const Outcome with = compare(kernel, dac());
  unsigned uniform = 0, other = 0;
  for (std::uint32_t pc = 0; pc < with.program->code.size(); ++pc) {
    if (!is_load(*with.program, pc) || with.program->uses[pc].dst == 0) continue;
    (with.program->marks[pc] == kRedundant ? uniform : other) += 1;
    EXPECT_EQ(with.executions.at(pc), with.program->marks[pc] == kRedundant ? 2U : 8U) << "record " << pc;
  }
  EXPECT_EQ(uniform, 2U) << "of the parameter and of the array";
  EXPECT_EQ(other, 1U);
  EXPECT_EQ(with.counts.at("dac_ideal.ghost_loads"), 2U * 3 * uniform);
  EXPECT_EQ(with.counts.at("dac_ideal.refused"), 2U * 3 * other);
}

// Ghost instructions would be wrong if they did not wait: a long chain of loads and sums, each dependent on the
// previous one.
TEST(DacIdeal, GhostsWaitForWhatTheyReadAndWrite) {
  std::string body = std::string(kStart) + "ld.global.u32 %r9, [%rd4];";
  for (unsigned i = 0; i < 4; ++i) {
    body +=
        "and.b32 %r16, %r9, 7; mul.wide.u32 %rd5, %r16, 4; add.u64 %rd5, %rd5, %rd0; ld.global.u32 %r9, [%rd5+4];"
        "add.u32 %r9, %r9, %r11; mov.u32 %r16, 3;";
  }
  const Outcome with = compare({body + "add.u32 %r9, %r9, %r16;" + kEnd}, dac());
  EXPECT_GT(with.counts.at("dac_ideal.ghosts"), 3U * 12);
}

TEST(DacIdeal, LoopsBranchesAndBarriers) {
  const Outcome with = compare(branches(), dac(true, 6));
  EXPECT_GT(with.counts.at("dac_ideal.ghosts"), 2U * 3 * 6 * 4);
  const Outcome fewer = compare(branches(), dac(true, 2));
  EXPECT_LT(fewer.counts.at("dac_ideal.ghosts"), with.counts.at("dac_ideal.ghosts"));
}

TEST(DacIdeal, ALaunchThatIsNotInTheFileIsAnError) {
  const Make other = [](const isa::Program&) {
    return std::make_unique<DacIdeal>(std::make_shared<AffineInstances>(), true);
  };
  EXPECT_THROW((void)run(straight(), other), base::InputError);
}

// --- The file of affine instances ------------------------------------------------------------------------------------

namespace {

struct File {
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::filesystem::remove(path); }
  const std::string path = (std::filesystem::temp_directory_path() / ("affine" + std::to_string(::getpid()))).string();
};

std::string refusal(const std::string& text) {
  const File file(text);
  try {
    (void)read_affine_instances(file.path);
  } catch (const base::InputError& error) {
    return std::to_string(error.where().line) + ": " + error.message();
  }
  return {};
}

}  // namespace

TEST(AffineInstances, AreReadAsTheyAreWritten) {
  const File file("castor affine instances 1\nlaunch 3 9 k\nset 4:0-0 7:0-15,20-20\ntbs 0-2 5-5\nset \ntbs 3-4\n");
  const AffineInstances all = read_affine_instances(file.path);
  const AffineLaunch& launch = all.at(3);
  EXPECT_EQ(launch.kernel, "k");
  for (const std::uint64_t tb : {0U, 2U, 5U}) {
    const AffineSet* const set = launch.of(tb);
    ASSERT_NE(set, nullptr);
    EXPECT_TRUE(set->has(4, 0) && set->has(7, 15) && set->has(7, 20));
    EXPECT_FALSE(set->has(4, 1) || set->has(7, 16) || set->has(7, 21) || set->has(0, 0));
  }
  EXPECT_FALSE(launch.of(3)->has(4, 0));
  EXPECT_EQ(launch.of(6), nullptr);
}

TEST(AffineInstances, WhatIsNoFileOfThemIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("something\n"), "1: no file of affine instances");
  EXPECT_EQ(refusal("castor affine instances 1\nset 1:0-0\n"), "2: unknown line");
  EXPECT_EQ(refusal("castor affine instances 1\nlaunch 1 4 k\nset 4:0-0\n"), "3: '4:0-0' names no record");
  EXPECT_EQ(refusal("castor affine instances 1\nlaunch 1 4 k\nset 1:3-2\n"), "3: '3-2' is no range");
  EXPECT_EQ(refusal("castor affine instances 1\nlaunch x\n"), "2: 'launch' without ticket, records and kernel");
  EXPECT_THROW((void)read_affine_instances("/nonexistent/file"), base::InputError);
}

// Rows of a study hold several results of one instruction, so it is unknown which of them belong to a thread block that
// moves.
TEST(Compared, ThreadBlocksDoNotMoveBesideACompared) {
  for (const char* const key : {"context.random=1", "context.mover=rate"}) {
    NoSync filter;
    gpu::SmHooks hooks;
    hooks.fetch_filter = &filter;
    try {
      const Rig rig(gpu::test::machine("pascal_titanx_study", {key}), hooks);
      ADD_FAILURE() << key;
    } catch (const base::InputError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("a FetchFilter with a study does not support"), std::string::npos) << said;
      EXPECT_NE(said.find(std::string(key).substr(0, 13)), std::string::npos) << said;
    }
  }
  const darsie::Registration registration;
  std::vector<base::SchemaRow> keys = registration.keys();
  for (const std::string& system : keys.front().choices) {
    keys.front().standard = system;
    const std::vector<Claim> claims = registration.claims({"darsie", keys});
    EXPECT_EQ(std::count(claims.begin(), claims.end(), Claim::kCountsRetired), system == "darsie" ? 0 : 1) << system;
  }
}

}  // namespace castor::hookup::darsie_compared_test
