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

/// Launches of an SM that are admitted: their records, which it stores, and the pointers that tell the launcher of them
/// (docs/gpu/launches.md, "Launches by device code").
///
/// S0 `add`; S2, S3 `record_stored`; S5 `note_older`; S8 `advance`.
class LaunchPointers {
 public:
  struct Pointer {
    LaunchId launch = 0;
    StoredRecord record;
    Tick due = 0;        ///< the pointer may leave
    bool group = false;  ///< as all of its call: they leave together when all are stored, and the caller tells of them
  };

  explicit LaunchPointers(const SmParts& parts)
      : sm_(parts.sm),
        clock_(parts.clock),
        table_(parts.warps),
        scoreboard_(parts.scoreboard),
        memory_(parts.memory),
        outbox_(parts.outbox),
        slots_(parts.machine.sm.warps) {}

  /// A warp calls for launches: they leave behind the stores that warps of its `block` have under way. None of its
  /// pointers is left.
  void note_older(unsigned w, WarpMask block);
  /// The launches of that call. Their records are sent one per tick, from this one on.
  void add(unsigned w, const std::vector<Pointer>& pointers);
  /// The record of a launch is performed.
  void record_stored(unsigned w, std::uint32_t number);
  /// First tick in which `advance` may have something to do; kForever if something else has to happen first.
  [[nodiscard]] Tick due() const { return due_; }
  /// Sends a record and a pointer, if some are due. Returns warps whose last pointer has left.
  WarpMask advance();
  /// Warps with pointers that have not left.
  [[nodiscard]] WarpMask open() const { return open_; }

 private:
  struct Open : Pointer {
    Tick from = 0;  ///< the record may be sent
    std::uint32_t number = 0;
    bool stored = false;
  };
  struct OfWarp {
    std::deque<Open> pointers;
    std::size_t sent = 0;  ///< of them those whose record was sent: the first ones
    std::uint32_t records_out = 0;
    WarpMask older = 0;  ///< warps of the block with stores that are older than the call
  };
  void update_older(unsigned w);
  void look_at_first(unsigned w);
  void send_record();
  WarpMask send_pointer();
  WarpMask leave_groups();
  /// Of the pointers that may leave: kForever without one.
  [[nodiscard]] Tick first_due();
  [[nodiscard]] Tick next();

  const unsigned sm_;
  const SmClock& clock_;
  const WarpTable& table_;
  Scoreboard& scoreboard_;
  SmMemory& memory_;
  SmOutbox& outbox_;
  const unsigned slots_;
  std::vector<OfWarp> warps_;  ///< by slot; empty before the first call
  WarpMask open_ = 0;
  WarpMask groups_ = 0;        ///< of them those with groups
  WarpMask unsent_ = 0;        ///< those with records that were not sent
  WarpMask behind_ = 0;        ///< those whose block has older stores under way
  WarpMask stored_ = 0;        ///< those of whose first pointer the record is performed
  WarpMask first_due_of_ = 0;  ///< warps that `first_due_` is of; 0 = to be looked for
  Tick first_due_ = base::kForever;
  std::uint32_t last_number_ = 0;
  Tick due_ = base::kForever;
};

}  // namespace castor::gpu
