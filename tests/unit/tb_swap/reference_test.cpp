#include "unit/tb_swap/reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tb/tb_swap/entry.h"

// Decisions, lists of lines and entries of the reference, worked out by hand.

namespace castor::tb_swap::reference::reference_test {
namespace {

constexpr Params kParams{4, 8, 8, 16, 2, 2};

/// Kernel of two warps, three registers, two SIMT lines and three lines of shared memory, with two contexts.
Kernel kernel() {
  Kernel kernel;
  kernel.warps = 2;
  kernel.regs = 3;
  kernel.simt = 2;
  kernel.smem = 3;
  kernel.slots = kernel.rhomes = kernel.shomes = 2;
  return kernel;
}

Machine machine_of(const Kernel& kernel) {
  Machine machine(kParams);
  machine.start(kernel);
  return machine;
}

/// Job that moves thread block `gid` out of a context; a new one takes its place.
Job out_of(unsigned slot, U32 gid, unsigned site = 127) { return {slot, true, gid, site, true, 0, {}}; }
/// Job that exchanges the thread block of a context for a parked one.
Job exchange(unsigned slot, U32 gid, const Entry& entry) { return {slot, true, gid, 127, false, 0, entry}; }
Job into(unsigned slot, const Entry& entry) { return {slot, false, 0, 127, false, 0, entry}; }

Entry entry_of(U64 reg_loc, U64 reg_line, U64 smem_loc, U64 smem_line, U64 simt_loc, U64 simt_line) {
  Entry entry;
  tb::put(entry, tb::kRegLoc, reg_loc);
  tb::put(entry, tb::kRegLine, reg_line);
  tb::put(entry, tb::kSmemLoc, smem_loc);
  tb::put(entry, tb::kSmemLine, smem_line);
  tb::put(entry, tb::kSimtLoc, simt_loc);
  tb::put(entry, tb::kSimtLine, simt_line);
  tb::put(entry, tb::kSite, 127);
  return entry;
}

/// Returns a list of accesses as "S0@8192": part, number and address; W.R names a register.
std::string text(const std::vector<Access>& list) {
  std::string all;
  for (const Access& access : list) {
    const bool reg = access.type == AccessType::kRegister;
    all += (all.empty() ? "" : " ") + std::string(1, "SRMG"[static_cast<unsigned>(access.type)]);
    all += reg ? std::to_string(access.warp) + "." + std::to_string(access.reg) : std::to_string(access.line);
    all += "@" + std::to_string(access.address);
  }
  return all;
}

TEST(TbSwapReference, WithoutStorageOnChipEverythingGoesToMemory) {
  Machine machine = machine_of(kernel());
  Move move = machine.place(out_of(1, 7), true);
  ASSERT_EQ(move.where, Class::kMemory);
  EXPECT_EQ(move.rhome, 1U);
  EXPECT_EQ(move.shome, 1U);
  move.address = 1000;
  EXPECT_EQ(text(machine.stores(move)),
            "S0@1000 S1@1001 R0.0@1002 R0.1@1003 R0.2@1004 R1.0@1005 R1.1@1006 R1.2@1007 M0@1008 M1@1009 M2@1010");
  EXPECT_EQ(machine.stores(move)[4].home, 1U);
  const Entry entry = machine.entry(move, 3);
  EXPECT_EQ(entry, [] {
    Entry expected = entry_of(2, 1002, 2, 1008, 1, 1000);
    tb::put(expected, tb::kGid, 7);
    tb::put(expected, tb::kSm, 3);
    return expected;
  }());
  const Move back = machine.place(into(0, entry), true);
  EXPECT_EQ(back.where, Class::kNone);
  machine.begin_in(back);
  EXPECT_EQ(text(machine.simt_loads(back)), "S0@1000 S1@1001");
  EXPECT_EQ(text(machine.other_loads(back)),
            "R0.0@1002 R0.1@1003 R0.2@1004 R1.0@1005 R1.1@1006 R1.2@1007 M0@1008 M1@1009 M2@1010");
}

TEST(TbSwapReference, OnlyLiveRegistersMove) {
  Kernel live = kernel();
  live.live = true;
  Machine machine = machine_of(live);
  machine.write_site(1, RegBits(0xFFF5));
  machine.write_site(0, RegBits(0));
  EXPECT_EQ(machine.live(1), (std::vector<unsigned>{0, 2})) << "register 3 and above are not of the kernel";
  EXPECT_TRUE(machine.live(0).empty());
  EXPECT_EQ(machine.live(2).size(), 3U) << "no such site";
  EXPECT_EQ(machine.live(127).size(), 3U);
  Move move = machine.place(out_of(0, 1, 1), true);
  EXPECT_EQ(text(machine.stores(move)), "S0@0 S1@1 R0.0@2 R0.2@3 R1.0@4 R1.2@5 M0@6 M1@7 M2@8");
  Move none = machine.place(out_of(1, 2, 0), true);
  EXPECT_EQ(text(machine.stores(none)), "S0@0 S1@1 M0@2 M1@3 M2@4");
  EXPECT_EQ(tb::get(machine.entry(none, 0), tb::kRegLine), 2U) << "behind the SIMT lines, and never used";
}

// One spare home of each, and two places: the second thread block that leaves finds no home any more.
TEST(TbSwapReference, AThreadBlockStaysInPlaceWhileThereIsASpareHomeAndAPlace) {
  Kernel some = kernel();
  some.rhomes = some.shomes = 3;
  some.in_place = 2;
  Machine machine = machine_of(some);
  const Move first = machine.place(out_of(0, 1), true);
  ASSERT_EQ(first.where, Class::kInPlace);
  EXPECT_EQ(first.rhome, 2U);
  EXPECT_EQ(first.shome, 2U);
  EXPECT_EQ(text(machine.stores(first)), "S0@0 S1@1");
  const Entry entry = machine.entry(first, 0);
  EXPECT_EQ(tb::get(entry, tb::kRegLine), 0U);
  EXPECT_EQ(tb::get(entry, tb::kRegLoc), tb::kInHome);
  machine.begin_in(first);
  EXPECT_EQ(machine.place(out_of(1, 2), true).where, Class::kMemory);
  EXPECT_EQ(machine.free_places(), 2U) << "a move to memory takes no place";

  // An exchange needs a place alone: each takes the homes of the other.
  const Move second = machine.place(exchange(0, 3, entry), true);
  ASSERT_EQ(second.where, Class::kInPlace);
  EXPECT_EQ(second.rhome, 0U);
  EXPECT_EQ(second.address, 4096U);
  EXPECT_EQ(tb::get(machine.entry(second, 0), tb::kRegLine), 2U);
  machine.begin_in(second);
  machine.end_in(second);
  EXPECT_EQ(machine.free_places(), 1U) << "the place of the one that came back";
}

TEST(TbSwapReference, RegistersGoToAPlaceAndSharedMemoryKeepsItsHome) {
  Kernel some = kernel();
  some.shomes = 3;
  some.copies = 1;
  some.direction = 1;
  Machine machine = machine_of(some);
  const Move move = machine.place(out_of(1, 1), true);
  ASSERT_EQ(move.where, Class::kRegistersToPlace);
  EXPECT_EQ(move.rhome, 1U);
  EXPECT_EQ(move.shome, 2U);
  EXPECT_EQ(text(machine.stores(move)), "S0@0 S1@1 R0.0@2 R0.1@3 R0.2@4 R1.0@5 R1.1@6 R1.2@7");
  Entry expected = entry_of(1, 2, 0, 1, 0, 0);
  tb::put(expected, tb::kGid, 1);
  EXPECT_EQ(machine.entry(move, 0), expected);
  EXPECT_EQ(machine.place(out_of(0, 1), true).where, Class::kMemory) << "the only place is taken";
}

TEST(TbSwapReference, SharedMemoryGoesToAPlaceAndRegistersKeepTheirHome) {
  Kernel some = kernel();
  some.rhomes = 3;
  some.in_place = 1;
  some.copies = 1;
  some.direction = 2;
  Machine machine = machine_of(some);
  const Move move = machine.place(out_of(0, 1), true);
  ASSERT_EQ(move.where, Class::kSharedToPlace) << "no spare shared home, so not in place";
  EXPECT_EQ(move.address, 4096U) << "the first place is for those in place";
  EXPECT_EQ(move.rhome, 2U);
  EXPECT_EQ(move.shome, 0U);
  EXPECT_EQ(text(machine.stores(move)), "S0@4096 S1@4097 M0@4098 M1@4099 M2@4100");
  Entry expected = entry_of(0, 0, 1, 4098, 0, 4096);
  tb::put(expected, tb::kGid, 1);
  EXPECT_EQ(machine.entry(move, 0), expected);
}

TEST(TbSwapReference, WithoutRoomForALocalEntryAThreadBlockGoesToMemory) {
  Kernel some = kernel();
  some.rhomes = some.shomes = 4;
  some.in_place = 2;
  Machine machine = machine_of(some);
  EXPECT_EQ(machine.place(out_of(0, 1), false).where, Class::kMemory);
  EXPECT_EQ(machine.place(out_of(0, 1), true).where, Class::kInPlace);
}

TEST(TbSwapReference, WithoutSharedMemoryNoSharedHomeIsNeeded) {
  Kernel some = kernel();
  some.smem = 0;
  some.rhomes = 3;
  some.in_place = 2;
  Machine machine = machine_of(some);
  const Move move = machine.place(out_of(0, 1), true);
  ASSERT_EQ(move.where, Class::kInPlace);
  EXPECT_EQ(move.shome, 0U);
  EXPECT_EQ(tb::get(machine.entry(move, 0), tb::kSmemLoc), tb::kNoShared);
  EXPECT_EQ(tb::get(machine.entry(move, 0), tb::kSmemLine), 0U);
}

// A thread block that brings both homes: those of the context become spare as its own goes to memory.
TEST(TbSwapReference, HomesOfTheContextBecomeSpareWhenOneComesBackWithItsOwn) {
  Kernel some = kernel();
  some.rhomes = some.shomes = 3;
  some.in_place = 1;
  Machine machine = machine_of(some);
  const Move first = machine.place(out_of(0, 1), true);
  const Entry entry = machine.entry(first, 0);
  machine.begin_in(first);
  const Move back = machine.place(exchange(1, 2, entry), true);
  ASSERT_EQ(back.where, Class::kMemory) << "no place is free";
  EXPECT_EQ(back.rhome, 0U);
  EXPECT_EQ(machine.free_rhomes(), 2U);
  EXPECT_EQ(machine.free_shomes(), 2U);
  machine.begin_in(back);
  machine.end_in(back);
  EXPECT_TRUE(machine.all_back());
}

// Lines 0 and 2 of 3 are read-only: only line 1 moves, and the others are loaded from where they equal.
TEST(TbSwapReference, ReadOnlySegmentsAreNotStored) {
  Kernel some = kernel();
  some.read_only = true;
  Machine machine = machine_of(some);
  machine.write_segment(0, 0, {1, 0, 500});
  machine.write_segment(0, 1, {1, 2, 600});
  machine.write_segment(0, 2, {3, 0, 700});  // no such segment
  Move move = machine.place(out_of(0, 1), true);
  move.address = 100;
  EXPECT_EQ(text(machine.stores(move)), "S0@100 S1@101 R0.0@102 R0.1@103 R0.2@104 R1.0@105 R1.1@106 R1.2@107 M1@108");
  const Move back = machine.place(into(1, machine.entry(move, 0)), true);
  machine.begin_in(back);
  machine.write_segment(1, 0, {1, 0, 500});
  machine.write_segment(1, 1, {1, 2, 600});
  const std::vector<Access> loads = machine.other_loads(back);
  EXPECT_EQ(text({loads.end() - 3, loads.end()}), "G0@500 M1@108 G2@600");
}

}  // namespace
}  // namespace castor::tb_swap::reference::reference_test
