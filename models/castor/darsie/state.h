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
  bool two = false;

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
  U16 base = 0;
  U8 rows = 0;
  U8 slots = 0;
  U8 ctr = 0;  ///< sequence number of the next election
  U8 ptr = 0;  ///< entry written next

  U16 pv = 0;  ///< valid; the other fields of an entry mean nothing without
  U16 pld = 0;
  U16 pgl = 0;
  std::array<U64, kMaxEntries> pc{};
  std::array<Tags, kMaxEntries> tags{};

  U32 wb = 0;    ///< written back
  U32 ld = 0;    ///< result of a load
  U32 gl = 0;    ///< of a global load
  U32 inv = 0;   ///< stale for warps that have not passed
  U32 nosk = 0;  ///< the rest executes it privately
  std::array<U8, kMaxRows> slot{};
  std::array<U8, kMaxRows> seq{};
};

/// All registers of the block. Plain data: copied, compared and printed as a whole. Masks: bit = warp slot, TB slot.
struct State {
  WarpMask live = 0;
  WarpMask maj = 0;
  WarpMask miss = 0;
  WarpMask lat = 0;  ///< waits; the six below mean something only then
  WarpMask two = 0;
  WarpMask lr0 = 0;
  WarpMask lr1 = 0;
  WarpMask lld = 0;
  WarpMask lgl = 0;
  WarpMask stop = 0;
  WarpMask tk = 0;
  WarpMask cpy = 0;
  std::array<U8, kMaxWarps> tb{};
  std::array<U8, kMaxWarps> lt0{};
  std::array<U8, kMaxWarps> lt1{};
  std::array<WarpVersions, kMaxWarps> versions{};

  TbMask tl = 0;
  TbMask en = 0;
  TbMask prom = 0;
  TbMask sync = 0;
  TbMask synced = 0;
  TbMask noel = 0;
  std::array<TbState, kMaxTbs> tbs{};

  U8 rrf = 0;
  U8 rrt = 0;
  U8 cpv = 0;
  U8 cpw = 0;
  U8 cpk = 0;
  U8 err = 0;
};

/// Entries that are not valid are not compared beyond that.
[[nodiscard]] bool operator==(const TbState& a, const TbState& b);
[[nodiscard]] inline bool operator!=(const TbState& a, const TbState& b) { return !(a == b); }
[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// Some lines: masks of the SM, then per TB in use its settings, entries, rows and warps.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::darsie
