#pragma once

#include <cstdint>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// LaunchUnit hook: decides for each group of thread blocks launched by device code whether it attaches to a resident
/// kernel.
namespace castor::gpu {

/// Properties that a group and a kernel must share for the group to attach: code, block dimensions, shared memory.
struct KernelKey {
  /// groups may attach: the kernel table entry is written, and its kernel is not stopped
  bool valid = false;
  std::uint64_t code = 0;          ///< first record of the kernel, in units of 8 bytes from the start of device memory
  Dim3 block;                      ///< threads per block in each dimension
  std::uint32_t shared_bytes = 0;  ///< bytes of shared memory per TB, static and dynamic
};

/// Read access to the keys of the kernels in the kernel table, as of the start of the cycle.
class KernelKeys {
 public:
  virtual ~KernelKeys() = default;
  [[nodiscard]] virtual KernelKey key(unsigned entry) const = 0;
};

/// Launch of one group: one beat of a warp's launch command. Beats of two commands are not interleaved. A beat is held
/// until it is accepted.
struct GroupBeat {
  bool first = false, last = false;  ///< first and last beat of the launch command
  std::uint16_t sm = 0;              ///< SM of the launching thread
  std::uint8_t warp = 0, lane = 0;   ///< warp slot and lane of the launching thread
  std::uint8_t level = 0;            ///< nesting depth: number of launches above the group, at most 15
  KernelKey key;
  Dim3 grid;  ///< TBs of the group in each dimension
  /// device address of the group's parameters, a multiple of 64; the launch record lies in the 64 bytes before
  std::uint64_t param = 0;
};

/// Decision: the group attaches to a kernel in the kernel table.
struct GroupAttach {
  std::uint16_t kd = 0;            ///< kernel table entry of that kernel
  std::uint32_t group = kNoGroup;  ///< number given to the group, valid until the completion of its last TB is counted
  std::uint64_t param = 0;         ///< identifies the group: GroupBeat::param
};

/// Decision: the group becomes a kernel of its own.
struct GroupFallback {
  std::uint64_t param = 0;  ///< identifies the group: GroupBeat::param
  unsigned ordinal = 1;     ///< number of groups of the same command that have become kernels so far, this one included
};

/// Inputs of a launch unit.
struct LaunchIn {
  Cycle now = 0;                     ///< core cycle of this front-end cycle
  Maybe<GroupBeat> beat;             ///< launched group, held until `beat_ready`
  const KernelKeys* keys = nullptr;  ///< keys of the kernels in the table, for the search for a kernel to attach to
  bool attach_ready = false;         ///< the dispatch policy lets a group attach in this cycle
  FrontEvents ev;                    ///< front-end events of this cycle
};

/// Outputs of a launch unit. "Early": depends on the unit's state only.
struct LaunchOut {
  bool beat_ready = false;        ///< `LaunchIn::beat` is accepted in this cycle
  KdMask hold;                    ///< kernel table entries that must not be released in this cycle
  Maybe<GroupAttach> attach;      ///< early: group that attaches; accepted if attach_ready
  Maybe<GroupFallback> fallback;  ///< early: group that becomes a kernel; always accepted
  Maybe<RegisterReply> reg;       ///< reply to the register access in `ev.reg`, valid for one cycle
};

/// At most one per GPU, and only beside a dispatch policy that supports groups. Settles in F6, attachment, and clocks
/// in F10, edges, after the policy. Without a launch unit every group becomes a kernel.
using LaunchUnit = ClockedHook<LaunchIn, LaunchOut>;

}  // namespace castor::gpu
