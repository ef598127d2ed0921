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

/// Progress of replayed thread blocks (docs/gpu/replay.md, "Replay tier"). The TBs of a group share a virtual clock
/// that grows by the group's rate in every cycle; one object owns all clocks, for groups can span SMs. One per device.
///
/// Which groups there are and what slows them down, machine key replay.rate says: `none`: one group, rate 1. `gpu`: one
/// group, rate min(1, w0 / resident warps of the GPU). `sm`: a group per SM, the same with that SM's warps. `table`: a
/// group per (SM, kernel type), rates from the file's table by the TBs of each type on the SM. Rates are rounded down
/// to a multiple of 2^-32. A group whose kernel has no TB on the SM runs at rate 1, so a first TB does too in its first
/// cycle. Types that the table does not name have a group per SM with rate 1.
///
/// What SMs report in cycle c counts from c + 1 on: the order in which they tick changes nothing. Nothing is done
/// between reports; when a rate changes in c, the SMs with TBs in the group are woken for c + 1.
///
/// Limits: SMs of one group must be ticked by one thread. TBs of an SM whose clock stands still stay in the load.
class VirtualClocks {
 public:
  static constexpr std::uint64_t kFullSpeed = std::uint64_t{1} << 32U;

  /// `machine` and `file` must outlive the clocks. Errors: InputError if the machine wants a table and the file has
  /// none.
  VirtualClocks(const Machine& machine, const ReplayFile& file);

  /// Whom to wake.
  void join(unsigned sm, Unit& unit) { units_[sm] = &unit; }

  /// Group of a kernel type (index in the file) on an SM.
  [[nodiscard]] unsigned group(unsigned sm, unsigned type) const;

  /// A TB of `warps` warps came to an SM in `now` (or left it).
  void enter(unsigned sm, unsigned type, unsigned warps, Cycle now) { change(sm, type, warps, true, now); }
  void leave(unsigned sm, unsigned type, unsigned warps, Cycle now) { change(sm, type, warps, false, now); }
  /// For the end of an SM's tick in which TBs came or left. False if the table has no row for what is there now; the
  /// SM's TBs then go on at rate 1.
  [[nodiscard]] bool commit(unsigned sm, Cycle now);
  /// What `commit` missed: file, line and TBs of each kernel.
  [[nodiscard]] std::string missing(unsigned sm) const;

  /// Clock of a group at the end of `cycle`, which is `now` or the cycle before.
  [[nodiscard]] VirtualTime value(unsigned group, Cycle cycle, Cycle now);
  /// What the clock grows by in `now`, x 2^32.
  [[nodiscard]] std::uint64_t rate(unsigned group, Cycle now);
  /// Whether a rate of the SM's groups in `now` + 1 differs from that in `now`, as far as is known.
  [[nodiscard]] bool changes(unsigned sm, Cycle now) const;
  /// Whether a rate of the SM's groups was changed in `cycle` or later.
  [[nodiscard]] bool changed_since(unsigned sm, Cycle cycle) const;
  /// First cycle from `now` on at whose end the clock is at least `threshold`, as far as is known in `now`.
  [[nodiscard]] Cycle reached(unsigned group, VirtualTime threshold, Cycle now);

 private:
  struct Group {
    VirtualTime value = 0;  ///< at the end of `base`
    Cycle base = 0;
    std::uint64_t rate = kFullSpeed;       ///< in base + 1 and later
    std::uint64_t next_rate = kFullSpeed;  ///< in changed + 1 and later, if changed > base
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
  std::vector<Unit*> units_;                        ///< [sm]
  std::vector<std::uint32_t> resident_;             ///< [sm] TBs
  std::vector<std::vector<std::uint32_t>> counts_;  ///< [sm][column] TBs
};

}  // namespace castor::gpu
