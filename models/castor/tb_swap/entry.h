#pragma once

#include "castor/tb_swap/ports.h"

/// Entries of parked TBs: where the parts of a context are (docs/blocks/tb_swap.md, "Entries").
namespace castor::tb_swap {

inline constexpr unsigned kAddressBits = 33;
inline constexpr U64 kAddressMask = twin::mask(kAddressBits);
inline constexpr unsigned kPlaceBits = 12;  ///< line l of place p has the address p << kPlaceBits | l

/// Where the registers, or the shared memory, of a parked TB are.
enum class Location : std::uint8_t {
  kHome,    ///< in the home that the entry names
  kPlace,   ///< in a place of on-chip storage
  kMemory,  ///< in an image in memory
  kNone,    ///< nowhere: the kernel has no shared memory
};

/// Contents of an entry. The bits that are not named here are 0.
struct EntryFields {
  U32 gid = 0;                           ///< bits 159..136: number of the TB
  U8 sm = 0;                             ///< bits 135..128: SM that moved the TB out
  Location registers = Location::kHome;  ///< bits 127..126
  Location shared = Location::kHome;     ///< bits 125..124
  bool simt_in_memory = false;           ///< bit 123: SIMT lines are in memory; else in a place
  U64 register_line = 0;                 ///< bits 119..87: address of the first register, or register home
  U8 site = 0;                           ///< bits 86..80: site whose mask names the registers that were saved
  U64 shared_line = 0;                   ///< bits 79..47: address of the first shared line, or shared home
  U64 simt_line = 0;                     ///< bits 39..7: address of the first SIMT line

  [[nodiscard]] Entry pack() const {
    Entry e;
    e.set_word(0, simt_line << 7U | shared_line << 47U);
    e.set_word(1, static_cast<U64>(registers) << 62U | static_cast<U64>(shared) << 60U | U64{simt_in_memory} << 59U |
                      register_line << 23U | U64{site} << 16U | shared_line >> 17U);
    e.set_word(2, U64{gid} << 8U | sm);
    return e;
  }
};

[[nodiscard]] inline Location register_location(const Entry& e) { return static_cast<Location>(e.word(1) >> 62U); }
[[nodiscard]] inline Location shared_location(const Entry& e) { return static_cast<Location>(e.word(1) >> 60U & 3U); }
[[nodiscard]] inline bool simt_in_memory(const Entry& e) { return (e.word(1) >> 59U & 1U) != 0; }
[[nodiscard]] inline U64 register_line(const Entry& e) { return e.word(1) >> 23U & kAddressMask; }
[[nodiscard]] inline U8 site_of(const Entry& e) { return static_cast<U8>(e.word(1) >> 16U & 0x7fU); }
[[nodiscard]] inline U64 shared_line(const Entry& e) { return e.word(0) >> 47U | (e.word(1) & 0xffffU) << 17U; }
[[nodiscard]] inline U64 simt_line(const Entry& e) { return e.word(0) >> 7U & kAddressMask; }

}  // namespace castor::tb_swap
