#pragma once

#include <cstdint>

#include "castor/gpu/hooks/swap_engine.h"

namespace castor::gpu {

/// Storage of an SM, and what a thread block of a kernel needs of it, in lines of kSwapLineBytes.
struct SwapDemand {
  unsigned file_registers = 0;  ///< register file of the SM
  unsigned file_shared = 0;     ///< shared memory of the SM
  unsigned slots = 0;           ///< most thread blocks of the kernel that are resident in the SM at a time
  unsigned registers = 0;       ///< register home: the registers that are allocated to a thread block, at least 1
  unsigned shared = 0;          ///< shared home: lines of shared memory; 0 = none
  unsigned simt = 0;            ///< SIMT lines, at least 1
  unsigned live = 0;            ///< most lines of registers that move at a site of the program
};

/// Layout of the on-chip storage of an SM that the resident thread blocks of a kernel leave unused
/// (docs/gpu/swapping.md, "Spare storage").
struct SwapLayout {
  unsigned register_homes = 0;  ///< those of the slots included
  unsigned shared_homes = 0;    ///< those of the slots included
  unsigned in_place = 0;        ///< places for the SIMT lines of a thread block that stays in its homes
  unsigned copies = 0;          ///< places for the SIMT lines and the registers or shared memory of a thread block
  SwapDirection direction = SwapDirection::kNone;  ///< what goes to the places of `copies`
  unsigned copy_lines = 0;                         ///< lines of each of the places of `copies`
};

/// Returns the layout for a kernel. `most`: upper limits of the engine (SwapEngine::storage). All homes and places
/// together fit into the register file and the shared memory of the SM.
[[nodiscard]] SwapLayout swap_layout(const SwapDemand& demand, const SwapStorage& most);

}  // namespace castor::gpu
