#pragma once

// Applies rows of the instruction table to warps of edge and random values and compares every lane with a scalar
// reference, on every build of the handlers that the host can run, with 32 and 64 lanes and with full and partial
// masks.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "castor/isa/instruction_table.h"
#include "castor/isa/warp_context.h"
#include "tests/common/random_seed.h"

namespace castor::test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// One lane of one instruction. Register values are zero-extended from their type's width.
struct Lane {
  u64 s[4] = {};     ///< register sources in order
  bool p[2] = {};    ///< predicate sources in order
  u64 d = 0;         ///< destination
  bool out[2] = {};  ///< predicate destinations in order
};

inline std::vector<const isa::InstructionTable*> all_tables() {
  std::vector<const isa::InstructionTable*> all{&isa::InstructionTable::of_variant("baseline")};
  if (isa::InstructionTable::has_avx2()) all.push_back(&isa::InstructionTable::of_variant("avx2"));
  return all;
}

inline u64 low_bits(u64 value, unsigned bits) { return bits >= 64 ? value : value & ((u64{1} << bits) - 1); }

/// Operands that an instruction reads and writes, without immediates.
struct Shape {
  std::vector<isa::Type> sources;
  isa::Type destination = isa::Type::kNone;
  unsigned predicates_in = 0;
  unsigned predicates_out = 0;
  bool writes_carry = false;
};

inline Shape shape_of(const isa::Match& match) {
  Shape shape;
  for (const isa::OperandSpec& spec : match.row().specs) {
    if (spec.shape == isa::OperandShape::kPredicate) {
      ++(spec.destination ? shape.predicates_out : shape.predicates_in);
    } else if (spec.shape != isa::OperandShape::kImmediate) {
      if (spec.destination)
        shape.destination = match.type(spec);
      else
        shape.sources.push_back(match.type(spec));
    }
    if (spec.second_predicate) ++shape.predicates_out;
  }
  const auto carry = static_cast<unsigned>(match.row().carry);
  if ((carry & 1) != 0) ++shape.predicates_in;
  if ((carry & 2) != 0) ++shape.predicates_out;
  return shape;
}

/// State of one warp around one instruction: rows 0 (destination) to 4.
struct Warp {
  alignas(64) std::byte rows[5][isa::kMaxLanes * 8];
  isa::LaneMask predicates[8];
  isa::WarpContext context;
  isa::LaneFault fault;

  void put(unsigned row, unsigned lane, bool wide, u64 value) {
    const auto narrow = static_cast<u32>(value);
    if (wide)
      std::memcpy(rows[row] + lane * 8, &value, 8);
    else
      std::memcpy(rows[row] + lane * 4, &narrow, 4);
  }
  [[nodiscard]] u64 get(unsigned row, unsigned lane, bool wide) const {
    u64 value = 0;
    std::memcpy(&value, rows[row] + lane * (wide ? 8 : 4), wide ? 8 : 4);
    return value;
  }
};

inline isa::Record record_of(const isa::Match& match, u64 immediate) {
  isa::Record record;
  record.kind = match.row().kind;
  record.handler = match.row().select(match);
  record.imm = match.row().immediate != nullptr ? match.row().immediate(match) : immediate;
  record.dst = 0;
  for (unsigned i = 0; i < 4; ++i) record.src[i] = static_cast<isa::OperandIndex>(i + 1);
  record.predicate_dst = 2 | 3 << 4;
  record.predicate_src = 0 | 1 << 4;
  return record;
}

/// Executes an instruction. Predicates 0 and 1 are sources, 2 and 3 destinations. With `in_place` the destination is
/// source row 1.
inline void execute(const isa::Match& match, Warp& warp, unsigned lanes, isa::LaneMask mask, u64 immediate,
                    bool in_place) {
  isa::Record record = record_of(match, immediate);
  isa::LaneArgs args;
  args.dst = warp.rows[in_place ? 1 : 0];
  for (unsigned i = 0; i < 4; ++i) args.src[i] = warp.rows[i + 1];
  args.predicates = warp.predicates;
  args.mask = mask;
  args.halves = lanes / 32;
  args.context = &warp.context;
  record.handler(record, args);
  warp.fault = args.fault;
}

/// Returns the boundary values of a type.
inline const std::vector<u64>& edges(isa::Type type) {
  static const std::vector<u64> narrow = {0,      1,      2,      3,      7,      0x7f,   0x80,   0xff,  0x100,
                                          0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x5555, 0xaaaa};
  static const std::vector<u64> word = {
      0,          1,          2,          3,          7,          8,          15,         16,         17,
      31,         32,         33,         63,         64,         65,         127,        128,        255,
      256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
      0xffffffff, 0x00ffffff, 0x00800000, 0x007fffff, 0x55555555, 0xaaaaaaaa};
  static const std::vector<u64> wide = {0,
                                        1,
                                        2,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x100000000,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0x8000000000000001,
                                        0xfffffffffffffffe,
                                        0xffffffffffffffff,
                                        0xffffffff80000000,
                                        0x5555555555555555};
  const unsigned bits = isa::bits(type);
  return bits <= 16 ? narrow : bits <= 32 ? word : wide;
}

/// Returns a pattern that matters for floating-point instructions, in addition to those of the integer tests.
inline u64 pattern(std::mt19937_64& random, isa::Type type) {
  static const u64 floats[] = {0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff,
                               0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x80000000, 0x4f000000, 0xcf000000,
                               0x4b800000, 0x3f000000, 0x3effffff, 0x40490fdb, 0x477ff000, 0x33000000, 0x3c003c00};
  static const u64 doubles[] = {0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                0x7ff8000000000000, 0x7ff0000000000001, 0x0000000000000001, 0x000fffffffffffff,
                                0x0010000000000000, 0x7fefffffffffffff, 0x8000000000000000, 0x43e0000000000000,
                                0x41dfffffffc00000, 0x3fe0000000000000, 0x47efffffe0000000, 0x36a0000000000000};
  const unsigned bits = isa::bits(type);
  switch (random() % 6) {
    case 0:
      return edges(type)[random() % edges(type).size()];
    case 1:
      return bits == 64 ? doubles[random() % std::size(doubles)] : floats[random() % std::size(floats)];
    case 2: {  // a float of moderate size
      if (bits == 64) return (0x3f0 + random() % 32) << 52 | low_bits(random(), 52) | (random() & 1) << 63;
      if (bits == 16) return low_bits((random() % 32) << 10 | random() % 1024 | (random() & 1) << 15, 16);
      return (112 + random() % 32) << 23 | low_bits(random(), 23) | (random() & 1) << 31;
    }
    default:
      return random();
  }
}

/// Returns every spelling that a row describes. Not all of them exist.
inline std::vector<std::string> all_spellings(const isa::Row& row) {
  std::vector<std::string> result{row.opcode};
  for (const isa::PatternItem& item : row.items) {
    std::vector<std::string> longer;
    for (const std::string& text : result) {
      if (item.optional) longer.push_back(text);
      for (const std::string& word : item.alternatives) longer.push_back(text + "." + word);
    }
    result = std::move(longer);
  }
  return result;
}

struct CheckOptions {
  u64 immediate = 0;
  unsigned rounds = 60;                                 ///< warps of random values
  std::function<void(Lane&, std::mt19937_64&)> adjust;  ///< changes the inputs of a lane, e.g. to keep them in range
};

/// Compares `spelling` with `reference`, which fills d and out of a lane from its sources.
inline void check(const std::string& spelling, const std::function<void(Lane&)>& reference,
                  const CheckOptions& options = {}) {
  const u64 seed = random_seed_or(std::hash<std::string>{}(spelling));
  for (const isa::InstructionTable* table : all_tables()) {
    isa::LookupError error;
    const isa::Match match = spelling[0] == '$' ? table->internal(spelling) : table->find(spelling, error);
    ASSERT_TRUE(match.valid()) << spelling << ": " << error.message;
    ASSERT_EQ(match.row().kind, isa::Kind::kLane) << spelling;
    const Shape shape = shape_of(match);
    const auto wide = [](isa::Type type) { return isa::bits(type) > 32; };
    std::mt19937_64 random(seed);
    const std::size_t first_edges = shape.sources.empty() ? 1 : edges(shape.sources[0]).size();
    const std::size_t second_edges = shape.sources.size() < 2 ? 1 : edges(shape.sources[1]).size();
    const std::size_t edge_warps = (first_edges * second_edges + 31) / 32;
    for (std::size_t round = 0; round < edge_warps + options.rounds; ++round) {
      const unsigned lanes = round % 3 == 2 ? 64 : 32;
      isa::LaneMask mask = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffffu;
      if (round % 4 == 3) mask &= random();
      // A narrow source and a wide destination may not be the same row: registers of pairs are aligned.
      const bool in_place = round % 5 == 4 && !shape.sources.empty() && shape.destination != isa::Type::kNone &&
                            wide(shape.sources[0]) == wide(shape.destination);
      Warp warp;
      std::memset(warp.rows, 0x5a, sizeof warp.rows);
      for (isa::LaneMask& predicate : warp.predicates) predicate = random();
      std::vector<Lane> expected(lanes);
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Lane& now = expected[lane];
        for (std::size_t s = 0; s < shape.sources.size(); ++s) {
          const auto& values = edges(shape.sources[s]);
          const std::size_t index = round * 32 + lane % 32;
          u64 value = random();
          if (round < edge_warps && s == 0) value = values[index % first_edges];
          if (round < edge_warps && s == 1) value = values[index / first_edges % second_edges];
          if (round < edge_warps && s > 1) value = values[random() % values.size()];
          if (round >= edge_warps && random() % 4 == 0) value = values[random() % values.size()];
          now.s[s] = low_bits(value, isa::bits(shape.sources[s]));
        }
        now.p[0] = (warp.predicates[0] >> lane & 1) != 0;
        now.p[1] = (warp.predicates[1] >> lane & 1) != 0;
        if (options.adjust) options.adjust(now, random);
        for (std::size_t s = 0; s < shape.sources.size(); ++s) {
          // The upper half of a 16-bit register may hold anything.
          const u64 junk = isa::bits(shape.sources[s]) < 32 ? random() << isa::bits(shape.sources[s]) : 0;
          warp.put(static_cast<unsigned>(s) + 1, lane, wide(shape.sources[s]), now.s[s] | junk);
        }
      }
      const Warp before = warp;
      execute(match, warp, lanes, mask, options.immediate, in_place);
      ASSERT_EQ(warp.fault, isa::LaneFault::kNone) << spelling;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Lane& now = expected[lane];
        const bool executes = (mask >> lane & 1) != 0;
        reference(now);
        const auto where = [&] {
          std::string text = spelling + " (" + std::string(table->variant()) + ", seed " + std::to_string(seed) +
                             ", lane " + std::to_string(lane) + " of " + std::to_string(lanes) + ")";
          char number[40];
          for (std::size_t s = 0; s < shape.sources.size(); ++s) {
            std::snprintf(number, sizeof number, " 0x%llx", static_cast<unsigned long long>(now.s[s]));
            text += number;
          }
          return text;
        };
        if (shape.destination != isa::Type::kNone) {
          const unsigned row = in_place ? 1 : 0;
          const bool is_wide = wide(shape.destination);
          const unsigned bits = isa::bits(shape.destination);
          const u64 got = warp.get(row, lane, is_wide);
          if (executes) {
            ASSERT_EQ(low_bits(got, bits), low_bits(now.d, bits)) << where();
          } else {
            ASSERT_EQ(got, before.get(row, lane, is_wide)) << where() << " does not execute";
          }
        }
        for (unsigned p = 0; p < 2; ++p) {
          const bool got = (warp.predicates[2 + p] >> lane & 1) != 0;
          if (executes) {
            if (p < shape.predicates_out) {
              ASSERT_EQ(got, now.out[p]) << where() << " predicate " << p;
            }
          } else {
            ASSERT_EQ(got, (before.predicates[2 + p] >> lane & 1) != 0) << where() << " does not execute";
          }
        }
      }
    }
  }
}

}  // namespace castor::test
