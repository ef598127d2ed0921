#pragma once

#include <array>
#include <iosfwd>

#include "castor/darsie/ports.h"

namespace castor::darsie {

inline constexpr unsigned kMaxWarps = 64;
inline constexpr unsigned kMaxTbs = 32;
inline constexpr unsigned kMaxEntries = 16;
inline constexpr unsigned kMaxRows = 32;
inline constexpr unsigned kMaxSlots = 32;
inline constexpr unsigned kMaxGroups = 4;
inline constexpr unsigned kInstructionBytes = 8;

/// Bits of `err` (docs/blocks/darsie.md, "Breaking the rules").
enum Error : U8 {
  kErrorLaunch = 0x01,  ///< illegal launch
  kErrorRetire = 0x02,  ///< retire of a TB slot that is not in use or has live warps
  kErrorWb = 0x04,      ///< write-back of a row that is written back already
  kErrorMark = 0x08,    ///< mark 3, or a mark without one or two destinations
  kErrorWarp = 0x10,    ///< decode, issue or exit of a warp that does not exist
  kErrorState = 0x20,   ///< decode or exit of a warp that waits or copies
  kErrorBar = 0x40,     ///< barrier of a TB in which something is pending
  kErrorAck = 0x80,     ///< cp_ack without cp_valid
};

/// Values of d_act.
enum Act : U8 { kActPass, kActLead, kActPriv, kActSquash };

/// Rows of one instance: one per destination.
struct Tags {
  std::array<U8, 2> row{};  ///< the second is 0 if there is none
  bool two = false;         ///< there is a second destination

  [[nodiscard]] U32 mask() const { return U32{1} << row[0] | (two ? U32{1} << row[1] : 0U); }
  [[nodiscard]] friend bool operator==(const Tags& a, const Tags& b) { return a.row == b.row && a.two == b.two; }
};

/// The versions of registers that a warp has to do with, bit = row of its TB.
struct WarpVersions {
  U32 pend = 0;  ///< instances that it has not passed
  U32 ref = 0;   ///< versions that are its registers
  U32 ling = 0;  ///< not in use any more, but operand reads may be outstanding

  [[nodiscard]] friend bool operator==(const WarpVersions& a, const WarpVersions& b) {
    return a.pend == b.pend && a.ref == b.ref && a.ling == b.ling;
  }
};

/// One TB slot: settings of the launch, skip table (bit = entry), rows (bit = row).
struct TbState {
  U16 base = 0;  ///< physical register of its first row
  U8 rows = 0;   ///< rows that it may use
  U8 slots = 0;  ///< registers 0 .. slots - 1 can live in rows
  U8 ctr = 0;    ///< sequence number of the next election
  U8 ptr = 0;    ///< entry written next

  U16 pv = 0;                            ///< valid; the other fields of an entry mean nothing without
  U16 pld = 0;                           ///< of a load: invalid after a store of the TB
  U16 pgl = 0;                           ///< of a global load: invalid after global communication too
  std::array<U64, kMaxEntries> pc{};     ///< PC of the instruction
  std::array<Tags, kMaxEntries> tags{};  ///< rows of its result

  U32 wb = 0;                       ///< written back
  U32 ld = 0;                       ///< result of a load
  U32 gl = 0;                       ///< of a global load
  U32 inv = 0;                      ///< stale for warps that have not passed
  U32 nosk = 0;                     ///< the rest executes it privately
  std::array<U8, kMaxRows> slot{};  ///< register number that the row was last elected for
  std::array<U8, kMaxRows> seq{};   ///< sequence number of that election
};

/// All registers of the block. Plain data: copied, compared and printed as a whole. Masks: bit = warp slot, TB slot.
struct State {
  WarpMask live = 0;  ///< exist: from launch to exit
  WarpMask maj = 0;   ///< in the majority: from launch or barrier until they leave it
  WarpMask miss = 0;  ///< probed without a hit, fetched freely; until not eligible, or a new entry of the TB
  WarpMask lat = 0;   ///< wait for a version until they skip or it is stale; what says "lat:" counts only then
  WarpMask two = 0;   ///< lat: the version has two rows
  WarpMask lr0 = 0;   ///< lat: the first row is written back
  WarpMask lr1 = 0;   ///< lat: the second row is
  WarpMask lld = 0;   ///< lat: it is the result of a load; a store of the TB ends the wait
  WarpMask lgl = 0;   ///< lat: of a global load; global communication ends it too
  WarpMask stop = 0;  ///< stopped at a branch or synchronisation point until all of the majority has
  WarpMask tk = 0;    ///< stop: outcome of the latest branch, 1 taken
  WarpMask cpy = 0;   ///< have left the majority, and their registers in rows are being copied to their own
  std::array<U8, kMaxWarps> tb{};                  ///< TB slot, as launched
  std::array<U8, kMaxWarps> lt0{};                 ///< lat: the first row
  std::array<U8, kMaxWarps> lt1{};                 ///< lat: the second row, 0 if there is none
  std::array<WarpVersions, kMaxWarps> versions{};  ///< rows that each warp has to pass, uses, or may still read

  TbMask tl = 0;      ///< in use: from launch to retirement
  TbMask en = 0;      ///< the block acts on the TB, as launched
  TbMask prom = 0;    ///< mark 1 is redundant, as launched
  TbMask sync = 0;    ///< synchronisation point: no row was free, whoever comes to an election stops until all have
  TbMask synced = 0;  ///< passed one; until an election or the end of the region
  TbMask noel = 0;    ///< no elections until the region ends: a synchronisation point freed no row
  std::array<TbState, kMaxTbs> tbs{};  ///< launch, skip table and rows of each TB slot

  U8 rrf = 0;  ///< warp with which the next search for groups begins
  U8 rrt = 0;  ///< TB slot with which the next search for completions begins
  U8 cpv = 0;  ///< a copy is requested, until cp_ack
  U8 cpw = 0;  ///< cpv: for this warp
  U8 cpk = 0;  ///< cpv: of this row of its TB
  U8 err = 0;  ///< errors of the last edge
};

/// Entries that are not valid are not compared beyond that.
[[nodiscard]] bool operator==(const TbState& a, const TbState& b);
[[nodiscard]] inline bool operator!=(const TbState& a, const TbState& b) { return !(a == b); }
[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// Some lines: masks of the SM, then per TB in use its settings, entries, rows and warps.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::darsie
