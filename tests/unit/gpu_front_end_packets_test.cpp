// Tests of packets without a kernel: events, host calls, copies and fills; queues in memory.
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_packets_test {
namespace {

using test::load;
using test::Rig;

constexpr Cycle kSubmit = 10;

std::vector<std::byte> pattern(std::size_t size, unsigned seed = 1) {
  std::vector<std::byte> bytes(size);
  base::SplitMix64 random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::uint64_t allocate(Rig& rig, std::uint64_t size) { return rig.store.allocate(size, AllocationKind::kHeap).value(); }

std::vector<std::byte> device_bytes(const Rig& rig, std::uint64_t address, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), rig.store.host(address), size);
  return bytes;
}

CopyPacket to_device(const std::byte* from, std::uint64_t to, std::size_t bytes) {
  CopyPacket copy;
  copy.source = from;
  copy.destination = to;
  copy.width = bytes;
  return copy;
}
CopyPacket to_host(std::uint64_t from, std::byte* to, std::size_t bytes) {
  CopyPacket copy;
  copy.source = from;
  copy.destination = to;
  copy.width = bytes;
  return copy;
}

// --- Events and host calls
// --------------------------------------------------------------------------------------------

TEST(FrontEndPackets, HeadsAreServedOnePerQueueAndCycle) {
  Rig rig(load(), {});
  std::vector<std::pair<int, Cycle>> calls;
  const auto call = [&](int what) { return HostCallPacket{[&, what] { calls.emplace_back(what, rig.now); }}; };
  rig.submit(2, call(20), kSubmit);
  rig.submit(2, call(21), kSubmit);
  rig.submit(0, call(0), kSubmit);
  const Ticket last = rig.submit(2, EventRecordPacket{7, 1}, kSubmit);
  rig.run();
  const std::vector<std::pair<int, Cycle>> expected = {{0, kSubmit + 1}, {20, kSubmit + 1}, {21, kSubmit + 2}};
  EXPECT_EQ(calls, expected);
  EXPECT_EQ(rig.front_end->host().cycle(last), kSubmit + 3);
  EXPECT_TRUE(rig.front_end->host().shown(last));
}

TEST(FrontEndPackets, WaitGoesOnInTheCycleAfterTheRecordWhateverTheOrderOfQueues) {
  for (const bool waiter_first : {false, true}) {
    Rig rig(load(), {});
    const unsigned waiter = waiter_first ? 0 : 5, recorder = waiter_first ? 5 : 0;
    const Ticket wait = rig.submit(waiter, EventWaitPacket{42, 3}, kSubmit);
    rig.submit(recorder, EventRecordPacket{42, 2}, kSubmit + 100);
    const Ticket record = rig.submit(recorder, EventRecordPacket{42, 3}, kSubmit + 200);
    rig.run();
    EXPECT_EQ(rig.front_end->host().cycle(record), kSubmit + 201);
    EXPECT_EQ(rig.front_end->host().cycle(wait), kSubmit + 202);
  }
}

TEST(FrontEndPackets, WaitThatMeetsTheRecordInItsCycleGoesOnInTheNext) {
  for (const unsigned waiter : {0U, 5U}) {
    Rig rig(load(), {});
    const Ticket wait = rig.submit(waiter, EventWaitPacket{1, 1}, kSubmit);
    const Ticket record = rig.submit(3, EventRecordPacket{1, 1}, kSubmit);
    rig.run();
    EXPECT_EQ(rig.front_end->host().cycle(record), kSubmit + 1);
    EXPECT_EQ(rig.front_end->host().cycle(wait), kSubmit + 2);
  }
}

TEST(FrontEndPackets, EventOrdersKernelsOfTwoQueues) {
  Rig rig(load(), {});
  const ProgramHandle program = rig.program("k");
  const Ticket first = rig.submit(0, Rig::kernel(program, 4, 32), kSubmit);
  const Ticket record = rig.submit(0, EventRecordPacket{9, 1}, kSubmit);
  rig.submit(1, EventWaitPacket{9, 1}, kSubmit);
  const Ticket second = rig.submit(1, Rig::kernel(program, 1, 32), kSubmit);
  rig.run();
  const Cycle completed = rig.log.cycle("completed", first);
  EXPECT_EQ(rig.front_end->host().cycle(record), completed + 1);
  // The wait ends in the next cycle, and the kernel behind it is granted one cycle later.
  EXPECT_EQ(rig.log.cycle("granted", second), completed + 3);
}

TEST(FrontEndPackets, UnrecordedEventIsNamedByTheWaitingReport) {
  Rig rig(load(), {});
  rig.submit(6, EventWaitPacket{77, 5}, kSubmit);
  rig.run(5000);
  EXPECT_FALSE(rig.front_end->idle());
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("queue 6: 1 packets, head event wait"));
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("waits for event 77 to reach 5, which is at 0"));
}

TEST(FrontEndPackets, QueuesInMemoryReadTheirPacketsThroughTheMemoryClient) {
  Rig::Options options;
  options.latency = 30;
  Rig rig(load({}, "gcn_apu"), options);
  Cycle called = 0;
  const Ticket record = rig.submit(100, EventRecordPacket{1, 1}, kSubmit);
  rig.submit(100, HostCallPacket{[&] { called = rig.now; }}, kSubmit);
  rig.run();
  // The read is sent in c + 1, visible to the memory in c + 2, and answered 30 cycles later. It is taken and seen in
  // the next two cycles.
  const Cycle served = kSubmit + 2 + 30 + 2;
  EXPECT_EQ(rig.front_end->host().cycle(record), served);
  EXPECT_EQ(called, served + 1 + 1 + 30 + 2);
  std::vector<std::uint64_t> reads;
  for (const auto& access : rig.memory.accesses) {
    if (access.kind == RequestKind::kLoad) reads.push_back(access.line);
  }
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[1], reads[0] + 64);
  EXPECT_EQ(rig.statistic("front_end.memory_requests"), 4U);
  EXPECT_EQ(rig.statistic("front_end.memory_bytes"), 2U * 64 + 2 * 8);
}

TEST(FrontEndPackets, RingsOfQueuesInMemoryWrapAround) {
  Rig rig(load({"queue.depth=3", "parse.latency=10"}, "gcn_apu"), {});
  const ProgramHandle program = rig.program("k", 16, 0, 8);
  std::vector<std::byte> source = pattern(300), back(300);
  const std::uint64_t buffer = allocate(rig, 300);
  unsigned calls = 0;
  for (unsigned i = 0; i < 40; ++i) {
    rig.run_until([&] { return !rig.front_end->queue_full(9); });
    switch (i % 5) {
      case 0:
        rig.submit(9, Rig::kernel(program, 2, 64), rig.now);
        break;
      case 1:
        rig.submit(9, to_device(source.data(), buffer, 300), rig.now);
        break;
      case 2:
        rig.submit(9, HostCallPacket{[&] { ++calls; }}, rig.now);
        break;
      case 3:
        rig.submit(9, EventRecordPacket{i, 1}, rig.now);
        break;
      default:
        rig.submit(9, EventWaitPacket{i - 1, 1}, rig.now);
        break;
    }
  }
  rig.submit(10, to_host(buffer, back.data(), 300), rig.now);
  rig.run();
  EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
  EXPECT_EQ(calls, 8U);
  EXPECT_EQ(rig.log.of("completed").size(), 8U);
  EXPECT_EQ(back, source);
}

// --- Copies
// -----------------------------------------------------------------------------------------------------------

// kepler_k20c_study: 706 MHz, 1 us, 6 GB/s: 706 cycles and 64 x 706 / 6000 cycles per beat.
Cycle due(Cycle start, std::uint64_t beat) { return start + 706 + ((beat + 1) * 64 * 706 + 5999) / 6000; }

TEST(CopyEngine, BeatsToTheDeviceGoWhenTheLinkHasBroughtThem) {
  Rig rig(load(), {});
  const auto source = pattern(640);
  const std::uint64_t buffer = allocate(rig, 640);
  const Ticket ticket = rig.submit(0, to_device(source.data(), buffer, 640), kSubmit);
  rig.run();
  EXPECT_EQ(device_bytes(rig, buffer, 640), source);
  // Head seen in c + 1, the engine has it in c + 2.
  const Cycle start = kSubmit + 2;
  EXPECT_EQ(rig.log.cycle("copy started", ticket), start);
  std::vector<Cycle> cycles;
  for (const auto& access : rig.memory.accesses) {
    if (access.port != 1) continue;
    EXPECT_EQ(access.kind, RequestKind::kStore);
    cycles.push_back(access.visible);
  }
  ASSERT_EQ(cycles.size(), 10U);
  for (unsigned k = 0; k < 10; ++k) EXPECT_EQ(cycles[k], due(start, k) + 1);
  // The last beat is answered 20 cycles after its arrival. The reply is taken in the next cycle, which ends the copy.
  const Cycle end = cycles.back() + 20 + 1;
  EXPECT_EQ(rig.log.cycle("copy completed", ticket), end);
  EXPECT_EQ(rig.front_end->host().cycle(ticket), end + 1);
  EXPECT_EQ(rig.statistic("copy0.copy_busy"), end - start + 1);
  EXPECT_EQ(rig.statistic("copy0.copy_bytes"), 640U);
  EXPECT_EQ(rig.statistic("copy0.copies"), 1U);
  EXPECT_EQ(rig.statistic("copy1.copies"), 0U);
}

TEST(CopyEngine, BeatsToTheHostAreReadWhenTheyAreDue) {
  Rig rig(load(), {});
  const auto source = pattern(320);
  std::vector<std::byte> destination(320);
  const std::uint64_t buffer = allocate(rig, 320);
  std::memcpy(rig.store.host(buffer), source.data(), 320);
  const Ticket ticket = rig.submit(0, to_host(buffer, destination.data(), 320), kSubmit);
  rig.run();
  EXPECT_EQ(destination, source);
  std::vector<Cycle> cycles;
  for (const auto& access : rig.memory.accesses) {
    if (access.port == 2) cycles.push_back(access.visible);
  }
  ASSERT_EQ(cycles.size(), 5U);
  for (unsigned k = 0; k < 5; ++k) EXPECT_EQ(cycles[k], due(rig.log.cycle("copy started", ticket), k) + 1);
}

TEST(CopyEngine, UnalignedRowsAreCutAtBlocksOfDeviceMemory) {
  // A row of 100 bytes that begins 20 bytes before the end of a memory block is read in parts of 20, 64 and 16 bytes.
  Rig rig(load(), {});
  const auto source = pattern(100);
  const std::uint64_t buffer = allocate(rig, 512) + 44;
  rig.submit(0, to_device(source.data(), buffer, 100), kSubmit);
  rig.run();
  EXPECT_EQ(device_bytes(rig, buffer, 100), source);
  std::vector<int> bytes;
  for (const auto& access : rig.memory.accesses) {
    if (access.port == 1) {
      bytes.push_back(__builtin_popcountll(access.byte_mask[0]) + __builtin_popcountll(access.byte_mask[1]));
    }
  }
  EXPECT_THAT(bytes, testing::ElementsAre(20, 64, 16));
}

TEST(CopyEngine, BothDirectionsRunAtOnceAndCopiesOfOneDirectionOneAfterTheOther) {
  Rig rig(load(), {});
  const auto source = pattern(6400);
  std::vector<std::byte> destination(6400);
  const std::uint64_t buffer = allocate(rig, 6400), other = allocate(rig, 6400);
  std::memcpy(rig.store.host(other), source.data(), 6400);
  const Ticket a = rig.submit(0, to_device(source.data(), buffer, 6400), kSubmit);
  const Ticket b = rig.submit(1, to_host(other, destination.data(), 6400), kSubmit);
  const Ticket c = rig.submit(2, to_device(source.data(), other, 64), kSubmit);
  rig.run();
  EXPECT_EQ(rig.log.cycle("copy started", a), rig.log.cycle("copy started", b));
  EXPECT_EQ(rig.log.cycle("copy started", c), rig.log.cycle("copy completed", a) + 1);
  EXPECT_EQ(destination, source);
}

TEST(CopyEngine, KernelBehindACopyWaitsForItsLastBeat) {
  Rig rig(load(), {});
  const auto source = pattern(64);
  const std::uint64_t buffer = allocate(rig, 64);
  const Ticket copy = rig.submit(0, to_device(source.data(), buffer, 64), kSubmit);
  const Ticket kernel = rig.submit(0, Rig::kernel(rig.program("k"), 1, 32), kSubmit);
  rig.run();
  EXPECT_EQ(rig.log.cycle("granted", kernel), rig.front_end->host().cycle(copy) + 1);
}

TEST(CopyEngine, EmptyCopyCompletesWithoutTraffic) {
  Rig rig(load(), {});
  std::byte nothing{};
  const Ticket copy = rig.submit(0, to_device(&nothing, Store::kBase, 0), kSubmit);
  rig.run();
  EXPECT_EQ(rig.log.cycle("copy completed", copy), rig.log.cycle("copy started", copy));
  EXPECT_EQ(rig.memory.accesses.size(), 1U);  // the completion word
}

TEST(CopyEngine, FillsAndCopiesInsideTheDeviceUseNoLink) {
  Rig rig(load(), {});
  const std::uint64_t buffer = allocate(rig, 1024), other = allocate(rig, 1024);
  FillPacket fill;
  fill.address = buffer;
  fill.width = 1024;
  fill.pattern = 0xab;
  const Ticket ticket = rig.submit(0, fill, kSubmit);
  CopyPacket copy;
  copy.source = buffer;
  copy.destination = other;
  copy.width = 1024;
  const Ticket second = rig.submit(0, copy, kSubmit);
  rig.run();
  EXPECT_EQ(device_bytes(rig, other, 1024), std::vector<std::byte>(1024, std::byte{0xab}));
  const Cycle start = rig.log.cycle("copy started", ticket);
  std::vector<Cycle> cycles;
  for (const auto& access : rig.memory.accesses) {
    if (access.port == 1 && access.visible < rig.log.cycle("copy started", second)) cycles.push_back(access.visible);
  }
  ASSERT_EQ(cycles.size(), 16U);  // one packet per cycle
  for (unsigned k = 0; k < 16; ++k) EXPECT_EQ(cycles[k], start + 1 + k);
}

TEST(CopyEngine, UnifiedMachineCopiesAtOnePacketPerCycle) {
  Rig rig(load({}, "gcn_apu"), {});
  const auto source = pattern(640);
  const std::uint64_t buffer = allocate(rig, 640);
  const Ticket ticket = rig.submit(0, to_device(source.data(), buffer, 640), kSubmit);
  rig.run();
  EXPECT_EQ(device_bytes(rig, buffer, 640), source);
  EXPECT_EQ(rig.log.cycle("copy completed", ticket), rig.log.cycle("copy started", ticket) + 9 + 1 + 20 + 1);
}

TEST(CopyEngine, ShuffledWordsArriveInAnotherOrderForEverySeedAndAreTheSameBytes) {
  std::vector<std::vector<std::uint64_t>> orders;
  for (const char* const seed : {"run.seed=1", "run.seed=1", "run.seed=2"}) {
    Rig rig(load({"link.shuffle=1", seed}), {});
    const auto source = pattern(1003);
    std::vector<std::byte> destination(1003);
    const std::uint64_t buffer = allocate(rig, 2048) + 2;
    rig.submit(0, to_device(source.data(), buffer, 1003), kSubmit);
    rig.submit(0, to_host(buffer, destination.data(), 1003), kSubmit);
    rig.run();
    EXPECT_EQ(device_bytes(rig, buffer, 1003), source);
    EXPECT_EQ(destination, source);
    orders.emplace_back();
    for (const auto& access : rig.memory.accesses) {
      if (access.port != 1) continue;
      const unsigned first = access.byte_mask[0] != 0
                                 ? static_cast<unsigned>(__builtin_ctzll(access.byte_mask[0]))
                                 : 64 + static_cast<unsigned>(__builtin_ctzll(access.byte_mask[1]));
      orders.back().push_back(access.line + first - buffer);
      EXPECT_LE(__builtin_popcountll(access.byte_mask[0]) + __builtin_popcountll(access.byte_mask[1]), 4);
    }
    // 1003 bytes from an address that is 2 mod 4: 2 + 250 x 4 + 1.
    EXPECT_EQ(orders.back().size(), 252U);
    EXPECT_FALSE(std::is_sorted(orders.back().begin(), orders.back().end()));
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST(CopyEngine, RandomCopiesMoveTheBytesThatMemcpyMoves) {
  const std::uint64_t seed = 20;
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const char* const machine : {"kepler_k20c_study", "gcn_apu"}) {
    for (const unsigned spread : {0U, 60U}) {
      Rig::Options options;
      options.spread = spread;
      Rig rig(load({"link.latency_us=0"}, machine), options);
      base::Xoshiro256 random(seed);
      constexpr std::size_t kBytes = 1 << 14;
      const std::uint64_t device = allocate(rig, kBytes);
      std::vector<std::byte> expected = pattern(kBytes, 5), host = pattern(kBytes, 6);
      std::memcpy(rig.store.host(device), expected.data(), kBytes);
      std::vector<std::byte> expected_host = host;
      for (unsigned i = 0; i < 60; ++i) {
        const std::size_t rows = 1 + random.below(5), width = random.below(400);
        const std::size_t from_pitch = width + random.below(100), to_pitch = width + random.below(100);
        const std::size_t half = kBytes / 2;  // source in one half, destination in the other
        const std::size_t from = random.below(half - 5 * 500), to = half + random.below(half - 5 * 500);
        Packet packet;
        switch (random.below(4)) {
          case 0: {
            CopyPacket copy;
            copy.source = static_cast<const std::byte*>(host.data() + from);
            copy.destination = device + to;
            for (std::size_t r = 0; r < rows; ++r) {
              std::copy_n(&expected_host[from + r * from_pitch], width, &expected[to + r * to_pitch]);
            }
            packet = copy;
            break;
          }
          case 1: {
            CopyPacket copy;
            copy.source = device + from;
            copy.destination = host.data() + to;
            for (std::size_t r = 0; r < rows; ++r) {
              std::copy_n(&expected[from + r * from_pitch], width, &expected_host[to + r * to_pitch]);
            }
            packet = copy;
            break;
          }
          case 2: {
            CopyPacket copy;
            copy.source = device + from;
            copy.destination = device + to;
            for (std::size_t r = 0; r < rows; ++r) {
              std::copy_n(&expected[from + r * from_pitch], width, &expected[to + r * to_pitch]);
            }
            packet = copy;
            break;
          }
          default: {
            FillPacket fill;
            fill.address = device + to;
            fill.width = width;
            fill.rows = rows;
            fill.pitch = to_pitch;
            fill.pattern = static_cast<std::uint32_t>(random());
            fill.pattern_bytes = 1U << random.below(3);
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t b = 0; b < width / fill.pattern_bytes * fill.pattern_bytes; ++b) {
                expected[to + r * to_pitch + b] = static_cast<std::byte>(fill.pattern >> 8 * (b % fill.pattern_bytes));
              }
            }
            packet = fill;
            break;
          }
        }
        if (auto* const copy = std::get_if<CopyPacket>(&packet)) {
          copy->width = width;
          copy->rows = rows;
          copy->source_pitch = from_pitch;
          copy->destination_pitch = to_pitch;
        }
        rig.run_until([&] { return !rig.front_end->queue_full(0); });
        rig.submit(0, packet, rig.now);
      }
      rig.run();
      ASSERT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
      EXPECT_EQ(device_bytes(rig, device, kBytes), expected);
      EXPECT_EQ(host, expected_host);
    }
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_packets_test
