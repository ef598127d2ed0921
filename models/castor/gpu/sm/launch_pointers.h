#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_parts.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Admitted launches of an SM: stores their launch records, and sends the pointers that announce them to the launcher
/// (docs/gpu/launches.md, "Launches by device code").
///
/// Steps: `add` in S0, start; `record_stored` in S2 and S3; `note_older` in S5, issue; `advance` in S8, bookkeeping.
class LaunchPointers {
 public:
  /// Admitted launch, with its record and the earliest tick of its pointer.
  struct Pointer {
    LaunchId launch = 0;
    StoredRecord record;
    Tick due = 0;  ///< first tick in which the pointer may leave
    /// launch of a group: the pointers of its call leave together when all their records are stored, and RuntimeUnit
    /// sends the command
    bool group = false;
  };

  explicit LaunchPointers(const SmParts& parts)
      : sm_(parts.sm),
        clock_(parts.clock),
        table_(parts.warps),
        scoreboard_(parts.scoreboard),
        memory_(parts.memory),
        outbox_(parts.outbox),
        slots_(parts.machine.sm.warps) {}

  /// Records a launch call of a warp: its pointers leave after all stores of the warps in `block` that are in flight
  /// now. The warp must have no pointer left.
  void note_older(unsigned w, WarpMask block);
  /// Adds the launches of the call that `note_older` recorded. Their records are stored one per tick, from this tick
  /// on.
  void add(unsigned w, const std::vector<Pointer>& pointers);
  /// Records that the launch record `number` of warp `w` has been stored.
  void record_stored(unsigned w, std::uint32_t number);
  /// Returns the first tick in which `advance` may have work, or kForever if it waits for another event.
  [[nodiscard]] Tick due() const { return due_; }
  /// Sends one record and one pointer, if they are due. Returns the warps whose last pointer has left.
  WarpMask advance();
  /// Returns the warps with pointers that have not left.
  [[nodiscard]] WarpMask open() const { return open_; }

 private:
  /// Launch whose pointer has not left.
  struct Open : Pointer {
    Tick from = 0;  ///< first tick in which the record may be sent
    std::uint32_t number = 0;
    bool stored = false;
  };
  /// Launches of one warp.
  struct OfWarp {
    std::deque<Open> pointers;
    /// number of pointers whose record was sent; these pointers come first in `pointers`
    std::size_t sent = 0;
    std::uint32_t records_out = 0;  ///< number of records sent and not stored yet
    WarpMask older = 0;             ///< warps of the block with stores in flight that are older than the call
  };
  void update_older(unsigned w);
  void look_at_first(unsigned w);
  void send_record();
  WarpMask send_pointer();
  WarpMask leave_groups();
  /// Returns the first tick in which a pointer may leave, or kForever.
  [[nodiscard]] Tick first_due();
  [[nodiscard]] Tick next();

  const unsigned sm_;
  const SmClock& clock_;
  const WarpTable& table_;
  Scoreboard& scoreboard_;
  SmMemory& memory_;
  SmOutbox& outbox_;
  const unsigned slots_;
  std::vector<OfWarp> warps_;        ///< [warp slot]; empty before the first call
  WarpMask open_ = 0;                ///< warps with pointers that have not left
  WarpMask groups_ = 0;              ///< warps of open_ whose pointers belong to groups
  WarpMask unsent_ = 0;              ///< warps of open_ with records that were not sent
  WarpMask behind_ = 0;              ///< warps of open_ whose block has older stores in flight
  WarpMask stored_ = 0;              ///< warps of open_ whose first pointer has its record stored
  WarpMask first_due_of_ = 0;        ///< warps to which first_due_ applies; 0 if first_due_ must be recomputed
  Tick first_due_ = base::kForever;  ///< first tick in which a pointer may leave
  std::uint32_t last_number_ = 0;    ///< number of the last launch record
  Tick due_ = base::kForever;        ///< first tick in which `advance` may have work
};

}  // namespace castor::gpu
