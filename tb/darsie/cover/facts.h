#pragma once

#include <array>
#include <vector>

#include "castor/darsie/ports.h"
#include "tb/common/block_points.h"
#include "tb/darsie/bits.h"

/// Subjects of DARSIE's cover points: the events of a cycle, derived from ports and registers. Registers without a
/// probe are tracked from the elections: PCs and tags of the skip tables, register and sequence number of the rows.
namespace castor::darsie::tb {

using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::Points;

/// Features of a parameter set that cover points may require.
namespace has {
inline constexpr Needs kSkips = 1U << 0U,  ///< instructions can be skipped (SkipEn)
    kWarps = 1U << 1U,                     ///< at least two warps
    kThreeWarps = 1U << 2U,                //
    kFourWarps = 1U << 3U,                 //
    kTbs = 1U << 4U,                       ///< at least two TB slots
    kRows = 1U << 5U,                      ///< at least two rows
    kThreeRows = 1U << 6U,                 //
    kSlots = 1U << 7U,                     ///< at least two renamed registers
    kGroups = 1U << 8U,                    ///< at least two groups per cycle
    kWide = 1U << 9U,                      ///< at least two instructions decoded per cycle
    kLoads = 1U << 10U,                    ///< loads can be skipped (LoadSkip)
    kStores = 1U << 11U,                   ///< stores make loads stale (StoreInv)
    kRaggedWarps = 1U << 12U,              ///< some values of the warp number have no warp
    kRaggedTbs = 1U << 13U,                ///< some values of the TB number have no slot
    kRaggedRows = 1U << 14U,               ///< some values of a tag have no row
    kWritePorts = 1U << 15U,               ///< at least two rows written per cycle
    kEntries = 1U << 16U,                  ///< at least two entries per skip table
    kIssues = 1U << 17U;                   ///< at least two issue ports
}  // namespace has
[[nodiscard]] Needs features(const Params& params);

/// Reason of the verdict on a redundant instruction, as in docs/blocks/darsie.md, "Cycle".
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

/// Tracked values of registers without a probe.
struct Hidden {
  std::array<std::array<U8, 32>, 32> slot{}, seq{};  // register and sequence number of each row: [TB][row]
  std::array<std::array<U64, 16>, 32> pc{};          // PC of each skip table entry: [TB][entry]
  std::array<std::array<U8, 16>, 32> two{}, tag0{}, tag1{};
};

/// A group of warps that the skip table serves in a cycle.
struct Group {
  /// Result of the group. kWake: waiting warps skip. kHit: probed warps skip. kLatch: probed warps wait. kMiss: no
  /// entry has the PC. kPassed: the warps have already passed the entry's version.
  enum class Kind : std::uint8_t { kWake, kHit, kLatch, kMiss, kPassed };
  Kind kind;
  unsigned tb;
  U64 warps;
  bool two;
};

/// A cycle with the events derived from its ports and registers.
struct Facts : castor::tb::Cycle<Block> {
  Facts(const castor::tb::Cycle<Block>& cycle, const Hidden& hidden);

  const Hidden& hidden;
  std::array<U64, 32> team{}, majority{};  ///< live warps, and warps of the majority, of each TB
  std::vector<Group> groups;
  U64 skipped = 0, latched = 0, missed = 0;  ///< warps of the groups with this result
  // The redundant instruction decoded in this cycle
  Why why = Why::kNone;
  unsigned warp = 0, tb = 0, place = 0, count = 0;  ///< d_warp, its TB, decode slot, number of destination registers
  /// As row masks: the version to pass, rows allocated by the election, free rows; `heirs` is the mask of the other
  /// warps that are to pass the version
  U64 versions = 0, rows = 0, free = 0, heirs = 0;
  unsigned first = 0;   ///< row of the first register in the version to pass
  bool second = false;  ///< another redundant instruction after this instruction is squashed
  // Accepted events
  U64 dropped = 0, branches = 0, leaves = 0, exits = 0, joins = 0, done = 0, finished = 0;  ///< warps with these events
  U32 barriers = 0, completes = 0;  ///< TBs with a barrier; TBs that could complete
  unsigned completed = 32;          ///< TB that completes; 32: none
  U64 losers = 0;                   ///< warps that lose the vote at the completion of the meeting
  bool picks = false, launches = false, retires = false;

  [[nodiscard]] bool leads() const { return why == Why::kLead || why == Why::kRelead; }
  [[nodiscard]] bool stores(unsigned t) const { return params.StoreInv != 0 && contains(in.ev_store, t); }
  [[nodiscard]] U64 blocked() const { return probes.stop | probes.cpy | probes.lat; }
  /// Returns the warps that are probed if they are eligible.
  [[nodiscard]] U64 probing() const;
  [[nodiscard]] U64 ready() const { return probes.lat & probes.lr0 & (probes.lr1 | ~probes.two); }
  [[nodiscard]] unsigned tb_of(unsigned w) const { return probes.warp_tb[w]; }
  /// Applies the changes of this clock edge to the tracked registers.
  void move(Hidden& next) const;

 private:
  void find_groups();
  void find_verdict();
  void judge(unsigned s);
  void find_events();
};

}  // namespace castor::darsie::tb
