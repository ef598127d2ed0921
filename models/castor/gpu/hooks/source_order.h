#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/job.h"

/// SourceOrder hook: selects the source of the next kernel in the kernel table, with device launches listed by level
/// and SM.
namespace castor::gpu {

/// Partition of the lists in which device launches wait for the kernel table.
struct LaunchListing {
  /// number of nesting levels with a list of their own, 1 to 16; deeper launches share the last list
  unsigned levels = 1;
  /// true: separate lists for each SM whose TBs launch; false: all launches are listed under SM 0
  bool by_sm = true;
};

/// Sources that may be granted in this cycle. A source that needs a kernel table entry is listed
/// only while an entry is free.
struct SourceIn {
  Cycle now = 0;
  /// Lists with a launch, indexed by SM; bit = level - 1. Stopped launches do not count. State at the start of the
  /// cycle.
  View<std::uint16_t> lists;
  bool returns = false;                 ///< a suspended TB may be restored
  const QueueMask* eligible = nullptr;  ///< queues with a kernel at their head
  bool granted = false;                 ///< at the edge: a parse lane accepted `SourceOut::pick`
  Maybe<RegisterAccess> reg;            ///< access of the host to the hook's registers, as FrontEvents::reg
};

/// Selected source: a list of device launches, a suspended TB, or a queue.
struct SourcePick {
  enum class Kind : std::uint8_t { kList, kReturn, kQueue };
  Kind kind = Kind::kList;
  unsigned sm = 0;     ///< kList: SM of the list
  unsigned level = 1;  ///< kList: level of the list
  unsigned queue = 0;  ///< kQueue: number of the queue
};

/// Outputs of a source order. "Early": depends on state only.
struct SourceOut {
  Maybe<SourcePick> pick;    ///< early: selected source; granted if the source is ready and a parse lane is free
  Maybe<RegisterReply> reg;  ///< reply to the register access in `reg`, valid for one cycle
};

/// At most one per GPU, and not beside a job scheduler. Settles in F8, parse, and clocks in F10, edges. Active from the
/// cycle in which a program is loaded that calls the device runtime; before that the built-in order grants, and the
/// hook is asked only for replies to register accesses.
class SourceOrder : public ClockedHook<SourceIn, SourceOut> {
 public:
  /// Returns the partition of the lists. Constant, may be called before `attach`.
  [[nodiscard]] virtual LaunchListing listing() const = 0;
};

}  // namespace castor::gpu
