// Internal rows, which the compiler uses and PTX text cannot spell: copies, special registers, parts of registers,
// predicates as values. Every name starts with '$'.

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

template <class T>
void move(const Record&, LaneArgs& args) {
  map<T, T>(args, [](T a) { return a; });
}

void constant_predicate(const Record& record, LaneArgs& args) {
  write_predicate(record, args.predicates, 0, (record.imm & 1) != 0 ? ~LaneMask{0} : 0, args.mask);
}

template <class T>
void special(const Record& record, LaneArgs& args) {
  const auto reg = static_cast<SpecialRegister>(record.imm);
  alignas(64) T out[kMaxLanes];
  for (unsigned lane = 0; lane < 32 * args.halves; ++lane) out[lane] = static_cast<T>(read(*args.context, reg, lane));
  for (unsigned h = 0; h < args.halves; ++h)
    blend_half(half_mask(args.mask, h), destination<T>(args, h), out + std::size_t{32} * h);
}

/// Extracts the bits from `imm` on, as many as the destination register holds.
template <class D, class S>
void extract(const Record& record, LaneArgs& args) {
  const unsigned shift = static_cast<unsigned>(record.imm) & (8 * sizeof(S) - 1);
  map<D, S>(args, [shift](S a) { return static_cast<D>(a >> shift); });
}

template <unsigned Bits>
void pack2(const Record&, LaneArgs& args) {
  constexpr std::uint32_t kMask = (1u << Bits) - 1;
  map<std::uint32_t, std::uint32_t, std::uint32_t>(
      args, [](std::uint32_t a, std::uint32_t b) { return (a & kMask) | (b & kMask) << Bits; });
}

void pack_wide(const Record&, LaneArgs& args) {
  map<std::uint64_t, std::uint32_t, std::uint32_t>(
      args, [](std::uint32_t a, std::uint32_t b) { return a | std::uint64_t{b} << 32; });
}

void pack4_wide(const Record&, LaneArgs& args) {
  map<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      args, [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return ((a & 0xffffu) | b << 16) | std::uint64_t{(c & 0xffffu) | d << 16} << 32;
      });
}

void pack4_bytes(const Record&, LaneArgs& args) {
  map<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      args, [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return (a & 0xffu) | (b & 0xffu) << 8 | (c & 0xffu) << 16 | d << 24;
      });
}

void spill_predicate(const Record& record, LaneArgs& args) {
  const LaneMask value = predicate_source(record, args.predicates, 0);
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t p = half_mask(value, h);
    std::uint32_t out[32];
    for (unsigned i = 0; i < 32; ++i) out[i] = (p & kLaneBits32.bit[i]) != 0 ? 1 : 0;
    blend_half(half_mask(args.mask, h), destination<std::uint32_t>(args, h), out);
  }
}

void fill_predicate(const Record& record, LaneArgs& args) {
  const LaneMask value = test<std::uint32_t>(args, [](std::uint32_t a) { return a != 0; });
  write_predicate(record, args.predicates, 0, value, args.mask);
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(internal) {
  using castor::isa::Kind;
  using castor::isa::LaneFn;
  using castor::isa::Match;
  using castor::isa::TimingClass;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  const auto row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning,
                       TimingClass timing = TimingClass::kInt) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  row("$move.b32", "=d:b32, a:b32", always<move<u32>>, "copy of a register of up to 32 bits");
  row("$move.b64", "=d:b64, a:b64", always<move<u64>>, "copy of a register pair");
  row("$move.pred", "=p:pred, a:pred", always<move_predicate>, "copy of a predicate", TimingClass::kPredicate);
  row("$constpred", "=p:pred, v:imm", always<constant_predicate>, "predicate set to bit 0 of the constant",
      TimingClass::kPredicate);
  const auto special_row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&),
                               const char* meaning) {
    castor::isa::Row row{syntax, operands, TimingClass::kInt, Kind::kLane, select, nullptr, meaning};
    row.result = castor::isa::ResultOf::kSpecialRegister;
    table.add(std::move(row));
  };
  special_row("$special.u32", "=d:u32, r:imm", always<special<u32>>, "special register, low 32 bits");
  special_row("$special.u64", "=d:u64, r:imm", always<special<u64>>, "special register");
  row("$extract.b8", "=d:b8, a:b32, bit:imm", always<extract<u32, u32>>, "8 bits of a 32-bit register");
  row("$extract.b8h", "=d:b8, a:b16, bit:imm", always<extract<u32, u32>>, "8 bits of a 16-bit register");
  row("$extract.b8w", "=d:b8, a:b64, bit:imm", always<extract<u32, u64>>, "8 bits of a register pair");
  row("$extract.b16", "=d:b16, a:b32, bit:imm", always<extract<u32, u32>>, "16 bits of a 32-bit register");
  row("$extract.b16w", "=d:b16, a:b64, bit:imm", always<extract<u32, u64>>, "16 bits of a register pair");
  row("$extract.b32", "=d:b32, a:b64, bit:imm", always<extract<u32, u64>>, "32 bits of a register pair");
  row("$pack.b16", "=d:b16, a:b8, b:b8", always<pack2<8>>, "two bytes to 16 bits, first operand lowest");
  row("$pack.b32", "=d:b32, a:b16, b:b16", always<pack2<16>>, "two 16-bit values to 32 bits, first operand lowest");
  row("$pack.b64", "=d:b64, a:b32, b:b32", always<pack_wide>, "two registers to a pair, first operand lowest");
  row("$pack4.b32", "=d:b32, a:b8, b:b8, c:b8, d:b8", always<pack4_bytes>, "four bytes to 32 bits, first lowest");
  row("$pack4.b64", "=d:b64, a:b16, b:b16, c:b16, d:b16", always<pack4_wide>, "four 16-bit values to a pair");
  row("$spill.pred", "=d:b32, a:pred", always<spill_predicate>, "predicate as 0 or 1", TimingClass::kPredicate);
  row("$fill.pred", "=p:pred, a:b32", always<fill_predicate>, "predicate from a value: not zero",
      TimingClass::kPredicate);
}
