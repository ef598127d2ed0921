#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/execution/fault.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/isa/program.h"

namespace castor::gpu::functional {

/// Overwrites the registers and inverts the predicates of a warp that the site at record `pc` leaves out, in all lanes.
/// A program whose results depend on them has a wrong site.
void lose_values(const isa::Program& program, std::uint32_t pc, Warp& warp, unsigned lanes);

/// Byte with which lost registers and lost shared memory are filled.
inline constexpr int kLostByte = 0xcd;

/// Executes SyncOp::kReadOnly and kWritable: adds a promise of the lowest lane to `ranges`, or removes those that hold
/// its byte.
void note_read_only(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask,
                    std::vector<ReadOnlyRange>& ranges);

/// Checks a synchronisation (check_sync), and sets `event` and `target` of `wait` to its operands.
[[nodiscard]] std::optional<ExecutionFault> read_sync(const isa::Record& record, const isa::RegisterView& view,
                                                      isa::LaneMask mask, isa::LaneMask live, SyncWait& wait);

}  // namespace castor::gpu::functional
