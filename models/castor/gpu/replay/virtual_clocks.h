#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Virtual time of a group: core cycles at full speed x 2^32. The integer part is wider than 32 bits, so it never
/// wraps.
__extension__ using VirtualTime = unsigned __int128;

/// Virtual clocks: progress of replayed thread blocks (docs/gpu/replay.md, "Replay tier"). The TBs of a group share a
/// virtual clock that grows by the group's rate in every cycle. One object per device owns all clocks, because groups
/// can span SMs.
///
/// Machine key replay.rate defines the groups and their rates:
///
/// `none`: one group, rate 1.
/// `gpu`: one group, rate min(1, w0 / resident warps of the GPU).
/// `sm`: one group per SM, rate min(1, w0 / resident warps of the SM).
/// `table`: one group per (SM, kernel type); rates come from the file's table, by the TBs of each type on the SM.
///
/// Rates are rounded down to a multiple of 2^-32. A group whose kernel has no TB on the SM runs at rate 1. So the first
/// TB of a group runs at rate 1 in its first cycle. Types that are missing in the table have one group per SM with rate
/// 1.
///
/// Reports of SMs in cycle c take effect from c + 1 on, so the order in which SMs tick changes nothing. Clocks need no
/// work between reports. When a rate changes in c, the SMs with TBs in the group are woken for c + 1.
///
/// Limits: SMs of one group must be ticked by one thread. TBs of an SM without a clock still count as load.
class VirtualClocks {
 public:
  static constexpr std::uint64_t kFullSpeed = std::uint64_t{1} << 32U;

  /// `machine` and `file` must outlive the clocks. Throws InputError if replay.rate is `table` and the file has no
  /// table.
  VirtualClocks(const Machine& machine, const ReplayFile& file);

  /// Registers the unit to be woken for an SM.
  void join(unsigned sm, Unit& unit) { units_[sm] = &unit; }

  /// Returns the group of a kernel type (index in the file) on an SM.
  [[nodiscard]] unsigned group(unsigned sm, unsigned type) const;

  /// `enter`: reports that a TB of `warps` warps became resident on an SM in `now`. `leave`: reports that it left.
  void enter(unsigned sm, unsigned type, unsigned warps, Cycle now) { change(sm, type, warps, true, now); }
  void leave(unsigned sm, unsigned type, unsigned warps, Cycle now) { change(sm, type, warps, false, now); }
  /// Ends the reports of an SM's tick in which TBs became resident or left. Returns false if the table has no row for
  /// the resident TBs; the SM's TBs then continue at rate 1.
  [[nodiscard]] bool commit(unsigned sm, Cycle now);
  /// Returns the text for a row that `commit` did not find: file, line and TBs of each kernel.
  [[nodiscard]] std::string missing(unsigned sm) const;

  /// Returns the clock of a group at the end of `cycle`, which is `now` or the cycle before.
  [[nodiscard]] VirtualTime value(unsigned group, Cycle cycle, Cycle now);
  /// Returns the growth of the group's clock in `now`, x 2^32.
  [[nodiscard]] std::uint64_t rate(unsigned group, Cycle now);
  /// Returns whether a rate of the SM's groups in `now` + 1 differs from the rate in `now`, as far as reported.
  [[nodiscard]] bool changes(unsigned sm, Cycle now) const;
  /// Returns whether a rate of the SM's groups was changed in `cycle` or later.
  [[nodiscard]] bool changed_since(unsigned sm, Cycle cycle) const;
  /// Returns the first cycle from `now` on at whose end the clock is at least `threshold`, if the rate does not change
  /// any more.
  [[nodiscard]] Cycle reached(unsigned group, VirtualTime threshold, Cycle now);

 private:
  struct Group {
    VirtualTime value = 0;  ///< value of the clock at the end of cycle `base`
    Cycle base = 0;
    std::uint64_t rate = kFullSpeed;       ///< rate in base + 1 and later
    std::uint64_t next_rate = kFullSpeed;  ///< rate in changed + 1 and later, if changed > base
    Cycle changed = 0;
    std::uint64_t warps = 0, w0 = 0;
  };

  void change(unsigned sm, unsigned type, unsigned warps, bool in, Cycle now);
  void set_rate(unsigned group, std::uint64_t rate, Cycle now);
  Group& settled(unsigned group, Cycle now) {
    Group& g = groups_[group];
    if (g.changed > g.base && g.changed < now) fold(g);
    return g;
  }
  static void fold(Group& group);
  void wake(unsigned group, Cycle now);
  template <class Test>
  [[nodiscard]] bool any_group(unsigned sm, const Test& test) const;

  const ReplayFile& file_;
  ReplayRate mode_;
  bool wake_always_;
  unsigned columns_ = 0;
  std::vector<unsigned> column_of_type_;
  std::vector<Group> groups_;
  std::vector<Unit*> units_;                        ///< [sm] unit to be woken
  std::vector<std::uint32_t> resident_;             ///< [sm] resident TBs
  std::vector<std::vector<std::uint32_t>> counts_;  ///< [sm][column] resident TBs of each kernel type
};

}  // namespace castor::gpu
