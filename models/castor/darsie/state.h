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
  kErrorWb = 0x04,      ///< write-back of a row that has been written back already
  kErrorMark = 0x08,    ///< mark 3, or a marked instruction without one or two destinations
  kErrorWarp = 0x10,    ///< decode, issue or exit of a warp that does not exist
  kErrorState = 0x20,   ///< decode or exit of a warp that waits or copies
  kErrorBar = 0x40,     ///< barrier of a TB while an instance or copy is pending
  kErrorAck = 0x80,     ///< cp_ack without cp_valid
};

/// Values of output `d_act`: the verdict on a decoded instruction.
enum Act : U8 { kActPass, kActLead, kActPriv, kActSquash };

/// Rows of one instance of an instruction: one row per destination.
struct Tags {
  std::array<U8, 2> row{};  ///< row of each destination; the second is 0 without a second destination
  bool two = false;         ///< the instance has a second destination

  [[nodiscard]] U32 mask() const { return U32{1} << row[0] | (two ? U32{1} << row[1] : 0U); }
  [[nodiscard]] friend bool operator==(const Tags& a, const Tags& b) { return a.row == b.row && a.two == b.two; }
};

/// Versions of registers that concern a warp, as masks over the rows of its TB.
struct WarpVersions {
  U32 pend = 0;  ///< pending: instances that the warp has not passed
  U32 ref = 0;   ///< versions that are the warp's current registers
  U32 ling = 0;  ///< lingering: versions that the warp has dropped, but operand reads may be outstanding

  [[nodiscard]] friend bool operator==(const WarpVersions& a, const WarpVersions& b) {
    return a.pend == b.pend && a.ref == b.ref && a.ling == b.ling;
  }
};

/// State of one TB slot: settings of the launch, skip table (bit per entry), rows (bit per row).
struct TbState {
  U16 base = 0;  ///< physical register of the TB's first row
  U8 rows = 0;   ///< number of rows that the TB may use
  U8 slots = 0;  ///< registers 0 .. slots - 1 of the program can be renamed to rows
  U8 ctr = 0;    ///< sequence number of the next election; every election but a repeated one increments it
  U8 ptr = 0;    ///< skip table entry that is written next

  U16 pv = 0;                            ///< entry is valid; the other fields of an invalid entry are undefined
  U16 pld = 0;                           ///< entry of a load: a store of the TB clears `pv`
  U16 pgl = 0;                           ///< entry of a global load: global communication also clears `pv`
  std::array<U64, kMaxEntries> pc{};     ///< PC of the instruction
  std::array<Tags, kMaxEntries> tags{};  ///< rows of the instruction's result

  U32 wb = 0;                       ///< row has been written back; cleared by an election
  U32 ld = 0;                       ///< row holds the result of a load
  U32 gl = 0;                       ///< row holds the result of a global load
  U32 inv = 0;                      ///< row is stale for warps that have not passed; set by a store or global
                                    ///< communication
  U32 nosk = 0;                     ///< the remaining warps execute the row's instance privately
  std::array<U8, kMaxRows> slot{};  ///< register number for which the row was last elected
  std::array<U8, kMaxRows> seq{};   ///< sequence number of the row's last election
};

/// All registers of the block. Plain data: copied, compared and printed as a whole. Masks have a bit per warp slot or
/// TB slot.
struct State {
  WarpMask live = 0;  ///< warp exists: from launch to exit
  WarpMask maj = 0;   ///< warp is in the majority: from launch or barrier until it leaves the majority
  WarpMask miss = 0;  ///< warp has probed without a hit and is fetched freely; cleared when it is not eligible or the
                      ///< TB gets a new entry
  WarpMask lat = 0;   ///< warp waits for a version; cleared when it skips or the version becomes stale. Registers
                      ///< "lat:" are defined only while set
  WarpMask two = 0;   ///< lat: the version has two rows
  WarpMask lr0 = 0;   ///< lat: the first row is written back
  WarpMask lr1 = 0;   ///< lat: the second row is written back
  WarpMask lld = 0;   ///< lat: the version is the result of a load; a store of the TB ends the wait
  WarpMask lgl = 0;   ///< lat: the version is the result of a global load; global communication also ends the wait
  WarpMask stop = 0;  ///< warp has stopped at a branch or synchronisation point until all of the majority have stopped
  WarpMask tk = 0;    ///< stop: outcome of the latest branch, 1 taken
  WarpMask cpy = 0;   ///< warp has left the majority, and its renamed registers are being copied back
  std::array<U8, kMaxWarps> tb{};                  ///< TB slot, as launched
  std::array<U8, kMaxWarps> lt0{};                 ///< lat: first row of the version
  std::array<U8, kMaxWarps> lt1{};                 ///< lat: second row of the version, 0 without a second row
  std::array<WarpVersions, kMaxWarps> versions{};  ///< rows that each warp has to pass, uses, or may still read

  TbMask tl = 0;      ///< TB slot is in use: from launch to retirement
  TbMask en = 0;      ///< the block acts on the TB; set at launch
  TbMask prom = 0;    ///< mark 1 counts as redundant in the TB; set at launch
  TbMask sync = 0;    ///< synchronisation point is open: no row was free, and every warp that reaches an election stops
                      ///< until all have
  TbMask synced = 0;  ///< a synchronisation point was passed; cleared by an election or at the end of the region
  TbMask noel = 0;    ///< no elections until the region ends: a synchronisation point freed no row
  std::array<TbState, kMaxTbs> tbs{};  ///< launch settings, skip table and rows of each TB slot

  U8 rrf = 0;  ///< warp with which the next search for groups begins
  U8 rrt = 0;  ///< TB slot with which the next search for completions begins
  U8 cpv = 0;  ///< a copy is requested; cleared by cp_ack
  U8 cpw = 0;  ///< cpv: warp whose register is copied
  U8 cpk = 0;  ///< cpv: row of the warp's TB
  U8 err = 0;  ///< errors of the last edge, for output `err`
};

/// Compares TB states; fields of entries that are invalid in both are ignored.
[[nodiscard]] bool operator==(const TbState& a, const TbState& b);
[[nodiscard]] inline bool operator!=(const TbState& a, const TbState& b) { return !(a == b); }
[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// Prints masks of the SM, then settings, entries, rows and warps of each TB in use.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::darsie
