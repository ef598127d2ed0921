// The functional machine as a device: queues, events, time, the table of kernels, printing, the report.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_functional_device_test {
namespace {

using test::Parameters;
using test::Rig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a kernel of one thread that computes out[0] = out[0] * 10 + digit.
std::string append_digit(int digit) {
  return "ld.global.u32 %r0, [%rd0]; mad.lo.u32 %r0, %r0, 10, " + std::to_string(digit) +
         "; st.global.u32 [%rd0], %r0; ret;";
}

// Spins until *out is not 0, then writes 7 to out[1].
const char* const kSpin = R"(
again: ld.volatile.global.u32 %r0, [%rd0];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra again;
  mov.u32 %r1, 7; st.global.u32 [%rd0+4], %r1; ret;)";

const char* const kEndless = "again: bra again;";

TEST(FunctionalDevice, RunsPacketsOfAQueueInOrder) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  Ticket last = 0;
  for (int digit = 1; digit <= 9; ++digit) {
    const ProgramHandle program = rig.load_body(append_digit(digit));
    const Ticket ticket = rig.launch(program, {}, {}, Parameters().add(out), 3);
    EXPECT_GT(ticket, last);
    last = ticket;
  }
  EXPECT_FALSE(rig.device.complete(last));
  EXPECT_EQ(rig.device.completion_time(last), 0U);
  EXPECT_EQ(rig.device.advance_until(last), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 123456789U);
  EXPECT_TRUE(rig.device.complete(last));
  EXPECT_EQ(rig.device.completion_time(last), rig.device.now());
}

TEST(FunctionalDevice, CopiesAndFillsInOrderWithKernels) {
  Rig rig;
  const std::uint64_t a = rig.buffer(4);
  const std::uint64_t b = rig.buffer(4);
  const std::uint32_t three = 3;
  std::uint32_t result = 0;
  const ProgramHandle add_five = rig.load_body(append_digit(5));
  rig.device.submit(0, CopyPacket{reinterpret_cast<const std::byte*>(&three), a, 4});
  rig.launch(add_five, {}, {}, Parameters().add(a));
  rig.device.submit(0, CopyPacket{a, b, 4});
  rig.device.submit(0, FillPacket{a, 4, 1, 0, 0xab, 1});
  const Ticket last = rig.device.submit(0, CopyPacket{b, reinterpret_cast<std::byte*>(&result), 4});
  EXPECT_EQ(rig.device.advance_until(last), Outcome::kDone);
  EXPECT_EQ(result, 35U);
  EXPECT_EQ(rig.value<std::uint32_t>(a), 0xababababU);
}

TEST(FunctionalDevice, CopiesAndFillsRowsWithPitch) {
  Rig rig;
  const std::uint64_t device = rig.buffer(64);
  std::vector<std::uint8_t> host(30);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint8_t>(i);
  CopyPacket copy{reinterpret_cast<const std::byte*>(host.data()), device, 3};
  copy.rows = 4;
  copy.source_pitch = 7;
  copy.destination_pitch = 16;
  rig.device.submit(0, copy);
  FillPacket fill{device + 4, 4, 3, 16, 0x11223344, 4};
  const Ticket last = rig.device.submit(0, fill);
  ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone);
  const auto bytes = rig.values<std::uint8_t>(device, 64);
  EXPECT_THAT(std::vector<std::uint8_t>(bytes.begin() + 16, bytes.begin() + 24),
              ElementsAre(7, 8, 9, 0, 0x44, 0x33, 0x22, 0x11));
  EXPECT_THAT(std::vector<std::uint8_t>(bytes.begin() + 48, bytes.begin() + 56),
              ElementsAre(21, 22, 23, 0, 0, 0, 0, 0));
}

TEST(FunctionalDevice, FillsWithTwoBytePatterns) {
  Rig rig;
  const std::uint64_t device = rig.buffer(8);
  const Ticket last = rig.device.submit(0, FillPacket{device + 2, 4, 1, 0, 0xbeef, 2});
  ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone);
  EXPECT_THAT(rig.values<std::uint16_t>(device, 4), ElementsAre(0, 0xbeef, 0xbeef, 0));
}

TEST(FunctionalDevice, EventsOrderQueues) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  const auto digit = [&](int value, unsigned queue) {
    return rig.launch(rig.load_body(append_digit(value)), {}, {}, Parameters().add(out), queue);
  };
  // Queue 0 waits for queue 1, which waits for queue 2.
  rig.device.submit(0, EventWaitPacket{11, 1});
  const Ticket third = digit(3, 0);
  rig.device.submit(1, EventWaitPacket{12, 2});
  digit(2, 1);
  rig.device.submit(1, EventRecordPacket{11, 1});
  rig.device.submit(2, EventRecordPacket{12, 1});
  digit(1, 2);
  rig.device.submit(2, EventRecordPacket{12, 2});
  EXPECT_EQ(rig.device.advance_until(third), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 123U);
}

TEST(FunctionalDevice, WaitingForTheCountZeroPasses) {
  Rig rig;
  const Ticket ticket = rig.device.submit(0, EventWaitPacket{5, 0});
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
}

TEST(FunctionalDevice, CallsTheHostInOrder) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  std::vector<std::uint32_t> seen;
  const ProgramHandle one = rig.load_body(append_digit(1));
  for (int i = 0; i < 3; ++i) {
    rig.launch(one, {}, {}, Parameters().add(out));
    rig.device.submit(0, HostCallPacket{[&] { seen.push_back(rig.value<std::uint32_t>(out)); }});
  }
  const Ticket last = rig.device.submit(0, HostCallPacket{[] {}});
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(rig.device.advance_until(last), Outcome::kDone);
  EXPECT_THAT(seen, ElementsAre(1, 11, 111));
}

TEST(FunctionalDevice, KernelsOfSeveralQueuesRunTogether) {
  Rig rig;
  const std::uint64_t flag = rig.buffer(8);
  const Ticket waiting = rig.launch(rig.load_body(kSpin), {}, {}, Parameters().add(flag), 0);
  // Only a kernel that runs at the same time can set the flag.
  rig.launch(rig.load_body("mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; ret;"), {}, {}, Parameters().add(flag), 1);
  EXPECT_EQ(rig.device.advance_until(waiting), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(flag + 4), 7U);
}

TEST(FunctionalDevice, TheTableLimitsKernelsThatRunTogether) {
  // The table has one entry: the setter cannot start while the waiting kernel spins.
  Rig rig(test::machine({"table.entries=1", "run.max_instructions=200000"}));
  const std::uint64_t flag = rig.buffer(8);
  const Ticket waiting = rig.launch(rig.load_body(kSpin), {}, {}, Parameters().add(flag), 0);
  const Ticket setting =
      rig.launch(rig.load_body("mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; ret;"), {}, {}, Parameters().add(flag), 1);
  EXPECT_EQ(rig.device.advance_until(waiting), Outcome::kLimit);
  EXPECT_EQ(rig.value<std::uint32_t>(flag), 0U);
  EXPECT_FALSE(rig.device.complete(setting));
}

TEST(FunctionalDevice, BlocksThatSpinOnEachOtherEnd) {
  // Block b waits for the flag of block b + 1; the last block sets its own flag at once. All blocks are resident
  // together. Short turns keep the run below a few million instructions.
  Rig rig;
  const std::uint64_t flags = rig.buffer(4 * 33);
  const ProgramHandle program = rig.load_body(R"(
    mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;
    mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; setp.eq.u32 %p0, %r0, %r1; @%p0 bra set;
    again: ld.volatile.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra again;
    set: mov.u32 %r3, 1; st.volatile.global.u32 [%rd1], %r3; ret;)");
  const Ticket ticket = rig.launch(program, {32, 1, 1}, {}, Parameters().add(flags));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.values<std::uint32_t>(flags, 32), std::vector<std::uint32_t>(32, 1));
  EXPECT_LT(rig.device.kernels()[0].warp_instructions, 5'000'000U);
}

TEST(FunctionalDevice, WarpsThatSpinOnEachOtherEnd) {
  Rig rig;
  const std::uint64_t flags = rig.buffer(4 * 17);
  const ProgramHandle program = rig.load_body(R"(
    mov.u32 %r0, %tid.x; and.b32 %r4, %r0, 31; setp.ne.u32 %p2, %r4, 0; @%p2 ret;
    shr.u32 %r0, %r0, 5; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;
    setp.eq.u32 %p0, %r0, 15; @%p0 bra set;
    again: ld.volatile.global.u32 %r2, [%rd1+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra again;
    set: mov.u32 %r3, 1; st.volatile.global.u32 [%rd1], %r3; ret;)");
  const Ticket ticket = rig.launch(program, {}, {512, 1, 1}, Parameters().add(flags));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.values<std::uint32_t>(flags, 16), std::vector<std::uint32_t>(16, 1));
}

TEST(FunctionalDevice, RunsMoreBlocksThanFit) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  const ProgramHandle program = rig.load_body("mov.u32 %r0, 1; red.global.add.u32 [%rd0], %r0; ret;");
  const Ticket ticket = rig.launch(program, {10, 100, 3}, {40, 1, 1}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 3000U * 40);
  ASSERT_EQ(rig.device.kernels().size(), 1U);
  const KernelStatistics& statistics = rig.device.kernels()[0];
  EXPECT_EQ(statistics.kernel, "k");
  EXPECT_EQ(statistics.ticket, ticket);
  EXPECT_EQ(statistics.thread_blocks, 3000U);
  // Two warps of 32 and 8 threads execute the same instructions.
  EXPECT_EQ(statistics.warp_instructions % 6000, 0U);
  EXPECT_EQ(statistics.thread_instructions, statistics.warp_instructions / 2 * 40);
  EXPECT_GT(statistics.end, statistics.start);
}

TEST(FunctionalDevice, SharedMemoryStartsAtZeroInEveryBlock) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  const ProgramHandle program = rig.load_body(R"(
    mov.u32 %r0, dyn; ld.shared.u32 %r1, [%r0+60]; red.global.add.u32 [%rd0], %r1;
    mov.u32 %r2, 1; st.shared.u32 [%r0+60], %r2; ret;)",
                                              "k", ".extern .shared .align 4 .b8 dyn[];\n");
  const Ticket ticket = rig.launch(program, {100, 1, 1}, {}, Parameters().add(out), 0, 64);
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 0U);
}

TEST(FunctionalDevice, PrintsInTheOrderOfThreads) {
  Rig rig;
  const std::uint64_t text = rig.buffer(16);
  std::memcpy(rig.device.store().host(text), "%d:%d,", 7);
  const std::string source = R"(
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.extern .global .align 1 .b8 text[8];
.visible .entry k()
{
  .local .align 8 .b8 stack[8];
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p<1>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
  mov.u64 %rd0, stack; cvta.local.u64 %rd1, %rd0;
  st.local.u32 [%rd0], %r0; st.local.u32 [%rd0+4], %r1;
  mov.u64 %rd2, text; cvta.global.u64 %rd3, %rd2;
  { .param .b64 p0; st.param.b64 [p0], %rd3; .param .b64 p1; st.param.b64 [p1], %rd1;
    .param .b32 r; call.uni (r), vprintf, (p0, p1); ld.param.b32 %r2, [r]; }
  setp.ne.u32 %p0, %r2, 2; @%p0 trap;
  ret;
}
)";
  const ProgramHandle program = rig.load(source, "k", {{"text", text}});
  const Ticket ticket = rig.launch(program, {2, 1, 1}, {3, 1, 1}, Parameters());
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.printed, "0:0,0:1,0:2,1:0,1:1,1:2,");
  // The format string was freed, which is a fault of the kernel.
  rig.device.store().free(text);
  EXPECT_EQ(rig.device.advance_until(rig.launch(program, {}, {}, Parameters())), Outcome::kFault);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("printf: its format cannot be read"));
}

TEST(FunctionalDevice, RefusesBadLaunchesAtSubmission) {
  Rig rig;
  const ProgramHandle program = rig.load_body("ret;");
  const std::uint64_t out = rig.buffer(4);
  EXPECT_THROW(rig.launch(program, {}, {513, 1, 1}, Parameters().add(out)), base::InputError);
  EXPECT_THROW(rig.launch(program, {0, 1, 1}, {}, Parameters().add(out)), base::InputError);
  EXPECT_THROW(rig.launch(program, {}, {}, Parameters()), base::InputError);
  // Nothing was queued.
  EXPECT_EQ(rig.device.advance_until(rig.launch(program, {}, {}, Parameters().add(out))), Outcome::kDone);
  EXPECT_EQ(rig.device.kernels().size(), 1U);
}

// --- Faults ---------------------------------------------------------------------------------------------------------

TEST(FunctionalDeviceFault, NamesEverything) {
  Rig rig;
  const std::uint64_t out = rig.buffer(400);
  const ProgramHandle program = rig.load_body(R"(mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.y;
setp.ne.u32 %p0, %r1, 2;
@%p0 ret;
mul.wide.u32 %rd1, %r0, 16;
add.s64 %rd1, %rd0, %rd1;
st.global.u32 [%rd1], %r0;
ret;)",
                                              "scatter");
  const Ticket ticket = rig.launch(program, {1, 4, 1}, {8, 8, 1}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);  // 8 x 16 bytes are inside
  const Ticket bad = rig.launch(program, {1, 4, 1}, {64, 1, 1}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(bad), Outcome::kFault);
  ASSERT_TRUE(rig.device.fault());
  const Fault& fault = *rig.device.fault();
  EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(fault.kernel, "scatter");
  EXPECT_EQ(fault.address, out + 400);
  EXPECT_EQ(fault.block.y, 2U);
  EXPECT_EQ(fault.thread.x, 25U);
  // Three lines of header, the entry's line, the brace, registers, the load of the parameter, then the body.
  EXPECT_EQ(fault.line, 3U + 4 + 7);
  EXPECT_THAT(fault.message, HasSubstr("store of 4 bytes at global address"));
  EXPECT_THAT(fault.message, HasSubstr("0 bytes behind the end of a 400-byte heap allocation"));
  EXPECT_THAT(fault.message, HasSubstr("in kernel 'scatter' (test.ptx:14)"));
  EXPECT_THAT(fault.message, HasSubstr("block (0,2,0), thread (25,0,0)"));
  EXPECT_THAT(fault.message, HasSubstr("instruction: st.global.u32"));
}

// 40 threads access 36 words: 4 of them read beyond the end.
const char* const kCopyForty = R"(
mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;
ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 1; st.global.u32 [%rd2+1024], %r1; ret;)";

TEST(FunctionalDeviceOutside, LoadsAreCountedPerKernelAndGiveZero) {
  Rig rig(test::machine({"memory.check=page"}));
  const std::uint64_t in = rig.buffer(144);
  rig.buffer(1);
  const std::uint64_t out = rig.buffer(160);
  ASSERT_EQ(out, in + 1024);
  for (unsigned i = 0; i < 36; ++i) rig.set<std::uint32_t>(in + 4 * i, 5);
  const ProgramHandle program = rig.load_body(kCopyForty);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(rig.device.advance_until(rig.launch(program, {}, {40}, Parameters().add(in))), Outcome::kDone);
    EXPECT_EQ(rig.values<std::uint32_t>(out, 40)[35], 6U);
    EXPECT_EQ(rig.values<std::uint32_t>(out, 40)[36], 1U);
    EXPECT_THAT(rig.device.kernels()[run].counts,
                ElementsAre(std::pair<std::string_view, std::uint64_t>("outside_reads", 4)));
  }
  EXPECT_THAT(rig.device.report_json(), HasSubstr("\"outside_reads\": 4"));
}

TEST(FunctionalDeviceOutside, StoresStayFaultsWithPageAndAreDoneWithOff) {
  for (const bool off : {false, true}) {
    Rig rig(test::machine({off ? "memory.check=off" : "memory.check=page"}));
    const std::uint64_t out = rig.buffer(100);
    const ProgramHandle program = rig.load_body(
        "mov.u32 %r0, 7; st.global.u32 [%rd0+100], %r0; ld.global.u32 %r1, [%rd0+100]; "
        "st.global.u32 [%rd0], %r1; ret;");
    const Outcome outcome = rig.device.advance_until(rig.launch(program, {}, {}, Parameters().add(out)));
    EXPECT_EQ(outcome, off ? Outcome::kDone : Outcome::kFault);
    EXPECT_EQ(rig.value<std::uint32_t>(out), off ? 7U : 0U);
    EXPECT_TRUE(rig.device.kernels().empty() || rig.device.kernels()[0].counts.empty());
  }
}

TEST(FunctionalDeviceFault, IsKeptUntilResetAndCompletesItsTicket) {
  Rig rig;
  const ProgramHandle program = rig.load_body("st.global.u32 [%rd0], %r0; ret;");
  const ProgramHandle good = rig.load_body("mov.u32 %r0, 5; st.global.u32 [%rd0], %r0; ret;");
  const std::uint64_t out = rig.buffer(4);
  const Ticket bad = rig.launch(program, {1000, 1, 1}, {}, Parameters().add(std::uint64_t{0}));
  const Ticket behind = rig.launch(good, {}, {}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(behind), Outcome::kFault);
  EXPECT_TRUE(rig.device.complete(bad));
  const std::string message = rig.device.fault()->message;
  // Waiting work resumes when the host waits for it.
  EXPECT_EQ(rig.device.advance_until(behind), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 5U);
  // A second fault does not replace the first.
  const Ticket second = rig.launch(program, {}, {}, Parameters().add(std::uint64_t{2}));
  (void)rig.device.advance_until(second);
  EXPECT_EQ(rig.device.fault()->message, message);
  rig.device.reset();
  EXPECT_FALSE(rig.device.fault());
  EXPECT_TRUE(rig.device.complete(second));
  EXPECT_EQ(rig.device.advance_until(rig.launch(good, {}, {}, Parameters().add(out))), Outcome::kDone);
}

TEST(FunctionalDeviceFault, OtherKernelsGoOn) {
  Rig rig;
  const std::uint64_t flag = rig.buffer(8);
  const Ticket waiting = rig.launch(rig.load_body(kSpin), {}, {}, Parameters().add(flag), 0);
  rig.launch(rig.load_body("st.global.u32 [%rd0], %r0; ret;"), {}, {}, Parameters().add(std::uint64_t{0}), 1);
  rig.launch(rig.load_body("mov.u32 %r0, 1; st.global.u32 [%rd0], %r0; ret;"), {}, {}, Parameters().add(flag), 1);
  EXPECT_EQ(rig.device.advance_until(waiting), Outcome::kFault);
  EXPECT_EQ(rig.device.advance_until(waiting), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(flag + 4), 7U);
}

TEST(FunctionalDeviceFault, ResetDropsPendingWorkAndItsMemory) {
  Rig rig;
  const std::uint64_t out = rig.buffer(8);
  const std::uint64_t used = rig.device.store().used();
  std::vector<Ticket> tickets;
  for (unsigned queue = 0; queue < 4; ++queue) {
    tickets.push_back(rig.launch(rig.load_body(kSpin), {5, 1, 1}, {64, 1, 1}, Parameters().add(out), queue));
    rig.device.submit(queue, HostCallPacket{[] { FAIL() << "dropped work ran"; }});
  }
  rig.device.interrupt();
  EXPECT_EQ(rig.device.advance_to(rig.device.now() + 1'000'000), Outcome::kInterrupted);
  EXPECT_EQ(rig.device.advance_to(rig.device.now() + 1'000'000), Outcome::kDone);  // it runs
  rig.device.reset();
  for (const Ticket ticket : tickets) EXPECT_TRUE(rig.device.complete(ticket));
  EXPECT_EQ(rig.device.store().used(), used);
  EXPECT_EQ(rig.device.advance_to(rig.device.now() + 1'000'000), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U);
}

TEST(FunctionalDeviceFault, InstructionLimitEndsEndlessLoops) {
  Rig rig(test::machine({"run.max_instructions=10000"}));
  const ProgramHandle program = rig.load_body(kEndless, "endless");
  const Ticket ticket = rig.launch(program, {4, 1, 1}, {128, 1, 1}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kLimit);
  EXPECT_TRUE(rig.device.complete(ticket));
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kInstructionLimit);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("run.max_instructions = 10000"));
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("endless"));
  const auto report = nlohmann::json::parse(rig.device.report_json());
  EXPECT_EQ(report["warp_instructions"], 10000);
}

TEST(FunctionalDeviceFault, InstructionLimitLetsShorterRunsPass) {
  Rig rig(test::machine({"run.max_instructions=10000"}));
  const std::uint64_t out = rig.buffer(4);
  const Ticket ticket = rig.launch(rig.load_body(append_digit(4)), {}, {}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_FALSE(rig.device.fault());
}

TEST(FunctionalDeviceFault, BarrierThatNobodyCompletesIsADeadlock) {
  // Warp 0 waits at barrier 1 for 64 threads, warp 1 at barrier 2.
  Rig rig;
  const ProgramHandle program = rig.load_body(R"(mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, %r0, 32;
@%p0 bra first;
bar.sync 2, 64;
ret;
first:
bar.sync 1, 64;
ret;)",
                                              "crossed");
  const Ticket ticket = rig.launch(program, {1, 1, 3}, {64, 1, 1}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  ASSERT_TRUE(rig.device.fault());
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
  const std::string& message = rig.device.fault()->message;
  EXPECT_THAT(message, HasSubstr("deadlock in kernel crossed, block (0,0,0)"));
  EXPECT_THAT(message, HasSubstr("barrier 1: 1 of 2 warps have arrived; waiting: warp 0 (PTX line 14)"));
  EXPECT_THAT(message, HasSubstr("barrier 2: 1 of 2 warps have arrived; waiting: warp 1 (PTX line 11)"));
}

TEST(FunctionalDeviceFault, ExitedWarpsDoNotHoldABarrier) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  const ProgramHandle program = rig.load_body(R"(mov.u32 %r0, %tid.x;
    setp.lt.u32 %p0, %r0, 32; @%p0 ret; bar.sync 0; mov.u32 %r1, 1; red.global.add.u32 [%rd0], %r1; ret;)");
  const Ticket ticket = rig.launch(program, {}, {128, 1, 1}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 96U);
}

TEST(FunctionalDeviceFault, DivergentBarrierIsRefusedWithTheMissingThread) {
  Rig rig;
  const ProgramHandle program = rig.load_body(R"(mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 5; @%p0 bra away; bar.sync 0; bra.uni end;
    away: mov.u32 %r1, 3; st.global.u32 [%rd0], %r1;
    end: st.global.u32 [%rd0], %r0; ret;)");
  const Ticket ticket = rig.launch(program, {}, {32, 1, 1}, Parameters().add(rig.buffer(4)));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kBarrier);
  EXPECT_EQ(rig.device.fault()->thread.x, 5U);
}

TEST(FunctionalDeviceFault, TrapStopsTheKernel) {
  Rig rig;
  const ProgramHandle program = rig.load_body("mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 9; @%p0 trap; ret;");
  const Ticket ticket = rig.launch(program, {}, {32, 1, 1}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kTrap);
  EXPECT_EQ(rig.device.fault()->thread.x, 9U);
}

TEST(FunctionalDeviceFault, QueuesThatWaitForEachOtherAreADeadlock) {
  Rig rig;
  rig.device.submit(0, EventWaitPacket{1, 1});
  rig.device.submit(0, EventRecordPacket{2, 1});
  rig.device.submit(5, EventWaitPacket{2, 1});
  const Ticket ticket = rig.device.submit(5, EventRecordPacket{1, 1});
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDeadlock);
  ASSERT_TRUE(rig.device.fault());
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("queue 0: 2 packets, head waits for event 1 to reach 1"));
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("queue 5: 2 packets, head waits for event 2 to reach 1"));
}

TEST(FunctionalDeviceFault, LaunchWithoutMemoryForParametersDoesNotBlockItsQueue) {
  Rig rig(test::machine({"memory.bytes=1MiB"}));
  const ProgramHandle program = rig.load_body("ret;");
  std::vector<std::uint64_t> all;
  for (const std::uint64_t size : {512U * 1024, 4096U, 1U}) {
    while (const auto address = rig.device.store().allocate(size, AllocationKind::kHeap)) all.push_back(*address);
  }
  const Ticket ticket = rig.launch(program, {}, {}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("no device memory"));
  EXPECT_TRUE(rig.device.complete(ticket));
  for (const std::uint64_t address : all) rig.device.store().free(address);
  const Ticket next = rig.launch(program, {}, {}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(next), Outcome::kDone);
}

// --- Time -----------------------------------------------------------------------------------------------------------

TEST(FunctionalDeviceTime, PassesWithWorkAndOnRequest) {
  Rig rig;
  EXPECT_EQ(rig.device.now(), 0U);
  EXPECT_FALSE(rig.device.has_timing());
  EXPECT_EQ(rig.device.advance_to(5'000'000), Outcome::kDone);
  EXPECT_EQ(rig.device.now(), 5'000'000U);
  EXPECT_EQ(rig.device.advance_to(1'000'000), Outcome::kDone);  // the past
  EXPECT_EQ(rig.device.now(), 5'000'000U);
  const std::uint64_t out = rig.buffer(4);
  const Ticket ticket = rig.launch(rig.load_body(append_digit(1)), {}, {}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_GT(rig.device.now(), 5'000'000U);
  // Core cycles = warp instructions / (SMs x schedulers).
  const Machine& machine = rig.device.machine();
  const double cycles =
      static_cast<double>(rig.device.kernels()[0].warp_instructions) / (machine.chip.sms * machine.schedulers);
  EXPECT_NEAR(static_cast<double>(rig.device.now() - 5'000'000), cycles * 1e6 / machine.clock.core_mhz, 1.0);
}

TEST(FunctionalDeviceTime, AdvanceToWorksOnWhatIsPending) {
  Rig rig;
  const std::uint64_t out = rig.buffer(4);
  const Ticket ticket = rig.launch(rig.load_body(append_digit(1)), {}, {}, Parameters().add(out));
  EXPECT_EQ(rig.device.advance_to(1'000'000'000), Outcome::kDone);
  EXPECT_TRUE(rig.device.complete(ticket));
  EXPECT_EQ(rig.value<std::uint32_t>(out), 1U);
}

TEST(FunctionalDeviceTime, AdvanceToEndsInTheMiddleOfAKernel) {
  Rig rig;
  const std::uint64_t flag = rig.buffer(8);
  const Ticket ticket = rig.launch(rig.load_body(kSpin), {}, {}, Parameters().add(flag));
  const Picoseconds target = rig.device.now() + 10'000'000;  // 10 us
  EXPECT_EQ(rig.device.advance_to(target), Outcome::kDone);
  EXPECT_FALSE(rig.device.complete(ticket));
  EXPECT_GE(rig.device.now(), target);
  EXPECT_LT(rig.device.now(), target + 100'000'000);
  rig.set<std::uint32_t>(flag, 1);
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
}

TEST(FunctionalDeviceTime, AdvanceToIsNoDeadlockWhenAWaitHasNoRecordYet) {
  Rig rig;
  const Ticket waiting = rig.device.submit(0, EventWaitPacket{1, 1});
  EXPECT_EQ(rig.device.advance_to(1000), Outcome::kDone);
  EXPECT_FALSE(rig.device.fault());
  rig.device.submit(1, EventRecordPacket{1, 1});
  EXPECT_EQ(rig.device.advance_until(waiting), Outcome::kDone);
}

TEST(FunctionalDeviceTime, InterruptEndsAnAdvance) {
  Rig rig;
  const std::uint64_t flag = rig.buffer(8);
  const Ticket ticket = rig.launch(rig.load_body(kSpin), {}, {}, Parameters().add(flag));
  rig.device.interrupt();
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kInterrupted);
  rig.set<std::uint32_t>(flag, 1);
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
}

TEST(FunctionalDeviceTime, CompletionTimesOfRecordsOutliveAMillionPackets) {
  Rig rig;
  rig.device.advance_to(1'000'000);
  const Ticket first = rig.device.submit(0, EventRecordPacket{1, 1});
  ASSERT_EQ(rig.device.advance_until(first), Outcome::kDone);
  rig.device.advance_to(2'000'000);
  Ticket last = 0;
  for (unsigned i = 0; i < (1U << 20) + 100; ++i) last = rig.device.submit(0, FillPacket{});
  last = rig.device.submit(0, EventRecordPacket{2, 1});
  ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone);
  EXPECT_EQ(rig.device.completion_time(last), 2'000'000U);
  EXPECT_EQ(rig.device.completion_time(first), 1'000'000U);
}

// --- Machines, report -----------------------------------------------------------------------------------------------

TEST(FunctionalDeviceLanes, SixtyFourLanesGiveTheSameResults) {
  const std::string body = R"(
    mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid;
    activemask.b32 %r2;
    shfl.sync.down.b32 %r3, %r0, 1, 31, -1;
    vote.sync.ballot.b32 %r4, %p0, -1;
    setp.lt.u32 %p1, %r1, 7;
    vote.sync.ballot.b32 %r5, %p1, -1;
    mad.lo.u32 %r6, %r3, 3, %r2;
    xor.b32 %r6, %r6, %r5;
    bar.red.popc.u32 %r7, 0, %p1;
    mad.lo.u32 %r6, %r7, 1000, %r6;
    mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;
    st.global.u32 [%rd1], %r6; ret;)";
  std::vector<std::vector<std::uint32_t>> results;
  for (const char* name : {"tiny", "gcn_apu"}) {
    Rig rig(test::machine({"memory.bytes=256MiB"}, name));
    const std::uint64_t out = rig.buffer(4 * 256);
    const Ticket ticket =
        rig.launch(rig.load_body("setp.eq.u32 %p0, 0, 0;" + body), {}, {256, 1, 1}, Parameters().add(out));
    ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
    results.push_back(rig.values<std::uint32_t>(out, 256));
  }
  EXPECT_EQ(results[0], results[1]);
  // By hand: all lanes active; lane 31 of a warp keeps its own value; lanes 0..6 vote; 8 warps x 7 votes.
  for (unsigned thread = 0; thread < 256; ++thread) {
    const unsigned below = thread % 32 == 31 ? thread : thread + 1;
    ASSERT_EQ(results[0][thread], 1000U * 56 + ((below * 3 + 0xffffffffU) ^ 0x7fU)) << thread;
  }
}

TEST(FunctionalDeviceReport, ParsesAndSaysWhatHappened) {
  Rig rig(test::machine(), R"({"chip.sms": 2})");
  const std::uint64_t out = rig.buffer(4);
  const ProgramHandle program = rig.load_body(append_digit(1), "append");
  rig.launch(program, {3, 1, 1}, {}, Parameters().add(out));
  const Ticket ticket = rig.launch(program, {}, {33, 1, 1}, Parameters().add(out));
  ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  const auto report = nlohmann::json::parse(rig.device.report_json());
  EXPECT_EQ(report["machine"], "tiny");
  EXPECT_EQ(report["mode"], "functional");
  EXPECT_EQ(report["configuration"]["chip.sms"], 2);
  ASSERT_EQ(report["kernels"].size(), 2U);
  EXPECT_EQ(report["kernels"][0]["name"], "append");
  EXPECT_EQ(report["kernels"][0]["thread_blocks"], 3);
  EXPECT_EQ(report["kernels"][1]["thread_blocks"], 1);
  std::uint64_t warp_instructions = 0;
  for (const auto& kernel : report["kernels"]) {
    warp_instructions += kernel["warp_instructions"].get<std::uint64_t>();
    EXPECT_LE(kernel["start_ps"].get<std::uint64_t>(), kernel["end_ps"].get<std::uint64_t>());
  }
  EXPECT_EQ(report["warp_instructions"], warp_instructions);
  EXPECT_EQ(report["time"]["picoseconds"], rig.device.now());
  EXPECT_FALSE(report.contains("fault"));
}

TEST(FunctionalDeviceReport, HoldsTheFault) {
  Rig rig;
  const Ticket ticket = rig.launch(rig.load_body("trap;", "trapped"), {}, {}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  const auto report = nlohmann::json::parse(rig.device.report_json());
  EXPECT_EQ(report["fault"]["kernel"], "trapped");
  EXPECT_THAT(report["fault"]["message"].get<std::string>(), HasSubstr("trap instruction"));
}

TEST(FunctionalDeviceReport, IsTheSameForTheSameWork) {
  std::vector<std::string> reports;
  for (int i = 0; i < 2; ++i) {
    Rig rig;
    const std::uint64_t out = rig.buffer(8);
    Ticket last = 0;
    for (unsigned queue = 0; queue < 5; ++queue) {
      last = rig.launch(rig.load_body(append_digit(1)), {7, 2, 1}, {40, 1, 1}, Parameters().add(out), queue);
    }
    ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone);
    reports.push_back(rig.device.report_json());
  }
  EXPECT_EQ(reports[0], reports[1]);
}

}  // namespace
}  // namespace castor::gpu::gpu_functional_device_test
