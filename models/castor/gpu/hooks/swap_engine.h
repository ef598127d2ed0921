#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/tb_need.h"

/// SwapEngine hook: moves the contexts of thread blocks between an SM and memory, line by line (docs/gpu/swapping.md).
///
/// A context consists of lines of 128 bytes: one line per register and warp, the lines of the TB's shared memory, and
/// SIMT lines, into which the SM packs the control state of the TB's warps. The storage of the registers of one TB is a
/// register home, that of its shared memory a shared home.
namespace castor::gpu {

/// Most lines of a place of on-chip storage; line l of place p has the local address p * kPlaceLines + l.
inline constexpr std::uint32_t kPlaceLines = 4096;
inline constexpr std::uint32_t kSwapLineBytes = 128;

/// Part of a context that a place holds together with the SIMT lines; the other part stays in its home.
enum class SwapDirection : std::uint8_t {
  kNone = 0,       ///< no place holds such a part
  kRegisters = 1,  ///< registers go to spare shared memory
  kShared = 2,     ///< shared memory goes to spare registers
};

/// Constants of the kernel whose TBs the jobs that follow name, and the layout of the spare storage of the SM
/// (docs/gpu/swapping.md, "Spare storage"). Place 0 to in_place - 1 have `simt_lines` lines; the places of `copies`
/// follow.
struct SwapKernel {
  std::uint8_t warps = 0;           ///< warps of a TB
  std::uint16_t registers = 0;      ///< registers of a thread
  std::uint16_t simt_lines = 0;     ///< SIMT lines of a TB, at least 1
  std::uint16_t shared_lines = 0;   ///< lines of the shared memory of a TB; 0 = none
  std::uint8_t slots = 0;           ///< TB contexts; home c belongs to context c at first
  std::uint8_t register_homes = 0;  ///< register homes, those of the contexts included
  std::uint8_t shared_homes = 0;    ///< shared homes, those of the contexts included
  std::uint8_t in_place = 0;        ///< places for the SIMT lines of TBs that stay in their homes
  std::uint8_t copies = 0;          ///< places for the SIMT lines of a TB and the part of it that `direction` names
  SwapDirection direction = SwapDirection::kNone;
  std::uint16_t copy_lines = 0;  ///< lines of each of the places of `copies`; 0 = there are none
};

/// Live registers at a site of the program: the other registers hold values that are never read again.
struct SiteMask {
  std::uint8_t site = 0;
  std::array<std::uint64_t, 4> live{};  ///< bit r of the mask: register r is live
};

/// Part of the shared memory of a TB that equals a part of global memory and is not written while it is tagged. It
/// holds until the engine is told otherwise, until the TB is parked, or until a job without `out` is taken for the
/// context.
struct ReadOnlySegment {
  std::uint8_t slot = 0;      ///< TB context
  std::uint8_t index = 0;     ///< number of the segment of the TB
  std::uint16_t lines = 0;    ///< lines; 0 = the segment is not read-only any more
  std::uint16_t first = 0;    ///< first line of shared memory
  std::uint64_t address = 0;  ///< device address of the first line in global memory
};

/// Where an engine has put the context of a TB. The GPU carries the bits and does not interpret them.
struct SwapEntry {
  std::array<std::uint64_t, 3> word{};
};

/// Order to a swap engine: to move the TB of a context out, to move a TB into a context, or both in this order.
struct SwapJob {
  /// `site` of a TB whose registers are all live.
  static constexpr std::uint8_t kAllRegisters = 127;
  /// `in_gid` of a job that leaves its context empty.
  static constexpr std::uint32_t kNoTb = 0xffffffff;
  std::uint8_t slot = 0;              ///< TB context
  bool out = false;                   ///< the TB of the context is moved out
  std::uint32_t gid = 0;              ///< with `out`: the TB that is moved out
  std::uint8_t site = kAllRegisters;  ///< with `out`: site whose mask names the live registers
  bool fresh = false;                 ///< nothing is moved in: `enter` says that the context is empty
  std::uint32_t in_gid = kNoTb;       ///< the TB that starts in the context (`fresh`), or comes back into it
  SwapEntry entry;                    ///< without `fresh`: the TB that is moved in
};
[[nodiscard]] inline bool operator==(const SwapJob& a, const SwapJob& b) {
  return a.slot == b.slot && a.out == b.out && a.gid == b.gid && a.site == b.site && a.fresh == b.fresh &&
         a.in_gid == b.in_gid && a.entry.word == b.entry.word;
}

/// Output of a swap engine: the TB of a context has been moved out.
struct SwapParked {
  std::uint8_t slot = 0;
  bool local = false;  ///< a part of the context is in the storage of this SM
  SwapEntry entry;
};

/// Output of a swap engine: the context holds the TB of the job, or is empty.
struct SwapEnter {
  std::uint8_t slot = 0;
  bool fresh = false;              ///< SwapJob::fresh
  std::uint32_t gid = 0;           ///< SwapJob::in_gid
  std::uint8_t register_home = 0;  ///< home of the context's registers
  std::uint8_t shared_home = 0;    ///< home of the context's shared memory
  Maybe<std::uint64_t> free;       ///< address of an image that is not needed any more
};

/// Access of a swap engine to one line.
struct SwapAccess {
  enum class Type : std::uint8_t {
    kSimt,      ///< SIMT line `line` of the TB in `slot`
    kRegister,  ///< register `reg` of warp `warp` of the TB, in register home `home`
    kShared,    ///< line `line` of shared home `home`
    kReadOnly,  ///< as kShared, with global memory at `address`; loads only
  };
  bool store = false;  ///< from the SM's storage to `address`; else the other way
  Type type = Type::kSimt;
  bool local = false;         ///< `address` is a line of a place (kPlaceLines); else a device address
  std::uint8_t slot = 0;      ///< TB context
  std::uint8_t warp = 0;      ///< number of the warp in its TB
  std::uint8_t reg = 0;       ///< register
  std::uint16_t line = 0;     ///< SIMT line or line of shared memory
  std::uint8_t home = 0;      ///< register home or shared home
  std::uint64_t address = 0;  ///< device address, a multiple of kSwapLineBytes, or local address
};

/// Inputs of a swap engine. "S0": valid in the last `settle` of a tick and at the edge. "At the edge": valid in
/// `clock`.
struct SwapIn {
  Cycle now = 0;                   ///< core cycle of the tick
  Maybe<SwapKernel> configure;     ///< at the edge: a new kernel; the engine forgets homes, places, sites, segments
  Maybe<SiteMask> sites;           ///< at the edge: live registers of a site
  Maybe<ReadOnlySegment> segment;  ///< at the edge: read-only segment of a TB
  Maybe<SwapJob> job;              ///< S0: the oldest job; stays until it is taken
  bool local_room = false;         ///< S0: one more TB whose context stays in this SM can be kept
  bool park_ready = false;         ///< S0: `SwapOut::parked` is taken in this tick
  bool enter_ready = false;        ///< S0: `SwapOut::enter` is taken in this tick
  Maybe<std::uint64_t> page;  ///< at the edge: device address of the image that was asked for; 0: the TB was stopped
  bool access_taken = false;  ///< at the edge: the access is taken in this tick; false without one
  bool load_done = false;     ///< at the edge: one load has been performed; loads are counted, not named
  /// At the edge, while a job is open: requests of the SM without a reply: reads, stores, and accesses of the engine.
  std::uint16_t outstanding = 0;
};

/// Outputs of a swap engine; all are early: they depend on the engine's state only.
struct SwapOut {
  bool job_ready = false;            ///< SwapIn::job is taken in this tick
  Maybe<SwapParked> parked;          ///< stays until it is taken
  Maybe<SwapEnter> enter;            ///< stays until it is taken
  Maybe<std::uint8_t> page_request;  ///< TB context that needs an image in device memory; stays until `SwapIn::page`
  Maybe<SwapAccess> access;          ///< stays until it is taken
  bool block_memory = false;         ///< no memory instruction of a warp issues in this tick
};

/// Limits of a swap engine for the storage of its SM, for kernels that own the machine. A kernel gets homes and places
/// up to these limits from the registers and the shared memory that its TBs leave unused. With all 0 no TB stays in the
/// SM.
struct SwapStorage {
  std::uint8_t register_homes = 0;  ///< most register homes, those of the contexts included
  std::uint8_t shared_homes = 0;    ///< most shared homes, those of the contexts included
  std::uint8_t places = 0;          ///< most places
  std::uint8_t segments = 0;        ///< most read-only segments of a TB; 0 = the engine does not use them
  std::uint8_t queue = 0;           ///< most TBs whose contexts the agent keeps in the SM (AgentOut::local_room)
};

/// One per SM. Settles in S0, start, and clocks in S9, hook edges. On a machine with synchronisation agents it settles
/// twice in a tick while it has a job: before the agent, which sees `parked`, and after it. Not called while no job is
/// open and the engine is quiet.
class SwapEngine : public ClockedHook<SwapIn, SwapOut> {
 public:
  /// Returns the limits of the engine for the storage of its SM. Constant; called when the machine is built.
  [[nodiscard]] virtual SwapStorage storage() const { return {}; }
};

}  // namespace castor::gpu
