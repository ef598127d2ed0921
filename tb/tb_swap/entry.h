#pragma once

#include "castor/tb_swap/ports.h"

/// Fields of the entry of a parked thread block (docs/blocks/tb_swap.md, "Entries").
namespace castor::tb_swap::tb {

/// Places of a part of a parked thread block: field reg_loc, smem_loc, or simt_loc, whose 0 and 1 are a place and
/// memory.
inline constexpr unsigned kInHome = 0, kInPlace = 1, kInMemory = 2, kNoShared = 3;
inline constexpr unsigned kSimtInPlace = 0, kSimtInMemory = 1;

/// Bits of a field: the lowest one and their number.
struct EntryField {
  unsigned low, bits;
};
inline constexpr EntryField kGid{136, 24}, kSm{128, 8}, kRegLoc{126, 2}, kSmemLoc{124, 2}, kSimtLoc{123, 1},
    kRegLine{87, 33}, kSite{80, 7}, kSmemLine{47, 33}, kSimtLine{7, 33};

/// Lines of a place: on-chip address 4096 * place + line.
inline constexpr unsigned kPlaceBits = 12;
inline constexpr unsigned kPlaceLines = 1U << kPlaceBits;

/// Returns the value of a field.
[[nodiscard]] inline U64 get(const Entry& entry, EntryField field) {
  U64 value = 0;
  for (unsigned bit = 0; bit < field.bits; ++bit) value |= (entry.test(field.low + bit) ? U64{1} : U64{0}) << bit;
  return value;
}

/// Writes a field; bits of `value` above its width are dropped.
inline void put(Entry& entry, EntryField field, U64 value) {
  for (unsigned bit = 0; bit < field.bits; ++bit) entry.assign(field.low + bit, (value >> bit & 1U) != 0);
}

/// Returns the place that holds the SIMT lines of a thread block that is parked on chip.
[[nodiscard]] inline U64 place_of(const Entry& entry) { return get(entry, kSimtLine) >> kPlaceBits; }

}  // namespace castor::tb_swap::tb
