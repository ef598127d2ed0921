// Tests of the launcher, parameter buffers and report rows, on a machine that executes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/address_check.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/launch/launcher.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_launch_launcher_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kModule = 0x4000;
constexpr std::uint64_t kChild = kModule + 8;     // a kernel with 12 bytes of parameters
constexpr std::uint64_t kBounded = kModule + 16;  // a kernel without parameters, for blocks of at most 64 threads
constexpr std::uint64_t kForeign = 0x9008;        // a kernel of another module

class LauncherTest : public testing::Test {
 protected:
  LauncherTest() {
    name(kChild, kModule, 12, 0);
    name(kBounded, kModule, 0, 64);
    name(kForeign, 0x9000, 12, 0);
    root_ = launcher.open_root();
  }
  void name(std::uint64_t value, std::uint64_t module, unsigned parameters, unsigned most) {
    auto program = std::make_shared<isa::Program>();
    program->kernel = "kernel";
    program->registers = 16;
    program->parameter_bytes = parameters;
    program->max_threads = most;
    program->code_values = module;
    program->code.resize(2);
    programs.name(value, programs.load(std::move(program)));
  }
  [[nodiscard]] Caller from(BlockId block, LaunchId launch = 0) const {
    return {block, launch == 0 ? root_ : launch, kModule};
  }
  std::uint64_t buffer(std::uint64_t bytes = 12) { return launcher.buffers().allocate(8, bytes); }
  /// Launches the child with a new buffer.
  Launched go(const Caller& caller, std::uint64_t stream = 0) {
    return launcher.launch(caller, {kChild, {1, 1, 1}, {1, 1, 1}, 0}, buffer(), stream);
  }
  LaunchCode code(const LaunchDescription& launch, std::uint64_t buffer, std::uint64_t stream = 0) {
    return launcher.launch(from(1), launch, buffer, stream).code;
  }

  Machine machine = platforms::load_machine("kepler_k20c").machine;
  Store store{{std::uint64_t{64} << 20, false, true}};
  ProgramTable programs{32, &store};
  Launcher launcher{machine, store, programs, 64};
  LaunchId root_ = 0;
};

TEST_F(LauncherTest, ChecksInTheirOrder) {
  const LaunchDescription right{kChild, {1, 1, 1}, {1, 1, 1}, 0};
  LaunchDescription none = right, foreign = right, zero = right;
  none.kernel = kModule + 24;
  foreign.kernel = kForeign;
  zero.grid.y = 0;
  const std::uint64_t good = buffer();
  EXPECT_EQ(code(none, good), LaunchCode::kInvalidValue);
  EXPECT_EQ(code(foreign, good), LaunchCode::kInvalidValue);
  EXPECT_EQ(code(right, 0), LaunchCode::kInvalidValue);
  EXPECT_EQ(code(right, good + 4), LaunchCode::kInvalidValue);
  EXPECT_EQ(code(right, buffer(11)), LaunchCode::kInvalidValue);
  EXPECT_EQ(code(zero, good), LaunchCode::kInvalidConfiguration);
  launcher.set_limits({0, 2});
  EXPECT_EQ(code(right, good), LaunchCode::kPendingCountExceeded);
  EXPECT_EQ(code(zero, good), LaunchCode::kInvalidConfiguration) << "69 comes last";
  EXPECT_EQ(code(zero, 0), LaunchCode::kInvalidValue) << "1 comes first";
  EXPECT_EQ(launcher.pending(), 0U);
  EXPECT_EQ(launcher.blocks().open_children(1), 0U);
  EXPECT_FALSE(launcher.may_start());
  launcher.set_limits({1, 2});
  EXPECT_EQ(code(right, good), LaunchCode::kSuccess) << "who was refused left nothing behind";
  EXPECT_EQ(launcher.pending(), 1U);
  EXPECT_EQ(launcher.blocks().open_children(1), 1U);
}

TEST_F(LauncherTest, AKernelWithAGridBarrierIsRefused) {
  auto program = std::make_shared<isa::Program>();
  program->kernel = "waits";
  program->registers = 16;
  program->code_values = kModule;
  program->reach.grid_barrier = true;
  program->code.resize(2);
  const std::uint64_t value = kModule + 32;
  programs.name(value, programs.load(std::move(program)));
  const LaunchDescription launch{value, {1, 1, 1}, {1, 1, 1}, 0};
  EXPECT_EQ(code(launch, buffer(0)), LaunchCode::kNotSupported);
  EXPECT_EQ(launcher.launch_group(from(1), launch, buffer(0)).code, LaunchCode::kNotSupported);
  EXPECT_EQ(launcher.pending(), 0U);
}

TEST_F(LauncherTest, AGroupOfAKernelThatSynchronisesIsRefusedByTheNameOfTheInstruction) {
  machine.chip.sync = {};
  machine.chip.sync.executed = true;
  machine.chip.sync.answered = ~isa::SyncSet{0};
  std::uint64_t value = kModule + 0x100;
  for (unsigned op = 0; op < isa::kSyncOps; ++op) {
    auto program = std::make_shared<isa::Program>();
    program->kernel = "meets";
    program->registers = 16;
    program->parameter_bytes = 12;
    program->code_values = kModule;
    program->code.resize(2);
    program->uses.resize(2);
    program->code[0].kind = isa::Kind::kSync;
    program->code[0].imm = op;
    program->code[1].kind = isa::Kind::kExit;
    program->sync.ops = isa::sync_bit(static_cast<isa::SyncOp>(op));
    if ((program->sync.ops & isa::kBlockingOps) != 0) {
      program->sync.sites.push_back({0, {}, true});
      for (unsigned r = 0; r < program->registers; ++r) program->sync.sites[0].registers.set(r);
    }
    programs.name(value, programs.load(std::move(program)));
    const LaunchDescription launch{value++, {1, 1, 1}, {32, 1, 1}, 0};
    const bool meets = static_cast<isa::SyncOp>(op) != isa::SyncOp::kReadOnly &&
                       static_cast<isa::SyncOp>(op) != isa::SyncOp::kWritable;
    const std::uint64_t parameters = buffer();
    EXPECT_EQ(launcher.launch_group(from(1), launch, parameters).code,
              meets ? LaunchCode::kNotSupported : LaunchCode::kSuccess);
    if (!meets) continue;
    EXPECT_EQ(code(launch, parameters), LaunchCode::kSuccess) << "a kernel of its own may synchronise";
  }
  EXPECT_THAT(
      launcher.refused_groups(),
      ElementsAre(testing::AllOf(HasSubstr("groups of meets were refused (error 801): it can reach tb.gridsync"),
                                 HasSubstr("cannot synchronise over the device")),
                  HasSubstr("reach tb.signal"), HasSubstr("reach tb.wait")));
}

TEST_F(LauncherTest, DimensionsAndSizes) {
  const auto of = [&](const Dim3& grid, const Dim3& block, std::uint32_t shared = 0) {
    return code({kChild, grid, block, shared}, buffer());
  };
  const LaunchCode right = LaunchCode::kSuccess, wrong = LaunchCode::kInvalidConfiguration;
  EXPECT_EQ(of({65537, 65535, 1}, {1, 1, 1}), right) << "2^32 - 1 blocks";
  EXPECT_EQ(of({65538, 65535, 1}, {1, 1, 1}), wrong);
  EXPECT_EQ(of({65535, 65535, 65535}, {1, 1, 1}), wrong);
  EXPECT_EQ(of({1, 65536, 1}, {1, 1, 1}), wrong);
  EXPECT_EQ(of({1, 1, 65536}, {1, 1, 1}), wrong);
  EXPECT_EQ(of({0x7fffffff, 1, 1}, {1, 1, 1}), right);
  EXPECT_EQ(of({1, 1, 1}, {1024, 1, 1}), right);
  EXPECT_EQ(of({1, 1, 1}, {1025, 1, 1}), wrong);
  EXPECT_EQ(of({1, 1, 1}, {32, 33, 1}), wrong);
  EXPECT_EQ(of({1, 1, 1}, {1, 1, 64}), right);
  EXPECT_EQ(of({1, 1, 1}, {1, 1, 65}), wrong);
  EXPECT_EQ(of({1, 1, 1}, {0, 1, 1}), wrong);
  EXPECT_EQ(of({1, 1, 1}, {1, 1, 1}, 48 << 10), right);
  EXPECT_EQ(of({1, 1, 1}, {1, 1, 1}, (48 << 10) + 1), wrong);
  EXPECT_EQ(code({kBounded, {1, 1, 1}, {64, 1, 1}, 0}, buffer(0)), right);
  EXPECT_EQ(code({kBounded, {1, 1, 1}, {65, 1, 1}, 0}, buffer(0)), wrong) << "launch bounds";
}

TEST_F(LauncherTest, AFullPoolRefusesOrSpills) {
  launcher.set_limits({1, 2});
  EXPECT_FALSE(go(from(1)).spilled);
  EXPECT_EQ(go(from(2)).code, LaunchCode::kPendingCountExceeded);
  EXPECT_EQ(go(from(2)).code, LaunchCode::kPendingCountExceeded);
  EXPECT_EQ(launcher.beyond().refused, 2U);
  machine.pool.full = PoolFull::kSpill;
  const Launched spilled = go(from(2));
  EXPECT_EQ(spilled.code, LaunchCode::kSuccess);
  EXPECT_TRUE(spilled.spilled);
  EXPECT_EQ(launcher.pending(), 2U);
  static_cast<void>(launcher.start());
  static_cast<void>(launcher.start());
  EXPECT_FALSE(go(from(2)).spilled) << "none is pending";
  EXPECT_EQ(launcher.beyond().spilled, 1U);
  EXPECT_EQ(launcher.beyond().refused, 2U);
}

TEST_F(LauncherTest, CountsBuffersThatFindNoRoom) {
  EXPECT_EQ(launcher.buffers().allocate(128, 4), 0U) << "no such alignment";
  EXPECT_EQ(launcher.beyond().without_room, 0U);
  EXPECT_EQ(launcher.buffers().allocate(64, std::uint64_t{8} << 20), 0U) << "an eighth of 64 MiB, with its record";
  EXPECT_EQ(launcher.beyond().without_room, 1U);
  EXPECT_NE(launcher.buffers().allocate(64, (std::uint64_t{8} << 20) - 64), 0U);
  EXPECT_EQ(launcher.buffers().allocate(64, 0), 0U);
  EXPECT_EQ(launcher.beyond().without_room, 2U);
}

TEST_F(LauncherTest, PendingIsAdmittedAndNotStarted) {
  launcher.set_limits({3, 2});
  const std::vector<LaunchId> ids = {go(from(1)).id, go(from(2)).id, go(from(3)).id};
  EXPECT_EQ(go(from(9)).code, LaunchCode::kPendingCountExceeded);
  EXPECT_EQ(launcher.start().id, ids[0]) << "the oldest";
  EXPECT_EQ(go(from(9)).code, LaunchCode::kSuccess);
  EXPECT_EQ(go(from(9)).code, LaunchCode::kPendingCountExceeded);
  launcher.set_limits({2, 2});
  static_cast<void>(launcher.start(ids[1]));
  EXPECT_EQ(go(from(9)).code, LaunchCode::kPendingCountExceeded) << "two are pending, and the limit fell";
  EXPECT_EQ(launcher.pending(), 2U);
}

TEST_F(LauncherTest, ATreeClosesFromItsLeavesOneLevelAtATime) {
  const LaunchId child = go(from(1)).id;
  EXPECT_EQ(launcher.start().level, 1U);
  const LaunchId grandchild = go(from(2, child)).id;
  const ChildLaunch started = launcher.start();
  EXPECT_EQ(started.id, grandchild);
  EXPECT_EQ(started.level, 2U);
  EXPECT_EQ(started.root, root_);
  launcher.complete(root_);
  launcher.complete(child);
  EXPECT_FALSE(launcher.closing()) << "all wait for the leaf";
  launcher.complete(grandchild);
  EXPECT_EQ(launcher.blocks().open_children(1), 1U);
  launcher.close_level();
  EXPECT_EQ(launcher.blocks().open_children(2), 0U);
  EXPECT_EQ(launcher.blocks().open_children(1), 1U);
  EXPECT_THAT(launcher.take_childless(), ElementsAre(2U));
  launcher.close_level();
  EXPECT_THAT(launcher.take_childless(), ElementsAre(1U));
  EXPECT_THAT(launcher.take_closed_roots(), IsEmpty());
  launcher.close_level();
  EXPECT_THAT(launcher.take_closed_roots(), ElementsAre(root_));
  EXPECT_FALSE(launcher.closing());
  EXPECT_TRUE(launcher.idle());
  EXPECT_EQ(store.used(AllocationKind::kPool), 0U) << "buffers go with their launches' own ends";
}

TEST_F(LauncherTest, ABufferIsFreedAtTheOwnEndOfItsLaunch) {
  const Launched child = go(from(1));
  const ChildLaunch started = launcher.start();
  const LaunchId grandchild = go(from(2, child.id)).id;
  EXPECT_NE(launcher.buffers().find(started.parameters), nullptr);
  launcher.complete(child.id);
  EXPECT_EQ(launcher.buffers().find(started.parameters), nullptr);
  EXPECT_FALSE(launcher.closing()) << "open for its child";
  static_cast<void>(launcher.start(grandchild));
  launcher.complete(grandchild);
  launcher.complete(root_);
  close_all(launcher);
  EXPECT_TRUE(launcher.idle());
}

TEST_F(LauncherTest, BlocksThatHaveEndedAreNobodysToTell) {
  const LaunchId child = go(from(1)).id;
  static_cast<void>(launcher.start());
  launcher.blocks().end(1);
  launcher.complete(child);
  launcher.complete(root_);
  close_all(launcher);
  EXPECT_THAT(launcher.take_childless(), IsEmpty());
  EXPECT_THAT(launcher.take_closed_roots(), ElementsAre(root_));
}

TEST_F(LauncherTest, StreamsGoOnWithTheTreeOfTheOneBefore) {
  const auto stream = launcher.blocks().create_stream(1, 1);
  ASSERT_TRUE(stream);
  const LaunchId first = go(from(1), *stream).id, second = go(from(1), *stream).id, beside = go(from(1)).id;
  const LaunchId other = go(from(2)).id;
  EXPECT_TRUE(launcher.may_start(first));
  EXPECT_FALSE(launcher.may_start(second));
  EXPECT_TRUE(launcher.may_start(beside)) << "the null stream is another";
  EXPECT_TRUE(launcher.may_start(other)) << "a null stream for each block";
  static_cast<void>(launcher.start(first));
  const LaunchId below = go(from(3, first)).id;
  launcher.complete(first);
  close_all(launcher);
  EXPECT_FALSE(launcher.may_start(second));
  static_cast<void>(launcher.start(below));
  launcher.complete(below);
  close_all(launcher);
  EXPECT_TRUE(launcher.may_start(second));
}

TEST_F(LauncherTest, HandlesOfOthersAndWrongFlags) {
  EXPECT_FALSE(launcher.blocks().create_stream(1, 0));
  EXPECT_FALSE(launcher.blocks().create_event(1, 0));
  const auto stream = launcher.blocks().create_stream(1, 1);
  const auto event = launcher.blocks().create_event(1, 2);
  ASSERT_TRUE(stream && event);
  EXPECT_NE(*stream, *event);
  EXPECT_EQ(go(from(2), *stream).code, LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().record_event(2, *event, 0), LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().record_event(1, *event, *event), LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().wait_in_stream(2, 0, *event), LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().destroy_stream(2, *stream), LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().destroy_stream(1, 0), LaunchCode::kInvalidHandle) << "the null stream stays";
  EXPECT_EQ(launcher.blocks().destroy_stream(1, *stream), LaunchCode::kSuccess);
  EXPECT_EQ(launcher.blocks().destroy_stream(1, *stream), LaunchCode::kInvalidHandle);
  EXPECT_EQ(go(from(1), *stream).code, LaunchCode::kInvalidHandle);
  EXPECT_EQ(launcher.blocks().destroy_event(1, *event), LaunchCode::kSuccess);
  EXPECT_EQ(launcher.blocks().destroy_event(1, *event), LaunchCode::kInvalidHandle);
}

TEST_F(LauncherTest, LaunchesOfADestroyedStreamGoOn) {
  const auto stream = launcher.blocks().create_stream(1, 1);
  const LaunchId first = go(from(1), *stream).id, second = go(from(1), *stream).id;
  ASSERT_EQ(launcher.blocks().destroy_stream(1, *stream), LaunchCode::kSuccess);
  static_cast<void>(launcher.start(first));
  EXPECT_FALSE(launcher.may_start(second));
  launcher.complete(first);
  close_all(launcher);
  EXPECT_TRUE(launcher.may_start(second));
}

TEST_F(LauncherTest, EventsHoldTheNextLaunchOnly) {
  const auto one = launcher.blocks().create_stream(1, 1), two = launcher.blocks().create_stream(1, 1);
  const auto event = launcher.blocks().create_event(1, 2), empty = launcher.blocks().create_event(1, 2);
  const LaunchId first = go(from(1), *one).id;
  ASSERT_EQ(launcher.blocks().record_event(1, *event, *one), LaunchCode::kSuccess);
  const LaunchId later = go(from(1), *one).id;
  ASSERT_EQ(launcher.blocks().wait_in_stream(1, *two, *event), LaunchCode::kSuccess);
  ASSERT_EQ(launcher.blocks().wait_in_stream(1, *two, *empty), LaunchCode::kSuccess)
      << "never recorded: nothing to wait for";
  ASSERT_EQ(launcher.blocks().destroy_event(1, *event), LaunchCode::kSuccess);
  const LaunchId held = go(from(1), *two).id, free = go(from(1)).id;
  EXPECT_FALSE(launcher.may_start(held));
  EXPECT_TRUE(launcher.may_start(free));
  static_cast<void>(launcher.start(first));
  launcher.complete(first);
  close_all(launcher);
  EXPECT_TRUE(launcher.may_start(held)) << "the one behind the record does not count";
  EXPECT_TRUE(launcher.may_start(later));
  static_cast<void>(launcher.start(held));
  launcher.complete(held);
  close_all(launcher);
  EXPECT_TRUE(launcher.may_start(go(from(1), *two).id)) << "an event holds one launch";
}

TEST_F(LauncherTest, AnEventOfAStreamThatWaitsPassesTheWaitOn) {
  const auto one = launcher.blocks().create_stream(1, 1), two = launcher.blocks().create_stream(1, 1);
  const auto first = launcher.blocks().create_event(1, 2), second = launcher.blocks().create_event(1, 2);
  const LaunchId slow = go(from(1), *one).id;
  ASSERT_EQ(launcher.blocks().record_event(1, *first, *one), LaunchCode::kSuccess);
  ASSERT_EQ(launcher.blocks().wait_in_stream(1, *two, *first), LaunchCode::kSuccess);
  ASSERT_EQ(launcher.blocks().record_event(1, *second, *two), LaunchCode::kSuccess);
  ASSERT_EQ(launcher.blocks().wait_in_stream(1, 0, *second), LaunchCode::kSuccess);
  const LaunchId held = go(from(1)).id;
  EXPECT_FALSE(launcher.may_start(held));
  static_cast<void>(launcher.start(slow));
  launcher.complete(slow);
  close_all(launcher);
  EXPECT_TRUE(launcher.may_start(held));
}

TEST_F(LauncherTest, DepthOfSynchronisation) {
  EXPECT_EQ(launcher.synchronize(from(1)), LaunchCode::kSuccess);
  LaunchId launch = root_;
  std::vector<LaunchCode> codes;
  for (BlockId block = 1; block <= 24; ++block) {
    launch = go(from(block, launch)).id;
    static_cast<void>(launcher.start());
    codes.push_back(launcher.synchronize(from(block + 1, launch)));
  }
  EXPECT_EQ(codes[0], LaunchCode::kSuccess) << "depth 2";
  EXPECT_EQ(codes[1], LaunchCode::kSyncDepthExceeded) << "depth 3";
  launcher.set_limits({2048, 24});
  EXPECT_EQ(launcher.synchronize(from(25, launch)), LaunchCode::kSyncDepthExceeded) << "depth 25";
  launcher.set_limits({2048, 1});
  EXPECT_EQ(launcher.synchronize(from(1)), LaunchCode::kSuccess);
}

TEST_F(LauncherTest, AStoppedTreeStartsOnlyToEnd) {
  const LaunchId other = launcher.open_root();
  const LaunchId first = go(from(1)).id, second = go(from(1)).id, third = go(from(1)).id;
  const LaunchId theirs = go(from(2, other)).id;
  static_cast<void>(launcher.start(first));
  launcher.stop(root_);
  EXPECT_TRUE(launcher.stopped(second));
  EXPECT_FALSE(launcher.stopped(theirs));
  EXPECT_FALSE(launcher.may_start(third)) << "it waits for those before it, as ever";
  for (const LaunchId launch : {third, second}) {
    static_cast<void>(launcher.start(launch));
    launcher.complete(launch);
  }
  launcher.complete(first);
  launcher.complete(root_);
  close_all(launcher);
  EXPECT_THAT(launcher.take_closed_roots(), ElementsAre(root_));
  EXPECT_EQ(launcher.pending(), 1U);
  EXPECT_TRUE(launcher.may_start(theirs));
  EXPECT_FALSE(launcher.idle());
}

TEST_F(LauncherTest, DropForgetsOneTree) {
  const LaunchId other = launcher.open_root();
  static_cast<void>(go(from(1)));
  static_cast<void>(go(from(1)));
  const LaunchId theirs = go(from(2, other)).id;
  launcher.drop(root_);
  EXPECT_THAT(launcher.take_closed_roots(), ElementsAre(root_));
  EXPECT_EQ(launcher.pending(), 1U);
  EXPECT_EQ(launcher.start().id, theirs);
  launcher.complete(theirs);
  launcher.complete(other);
  close_all(launcher);
  EXPECT_TRUE(launcher.idle());
  EXPECT_EQ(store.used(AllocationKind::kPool), 0U);
}

TEST_F(LauncherTest, ResetForgetsAllAndNumbersGoOn) {
  const auto stream = launcher.blocks().create_stream(1, 1);
  const Launched last = go(from(1), *stream);
  static_cast<void>(buffer(100));
  launcher.reset();
  EXPECT_TRUE(launcher.idle());
  EXPECT_EQ(launcher.pending(), 0U);
  EXPECT_FALSE(launcher.may_start());
  EXPECT_EQ(store.used(AllocationKind::kPool), 0U);
  root_ = launcher.open_root();
  EXPECT_GT(root_, last.id);
  EXPECT_EQ(go(from(1), *stream).code, LaunchCode::kInvalidHandle);
  EXPECT_EQ(go(from(1)).code, LaunchCode::kSuccess);
}

TEST_F(LauncherTest, ABufferThatWasMadeForALaunch) {
  const LaunchDescription described{kChild, {2, 1, 1}, {3, 1, 1}, 16};
  const std::uint64_t made = launcher.describe(from(1), described);
  ASSERT_NE(made, 0U);
  EXPECT_EQ(launcher.describe(from(1), {kForeign, {1, 1, 1}, {1, 1, 1}, 0}), 0U);
  EXPECT_EQ(launcher.launch(from(1), buffer(), 0).code, LaunchCode::kInvalidValue) << "made for nothing";
  const Launched launched = launcher.launch(from(1), made, 0);
  ASSERT_EQ(launched.code, LaunchCode::kSuccess);
  const ChildLaunch child = launcher.find(launched.id);
  EXPECT_EQ(child.launch.grid.x, 2U);
  EXPECT_EQ(child.launch.block.x, 3U);
  EXPECT_EQ(child.launch.dynamic_shared, 16U);
  EXPECT_EQ(child.parameters, made);
  EXPECT_EQ(launcher.launch(from(1), made, 0).code, LaunchCode::kInvalidValue);
}

TEST_F(LauncherTest, ChainsOfThousandsClose) {
  LaunchId launch = root_;
  std::vector<LaunchId> all = {root_};
  for (BlockId block = 1; block <= 20000; ++block) {
    launch = go(from(block, launch)).id;
    static_cast<void>(launcher.start());
    launcher.complete(all.back());
    launcher.blocks().end(block);
    all.push_back(launch);
  }
  EXPECT_FALSE(launcher.closing());
  launcher.complete(launch);
  close_all(launcher);
  EXPECT_THAT(launcher.take_closed_roots(), ElementsAre(root_));
  EXPECT_TRUE(launcher.idle());
}

// --- Buffers --------------------------------------------------------------------------------------------------------

class BuffersTest : public testing::Test {
 protected:
  [[nodiscard]] bool allowed(std::uint64_t address, bool write) const {
    AddressCheck check(store);
    const Region region = check.region(isa::Space::kGlobal, address, write, {});
    return !region.refused() && region.holds(address, 4);
  }
  Store store{{std::uint64_t{64} << 20, false, true}};
  ParameterBuffers buffers{store, 64};
};

TEST_F(BuffersTest, TheRecordInFrontIsOutOfReach) {
  const std::uint64_t at = buffers.allocate(64, 12);
  ASSERT_NE(at, 0U);
  EXPECT_EQ(buffers.record(at), at - 64);
  EXPECT_EQ(buffers.record(at) % 64, 0U);
  EXPECT_LT(at, ParameterBuffers::kEnd);
  for (unsigned before = 4; before <= 64; before += 4) {
    EXPECT_FALSE(allowed(at - before, true)) << before;
    EXPECT_FALSE(allowed(at - before, false)) << before;
  }
  EXPECT_FALSE(allowed(at - 2, false)) << "across the border";
  EXPECT_TRUE(allowed(at, true));
  EXPECT_TRUE(allowed(at + 8, true));
  EXPECT_FALSE(allowed(at + 12, true));
  // A hit inside the allocation must not make the record accessible to the next access.
  AddressCheck check(store);
  EXPECT_TRUE(check.region(isa::Space::kGlobal, at, true, {}).holds(at, 4));
  const Region record = check.region(isa::Space::kGlobal, at - 4, true, {});
  EXPECT_TRUE(record.refused() || !record.holds(at - 4, 4));
  buffers.launch(at);
  EXPECT_FALSE(allowed(at, true));
  EXPECT_TRUE(allowed(at, false));
  EXPECT_FALSE(allowed(at - 64, false));
  buffers.free(at);
  EXPECT_FALSE(allowed(at, false));
  EXPECT_EQ(buffers.find(at), nullptr);
}

TEST_F(BuffersTest, AlignmentAbove64IsNull) {
  EXPECT_EQ(buffers.allocate(128, 4), 0U);
  EXPECT_EQ(buffers.allocate(48, 4), 0U);
  for (const std::uint64_t alignment : {1, 2, 4, 8, 16, 32, 64}) EXPECT_EQ(buffers.allocate(alignment, 4) % 64, 0U);
}

TEST_F(BuffersTest, TogetherAnEighthOfTheMemory) {
  EXPECT_EQ(buffers.allocate(8, std::uint64_t{8} << 20), 0U) << "its record would be above the eighth";
  const std::uint64_t most = buffers.allocate(8, (std::uint64_t{8} << 20) - 64);
  EXPECT_NE(most, 0U);
  EXPECT_EQ(buffers.allocate(8, 4), 0U);
  buffers.free(most);
  EXPECT_EQ(buffers.allocate(8, ~std::uint64_t{0}), 0U);
  EXPECT_EQ(buffers.allocate(8, ~std::uint64_t{0} - 63), 0U);
  std::vector<std::uint64_t> many;
  while (const std::uint64_t one = buffers.allocate(8, 4096)) many.push_back(one);
  EXPECT_EQ(many.size(), (std::uint64_t{8} << 20) / (4096 + 64));
  buffers.free(many.back());
  EXPECT_NE(buffers.allocate(8, 4096), 0U);
  buffers.clear();
  EXPECT_EQ(store.used(AllocationKind::kPool), 0U);
}

TEST_F(BuffersTest, WithoutRecordsTheyBeginTheirAllocation) {
  ParameterBuffers plain(store);
  const std::uint64_t at = plain.allocate(8, 12);
  EXPECT_EQ(plain.record(at), at);
  EXPECT_TRUE(allowed(at, true));
  EXPECT_FALSE(allowed(at - 4, true));
  plain.clear();
}

// --- Rows -----------------------------------------------------------------------------------------------------------

KernelStatistics row(const std::string& kernel, Picoseconds start, Picoseconds end, std::uint64_t tbs,
                     std::vector<std::pair<std::string_view, std::uint64_t>> counts = {}) {
  KernelStatistics row;
  row.kernel = kernel;
  row.start = start;
  row.end = end;
  row.thread_blocks = tbs;
  row.warp_instructions = 10 * tbs;
  row.thread_instructions = 100 * tbs;
  row.l2_bytes = 32 * tbs;
  row.counts = std::move(counts);
  return row;
}

TEST(LaunchRowsTest, OneForEachLevelAndKernelThenTheHosts) {
  LaunchRows rows;
  rows.add(1, 2, row("b", 50, 60, 1));
  rows.add(1, 1, row("b", 20, 30, 2, {{"x", 3}}));
  rows.add(1, 1, row("a", 5, 6, 1));
  rows.keep(1, row("host", 1, 9, 7));
  rows.add(2, 1, row("b", 1, 2, 100));
  rows.add(1, 1, row("b", 10, 25, 3, {{"x", 4}, {"y", 5}}));
  const std::vector<KernelStatistics> tree = rows.close(1, 99);
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree[0].kernel + tree[1].kernel + tree[2].kernel + tree[3].kernel, "abbhost");
  const auto count = [](const KernelStatistics& row, std::string_view name) {
    for (const auto& [key, value] : row.counts)
      if (key == name) return value;
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(count(tree[1], "level"), 1U);
  EXPECT_EQ(count(tree[1], "device_launches"), 2U);
  EXPECT_EQ(count(tree[1], "x"), 7U);
  EXPECT_EQ(count(tree[1], "y"), 5U);
  EXPECT_EQ(tree[1].start, 10U);
  EXPECT_EQ(tree[1].end, 30U);
  EXPECT_EQ(tree[1].thread_blocks, 5U);
  EXPECT_EQ(tree[1].warp_instructions, 50U);
  EXPECT_EQ(tree[1].thread_instructions, 500U);
  EXPECT_EQ(tree[1].l2_bytes, 160U);
  EXPECT_EQ(count(tree[2], "level"), 2U);
  EXPECT_EQ(tree[3].end, 99U) << "the host's ends with its tree";
  EXPECT_EQ(tree[3].thread_blocks, 7U);
  EXPECT_EQ(rows.closed(), 1U);
  EXPECT_THAT(rows.close(1, 100), IsEmpty()) << "it is gone";
  EXPECT_EQ(rows.close(2, 100).front().thread_blocks, 100U);
}

}  // namespace
}  // namespace castor::gpu::gpu_launch_launcher_test
