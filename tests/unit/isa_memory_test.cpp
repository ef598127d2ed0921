// Tests of the three steps of memory instructions, and of the meaning of their rows.

#include <cmath>

#include "castor/isa/half_float.h"
#include "castor/isa/memory_access.h"
#include "unit/isa_harness.h"

namespace castor::test::isa_memory_test {
namespace {

using isa::Access;
using isa::AtomicOp;
using isa::CacheOp;
using isa::FenceScope;
using isa::MemoryKind;
using isa::Ordering;
using isa::Space;
using isa::Type;

isa::Match match_of(const std::string& spelling) {
  isa::LookupError error;
  const isa::Match match = isa::InstructionTable::instance().find(spelling, error);
  EXPECT_TRUE(match.valid()) << spelling << ": " << error.message;
  return match;
}
isa::MemoryOp op_of(const std::string& spelling) { return isa::memory_op(match_of(spelling)); }

TEST(MemoryRows, SayWhatAnAccessIs) {
  isa::MemoryOp op = op_of("ld.global.f32");
  EXPECT_EQ(op.kind, MemoryKind::kLoad);
  EXPECT_EQ(op.space, Space::kGlobal);
  EXPECT_EQ(op.type, Type::kF32);
  EXPECT_EQ(op.elements, 1);
  EXPECT_EQ(op.cache, CacheOp::kDefault);
  EXPECT_EQ(op.ordering, Ordering::kWeak);
  op = op_of("ld.u8");
  EXPECT_EQ(op.space, Space::kGeneric);
  op = op_of("ld.volatile.shared.v4.u32");
  EXPECT_EQ(op.space, Space::kShared);
  EXPECT_EQ(op.elements, 4);
  EXPECT_EQ(op.ordering, Ordering::kVolatile);
  EXPECT_EQ(op.scope, FenceScope::kSystem);
  EXPECT_EQ(op_of("ld.global.nc.v2.f64").cache, CacheOp::kNc);
  EXPECT_EQ(op_of("ldu.global.u32").cache, CacheOp::kNc);
  EXPECT_EQ(op_of("ld.global.ca.L2::128B.u32").cache, CacheOp::kCa);
  EXPECT_EQ(op_of("ld.param.u64").space, Space::kParam);
  EXPECT_EQ(op_of("ld.const.b32").space, Space::kConst);
  EXPECT_EQ(op_of("ld.shared::cta.b32").space, Space::kShared);
  op = op_of("ld.acquire.gpu.global.u32");
  EXPECT_EQ(op.ordering, Ordering::kAcquire);
  EXPECT_EQ(op.scope, FenceScope::kDevice);
  op = op_of("st.release.sys.v2.b64");
  EXPECT_EQ(op.kind, MemoryKind::kStore);
  EXPECT_EQ(op.ordering, Ordering::kRelease);
  EXPECT_EQ(op.scope, FenceScope::kSystem);
  EXPECT_EQ(op.elements, 2);
  EXPECT_EQ(op_of("st.global.wt.u16").cache, CacheOp::kWt);
  op = op_of("atom.acq_rel.cta.shared.cas.b64");
  EXPECT_EQ(op.kind, MemoryKind::kAtomic);
  EXPECT_EQ(op.atomic, AtomicOp::kCas);
  EXPECT_EQ(op.ordering, Ordering::kAcqRel);
  EXPECT_EQ(op.scope, FenceScope::kBlock);
  op = op_of("atom.global.sys.add.s32");
  EXPECT_EQ(op.scope, FenceScope::kSystem);
  op = op_of("red.global.max.s64");
  EXPECT_EQ(op.kind, MemoryKind::kReduction);
  EXPECT_EQ(op.atomic, AtomicOp::kMax);
  EXPECT_EQ(op.ordering, Ordering::kRelaxed);
  EXPECT_EQ(op.scope, FenceScope::kDevice);
  EXPECT_EQ(op_of("red.shared.inc.u32").atomic, AtomicOp::kInc);
}

TEST(BarrierRows, SayWhatABarrierIs) {
  const auto barrier = [](const std::string& spelling) { return isa::barrier_op(match_of(spelling)); };
  using isa::BarrierKind;
  EXPECT_EQ(barrier("bar.sync").kind, BarrierKind::kSync);
  EXPECT_TRUE(barrier("bar.sync").aligned);
  EXPECT_FALSE(barrier("barrier.sync").aligned);
  EXPECT_TRUE(barrier("barrier.cta.sync.aligned").aligned);
  EXPECT_EQ(barrier("barrier.arrive").kind, BarrierKind::kArrive);
  EXPECT_EQ(barrier("bar.red.popc.u32").kind, BarrierKind::kRedPopc);
  EXPECT_EQ(barrier("barrier.red.and.aligned.pred").kind, BarrierKind::kRedAnd);
  EXPECT_EQ(barrier("bar.cta.red.or.pred").kind, BarrierKind::kRedOr);
  EXPECT_EQ(barrier("bar.warp.sync").kind, BarrierKind::kWarp);
  EXPECT_FALSE(barrier("bar.warp.sync").aligned);
}

TEST(FenceRows, NameTheirScope) {
  const auto scope = [](const std::string& spelling) {
    const isa::Match match = match_of(spelling);
    return static_cast<FenceScope>(match.row().immediate(match));
  };
  EXPECT_EQ(scope("membar.cta"), FenceScope::kBlock);
  EXPECT_EQ(scope("membar.gl"), FenceScope::kDevice);
  EXPECT_EQ(scope("membar.sys"), FenceScope::kSystem);
  EXPECT_EQ(scope("fence.acq_rel.gpu"), FenceScope::kDevice);
  EXPECT_EQ(scope("fence.sc.cta"), FenceScope::kBlock);
}

/// A warp of 8 registers and a memory of bytes; address register 0 (pair 0, 1), data from register 2 on.
struct Machine {
  explicit Machine(unsigned lanes_) : lanes(lanes_), rows(24 * lanes_ * 4 + 64), memory(64 * 64) {
    auto start = reinterpret_cast<std::uintptr_t>(rows.data());
    view.registers = rows.data() + (64 - start % 64) % 64;
    view.constants = view.registers + 16 * lanes * 4;
    view.predicates = predicates;
    view.lanes = lanes;
    for (std::byte& byte : rows) byte = std::byte{0x5a};
  }
  void set(unsigned reg, unsigned lane, u64 value, bool wide) {
    const auto narrow = static_cast<u32>(value);
    if (wide)
      std::memcpy(view.registers + reg * lanes * 4 + lane * 8, &value, 8);
    else
      std::memcpy(view.registers + reg * lanes * 4 + lane * 4, &narrow, 4);
  }
  [[nodiscard]] u64 get(unsigned reg, unsigned lane, bool wide) const {
    u64 value = 0;
    std::memcpy(&value, view.registers + reg * lanes * 4 + lane * (wide ? 8 : 4), wide ? 8 : 4);
    return value;
  }
  /// Runs the three steps in order. Addresses are offsets into `memory`.
  void run(const std::string& spelling, isa::LaneMask mask, unsigned register_bits, std::int64_t offset = 0,
           isa::OperandIndex dst = 2, std::array<isa::OperandIndex, 3> src = {0, 2, 4}) {
    const isa::Match match = match_of(spelling);
    isa::Record record;
    record.kind = match.row().kind;
    record.memory = isa::memory_op(match);
    record.memory.register_bits = static_cast<std::uint8_t>(register_bits);
    record.memory.address_bits = address_bits;
    record.imm = static_cast<u64>(offset);
    record.dst = dst;
    for (unsigned i = 0; i < 3; ++i) record.src[i] = src[i];
    auto access = std::make_unique<Access>();
    isa::address(record, view, mask, *access);
    EXPECT_EQ(access->mask, mask);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      ASSERT_LE(access->address[lane] + access->lane_bytes, memory.size());
      isa::perform_lane(*access, lane, memory.data() + access->address[lane]);
    }
    isa::complete(record, view, *access);
  }
  [[nodiscard]] u64 at(u64 address, unsigned size) const {
    u64 value = 0;
    std::memcpy(&value, memory.data() + address, size);
    return value;
  }
  void put(u64 address, unsigned size, u64 value) { std::memcpy(memory.data() + address, &value, size); }

  unsigned lanes;
  std::uint8_t address_bits = 64;
  std::vector<std::byte> rows;
  std::vector<std::byte> memory;
  isa::LaneMask predicates[8] = {};
  isa::RegisterView view;
};

TEST(Memory, LoadsExtendToTheRegister) {
  struct Case {
    const char* type;
    unsigned size;
    bool sign;
  };
  const Case cases[] = {{"u8", 1, false},  {"s8", 1, true},   {"b8", 1, false},  {"u16", 2, false}, {"s16", 2, true},
                        {"b16", 2, false}, {"u32", 4, false}, {"s32", 4, true},  {"b32", 4, false}, {"f32", 4, false},
                        {"u64", 8, false}, {"s64", 8, false}, {"b64", 8, false}, {"f64", 8, false}};
  for (const Case& c : cases) {
    for (const unsigned register_bits : {32u, 64u}) {
      if (c.size * 8 > register_bits) continue;
      for (const unsigned lanes : {32u, 64u}) {
        Machine machine(lanes);
        const isa::LaneMask mask = lanes == 64 ? 0xfffffffffffffff7u : 0xfffffff7u;
        for (unsigned lane = 0; lane < lanes; ++lane) {
          machine.set(0, lane, 16 * (lanes - 1 - lane), true);
          machine.put(16 * (lanes - 1 - lane) + 8, 8, 0x8081828384858687u + lane);
        }
        machine.run(std::string("ld.global.") + c.type, mask, register_bits, 8);
        for (unsigned lane = 0; lane < lanes; ++lane) {
          u64 expected = low_bits(0x8081828384858687u + lane, 8 * c.size);
          if (c.sign) expected |= ~low_bits(~u64{0}, 8 * c.size);
          if (lane == 3) expected = 0x5a5a5a5a5a5a5a5au;
          ASSERT_EQ(machine.get(2, lane, register_bits == 64), low_bits(expected, register_bits)) << c.type << lane;
        }
      }
    }
  }
}

TEST(Memory, VectorsTakeConsecutiveRegisters) {
  Machine machine(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    machine.set(0, lane, 16 * lane, true);
    for (unsigned i = 0; i < 4; ++i) machine.set(4 + i, lane, 1000 * i + lane, false);
  }
  machine.run("st.global.v4.b32", 0xffffffffu, 32, 0, isa::kNoOperand, {0, 4, 0});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(machine.at(16 * lane + 4 * i, 4), 1000 * i + lane);
  machine.run("ld.global.v2.b64", 0xffffffffu, 64, 0, 8);
  for (unsigned lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(machine.get(8, lane, true), (u64{1000} + lane) << 32 | lane);
    ASSERT_EQ(machine.get(10, lane, true), (u64{3000} + lane) << 32 | (2000 + lane));
  }
  // Bytes in registers of 32 bits.
  machine.run("ld.global.v4.s8", 0xffffffffu, 32, 4, 8);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned value = 1000 + lane;
    ASSERT_EQ(machine.get(8, lane, false), static_cast<u32>(static_cast<s8>(value)));
    ASSERT_EQ(machine.get(9, lane, false), static_cast<u32>(static_cast<s8>(value >> 8)));
    ASSERT_EQ(machine.get(10, lane, false), 0u);
  }
}

TEST(Memory, StoresTheLowBitsOfTheRegister) {
  for (const unsigned register_bits : {32u, 64u}) {
    for (const unsigned size : {1u, 2u, 4u, 8u}) {
      if (size * 8 > register_bits) continue;
      Machine machine(32);
      for (unsigned lane = 0; lane < 32; ++lane) {
        machine.set(0, lane, 16 * lane, true);
        machine.set(2, lane, 0x1122334455667788u + lane, register_bits == 64);
      }
      machine.run("st.global.b" + std::to_string(8 * size), 0x00ff00ffu, register_bits, 0, isa::kNoOperand);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const bool stored = (0x00ff00ffu >> lane & 1) != 0;
        ASSERT_EQ(machine.at(16 * lane, 8), stored ? low_bits(0x1122334455667788u + lane, 8 * size) : 0);
      }
    }
  }
}

TEST(Memory, StoresConstants) {
  Machine machine(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    machine.set(0, lane, 8 * lane, true);
    machine.set(16, lane, 77, false);  // constant row 0
  }
  machine.run("st.global.u32", 0xffffffffu, 32, 0, isa::kNoOperand, {0, isa::kConstantOperand, 0});
  EXPECT_EQ(machine.at(8 * 31, 4), 77u);
}

TEST(Memory, ShortAddressesWrapAt32Bits) {
  Machine machine(32);
  machine.address_bits = 32;
  for (unsigned lane = 0; lane < 32; ++lane) machine.set(0, lane, 0xfffffff0u + 4 * lane, false);
  machine.put(0, 4, 4711);
  machine.run("ld.shared.u32", 1u << 0, 32, 16);
  EXPECT_EQ(machine.get(2, 0, false), 4711u);
}

TEST(Memory, RecordsWithoutAddressRegisterNameAnAbsoluteAddress) {
  Machine machine(64);
  machine.put(200, 4, 31);
  machine.run("ld.global.u32", ~isa::LaneMask{0}, 32, 200, 2, {isa::kNoOperand, 0, 0});
  EXPECT_EQ(machine.get(2, 0, false), 31u);
  EXPECT_EQ(machine.get(2, 63, false), 31u);
}

TEST(Memory, NegativeOffsetsGoDown) {
  Machine machine(32);
  for (unsigned lane = 0; lane < 32; ++lane) machine.set(0, lane, 64 + 8 * lane, true);
  machine.put(64 + 8 * 5 - 24, 4, 99);
  machine.run("ld.global.u32", 1u << 5, 32, -24);
  EXPECT_EQ(machine.get(2, 5, false), 99u);
}

/// All 32 lanes work on one word, in lane order.
struct AtomicCase {
  const char* spelling;
  unsigned bits;
  std::function<u64(u64 old, u64 operand, unsigned lane)> next;
};

TEST(Atomics, WorkInLaneOrderAndGiveOldValues) {
  const auto s32_of = [](u64 value) { return static_cast<s32>(static_cast<u32>(value)); };
  const auto s64_of = [](u64 value) { return static_cast<s64>(value); };
  const AtomicCase cases[] = {
      {"add.u32", 32, [](u64 old, u64 v, unsigned) { return old + v; }},
      {"add.s32", 32, [](u64 old, u64 v, unsigned) { return old + v; }},
      {"add.u64", 64, [](u64 old, u64 v, unsigned) { return old + v; }},
      {"and.b32", 32, [](u64 old, u64 v, unsigned) { return old & v; }},
      {"or.b64", 64, [](u64 old, u64 v, unsigned) { return old | v; }},
      {"xor.b32", 32, [](u64 old, u64 v, unsigned) { return old ^ v; }},
      {"exch.b64", 64, [](u64, u64 v, unsigned) { return v; }},
      {"min.u32", 32, [](u64 old, u64 v, unsigned) { return std::min(old, v); }},
      {"max.u64", 64, [](u64 old, u64 v, unsigned) { return std::max(old, v); }},
      {"min.s32", 32, [&](u64 old, u64 v, unsigned) { return s32_of(v) < s32_of(old) ? v : old; }},
      {"max.s32", 32, [&](u64 old, u64 v, unsigned) { return s32_of(v) > s32_of(old) ? v : old; }},
      {"min.s64", 64, [&](u64 old, u64 v, unsigned) { return s64_of(v) < s64_of(old) ? v : old; }},
      {"max.s64", 64, [&](u64 old, u64 v, unsigned) { return s64_of(v) > s64_of(old) ? v : old; }},
      {"inc.u32", 32, [](u64 old, u64 v, unsigned) { return old >= v ? 0 : old + 1; }},
      {"dec.u32", 32, [](u64 old, u64 v, unsigned) { return old == 0 || old > v ? v : old - 1; }},
  };
  std::mt19937_64 random(5);
  for (const AtomicCase& c : cases) {
    for (int round = 0; round < 20; ++round) {
      Machine machine(32);
      const bool wide = c.bits == 64;
      const u64 start = low_bits(round % 2 == 0 ? random() : random() % 5, c.bits);
      machine.put(40, c.bits / 8, start);
      std::vector<u64> operands(32);
      for (unsigned lane = 0; lane < 32; ++lane) {
        operands[lane] = low_bits(round % 2 == 0 ? random() : random() % 5, c.bits);
        machine.set(0, lane, 40, true);
        machine.set(2, lane, operands[lane], wide);
      }
      const auto mask = static_cast<u32>(random());
      machine.run(std::string("atom.global.") + c.spelling, mask, c.bits, 0, 6);
      u64 value = start;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        ASSERT_EQ(machine.get(6, lane, wide), value) << c.spelling << " lane " << lane;
        value = low_bits(c.next(value, operands[lane], lane), c.bits);
      }
      ASSERT_EQ(machine.at(40, 8), value) << c.spelling;
    }
  }
}

TEST(Atomics, CompareAndSwapOnce) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    Machine machine(32);
    machine.put(8, 8, 0);
    machine.put(8, bits / 8, 7);
    for (unsigned lane = 0; lane < 32; ++lane) {
      machine.set(0, lane, 8, true);
      machine.set(2, lane, lane == 9 ? 7 : 1000, bits == 64);
      machine.set(4, lane, 500 + lane, bits == 64);
    }
    machine.run("atom.shared.cas.b" + std::to_string(bits), 0xffffffffu, bits == 64 ? 64 : 32, 0, 6);
    EXPECT_EQ(machine.at(8, 8), 509u);
    EXPECT_EQ(machine.get(6, 9, bits == 64), 7u);
    EXPECT_EQ(machine.get(6, 8, bits == 64), 7u);
    EXPECT_EQ(machine.get(6, 10, bits == 64), 509u);
  }
}

TEST(Atomics, ReductionsWriteNoRegister) {
  Machine machine(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    machine.set(0, lane, 0, true);
    machine.set(2, lane, 1, false);
  }
  machine.run("red.global.add.u32", 0xffffffffu, 32, 0, 6);
  EXPECT_EQ(machine.at(0, 4), 32u);
  EXPECT_EQ(machine.get(6, 0, false), 0x5a5a5a5au);
}

u64 bits_of(double value) {
  u64 bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}
u32 bits_of(float value) {
  u32 bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

TEST(Atomics, AddFloatingPointValues) {
  const auto add = [](const std::string& type, unsigned bits, u64 a, u64 b) {
    Machine machine(32);
    machine.put(0, bits / 8, a);
    machine.set(0, 0, 0, true);
    machine.set(2, 0, b, bits == 64);
    machine.run("atom.global.add." + type, 1, bits == 64 ? 64 : 32, 0, 6);
    EXPECT_EQ(low_bits(machine.get(6, 0, bits == 64), bits), a);
    return machine.at(0, bits / 8);
  };
  EXPECT_EQ(add("f32", 32, bits_of(1.5f), bits_of(2.25f)), bits_of(3.75f));
  EXPECT_EQ(add("f32", 32, bits_of(16777216.0f), bits_of(1.0f)), bits_of(16777216.0f));  // tie to even
  EXPECT_EQ(add("f32", 32, 1, 1), 2u);                                                   // denormals
  EXPECT_EQ(add("f32", 32, 0x7f800000u, 0xff800000u), 0x7fffffffu);                      // inf - inf
  EXPECT_EQ(add("f32", 32, 0x7f800001u, bits_of(1.0f)), 0x7fffffffu);
  EXPECT_EQ(add("f64", 64, bits_of(0.1), bits_of(0.2)), 0x3fd3333333333334u);
  EXPECT_EQ(add("f64", 64, 0x7ff0000000000000u, 0xfff0000000000000u), 0xfff8000000000000u);
  EXPECT_EQ(add("f64", 64, 0x7ff0000000000001u, bits_of(1.0)), 0x7ff8000000000001u);
  EXPECT_EQ(add("noftz.f16", 16, 0x3c00, 0x3c00), 0x4000u);                  // 1 + 1
  EXPECT_EQ(add("noftz.f16", 16, 0x7bff, 0x7bff), 0x7c00u);                  // overflow
  EXPECT_EQ(add("noftz.f16", 16, 0x0001, 0x0001), 0x0002u);                  // denormals
  EXPECT_EQ(add("noftz.f16", 16, 0x6800, 0x3c00), 0x6800u);                  // 2048 + 1: tie to even
  EXPECT_EQ(add("noftz.f16x2", 32, 0x3c004000u, 0x40003c00u), 0x42004200u);  // both halves 3
  EXPECT_EQ(add("noftz.bf16", 16, 0x3f80, 0x3f80), 0x4000u);
  EXPECT_EQ(add("noftz.bf16x2", 32, 0x3f803f80u, 0x3f80bf80u), 0x40000000u);
}

TEST(HalfFloat, RoundTripsEveryValue) {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<u16>(bits);
    const bool nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
    ASSERT_EQ(isa::half_bits(isa::half_value(half)), nan ? 0x7fff : half);
    const bool bfloat_nan = (half & 0x7f80) == 0x7f80 && (half & 0x7f) != 0;
    ASSERT_EQ(isa::bfloat_bits(isa::bfloat_value(half)), bfloat_nan ? 0x7fff : half);
  }
}

TEST(HalfFloat, RoundsToTheNearestOfTwoNeighbours) {
  // Between neighbours h and h + 1, anything nearer to one of them goes there; the middle goes to the even one.
  for (u32 bits = 0; bits < 0x7bff; ++bits) {
    const float low = isa::half_value(static_cast<u16>(bits));
    const float high = isa::half_value(static_cast<u16>(bits + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(isa::half_bits(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(isa::half_bits(std::nextafterf(middle, low)), bits);
    ASSERT_EQ(isa::half_bits(std::nextafterf(middle, high)), bits + 1);
    ASSERT_EQ(isa::half_bits(-middle), (bits % 2 == 0 ? bits : bits + 1) | 0x8000u);
  }
  EXPECT_EQ(isa::half_bits(65519.996f), 0x7bff);
  EXPECT_EQ(isa::half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(isa::half_bits(1e-30f), 0);
}

}  // namespace
}  // namespace castor::test::isa_memory_test
