// Tests of the resolver from lane addresses to lines, bank rounds and bytes: each of its paths against plain loops over
// lanes.

#include <set>

#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/sm/memory_operation.h"
#include "gpu_lsu_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::test::gpu_lsu_coalescing_test {
namespace {

using isa::LaneMask;
using isa::MemoryKind;
using isa::Space;
using isa::Type;

struct PlainLine {
  std::uint64_t line = 0;
  LaneMask lanes = 0;
  std::set<unsigned> bytes;
};

/// Returns the lines of an access in the order of their lowest lane, group by group. `row_bytes` != 0 selects local
/// memory, whose words lie that many bytes apart.
std::vector<PlainLine> plain_lines(const std::uint64_t* address, LaneMask mask, unsigned lanes, unsigned size,
                                   unsigned line_bytes, bool split, unsigned row_bytes) {
  std::vector<PlainLine> lines;
  const unsigned groups = split && size >= 8 ? size / 4 : 1;
  for (unsigned group = 0; group < groups; ++group) {
    const std::size_t start = lines.size();
    for (unsigned lane = group * lanes / groups; lane < (group + 1) * lanes / groups; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (unsigned i = 0; i < size; ++i) {
        const std::uint64_t byte = row_bytes != 0 ? address[lane] + i / 4 * row_bytes + i % 4 : address[lane] + i;
        const std::uint64_t line = byte / line_bytes * line_bytes;
        std::size_t at = start;
        while (at < lines.size() && lines[at].line != line) ++at;
        if (at == lines.size()) lines.push_back({line, 0, {}});
        lines[at].lanes |= LaneMask{1} << lane;
        lines[at].bytes.insert(static_cast<unsigned>(byte - line));
      }
    }
  }
  return lines;
}

/// Returns the largest number of distinct words (for atomics: lanes) in one bank, over groups of lanes that access 128
/// bytes together.
unsigned plain_rounds(const std::uint64_t* offset, LaneMask mask, unsigned lanes, unsigned size, unsigned banks,
                      bool atomic) {
  const unsigned group = size <= 4 ? 32 : size == 8 ? 16 : 8;
  unsigned rounds = 0;
  for (unsigned start = 0; start < lanes; start += group) {
    std::vector<std::multiset<std::uint64_t>> words(banks);
    for (unsigned lane = start; lane < start + group; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (std::uint64_t word = offset[lane] / 4; word <= (offset[lane] + size - 1) / 4; ++word) {
        std::multiset<std::uint64_t>& bank = words[word % banks];
        if (atomic || bank.count(word) == 0) bank.insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    rounds += static_cast<unsigned>(most);
  }
  return rounds;
}

class Coalescing : public testing::TestWithParam<const char*> {};

// Returns the offset of a lane's access. Each pattern has a path of its own in the resolver.
std::uint64_t offset_of(base::Xoshiro256& random, unsigned pattern, unsigned lane, unsigned size, std::uint64_t first,
                        std::uint64_t limit) {
  switch (pattern) {
    case 0:
      return first;
    case 1:
      return first + std::uint64_t{lane} * size;
    case 2:
      return random.below(limit / size) * size;
    case 3:
      return first + random.below(64) * size;
    case 4:
      return (first + std::uint64_t{lane} * 32 * size) % limit;
    case 5:
      return first + std::uint64_t{lane ^ 5U} * size;
    default:  // rows of a tile, 16 lanes each: side by side, or one value; where they begin differs from round to round
      return first + lane / 16 * (pattern / 2 % 24 * size + pattern / 64 * 128) +
             (pattern % 2 == 0 ? std::uint64_t{lane % 16} * size : 0);
  }
}

TEST_P(Coalescing, LinesRoundsAndDataEqualPlainLoopsOverLanes) {
  constexpr std::uint64_t kSeed = 20261121;
  RecordProperty("seed", std::to_string(kSeed));
  base::Xoshiro256 random(kSeed);
  LsuRig rig(lsu_machine({}, GetParam()));
  const Machine& machine = rig.machine;
  const unsigned lanes = machine.sm.lanes;
  AccessResolver resolver(machine, rig.store);
  constexpr std::size_t kImage = 20480;  // more than any of the spaces
  std::vector<std::byte> noise(kImage);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  MemoryOperation fast;
  MemoryOperation general;
  const Type types[] = {Type::kU8, Type::kS16, Type::kU32, Type::kF32, Type::kU64, Type::kF64};
  for (unsigned round = 0; round < unless_sanitized(4000U, 1300U); ++round) {
    Instruction instruction;
    instruction.type = types[random.below(6)];
    instruction.elements = 1U << random.below(3);
    if (isa::bytes(instruction.type) * instruction.elements > 16) instruction.elements = 1;
    instruction.kind = static_cast<MemoryKind>(random.below(2));
    const unsigned where = static_cast<unsigned>(random.below(3));
    instruction.space = where == 0 ? Space::kGlobal : where == 1 ? Space::kShared : Space::kLocal;
    const bool atomic = random.below(8) == 0 && instruction.space != Space::kLocal;
    if (atomic) {
      instruction.kind = MemoryKind::kAtomic;
      instruction.type = random.below(2) == 0 ? Type::kU32 : Type::kU64;
      instruction.elements = 1;
    }
    const auto pattern = static_cast<unsigned>(random.below(3) == 0 ? 6 + random.below(250) : random.below(6));
    if (pattern >= 6 && !atomic && random.below(4) != 0) {
      instruction.type = random.below(2) == 0 ? Type::kU32 : Type::kF32;
      instruction.elements = 1;
    }
    const unsigned size = isa::bytes(instruction.type) * instruction.elements;
    const std::uint64_t limit = where == 0 ? 16384 : where == 1 ? LsuRig::kSharedBytes : LsuRig::kLocalBytes;
    const std::uint64_t first = random.below(16) * size;
    std::uint64_t offset[64];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      offset[lane] = offset_of(random, pattern, lane, size, first, limit) % limit;
      rig.set_address(0, lane, where == 0 ? rig.heap + offset[lane] : offset[lane]);
      for (unsigned element = 0; element < 4; ++element)
        rig.warp(0).put(kDataReg, isa::bytes(instruction.type) == 8 ? 64 : 32, element, lane, random());
    }
    LaneMask mask = random.below(2) == 0 ? rig.all() : random() & rig.all();
    if (mask == 0) mask = 1;

    const isa::Record record = instruction.record();
    for (MemoryOperation* operation : {&fast, &general}) {
      const isa::Access kept = operation->access;
      *operation = MemoryOperation{};
      operation->access = kept;  // restores the previous contents
      operation->issue.record = &record;
      operation->issue.view = rig.warp(0).view();
      operation->issue.mask = mask;
      operation->issue.warp_in_tb = 2;
      resolver.use_fast_paths(operation == &fast);
      ASSERT_FALSE(resolver.resolve(*operation, rig.contexts[1]));
    }

    // Device addresses as the specification has them.
    std::uint64_t device[64] = {};
    const std::uint64_t local = rig.contexts[1].local_base + 2 * rig.kernel.local_stride;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      device[lane] = where == 0   ? rig.heap + offset[lane]
                     : where == 1 ? offset[lane]
                                  : local + offset[lane] / 4 * 4 * lanes + lane * 4 + offset[lane] % 4;
    }
    std::vector<PlainLine> expected;
    unsigned rounds = 0;
    if (where == 1)
      rounds = plain_rounds(device, mask, lanes, size, machine.smem.banks, atomic);
    else
      expected =
          plain_lines(device, mask, lanes, size, machine.l1.line, machine.lsu.split_wide, where == 2 ? 4 * lanes : 0);
    for (MemoryOperation* operation : {&fast, &general}) {
      SCOPED_TRACE("round " + std::to_string(round) + (operation == &fast ? " fast" : " general") + " size " +
                   std::to_string(size) + " pattern " + std::to_string(pattern) + " space " + std::to_string(where));
      ASSERT_EQ(operation->rounds.total, rounds);
      ASSERT_EQ(operation->lines.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(operation->lines[i].line, expected[i].line);
        ASSERT_EQ(operation->lines[i].lanes, expected[i].lanes);
        for (unsigned byte = 0; byte < kMaxLineBytes; ++byte)
          ASSERT_EQ(operation->lines[i].bytes.test(byte), expected[i].bytes.count(byte) == 1);
      }
      // Bytes: through an image of memory, as the pipe would move them.
      if (atomic) continue;
      std::vector<std::byte> image(kImage);
      std::vector<std::byte> plain(kImage);
      const std::uint64_t base = where == 0 ? rig.heap : where == 1 ? 0 : local;
      const auto place = [&](unsigned lane, unsigned byte) -> std::size_t {
        return device[lane] - base + (where == 2 ? byte / 4 * 4 * lanes + byte % 4 : byte);
      };
      if (instruction.kind == MemoryKind::kStore) {
        if (where == 1) operation->exchange_shared(image.data(), operation->shared);
        for (unsigned i = 0; i < operation->lines.size(); ++i)
          operation->store(i, image.data() + (operation->lines[i].line - base));
        const unsigned element_bytes = isa::bytes(instruction.type);
        for (unsigned lane = 0; lane < lanes; ++lane) {
          if ((mask >> lane & 1) == 0) continue;
          for (unsigned byte = 0; byte < size; ++byte) {
            const std::uint64_t value =
                rig.warp(0).get(kDataReg, element_bytes == 8 ? 64 : 32, byte / element_bytes, lane);
            plain[place(lane, byte)] = static_cast<std::byte>(value >> (8 * (byte % element_bytes)));
          }
        }
        ASSERT_TRUE(image == plain);
      } else {
        image = noise;
        if (where == 1) operation->exchange_shared(image.data(), operation->shared);
        for (unsigned i = 0; i < operation->lines.size(); ++i)
          operation->load(i, image.data() + (operation->lines[i].line - base));
        operation->write_registers(rig.warp(0).view());
        const unsigned element_bytes = isa::bytes(instruction.type);
        for (unsigned lane = 0; lane < lanes; ++lane) {
          if ((mask >> lane & 1) == 0) continue;
          for (unsigned element = 0; element < instruction.elements; ++element) {
            std::uint64_t value = 0;
            for (unsigned i = element_bytes; i-- > 0;)
              value = value << 8 | std::to_integer<unsigned>(image[place(lane, element * element_bytes + i)]);
            if (instruction.type == Type::kS16)
              value = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(value)));
            ASSERT_EQ(rig.loaded(0, lane, element_bytes == 8 ? 64 : 32, element), value) << lane;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Coalescing, testing::Values("kepler_k20c_study", "turing_rtx2060_study", "gcn_apu"),
                         [](const auto& info) { return std::string(info.param); });

TEST(BankRounds, KnownPatterns) {
  std::uint64_t offset[64];
  const auto fill = [&](unsigned step) {
    for (unsigned lane = 0; lane < 64; ++lane) offset[lane] = std::uint64_t{lane} * step;
  };
  const LaneMask warp = 0xffffffff;
  fill(4);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, false), 1U);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {16}, false), 2U);
  EXPECT_EQ(bank_rounds(offset, ~LaneMask{0}, 64, 4, {32}, false), 2U) << "64 lanes in 2 halves";
  fill(8);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, false), 2U);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 8, {32}, false), 2U) << "8 bytes per lane in 2 half-warps";
  fill(16);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 16, {32}, false), 4U) << "16 bytes per lane in 4 quarters";
  fill(128);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, false), 32U);
  fill(132);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, false), 1U);
  fill(0);
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, false), 1U) << "broadcast";
  EXPECT_EQ(bank_rounds(offset, warp, 32, 4, {32}, true), 32U) << "no broadcast for atomics";
  EXPECT_EQ(bank_rounds(offset, 0x5, 32, 4, {32}, true), 2U);
}

TEST(BankRounds, WideBanks) {
  std::uint64_t offset[64];
  const auto rounds = [&](unsigned step, unsigned interleave, unsigned lane_bytes = 4, unsigned first = 0) {
    for (unsigned lane = 0; lane < 64; ++lane) offset[lane] = first + std::uint64_t{lane} * step;
    return bank_rounds(offset, 0xffffffff, 32, lane_bytes, {32, 8, interleave}, false);
  };
  // Strides of 1, 2, 4, ... words. Words that lie 32 words apart in an aligned group of 64 share one round, as do both
  // halves of an 8-byte word.
  const unsigned expected[] = {1, 1, 2, 4, 8, 16, 32};
  for (unsigned i = 0; i < 7; ++i) {
    EXPECT_EQ(rounds(4U << i, 4), expected[i]) << i;
    EXPECT_EQ(rounds(4U << i, 8), expected[i]) << i;
  }
  EXPECT_EQ(rounds(24, 4), 2U) << "a step of 6 words";
  EXPECT_EQ(rounds(24, 8), 1U);
  EXPECT_EQ(rounds(8, 4, 8), 1U) << "8 bytes per lane, side by side";
  EXPECT_EQ(rounds(8, 8, 8), 1U);
  EXPECT_EQ(rounds(8, 4, 8, 8), 2U) << "across two rows";
  EXPECT_EQ(rounds(8, 8, 8, 8), 1U);
  EXPECT_EQ(rounds(16, 4, 16), 2U) << "16 bytes per lane in 2 halves";
  EXPECT_EQ(lane_groups(0xffffffff, 32, 16, {32, 8, 4}), 2U);
  EXPECT_EQ(lane_groups(0xffffffff, 32, 8, {32, 8, 4}), 1U);
  EXPECT_EQ(lane_groups(0xffffffff, 32, 8, {32}), 2U);
  EXPECT_EQ(lane_groups(0x0000ffff, 32, 8, {32}), 1U) << "nobody in the second half";
}

// Tests of refused accesses: the faulting lane, the words accessed, and that nothing is accepted.

class Faults : public testing::Test {
 protected:
  Faults() : rig(lsu_machine()) { rig.set_addresses(0, rig.heap, 4); }

  AccessFault fault(const Instruction& instruction, LaneMask mask = 0) {
    const auto result = rig.issue(instruction, 0, 0, mask);
    if (!result) {
      ADD_FAILURE() << "not refused";
      return {};
    }
    return *result;
  }
  /// Returns the result of the same instruction on the functional machine.
  std::string functional(const Instruction& instruction, LaneMask mask) {
    functional::MemoryPath path(rig.store);
    functional::Windows windows;
    windows.shared = rig.shared[0].data();
    windows.shared_bytes = LsuRig::kSharedBytes;
    std::vector<std::byte> local(LsuRig::kLocalBytes * 32);
    windows.local = local.data();
    windows.local_bytes = LsuRig::kLocalBytes;
    windows.parameters = rig.kernel.parameters;
    windows.parameter_bytes = LsuRig::kParameterBytes;
    const isa::Record record = instruction.record();
    const auto fault = path.execute(record, rig.warp(0).view(), mask == 0 ? rig.all() : mask, windows);
    return fault ? fault->what : "none";
  }
  LsuRig rig;
};

TEST_F(Faults, TextsAndLanesAreThoseOfTheFunctionalMachine) {
  const std::uint64_t freed = *rig.store.allocate(64, AllocationKind::kHeap);
  rig.store.free(freed);
  const std::uint64_t constant = *rig.store.allocate(64, AllocationKind::kConstant, "table");
  rig.store.set_read_only(constant, true);
  struct {
    Instruction instruction;
    std::uint64_t address;  // address of lane 9
    FaultKind kind;
  } const cases[] = {
      {{MemoryKind::kLoad, Space::kGlobal}, 0, FaultKind::kIllegalAddress},
      {{MemoryKind::kLoad, Space::kGlobal}, rig.heap + 2, FaultKind::kMisalignedAddress},
      {{MemoryKind::kStore, Space::kGlobal}, rig.heap + (1 << 16), FaultKind::kIllegalAddress},
      {{MemoryKind::kStore, Space::kGlobal}, constant, FaultKind::kIllegalAddress},
      {{MemoryKind::kLoad, Space::kGlobal}, freed, FaultKind::kIllegalAddress},
      {{MemoryKind::kLoad, Space::kGeneric}, isa::kSharedWindow + LsuRig::kSharedBytes, FaultKind::kIllegalAddress},
      {{MemoryKind::kAtomic, Space::kGeneric}, isa::kLocalWindow + LsuRig::kLocalBytes, FaultKind::kIllegalAddress},
      {{MemoryKind::kReduction, Space::kGlobal}, isa::kSharedWindow, FaultKind::kIllegalAddress},
      {{MemoryKind::kLoad, Space::kGeneric}, isa::kHostWindow + rig.heap, FaultKind::kIllegalAddress},
      {{MemoryKind::kLoad, Space::kGlobal}, std::uint64_t{1} << 47, FaultKind::kIllegalAddress},
  };
  for (const auto& c : cases) {
    rig.set_address(0, 9, c.address);
    const AccessFault refused = fault(c.instruction);
    EXPECT_EQ(refused.kind, c.kind);
    EXPECT_EQ(refused.lane, 9U);
    EXPECT_EQ(refused.address, c.address);
    EXPECT_EQ(refused.what, functional(c.instruction, 0));
    EXPECT_TRUE(rig.lsu.idle()) << "nothing is taken";
  }
  rig.set_address(0, 9, rig.heap + (1 << 16) - 4);
  EXPECT_FALSE(rig.issue({MemoryKind::kLoad, Space::kGlobal})) << "the last word of the allocation";
  rig.drain();
}

TEST_F(Faults, LanesThatAreNotActiveAreNotChecked) {
  rig.set_address(0, 9, 0);
  EXPECT_FALSE(rig.issue({MemoryKind::kLoad, Space::kGlobal}, 0, 0, rig.all() & ~(LaneMask{1} << 9)));
  rig.drain();
}

TEST_F(Faults, WindowsOfSharedLocalAndParameterMemoryEndWithTheirBytes) {
  for (const auto& [space, bytes] :
       {std::pair{Space::kShared, LsuRig::kSharedBytes}, std::pair{Space::kLocal, LsuRig::kLocalBytes},
        std::pair{Space::kParam, LsuRig::kParameterBytes}}) {
    rig.set_addresses(0, bytes, 0);
    const Instruction load{MemoryKind::kLoad, space};
    EXPECT_EQ(fault(load, 4).what, functional(load, 4));
    rig.set_addresses(0, bytes - 4, 0);
    EXPECT_FALSE(rig.issue(load));
    rig.drain();
  }
}

TEST_F(Faults, LocalMemoryIsNotReachedByItsDeviceAddress) {
  rig.set_addresses(0, rig.kernel.local_base, 4);
  EXPECT_EQ(fault({MemoryKind::kLoad, Space::kGlobal}).kind, FaultKind::kIllegalAddress);
}

TEST_F(Faults, PrefetchOfNothingIsNoFault) {
  rig.set_addresses(0, 0, 4);
  Instruction prefetch;
  prefetch.prefetch = true;
  prefetch.type = Type::kNone;
  rig.begin();
  EXPECT_FALSE(rig.issue(prefetch));
  rig.drain();
  EXPECT_EQ(rig.done.size(), 1U);
  EXPECT_TRUE(rig.memory.seen.empty());
}

TEST_F(Faults, PrefetchBringsTheLine) {
  Instruction prefetch;
  prefetch.prefetch = true;
  prefetch.type = Type::kNone;
  rig.begin();
  EXPECT_FALSE(rig.issue(prefetch));
  EXPECT_EQ(rig.accepted.acknowledges, 0U);
  rig.drain();
  rig.begin();
  EXPECT_FALSE(rig.issue({}));
  rig.drain();
  EXPECT_EQ(rig.count("l1_read_hit"), 1U);
}

}  // namespace
}  // namespace castor::gpu::test::gpu_lsu_coalescing_test
