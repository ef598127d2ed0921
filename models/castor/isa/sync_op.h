#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace castor::isa {

/// Operations of device-wide synchronisation. Each is an instruction of its own (Kind::kSync, Record::imm). Hardware
/// blocks execute them; the registration of a block lists the operations that it answers.
enum class SyncOp : std::uint8_t {
  kGridBarrier,  ///< blocks the thread block until all thread blocks of the kernel have arrived; releases and acquires
  kReadOnly,     ///< promises that a range of shared memory holds the bytes of a range of global memory and is not
              ///< written: src[0] = offset in shared memory (u32), src[1] = global address (u64), src[2] = bytes (u32)
  kWritable,  ///< ends the promise for the range that holds a byte of shared memory: src[0] = offset (u32)
  kWait,      ///< counts the thread block at an event and blocks it until the event fires: src[0] = event (u32), src[1]
              ///< = target (u32), the count at which the event fires
  kSignal,    ///< counts at an event, once per warp, without blocking: operands as kWait
};
inline constexpr std::size_t kSyncOps = 5;

/// Set of operations: bit per SyncOp.
using SyncSet = std::uint8_t;
[[nodiscard]] constexpr SyncSet sync_bit(SyncOp op) { return static_cast<SyncSet>(1U << static_cast<unsigned>(op)); }
/// Operations at which a thread block waits for other thread blocks of its kernel.
inline constexpr SyncSet kBlockingOps = sync_bit(SyncOp::kGridBarrier) | sync_bit(SyncOp::kWait);

/// Returns the PTX spelling: "tb.gridsync".
[[nodiscard]] constexpr std::string_view name(SyncOp op) {
  constexpr std::array<std::string_view, kSyncOps> kNames = {"tb.gridsync", "tb.readonly", "tb.writable", "tb.wait",
                                                             "tb.signal"};
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace castor::isa
