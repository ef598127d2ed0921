#pragma once

#include <cstdint>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// LaunchUnit: what becomes of groups of thread blocks that device code launches.
namespace castor::gpu {

/// What must be equal for a group to run with a kernel: code, threads of a block in each dimension, shared memory.
struct KernelKey {
  bool valid = false;              ///< groups may attach: the entry is written, and not stopped
  std::uint64_t code = 0;          ///< first record of the kernel, in units of 8 bytes from the start of device memory
  Dim3 block;                      ///< threads
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
};

/// Keys of the kernel table at the start of the cycle.
class KernelKeys {
 public:
  virtual ~KernelKeys() = default;
  [[nodiscard]] virtual KernelKey key(unsigned entry) const = 0;
};

/// A group that is launched: one beat of the command of a warp. Those of two commands do not mix; a beat stays until it
/// is taken.
struct GroupBeat {
  bool first = false, last = false;  ///< of its command
  std::uint8_t sm = 0;               ///< of the thread that launches
  std::uint8_t warp = 0, lane = 0;   ///< its warp slot and lane
  std::uint8_t level = 0;            ///< launches above the group, at most 15
  KernelKey key;
  Dim3 grid;                ///< TBs
  std::uint64_t param = 0;  ///< device address of the parameters, a multiple of 64; its record lies 64 bytes before
};

/// A group goes to a kernel in the table.
struct GroupAttach {
  std::uint16_t kd = 0;            ///< kernel table entry
  std::uint32_t group = kNoGroup;  ///< its number from now on, until its last TB is counted
  std::uint64_t param = 0;         ///< which: that of its beat
};

/// A group becomes a kernel of its own.
struct GroupFallback {
  std::uint64_t param = 0;  ///< which
  unsigned ordinal = 1;     ///< how many so far in its command
};

struct LaunchIn {
  Cycle now = 0;                     ///< core cycle
  Maybe<GroupBeat> beat;             ///< until it is taken
  const KernelKeys* keys = nullptr;  ///< what a search looks at
  bool attach_ready = false;         ///< a group may attach in this cycle: so says the dispatch policy
  FrontEvents ev;                    ///< what happened
};

struct LaunchOut {
  bool beat_ready = false;        ///< the beat is taken
  KdMask hold;                    ///< entries that must not be released in this cycle
  Maybe<GroupAttach> attach;      ///< early; taken if attach_ready
  Maybe<GroupFallback> fallback;  ///< early; always taken
};

/// At most one per GPU, beside a dispatch policy that knows groups; settles in F6, clocks in F10 behind the policy.
/// Without one every group becomes a kernel.
using LaunchUnit = ClockedHook<LaunchIn, LaunchOut>;

}  // namespace castor::gpu
