// Read-only segments: kernels whose thread blocks move without the shared memory that they have promised not to write
// (docs/gpu/swapping.md, "Read-only segments").

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "castor/gpu/sm/simt_lines.h"
#include "castor/gpu/swap_image.h"
#include "common/hook_fails.h"
#include "platform/timing/swap_rig.h"

namespace castor::gpu::timing_test::swap_segments_test {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kThreads = 64, kWarps = 2, kRounds = 3, kWords = 256;

/// Kernels with the parameters `out` and `table`, which has 256 words. The first 8 lines of shared memory are a copy of
/// the table, the next two lines are words of the threads, and `more` lines follow.
struct Text {
  std::string promises;  ///< instructions behind the copy
  std::string round;     ///< instructions behind each barrier
  unsigned more = 0;
};
std::string body_of(const Text& text) {
  std::string body =
      "mov.u32 %r1, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r1, %r3, %r4; "
      "mov.u32 %r6, words; mad.lo.u32 %r7, %r4, 4, %r6; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd5, %rd1; ";
  for (unsigned i = 0; i < 4; ++i) {
    const std::string at = std::to_string(256 * i);
    body += "ld.global.u32 %r10, [%rd5+" + at + "]; st.shared.u32 [%r7+" + at + "], %r10; ";
  }
  body += "st.shared.u32 [%r7+1024], %r5; bar.sync 0; " + text.promises + "mov.u32 %r8, " + std::to_string(kRounds) +
          "; mov.u32 %r9, %r5; LOOP: tb.gridsync; " + text.round +
          // %r12: word (5 tid + 7 round) % 256 of the table
          "mul.lo.u32 %r11, %r4, 5; mad.lo.u32 %r11, %r8, 7, %r11; and.b32 %r11, %r11, 255; "
          "mad.lo.u32 %r11, %r11, 4, %r6; ld.shared.u32 %r12, [%r11]; ld.shared.u32 %r13, [%r7+1024]; "
          "mad.lo.u32 %r9, %r9, 3, %r12; add.u32 %r9, %r9, %r13; st.shared.u32 [%r7+1024], %r9; ";
  return body +
         "sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra LOOP; mul.wide.u32 %rd6, %r5, 4; "
         "add.u64 %rd6, %rd0, %rd6; st.global.u32 [%rd6], %r9; ret;";
}
std::uint32_t table_word(unsigned i) { return i * 2654435761U + 17; }
std::uint32_t expected(std::uint32_t thread) {
  std::uint32_t x = thread, mine = thread;
  for (unsigned round = kRounds; round > 0; --round) {
    x = x * 3 + table_word((thread % kThreads * 5 + round * 7) % kWords) + mine;
    mine = x;
  }
  return x;
}
/// tb.readonly for bytes `from` to `to` of shared memory.
std::string promise(unsigned from, unsigned to) {
  return "add.u32 %r30, %r6, " + std::to_string(from) + "; add.u64 %rd30, %rd1, " + std::to_string(from) +
         "; tb.readonly %r30, %rd30, " + std::to_string(to - from) + "; ";
}
// Three segments of 2, 1 and 2 lines.
const Text kThree = {promise(0, 256) + promise(384, 512) + promise(700, 1024), ""};
constexpr unsigned kCovered = 2 + 1 + 2;

RandomSwapEngine::Options with_segments(bool stays) {
  RandomSwapEngine::Options options = one_tick_pauses();
  options.live = true;
  options.segments = 4;
  if (!stays) options.homes = options.places = options.queue = 0;
  return options;
}

class Segments {
 public:
  Segments(const Text& text, const RandomSwapEngine::Options& options, unsigned more_blocks = 20,
           const std::vector<std::string>& overrides = {"chip.sms=2", "sm.tb_slots=3"})
      : swap(overrides, "maxwell_liu13", options),
        program(swap.rig->load(body_of(text), 2,
                               ".shared .align 128 .b32 words[" + std::to_string(320 + 32 * text.more) + "];")),
        blocks(swap.room(program, kThreads) + more_blocks),
        out_(swap.rig->buffer(std::uint64_t{4} * blocks * kThreads)),
        table_(swap.rig->buffer(4 * kWords)) {
    for (unsigned i = 0; i < kWords; ++i) swap.rig->set(table_ + 4 * i, table_word(i));
  }
  [[nodiscard]] Ticket submit() { return swap.submit(program, blocks, kThreads, {out_, table_}); }
  void finish() {
    swap.rig->finish(submit());
    unsigned wrong = 0;
    for (unsigned i = 0; i < blocks * kThreads; ++i) {
      wrong += result(i) != expected(i);
    }
    EXPECT_EQ(wrong, 0U);
  }
  [[nodiscard]] std::uint32_t result(unsigned thread) const {
    return swap.rig->get<std::uint32_t>(out_ + std::uint64_t{4} * thread);
  }
  [[nodiscard]] unsigned live_lines() const {
    return kWarps * static_cast<unsigned>(swap.rig->program(program).sync.sites.at(0).registers.count());
  }
  SwapRig swap;
  ProgramHandle program;
  unsigned blocks;

 private:
  std::uint64_t out_, table_;
};

template <class Work>
void isolated(Work&& work) {
  static_cast<void>(in_child([&work] {
    work();
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    return std::vector<std::uint64_t>{0};
  }));
}

// One line of the context holds the table of segments.
TEST(SwapSegments, CoveredLinesAreNotStored) {
  Segments run(kThree, with_segments(false));
  run.finish();
  const std::uint64_t out = run.swap.sum("moves.out");
  EXPECT_EQ(out, 20U * kRounds);
  const unsigned lines = SimtLines::lines(kWarps) + 1 + run.live_lines() + 10;
  EXPECT_EQ(run.swap.sum("swap_port.stores"), out * (lines - kCovered));
  EXPECT_EQ(run.swap.sum("swap_port.loads"), out * lines);
}

TEST(SwapSegments, BlocksThatStayInTheirSmKeepTheirSegments) {
  for (const unsigned more : {0U, 150U}) {  // limited by the number of thread blocks, and by shared memory
    SCOPED_TRACE(more);
    isolated([more] {
      Text text = kThree;
      text.more = more;
      const std::vector<std::string> keys =
          more == 0 ? std::vector<std::string>{"chip.sms=2", "sm.tb_slots=3"} : std::vector<std::string>{"chip.sms=2"};
      Segments run(text, with_segments(true), 20, keys);
      run.finish();
      EXPECT_GT(run.swap.sum("swap_port.copies"), 100U);
      EXPECT_GT(run.swap.sum("swap_port.stores"), 0U);
      EXPECT_EQ(run.swap.sum("moves.out"), 20U * kRounds);
    });
  }
}

// tb.writable in the first round ends two of the promises, one by a byte of it that is in no whole line.
TEST(SwapSegments, ASegmentThatEndsIsStoredAgain) {
  Text text = kThree;
  text.round =
      "setp.ne.u32 %p2, %r8, 3; @%p2 bra ON; add.u32 %r31, %r6, 400; tb.writable %r31; add.u32 %r31, %r6, 701; "
      "tb.writable %r31; ld.shared.u32 %r32, [%r7+768]; st.shared.u32 [%r7+768], %r32; ON: ";
  Segments run(text, with_segments(false));
  run.finish();
  const std::uint64_t out = run.swap.sum("moves.out");
  const unsigned lines = SimtLines::lines(kWarps) + 1 + run.live_lines() + 10;
  // Of three barriers, only at the first one all segments hold.
  EXPECT_EQ(run.swap.sum("swap_port.stores"), out * lines - out / kRounds * (kCovered + 2 + 2));
  EXPECT_EQ(run.swap.sum("swap_port.loads"), out * lines);
}

// The engine is told each segment of each thread block, in the order of the instructions, and again when a thread block
// comes back. One is told per tick.
TEST(SwapSegments, AnEngineIsToldTheSegmentsAgainWhenABlockComesBack) {
  Segments run(kThree, with_segments(false));
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> told;  // [index, first, lines]
  std::uint64_t fresh = 0;
  for (Engine& engine : run.swap.engines) {
    engine.see = [&](const SwapIn& in, const SwapOut& out) {
      if (in.segment) ++told[{in.segment->index, in.segment->first, in.segment->lines}];
      if (out.enter && in.enter_ready && out.enter->fresh) ++fresh;
    };
  }
  run.finish();
  const std::uint64_t in = run.swap.sum("moves.in");
  EXPECT_EQ(fresh, 20U);
  ASSERT_EQ(told.size(), 3U);
  for (const auto& [segment, count] : told) EXPECT_EQ(count, run.blocks + in);
  EXPECT_EQ(told.begin()->first, std::make_tuple(0U, 0U, 2U));
  EXPECT_EQ((told[{1, 3, 1}]), run.blocks + in);
  EXPECT_EQ((told[{2, 6, 2}]), run.blocks + in);
}

TEST(SwapSegments, WithoutEntriesAPromiseHasNoEffect) {
  RandomSwapEngine::Options options = with_segments(false);
  options.segments = 0;
  Segments run(kThree, options);
  run.finish();
  const unsigned lines = SimtLines::lines(kWarps) + run.live_lines() + 10;
  EXPECT_EQ(run.swap.sum("swap_port.stores"), run.swap.sum("moves.out") * lines);
}

TEST(SwapSegments, APromiseOfAnAddressOutsideDeviceMemoryHasNoEffect) {
  for (const char* const address : {"0", "0xfffffffffffffc00", "0x700000000000"}) {
    SCOPED_TRACE(address);
    isolated([address] {
      Text text;
      text.promises = std::string("mov.u64 %rd30, ") + address + "; tb.readonly %r6, %rd30, 1024; ";
      Segments run(text, with_segments(false));
      run.finish();
      const unsigned lines = SimtLines::lines(kWarps) + 1 + run.live_lines() + 10;
      EXPECT_EQ(run.swap.sum("swap_port.stores"), run.swap.sum("moves.out") * lines);
    });
  }
}

TEST(SwapSegments, SleepingAndTheOrderOfUnitsChangeNothing) {
  const auto run_with = [](const std::vector<std::string>& more) {
    return in_child([&more] {
      std::vector<std::string> keys = {"chip.sms=2", "sm.tb_slots=3"};
      keys.insert(keys.end(), more.begin(), more.end());
      Segments run(kThree, with_segments(true), 20, keys);
      run.finish();
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{run.swap.rig->device->gpu().statistics().hash(),
                                        run.swap.rig->device->cycles()};
    });
  };
  const auto plain = run_with({});
  EXPECT_EQ(run_with({"run.sleep=0"}), plain);
  EXPECT_EQ(run_with({"run.shuffle=1", "run.seed=3"}), plain);
}

// A store to a segment stops the kernel: by a shared address, and by a generic one.
TEST(SwapSegments, AStoreToASegmentStopsTheKernel) {
  for (const bool generic : {false, true}) {
    SCOPED_TRACE(generic);
    isolated([generic] {
      Text text = kThree;
      text.round = std::string("setp.ne.u32 %p2, %r8, 2; @%p2 bra ON; setp.ne.u32 %p2, %r4, 33; @%p2 bra ON; ") +
                   (generic ? "cvt.u64.u32 %rd31, %r6; cvta.shared.u64 %rd31, %rd31; st.u32 [%rd31+400], %r9; "
                            : "atom.shared.add.u32 %r33, [%r6+400], 1; ") +
                   "ON: ";
      Segments run(text, with_segments(false));
      EXPECT_EQ(run.swap.rig->device->advance_until(run.submit()), Outcome::kFault);
      const auto& fault = run.swap.rig->device->fault();
      ASSERT_TRUE(fault);
      EXPECT_EQ(fault->kind, FaultKind::kIllegalAddress);
      EXPECT_THAT(fault->message,
                  HasSubstr("read-only segment of 128 bytes from 0x180 on, which holds global memory "));
      EXPECT_THAT(fault->message, HasSubstr("store of 4 bytes at shared address 0x190"));
      EXPECT_THAT(fault->message, HasSubstr("(33,0,0)"));
    });
  }
}

// A wrong tag: the segment that the engine gets has another address, or more lines.
TEST(SwapSegmentsDeathTest, AWrongTagIsFound) {
  for (const bool longer : {false, true}) {
    EXPECT_HOOK_FAILS(static_cast<void>([longer] {
                        Segments run(kThree, with_segments(false));
                        for (Engine& engine : run.swap.engines) {
                          engine.change = [longer](SwapIn& in) {
                            if (!in.segment || in.segment->index != 1) return;
                            longer ? void(in.segment->lines = 2) : void(in.segment->address += 128);
                          };
                        }
                        run.finish();
                      }()),
                      "block shuttle.*makes a read-only access to line . of the shared memory of TB context . at 0x.*, "
                      "where no segment has it");
  }
}

// The engine loads dead registers, from the line of the image that it has loaded before, in place of the covered lines,
// which hold poison then.
TEST(SwapSegments, ACoveredLineThatIsNotLoadedIsLost) {
  Segments run(kThree, with_segments(false));
  const isa::Program& program = run.swap.rig->program(run.program);
  std::uint8_t dead = 0;
  while (program.sync.sites.at(0).registers[dead]) ++dead;
  ASSERT_LT(dead, program.registers);
  for (Engine& engine : run.swap.engines) {
    engine.alter = [dead, last = std::uint64_t{0}](SwapOut& out) mutable {
      if (!out.access || out.access->store) return;
      if (out.access->type != SwapAccess::Type::kReadOnly) last = out.access->address;
      if (out.access->type != SwapAccess::Type::kReadOnly) return;
      out.access->address = last;
      out.access->type = SwapAccess::Type::kRegister;
      out.access->reg = dead;
    };
  }
  run.swap.rig->finish(run.submit());
  unsigned wrong = 0;
  for (unsigned i = 0; i < run.blocks * kThreads; ++i) wrong += run.result(i) != expected(i) ? 1 : 0;
  EXPECT_GT(wrong, 300U);
}

// A program whose promise is not kept: its results are those of the global memory that it has named.
TEST(SwapSegments, APromiseThatIsNotKeptGivesOtherResults) {
  Text text;
  text.promises = "add.u64 %rd30, %rd1, 128; tb.readonly %r6, %rd30, 128; ";
  Segments run(text, with_segments(false));
  run.swap.rig->finish(run.submit());
  unsigned wrong = 0;
  for (unsigned i = 0; i < run.blocks * kThreads; ++i) wrong += run.result(i) != expected(i);
  EXPECT_GT(wrong, 100U);
}

TEST(SwapSegments, AnImageHasALineForTheTable) {
  SwapRig swap({"chip.sms=1"}, "maxwell_liu13", with_segments(false));
  const ProgramHandle with = swap.rig->load(body_of(kThree), 2, ".shared .align 128 .b32 words[320];");
  const ProgramHandle without = swap.rig->load(body_of({}), 2, ".shared .align 128 .b32 words[320];");
  const auto bytes = [&](ProgramHandle program) {
    return image_bytes(swap.rig->machine(), swap.rig->program(program), {kThreads, 30, 1280});
  };
  EXPECT_EQ(bytes(with), bytes(without) + 128);
}

}  // namespace
}  // namespace castor::gpu::timing_test::swap_segments_test
