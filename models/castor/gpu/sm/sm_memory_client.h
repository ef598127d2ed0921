#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/outside_reads.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// A TB context as the memory side sees it. The SM core has an array of them, one for each context.
struct TbMemory {
  const KernelContext* kernel = nullptr;
  std::byte* shared = nullptr;     ///< the TB's shared memory
  std::uint32_t shared_bytes = 0;  ///< bytes of shared memory, static and dynamic
  std::uint64_t parameters = 0;    ///< device address of the parameter block of the TB's kernel or group
  /// local memory of the TB's warp 0; warp w of the TB has its local memory at + w * kernel->local_stride
  std::uint64_t local_base = 0;
  Cycle acquire = 0;  ///< acquire cycle: lines of L1 with an older stamp count as absent
};

/// A memory instruction as the SM core issues it.
struct MemoryIssue {
  const isa::Record* record = nullptr;  ///< null: an access of the swap engine, not an instruction
  isa::RegisterView view;
  isa::LaneMask mask = 0;   ///< lanes that access memory, not 0
  unsigned warp = 0;        ///< warp slot
  unsigned warp_in_tb = 0;  ///< number of the warp in its TB
  unsigned context = 0;     ///< TB context
  std::uint32_t pc = 0;     ///< record index
  Tick dispatch = 0;        ///< tick in which the instruction enters the LSU; its passes start one tick later
  Cycle now = 0;
  Tick tick = 0;
};

/// Consequences of an accepted memory instruction for its warp.
struct MemoryAccepted {
  /// Acknowledges to come for an instruction that writes: one per line, and one for its shared-memory part.
  unsigned acknowledges = 0;
  bool holds = false;  ///< the warp may not issue before SmMemoryClient::resume is called for it
};

/// A memory access that is refused, with the reason.
struct AccessFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::string what;
};

/// One memory instruction from issue to completion; owned by SmMemory.
struct MemoryOperation;

/// Receiver of the memory side's notifications, implemented by the SM core. All calls happen inside `take_reply` and
/// `advance`.
class SmMemoryClient {
 public:
  virtual ~SmMemoryClient() = default;
  /// Notifies that all data of a load or atomic with result have arrived. The core reserves write slots at `ready` or
  /// later, and calls SmMemory::complete in the tick in which the registers are written.
  virtual void data_ready(MemoryOperation& operation, Tick ready) = 0;
  /// Notifies one acknowledge: a line of a store, reduction or atomic of the warp has been performed, or its part in
  /// shared memory.
  virtual void acknowledged(unsigned warp) = 0;
  /// Notifies that the launch record sent with `store_record` has been stored.
  virtual void record_stored(unsigned warp, std::uint32_t number) = 0;
  /// Notifies that the data of a line that the swap engine loads have arrived. The core calls SmMemory::finish_swap at
  /// `ready` or later.
  virtual void swap_loaded(MemoryOperation& /*operation*/, Tick /*ready*/) {}
  /// Notifies that a line that the swap engine has stored for a TB context is in memory.
  virtual void swap_stored(unsigned /*context*/) {}
  /// Notifies that the instruction that held the warp has finished its last round in shared memory.
  virtual void resume(unsigned warp) = 0;
  /// Notifies that an instruction-cache line requested with `fetch` has arrived. Warps that wait for the line decode in
  /// the next tick.
  virtual void fetched(std::uint64_t line) = 0;
};

/// Memory traffic of the kernels of one kernel table entry; names and meanings are those of the statistics.
struct MemoryTraffic {
  std::uint64_t coalesced_lines = 0, sectors = 0;
  std::uint64_t l1_read_hit = 0, l1_read_miss = 0, l1_write_hit = 0, l1_write_miss = 0;
  std::uint64_t primary_misses = 0, merged = 0, stale_refetch = 0, stale_hit = 0, reservation_fail = 0;
  OutsideReads outside_reads;
};

}  // namespace castor::gpu
