#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"

/// SourceOrder: which source enters the kernel table next, where launches by device code are listed by level and SM.
namespace castor::gpu {

/// How the lists are cut in which launches by device code wait for the kernel table.
struct LaunchListing {
  unsigned levels = 1;  ///< 1 to 16, of launches above one; deeper ones count as the last
  bool by_sm = true;    ///< each SM has lists of its own, for what its TBs launch; false: all are those of SM 0
};

/// What may be granted in this cycle: all of it only while an entry of the kernel table is free, or needs none.
struct SourceIn {
  Cycle now = 0;
  /// By SM; bit = level - 1: that list has a launch, which is not stopped. As of the start of the cycle.
  View<std::uint16_t> lists;
  bool returns = false;                 ///< a suspended TB may come back
  const QueueMask* eligible = nullptr;  ///< queues with a kernel at their head
  bool granted = false;                 ///< at the edge: a parse lane took what is picked
};

struct SourcePick {
  enum class Kind : std::uint8_t { kList, kReturn, kQueue };
  Kind kind = Kind::kList;
  unsigned sm = 0;     ///< of a list
  unsigned level = 1;  ///< of a list
  unsigned queue = 0;
};

struct SourceOut {
  Maybe<SourcePick> pick;  ///< early; granted if it is ready and a lane is free
};

/// At most one per GPU, and none beside a job scheduler; settles in F8, clocks in F10. It sees sources, and its picks
/// are granted, from the cycle on in which a program is loaded that calls the device runtime; before that the built-in
/// choice grants.
class SourceOrder : public ClockedHook<SourceIn, SourceOut> {
 public:
  /// Constant, also before `attach`.
  [[nodiscard]] virtual LaunchListing listing() const = 0;
};

}  // namespace castor::gpu
