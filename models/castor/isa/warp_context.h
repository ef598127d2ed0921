#pragma once

#include <cstdint>

#include "castor/isa/types.h"

namespace castor::isa {

struct Record;

/// Special registers that programs read with `mov` (PTX ISA, "Special Registers"). A register without counterpart in
/// the machine reads as the constant in warp_context.cpp, as listed in docs/ptx.md.
enum class SpecialRegister : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobalTimer,
  kGlobalTimerLo,
  kGlobalTimerHi,
  kTotalSmemSize,
  kDynamicSmemSize,
  kWarpSize,
  kCooperative,        ///< %envreg0: 1 in a cooperative launch, else 0
  kGridWorkspaceHigh,  ///< %envreg1: upper half of the device address of the launch's grid barrier
  kGridWorkspaceLow,   ///< %envreg2: lower half
  kParameterBase,      ///< internal: generic address of the kernel's parameter block
  kCount,
};

/// Identity of a warp for the special registers of its lanes. CUDA warps have 32 threads. A 64-lane hardware warp holds
/// two of them, so lane and warp ids refer to halves. All counts are in the units of PTX.
struct WarpContext {
  std::uint16_t tid[3][kMaxLanes] = {};  ///< thread index inside the block, per lane
  std::uint32_t ntid[3] = {1, 1, 1};
  std::uint32_t ctaid[3] = {};
  std::uint32_t nctaid[3] = {1, 1, 1};
  std::uint32_t first_warp = 0;  ///< %warpid of the first half
  std::uint32_t warp_slots = 0;  ///< %nwarpid, in CUDA warps
  std::uint32_t sm = 0;
  std::uint32_t sms = 1;
  std::uint64_t grid = 0;
  std::uint64_t clock = 0;           ///< clock in SM ticks
  std::uint64_t global_timer = 0;    ///< time in ns
  std::uint32_t dynamic_shared = 0;  ///< dynamic shared memory in bytes
  std::uint32_t total_shared = 0;    ///< shared memory in bytes, static and dynamic
  std::uint64_t parameter_base = 0;  ///< device address of the kernel's parameter block
  std::uint64_t grid_workspace = 0;  ///< device address of the launch's grid barrier; 0 = none
  bool cooperative = false;          ///< the kernel was launched cooperatively
  LaneMask live = 0;                 ///< lanes that were started and have not exited
  LaneMask active = 0;               ///< lanes at the top of the SIMT stack (guard not applied)
};

/// Returns the value of a special register in one lane.
[[nodiscard]] std::uint64_t read(const WarpContext& context, SpecialRegister reg, unsigned lane);

/// Returns whether a special register is a part of the grid barrier's address.
[[nodiscard]] constexpr bool names_grid_workspace(SpecialRegister reg) {
  return reg == SpecialRegister::kGridWorkspaceHigh || reg == SpecialRegister::kGridWorkspaceLow;
}

/// Whether a lane record without a source may read a clock register, judged by its immediate. The result may be true
/// for a record that reads none; this only costs time.
[[nodiscard]] bool may_read_clock(const Record& record);

}  // namespace castor::isa
