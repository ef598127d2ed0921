// Thread blocks that wait inside their SM: in spare homes, or with a copy of their registers or shared memory
// (docs/gpu/swapping.md, "Spare storage"). Kernels are limited by the number of thread blocks, by registers, and by
// shared memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "castor/gpu/sm/simt_lines.h"
#include "common/hook_fails.h"
#include "platform/timing/swap_rig.h"

namespace castor::gpu::timing_test::swap_spare_test {
namespace {

constexpr unsigned kThreads = 64, kWarps = 2, kRounds = 3;

/// A kernel: `registers` of its registers are in use at a time, and its thread blocks have `lines` lines of shared
/// memory.
struct Shape {
  std::string name;
  std::vector<std::string> overrides;
  unsigned registers = 0, lines = 0;
  unsigned more = 0;  ///< thread blocks beyond those that fit
};
const Shape kByBlocks = {"blocks", {"chip.sms=2", "sm.tb_slots=3"}, 4, 2, 40};
const Shape kByRegisters = {"registers", {"chip.sms=1"}, 80, 2, 30};
const Shape kByShared = {"shared", {"chip.sms=2"}, 4, 192, 20};

/// Each round stores a value at both ends of the shared memory of the thread block, mixes `registers` values, meets at
/// the barrier, and adds what the shared memory holds.
std::string body_of(const Shape& shape) {
  std::string body =
      "mov.u32 %r1, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r1, %r3, %r4; "
      "mov.u32 %r6, words; mad.lo.u32 %r6, %r4, 4, %r6; mov.u32 %r7, " +
      std::to_string(kRounds) + "; mov.u32 %r9, %r5; LOOP: add.u32 %r8, %r9, 77; st.shared.u32 [%r6], %r8; ";
  if (shape.lines > 2) body += "st.shared.u32 [%r6+" + std::to_string(shape.lines * 128 - 256) + "], %r9; ";
  for (unsigned i = 0; i < shape.registers; ++i) {
    body += "mul.lo.u32 %r" + std::to_string(10 + i) + ", %r9, " + std::to_string(2 * i + 3) + "; ";
  }
  for (unsigned i = 0; i < shape.registers; ++i) {
    body += "xor.b32 %r9, %r9, %r" + std::to_string(10 + i) + "; add.u32 %r9, %r9, 1; ";
  }
  body += "tb.gridsync; ld.shared.u32 %r8, [%r6]; add.u32 %r9, %r9, %r8; ";
  if (shape.lines > 2) {
    body += "ld.shared.u32 %r8, [%r6+" + std::to_string(shape.lines * 128 - 256) + "]; mad.lo.u32 %r9, %r8, 5, %r9; ";
  }
  return body +
         "sub.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP; mul.wide.u32 %rd1, %r5, 4; "
         "add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r9; ret;";
}
std::uint32_t expected(const Shape& shape, std::uint32_t thread) {
  std::uint32_t x = thread;
  for (unsigned round = 0; round < kRounds; ++round) {
    const std::uint32_t first = x + 77, last = x;
    for (unsigned i = 0; i < shape.registers; ++i) x = (x ^ last * (2 * i + 3)) + 1;
    x += first;
    if (shape.lines > 2) x += last * 5;
  }
  return x;
}

RandomSwapEngine::Options usual(bool live = true) {
  RandomSwapEngine::Options options = one_tick_pauses();
  options.live = live;
  return options;
}

/// Runs the kernel of a shape with as many thread blocks as fit, and `shape.more`.
class Spare {
 public:
  explicit Spare(const Shape& shape, const RandomSwapEngine::Options& options = usual(),
                 const std::vector<std::string>& more = {})
      : shape_(shape), swap(joined(shape.overrides, more), "maxwell_liu13", options) {
    program =
        swap.rig->load(body_of(shape), 1, ".shared .align 4 .b32 words[" + std::to_string(shape.lines * 32) + "];");
    room = blocks_per_sm(swap.rig->machine(), swap.rig->program(program), kThreads, 0) *
           static_cast<unsigned>(swap.agents.size());
    out_ = swap.rig->buffer(std::uint64_t{4} * blocks() * kThreads);
    for (Engine& engine : swap.engines) {
      engine.see = [this](const SwapIn& in, const SwapOut& out) { see(in, out); };
    }
  }
  void finish() {
    swap.rig->finish(swap.submit(program, blocks(), kThreads, {out_}));
    unsigned wrong = 0;
    for (unsigned i = 0; i < blocks() * kThreads; ++i) {
      wrong += swap.rig->get<std::uint32_t>(out_ + 4 * i) != expected(shape_, i);
    }
    EXPECT_EQ(wrong, 0U);
    swap.rig->device->gpu().check_invariants();
  }
  [[nodiscard]] unsigned blocks() const { return room + shape_.more; }
  [[nodiscard]] const isa::Program& code() const { return swap.rig->program(program); }
  /// Returns the lines that move with a thread block that goes to memory (0), stays in its homes (1) or is copied (2).
  [[nodiscard]] unsigned lines(unsigned kind, bool live) const {
    const unsigned simt = SimtLines::lines(kWarps);
    const unsigned registers =
        kWarps * (live ? static_cast<unsigned>(code().sync.sites.at(0).registers.count()) : code().registers);
    if (kind == 0) return simt + registers + shape_.lines;
    if (kind == 1) return simt;
    return simt + (kernel.direction == SwapDirection::kRegisters ? registers : shape_.lines);
  }

 private:
  static std::vector<std::string> joined(std::vector<std::string> keys, const std::vector<std::string>& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
  }
  void see(const SwapIn& in, const SwapOut& out) {
    if (in.configure) kernel = *in.configure;
    if (!out.parked || !in.park_ready) return;
    const auto kind = static_cast<unsigned>(out.parked->entry.word[1] & 0xffU);
    EXPECT_EQ(out.parked->local, kind != 0);
    ++parked[kind];
  }
  const Shape shape_;

 public:
  SwapRig swap;
  ProgramHandle program{};
  unsigned room = 0;
  SwapKernel kernel;                    ///< constants of the kernel
  std::map<unsigned, unsigned> parked;  ///< [0 memory, 1 homes, 2 copy] thread blocks

 private:
  std::uint64_t out_ = 0;
};

class SwapSpare : public ::testing::TestWithParam<Shape> {};

TEST_P(SwapSpare, BlocksThatWaitInTheirSmComputeWhatTheHostDoes) {
  for (const bool live : {true, false}) {
    SCOPED_TRACE(live);
    static_cast<void>(in_child([&] {
      Spare run(GetParam(), usual(live));
      run.finish();
      EXPECT_EQ(run.kernel.slots * run.swap.agents.size(), run.room);
      EXPECT_EQ(run.swap.sum("moves.out"), std::uint64_t{kRounds} * GetParam().more);
      EXPECT_EQ(run.parked[0] + run.parked[1] + run.parked[2], run.swap.sum("moves.out"));
      EXPECT_GT(run.parked[0], 0U);
      EXPECT_EQ(run.swap.sum("swap_port.stores"), run.parked[0] * run.lines(0, live));
      EXPECT_EQ(run.swap.sum("swap_port.loads"), run.parked[0] * run.lines(0, live));
      EXPECT_EQ(run.swap.sum("swap_port.copies"),
                2 * (run.parked[1] * run.lines(1, live) + run.parked[2] * run.lines(2, live)));
      const bool in_place = GetParam().name == "blocks";
      // A place has room for live registers only.
      const bool fits = live || GetParam().name != "registers";
      EXPECT_GE(run.parked[in_place ? 1 : 2], fits ? GetParam().more / 2 : 0);
      EXPECT_EQ(run.parked[in_place ? 1 : 2] != 0, fits);
      EXPECT_EQ(run.parked[in_place ? 2 : 1], 0U);
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}
INSTANTIATE_TEST_SUITE_P(Kernels, SwapSpare, ::testing::Values(kByBlocks, kByRegisters, kByShared));

// The SM has 2048 lines of registers and 768 of shared memory.
TEST(SwapSpareLayout, AnEngineGetsTheLayoutOfItsKernel) {
  for (const Shape& shape : {kByBlocks, kByRegisters, kByShared}) {
    SCOPED_TRACE(shape.name);
    static_cast<void>(in_child([&] {
      Spare run(shape);
      EXPECT_EQ(run.swap.rig->machine().sm.registers, 65536U);
      EXPECT_EQ(run.swap.rig->machine().sm.smem_bytes, 98304U);
      run.finish();
      const SwapKernel& kernel = run.kernel;
      // Registers are allocated to a warp in units of 256.
      const unsigned home = kWarps * ((run.code().registers + 7) / 8 * 8);
      EXPECT_EQ(kernel.shared_lines, shape.lines);
      if (shape.name == "blocks") {
        EXPECT_EQ(kernel.slots, 3U);
        EXPECT_EQ(kernel.register_homes, std::min(64U, 2048 / home));
        EXPECT_EQ(kernel.shared_homes, kernel.register_homes);
        EXPECT_EQ(kernel.in_place, 24U);
        EXPECT_EQ(kernel.copies, 0U);
      } else if (shape.name == "registers") {
        const auto live = static_cast<unsigned>(run.code().sync.sites.at(0).registers.count());
        EXPECT_EQ(kernel.slots, 2048 / home);
        EXPECT_EQ(kernel.register_homes, kernel.slots);
        EXPECT_EQ(kernel.copy_lines, 2 + kWarps * live);
        EXPECT_EQ(kernel.copies, std::min(16U, (768U - 2U * kernel.slots) / (2U + kernel.copy_lines)));
        EXPECT_EQ(kernel.shared_homes, kernel.slots + kernel.copies);
        EXPECT_EQ(kernel.direction, SwapDirection::kRegisters);
      } else {
        EXPECT_EQ(kernel.slots, 4U);
        EXPECT_EQ(kernel.copy_lines, 2 + 192);
        EXPECT_EQ(kernel.copies, (2048 - 4 * home) / (home + kernel.copy_lines));
        EXPECT_EQ(kernel.register_homes, 4U + kernel.copies);
        EXPECT_EQ(kernel.shared_homes, 4U);
        EXPECT_EQ(kernel.direction, SwapDirection::kShared);
      }
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}

// An engine without limits for spare storage, and an agent without room, keep nothing in the SM.
TEST(SwapSpareLayout, WithoutSpareStorageOrRoomAllGoesToMemory) {
  for (const bool storage : {false, true}) {
    static_cast<void>(in_child([storage] {
      RandomSwapEngine::Options options = usual();
      if (!storage) options.homes = options.places = options.queue = 0;
      Spare run(kByBlocks, options);
      for (Agent& agent : run.swap.agents) {
        agent.change = [storage](AgentOut& out) { out.local_room = !storage; };
      }
      run.finish();
      EXPECT_EQ(run.kernel.register_homes, storage ? 64U : 3U);
      EXPECT_EQ(run.kernel.in_place, storage ? 24U : 0U);
      EXPECT_EQ(run.swap.sum("swap_port.copies"), 0U);
      EXPECT_EQ(run.parked[0], kRounds * kByBlocks.more);
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}

// Kernels of different layouts, one after the other, on the same machine; thread blocks of one that does not
// synchronise use all contexts between them.
TEST(SwapSpareLayout, KernelsOfDifferentLayoutsFollowEachOther) {
  SwapRig swap({"chip.sms=1"}, "maxwell_liu13", usual());
  const ProgramHandle plain = swap.rig->load(
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3; "
      "mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r5, %r4, 9; st.global.u32 [%rd1], %r5; ret;",
      1);
  std::vector<unsigned> slots;
  swap.engines[0].see = [&slots](const SwapIn& in, const SwapOut&) {
    if (in.configure) slots.push_back(in.configure->slots);
  };
  for (unsigned round = 0; round < 2; ++round) {
    for (const Shape& shape : {kByRegisters, kByShared}) {
      const ProgramHandle program =
          swap.rig->load(body_of(shape), 1, ".shared .align 4 .b32 words[" + std::to_string(shape.lines * 32) + "];");
      const unsigned blocks = swap.room(program, kThreads) + shape.more;
      const std::uint64_t out = swap.rig->buffer(std::uint64_t{4} * std::max(blocks, 64U) * kThreads);
      swap.rig->finish(swap.submit(program, blocks, kThreads, {out}));
      unsigned wrong = 0;
      for (unsigned i = 0; i < blocks * kThreads; ++i) {
        wrong += swap.rig->get<std::uint32_t>(out + 4 * i) != expected(shape, i);
      }
      EXPECT_EQ(wrong, 0U) << shape.name;
      swap.rig->finish(swap.submit(plain, 64, kThreads, {out}));
      for (unsigned i = 0; i < 64 * kThreads; ++i) {
        wrong += swap.rig->get<std::uint32_t>(out + 4 * i) != i + 9;
      }
      EXPECT_EQ(wrong, 0U) << "behind " << shape.name;
    }
  }
  EXPECT_EQ(slots.size(), 4U);
  EXPECT_GT(swap.sum("swap_port.copies"), 0U);
}

std::vector<std::uint64_t> fingerprint(const Shape& shape, const std::vector<std::string>& overrides) {
  return in_child([&] {
    Spare run(shape, usual(), overrides);
    run.finish();
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    return std::vector<std::uint64_t>{run.swap.rig->device->gpu().statistics().hash(), run.swap.rig->device->cycles()};
  });
}
TEST(SwapSpareLayout, TheOrderOfUnitsAndSleepingChangeNothing) {
  for (const Shape& shape : {kByBlocks, kByRegisters, kByShared}) {
    const auto plain = fingerprint(shape, {});
    EXPECT_EQ(fingerprint(shape, {"run.sleep=0"}), plain) << shape.name;
    EXPECT_EQ(fingerprint(shape, {"run.shuffle=1", "run.seed=2"}), plain) << shape.name;
  }
}

// Loads of dead registers are copies inside the SM instead. So loads from memory and copies are performed in the same
// ticks, and are acknowledged one per tick.
TEST(SwapSpareLayout, AcknowledgesOfATickQueue) {
  const auto run_with = [](const std::string& sleep) {
    return in_child([&sleep] {
      Spare run(kByBlocks, usual(false), {sleep, "l1.access_latency=1", "l1.return_latency=0"});
      for (Agent& agent : run.swap.agents) {
        agent.change = [](AgentOut& out) { out.local_room = false; };
      }
      std::vector<unsigned> in_flight(run.swap.engines.size()), most(run.swap.engines.size());
      unsigned copies = 0;
      for (unsigned sm = 0; sm < run.swap.engines.size(); ++sm) {
        Engine& engine = run.swap.engines[sm];
        engine.alter = [&run](SwapOut& out) {
          if (!out.access || out.access->store || out.access->type != SwapAccess::Type::kRegister) return;
          if (run.code().sync.sites[0].registers[out.access->reg]) return;
          out.access->local = true;
          out.access->address = 1;
        };
        const auto see = engine.see;
        engine.see = [&, sm, see](const SwapIn& in, const SwapOut& out) {
          see(in, out);
          if (in.load_done) --in_flight[sm];
          if (in.access_taken && !out.access->store) ++in_flight[sm];
          copies += in.access_taken && out.access->local ? 1 : 0;
          if (out.enter) {
            EXPECT_EQ(in_flight[sm], 0U) << "a load is not acknowledged";
          }
        };
      }
      run.finish();
      EXPECT_GT(copies, 500U);
      EXPECT_EQ(run.swap.sum("swap_port.copies"), copies);
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{run.swap.rig->device->gpu().statistics().hash(),
                                        run.swap.rig->device->cycles()};
    });
  };
  EXPECT_EQ(run_with("run.sleep=1"), run_with("run.sleep=0"));
}

// Each case goes beyond the layout in one way.
TEST(SwapSpareDeathTest, AnAccessBeyondTheLayoutStopsTheRunWithTheBlocksName) {
  const auto breaks = [](const Shape& shape, void (*change)(SwapAccess&, const SwapKernel&)) {
    Spare run(shape);
    for (Engine& engine : run.swap.engines) {
      engine.alter = [&run, change](SwapOut& out) {
        if (out.access) change(*out.access, run.kernel);
      };
    }
    run.finish();
  };
  const char* const text = "block shuttle.*accesses a line that TB context . does not have";
  EXPECT_HOOK_FAILS(breaks(kByBlocks,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.local) access.address = std::uint64_t{kernel.in_place} * kPlaceLines;
                           }),
                    text);
  EXPECT_HOOK_FAILS(breaks(kByBlocks,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.local) access.address = kernel.simt_lines;
                           }),
                    text);
  EXPECT_HOOK_FAILS(breaks(kByRegisters,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.local) access.address = kernel.copy_lines;
                           }),
                    text);
  EXPECT_HOOK_FAILS(breaks(kByRegisters,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.local) access.address = std::uint64_t{kernel.copies} * kPlaceLines;
                           }),
                    text);
  EXPECT_HOOK_FAILS(breaks(kByRegisters,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.type == SwapAccess::Type::kRegister) access.home = kernel.register_homes;
                           }),
                    text);
  EXPECT_HOOK_FAILS(breaks(kByShared,
                           [](SwapAccess& access, const SwapKernel& kernel) {
                             if (access.type == SwapAccess::Type::kShared) access.home = kernel.shared_homes;
                           }),
                    text);
}
TEST(SwapSpareDeathTest, AContextDoesNotEnterAHomeBeyondTheLayout) {
  EXPECT_HOOK_FAILS(static_cast<void>([] {
                      Spare run(kByRegisters);
                      for (Engine& engine : run.swap.engines) {
                        engine.alter = [&run](SwapOut& out) {
                          if (out.enter) out.enter->register_home = run.kernel.register_homes;
                        };
                      }
                      run.finish();
                    }()),
                    "gives TB context . homes .* which are not spare");
}

// A place loses a line: the token of the SIMT lines, or the comparison, shows it.
TEST(SwapSpareDeathTest, ALineThatIsLostInAPlaceIsFound) {
  for (const Shape& shape : {kByBlocks, kByRegisters, kByShared}) {
    EXPECT_DEATH(static_cast<void>([&shape] {
                   Spare run(shape);
                   for (Engine& engine : run.swap.engines) {
                     engine.alter = [](SwapOut& out) {
                       if (out.access && out.access->local && out.access->address % kPlaceLines == 1) {
                         out.access->address -= out.access->store ? 0 : 1;
                       }
                     };
                   }
                   try {
                     run.finish();
                   } catch (const base::Error& error) {
                     std::fputs(error.what(), stderr);
                     std::abort();
                   }
                 }()),
                 "that it left|is not the one that left")
        << shape.name;
  }
}

}  // namespace
}  // namespace castor::gpu::timing_test::swap_spare_test
