#pragma once

// Runs rows of the instruction table over columns of values, in every build of the lane handlers that the host can run.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "castor/isa/instruction_table.h"

namespace castor::test {

using Column = std::vector<std::uint64_t>;

struct Outcome {
  Column values;         ///< destination, zero-extended from its element
  Column first, second;  ///< predicate destinations, 0 or 1
};

inline std::vector<const isa::InstructionTable*> tables() {
  std::vector<const isa::InstructionTable*> all{&isa::InstructionTable::of_variant("baseline")};
  if (isa::InstructionTable::has_avx2()) all.push_back(&isa::InstructionTable::of_variant("avx2"));
  return all;
}

inline bool exists(const std::string& spelling) {
  isa::LookupError error;
  return isa::InstructionTable::instance().find(spelling, error).valid();
}

/// Returns the element width in bytes of an operand's register.
inline unsigned element_bytes(const isa::Match& match, const isa::OperandSpec& spec) {
  return isa::bits(match.type(spec)) > 32 ? 8 : 4;
}

/// Applies the instruction to equally long columns of source values. `predicate` is the predicate source, if any.
/// `lanes` is 32 or 64; the last warp is filled with zeros.
inline Outcome run(const isa::InstructionTable& table, const std::string& spelling, const std::vector<Column>& sources,
                   const Column& predicate = {}, unsigned lanes = 32) {
  isa::LookupError error;
  const isa::Match match = table.find(spelling, error);
  if (!match.valid()) {
    ADD_FAILURE() << spelling << ": " << error.message;
    return {};
  }
  const isa::Row& row = match.row();
  isa::Record record;
  record.kind = row.kind;
  record.handler = row.select(match);
  if (row.immediate != nullptr) record.imm = row.immediate(match);
  record.predicate_dst = 1 | 2 << 4;
  record.predicate_src = 3;

  std::vector<unsigned> widths;
  unsigned destination_width = 4;
  for (const isa::OperandSpec& spec : row.specs) {
    if (match.type(spec) == isa::Type::kPred) continue;
    if (spec.destination) {
      destination_width = element_bytes(match, spec);
    } else if (widths.size() < sources.size()) {
      record.src[widths.size()] = static_cast<isa::OperandIndex>(widths.size() + 1);
      widths.push_back(element_bytes(match, spec));
    }
  }
  if (widths.size() != sources.size()) {
    ADD_FAILURE() << spelling << " takes " << widths.size() << " sources";
    return {};
  }

  Outcome outcome;
  const std::size_t count = sources[0].size();
  alignas(64) std::byte rows[5][64 * 8];
  for (std::size_t base = 0; base < count; base += lanes) {
    isa::LaneArgs args;
    std::memset(rows, 0, sizeof rows);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      for (unsigned i = 0; i < lanes && base + i < count; ++i)
        std::memcpy(rows[s] + std::size_t{widths[s]} * i, &sources[s][base + i], widths[s]);
      args.src[s] = rows[s];
    }
    isa::LaneMask predicates[8] = {};
    for (unsigned i = 0; i < lanes && base + i < predicate.size(); ++i)
      predicates[3] |= isa::LaneMask{predicate[base + i] & 1} << i;
    args.dst = rows[4];
    args.predicates = predicates;
    args.mask = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffffu;
    args.halves = lanes / 32;
    record.handler(record, args);
    for (unsigned i = 0; i < lanes && base + i < count; ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, rows[4] + std::size_t{destination_width} * i, destination_width);
      outcome.values.push_back(value);
      outcome.first.push_back(predicates[1] >> i & 1);
      outcome.second.push_back(predicates[2] >> i & 1);
    }
  }
  return outcome;
}

/// Seed of all random values; a failure prints the operands, so it can be replayed without it.
constexpr std::uint64_t kSeed = 20240611;

/// Returns all pairs (or triples) of edge values, followed by random ones: one column per operand.
inline std::vector<Column> combinations(const Column& edges, unsigned operands, std::size_t random,
                                        Column (*more)(std::mt19937_64&, std::size_t)) {
  std::vector<Column> columns(operands);
  std::size_t total = 1;
  for (unsigned k = 0; k < operands; ++k) total *= edges.size();
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i;
    for (Column& column : columns) {
      column.push_back(edges[rest % edges.size()]);
      rest /= edges.size();
    }
  }
  std::mt19937_64 generator(kSeed);
  for (Column& column : columns) {
    const Column values = more(generator, random);
    column.insert(column.end(), values.begin(), values.end());
  }
  return columns;
}

}  // namespace castor::test
