// Tests what every floating-point row must preserve: lanes that do not execute, and operands that share a row with the
// destination.

#include "unit/isa_float_harness.h"

namespace castor::test::isa_float_lanes_test {
namespace {

struct Prepared {
  isa::Record record;
  std::vector<unsigned> widths;
  unsigned destination = 0;  ///< width, 0 for predicates
};

Prepared prepare(const isa::InstructionTable& table, const std::string& spelling) {
  isa::LookupError error;
  const isa::Match match = table.find(spelling, error);
  Prepared p;
  if (!match.valid()) {
    ADD_FAILURE() << spelling << ": " << error.message;
    return p;
  }
  p.record.handler = match.row().select(match);
  if (match.row().immediate != nullptr) p.record.imm = match.row().immediate(match);
  p.record.predicate_dst = 1 | 2 << 4;
  p.record.predicate_src = 3;
  for (const isa::OperandSpec& spec : match.row().specs) {
    if (match.type(spec) == isa::Type::kPred || spec.optional) continue;
    if (spec.destination) {
      p.destination = element_bytes(match, spec);
    } else {
      p.record.src[p.widths.size()] = static_cast<isa::OperandIndex>(p.widths.size());
      p.widths.push_back(element_bytes(match, spec));
    }
  }
  return p;
}

const char* const kSpellings[] = {"add.f32",
                                  "add.rz.f32",
                                  "fma.rn.f32",
                                  "fma.rm.ftz.sat.f32",
                                  "div.rn.f32",
                                  "div.approx.f32",
                                  "sqrt.rp.f32",
                                  "rcp.approx.ftz.f32",
                                  "min.f32",
                                  "max.NaN.f32",
                                  "neg.f32",
                                  "copysign.f32",
                                  "add.f64",
                                  "fma.rz.f64",
                                  "max.f64",
                                  "abs.f64",
                                  "setp.lt.f32",
                                  "setp.neu.xor.f64",
                                  "setp.gt.f16x2",
                                  "testp.normal.f64",
                                  "set.le.u32.f32",
                                  "set.gt.f32.f64",
                                  "set.num.and.f16x2.f16x2",
                                  "selp.f32",
                                  "selp.f64",
                                  "slct.f64.s32",
                                  "slct.f32.f32",
                                  "slct.u64.f32",
                                  "add.f16",
                                  "mul.bf16x2",
                                  "fma.rn.sat.f16x2",
                                  "min.f16x2",
                                  "neg.bf16",
                                  "ex2.approx.f32",
                                  "ex2.approx.f16x2",
                                  "lg2.approx.f32",
                                  "sin.approx.f32",
                                  "cos.approx.ftz.f32",
                                  "rsqrt.approx.f64",
                                  "rcp.approx.ftz.f64",
                                  "cvt.f64.f32",
                                  "cvt.rn.f32.f64",
                                  "cvt.rzi.s32.f32",
                                  "cvt.rzi.s64.f32",
                                  "cvt.rni.u8.f64",
                                  "cvt.rzi.s32.f64",
                                  "cvt.rn.f64.s32",
                                  "cvt.rz.f64.u64",
                                  "cvt.rn.f32.s64",
                                  "cvt.s64.s32",
                                  "cvt.u8.s64",
                                  "cvt.sat.s16.u64",
                                  "cvt.f64.f16",
                                  "cvt.rn.f16.f32",
                                  "cvt.rn.bf16x2.f32",
                                  "cvt.rni.f64.f64",
                                  "cvt.rna.tf32.f32",
                                  "cvt.sat.u64.s32",
                                  "cvt.pack.sat.s16.s32"};

class Bytes {
 public:
  explicit Bytes(std::uint64_t seed) : generator_(seed) {}
  void fill(std::byte* row, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<std::byte>(generator_() & 0xff);
  }
  std::uint64_t word() { return generator_(); }

 private:
  std::mt19937_64 generator_;
};

constexpr std::size_t kRow = 64 * 8;

/// Runs a full warp with source and destination rows that do not overlap.
void run_apart(const Prepared& p, const std::byte (*sources)[kRow], unsigned lanes, isa::LaneMask* predicates,
               std::byte* out) {
  isa::LaneArgs args;
  for (std::size_t s = 0; s < p.widths.size(); ++s) args.src[s] = sources[s];
  args.dst = out;
  args.predicates = predicates;
  args.mask = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffff;
  args.halves = lanes / 32;
  p.record.handler(p.record, args);
}

TEST(FloatLanes, OnlyExecutingLanesAreWritten) {
  for (const isa::InstructionTable* table : tables()) {
    Bytes bytes(kSeed);
    for (const char* spelling : kSpellings) {
      const Prepared p = prepare(*table, spelling);
      ASSERT_NE(p.record.handler, nullptr) << spelling;
      for (const unsigned lanes : {32u, 64u}) {
        for (int round = 0; round < 20; ++round) {
          alignas(64) std::byte sources[4][kRow];
          for (auto& row : sources) bytes.fill(row, kRow);
          const isa::LaneMask source_predicate = bytes.word();
          alignas(64) std::byte full[kRow] = {};
          isa::LaneMask full_predicates[8] = {0, 0, 0, source_predicate};
          run_apart(p, sources, lanes, full_predicates, full);

          const isa::LaneMask all = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffff;
          const isa::LaneMask mask = round == 0 ? 0 : bytes.word() & (round % 2 != 0 ? bytes.word() : all) & all;
          alignas(64) std::byte before[kRow];
          bytes.fill(before, kRow);
          alignas(64) std::byte got[kRow];
          std::memcpy(got, before, kRow);
          isa::LaneMask predicates[8];
          for (isa::LaneMask& m : predicates) m = bytes.word();
          predicates[3] = source_predicate;
          isa::LaneMask old[8];
          std::memcpy(old, predicates, sizeof old);
          isa::LaneArgs args;
          for (std::size_t s = 0; s < p.widths.size(); ++s) args.src[s] = sources[s];
          args.dst = got;
          args.predicates = predicates;
          args.mask = mask;
          args.halves = lanes / 32;
          p.record.handler(p.record, args);

          const std::size_t width = p.destination;
          for (unsigned i = 0; i < lanes && width != 0; ++i) {
            const std::byte* expected = (mask >> i & 1) != 0 ? full : before;
            ASSERT_EQ(std::memcmp(got + width * i, expected + width * i, width), 0)
                << spelling << " lane " << i << " (" << table->variant() << ")";
          }
          ASSERT_EQ(std::memcmp(got + width * lanes, before + width * lanes, kRow - width * lanes), 0) << spelling;
          for (unsigned r = 0; r < 8; ++r) {
            const bool written = width == 0 && (r == 1 || (r == 2 && std::string(spelling).rfind("setp", 0) == 0));
            const isa::LaneMask expected = written ? (old[r] & ~mask) | (full_predicates[r] & mask) : old[r];
            ASSERT_EQ(predicates[r], expected) << spelling << " predicate " << r;
          }
        }
      }
    }
  }
}

TEST(FloatLanes, TheDestinationMayBeAnySource) {
  for (const isa::InstructionTable* table : tables()) {
    Bytes bytes(kSeed);
    for (const char* spelling : kSpellings) {
      const Prepared p = prepare(*table, spelling);
      ASSERT_NE(p.record.handler, nullptr) << spelling;
      if (p.destination == 0) continue;
      for (const unsigned lanes : {32u, 64u}) {
        const std::size_t register_bytes = std::size_t{4} * lanes;
        for (std::size_t shared = 0; shared < p.widths.size(); ++shared) {
          // Operands of different widths: the narrow row is one of the two registers of the wide pair.
          const bool mixed = p.widths[shared] != p.destination;
          for (const std::size_t part : {std::size_t{0}, register_bytes}) {
            if (part != 0 && !mixed) continue;
            alignas(64) std::byte sources[4][kRow];
            for (auto& row : sources) bytes.fill(row, kRow);
            isa::LaneMask predicates[8] = {0, 0, 0, bytes.word()};
            alignas(64) std::byte expected[kRow] = {};
            run_apart(p, sources, lanes, predicates, expected);

            alignas(64) std::byte pair[kRow];
            isa::LaneArgs args;
            for (std::size_t s = 0; s < p.widths.size(); ++s) args.src[s] = sources[s];
            const std::size_t source_at = p.widths[shared] == 4 && mixed ? part : 0;
            const std::size_t destination_at = p.destination == 4 && mixed ? part : 0;
            std::memcpy(pair + source_at, sources[shared], p.widths[shared] * lanes);
            args.src[shared] = pair + source_at;
            args.dst = pair + destination_at;
            args.predicates = predicates;
            args.mask = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffff;
            args.halves = lanes / 32;
            p.record.handler(p.record, args);
            ASSERT_EQ(std::memcmp(pair + destination_at, expected, std::size_t{p.destination} * lanes), 0)
                << spelling << " source " << shared << " (" << table->variant() << ")";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace castor::test::isa_float_lanes_test
