#pragma once

#include <array>
#include <vector>

#include "castor/darsie/ports.h"
#include "tb/common/block_points.h"
#include "tb/darsie/bits.h"

/// What the cover points of DARSIE are about: what happens in a cycle, worked out of ports and registers. What no probe
/// shows (PCs and tags of the skip tables, register and sequence number of the rows) is followed from the elections.
namespace castor::darsie::tb {

using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::Points;

/// What a parameter set may have.
namespace has {
inline constexpr Needs kSkips = 1U << 0U,  ///< something may be skipped at all
    kWarps = 1U << 1U,                     ///< two warps
    kThreeWarps = 1U << 2U,                //
    kFourWarps = 1U << 3U,                 //
    kTbs = 1U << 4U,                       ///< two TB slots
    kRows = 1U << 5U,                      ///< two rows
    kThreeRows = 1U << 6U,                 //
    kSlots = 1U << 7U,                     ///< two registers
    kGroups = 1U << 8U,                    ///< two groups in a cycle
    kWide = 1U << 9U,                      ///< two instructions decoded in a cycle
    kLoads = 1U << 10U,                    ///< loads are skipped
    kStores = 1U << 11U,                   ///< stores make loads stale
    kRaggedWarps = 1U << 12U,              ///< warp numbers that no warp has
    kRaggedTbs = 1U << 13U,                ///< TB numbers that no slot has
    kRaggedRows = 1U << 14U,               ///< tags that no row has
    kWritePorts = 1U << 15U,               ///< two rows written in a cycle
    kEntries = 1U << 16U,                  ///< two entries of a table
    kIssues = 1U << 17U,                   ///< two issue ports
    kSpareRows = 1U << 18U,                ///< lnch_rows can say more than there are
    kSpareSlots = 1U << 19U;               ///< so can lnch_slots
}  // namespace has
[[nodiscard]] Needs features(const Params& params);

/// Why a redundant instruction gets its verdict.
enum class Why : std::uint8_t {
  kNone,
  kNosk,
  kLast,
  kRelead,
  kNoRow,
  kLatch,
  kAlone,
  kNoElect,
  kPark,
  kLead,
  kSetNoElect,
  kSetSync
};
inline constexpr std::array<const char*, 12> kWhys = {"none",  "Nosk",    "Last", "Relead", "NoRow",      "Latch",
                                                      "Alone", "NoElect", "Park", "Lead",   "SetNoElect", "SetSync"};

/// Registers without a probe.
struct Hidden {
  std::array<std::array<U8, 32>, 32> slot{}, seq{};  // [TB][row]
  std::array<std::array<U64, 16>, 32> pc{};          // [TB][entry]
  std::array<std::array<U8, 16>, 32> two{}, tag0{}, tag1{};
};

/// A group of warps that is served in a cycle.
struct Group {
  enum class Kind : std::uint8_t { kWake, kHit, kLatch, kMiss, kPassed };
  Kind kind;
  unsigned tb;
  U64 warps;
  bool two;
};

/// A cycle and what happens in it.
struct Facts : castor::tb::Cycle<Block> {
  Facts(const castor::tb::Cycle<Block>& cycle, const Hidden& hidden);

  const Hidden& hidden;
  std::array<U64, 32> team{}, majority{};  ///< of each TB
  std::vector<Group> groups;
  U64 skipped = 0, latched = 0, missed = 0;  ///< by groups
  // The redundant instruction of the cycle
  Why why = Why::kNone;
  unsigned warp = 0, tb = 0, place = 0, count = 0;  ///< d_warp, its TB, decode slot, registers
  U64 versions = 0, rows = 0, free = 0, heirs = 0;  ///< rows passed; given away; free; of the warps that are to pass
  unsigned first = 0;                               ///< of the rows passed that of the first register
  bool second = false;                              ///< another one is squashed behind it
  // Events that count
  U64 dropped = 0, branches = 0, leaves = 0, exits = 0, joins = 0, done = 0, finished = 0;  ///< warps
  U32 barriers = 0, completes = 0;  ///< TBs; those that could complete
  unsigned completed = 32;          ///< the one that does; 32: none
  U64 losers = 0;                   ///< of its vote
  bool picks = false, launches = false, retires = false;

  [[nodiscard]] bool leads() const { return why == Why::kLead || why == Why::kRelead; }
  [[nodiscard]] bool stores(unsigned t) const { return params.StoreInv != 0 && contains(in.ev_store, t); }
  [[nodiscard]] U64 blocked() const { return probes.stop | probes.cpy | probes.lat; }
  /// Warps that would be probed.
  [[nodiscard]] U64 probing() const;
  [[nodiscard]] U64 ready() const { return probes.lat & probes.lr0 & (probes.lr1 | ~probes.two); }
  [[nodiscard]] unsigned tb_of(unsigned w) const { return probes.warp_tb[w]; }
  /// The edge changes `hidden` so.
  void move(Hidden& next) const;

 private:
  void find_groups();
  void find_verdict();
  void judge(unsigned s);
  void find_events();
};

}  // namespace castor::darsie::tb
