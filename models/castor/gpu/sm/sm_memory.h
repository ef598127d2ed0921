#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/outside_reads.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/store.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

class Waves;

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
  const isa::Record* record = nullptr;
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
class SharedTlb;
class SpinWatch;

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
  /// Notifies that the instruction that held the warp has finished its last round in shared memory.
  virtual void resume(unsigned warp) = 0;
  /// Notifies that an instruction-cache line requested with `fetch` has arrived. Warps that wait for the line decode in
  /// the next tick.
  virtual void fetched(std::uint64_t line) = 0;
};

/// Memory side of an SM: load/store unit, shared memory, L1 with MSHRs, injection FIFO (docs/gpu/sm-memory.md, "LSU",
/// "L1").
///
/// Steps: `take_reply` in S2, replies; `advance` in S3, memory; `can_accept` and `issue` in S5, issue; `can_fetch` and
/// `fetch` in S7, fetch; `next` in S10, end. The core writes the registers of a load (`complete`) at its write-back,
/// with the bytes read when the access was performed.
class SmMemory {
 public:
  /// `contexts`: the core's array of machine.sm.tb_contexts TB contexts.
  SmMemory(const Machine& machine, unsigned sm, const Store& store, InitiatorPort& port, SmMemoryClient& client,
           const TbMemory* contexts, base::StatisticGroup& statistics);
  ~SmMemory();

  /// Attaches a spin watch, which is given the addresses that device code reads. The watch is disturbed when bytes of
  /// shared or local memory change, or when a load returns a value that memory no longer holds. To be called once,
  /// before the first tick; null = no watch.
  void set_watch(SpinWatch* watch);

  /// Returns whether the LSU queues needed by this record have a free entry. With separate LSUs for global and shared
  /// memory there are two queues.
  [[nodiscard]] bool can_accept(const isa::Record& record) const;
  /// Returns a bit per full LSU queue; `can_accept` depends on these bits and the record only.
  [[nodiscard]] unsigned full_queues() const;
  /// Accepts an instruction: resolves and checks addresses, captures store data and atomic operands, and takes an LSU
  /// queue entry. The entry is released at the last pass, or when the instruction leaves to re-enter through issue. On
  /// a fault nothing is changed. A record of Kind::kPrefetch is a load without destination.
  [[nodiscard]] std::optional<AccessFault> issue(const MemoryIssue& instruction, MemoryAccepted& accepted);
  /// Writes the destination registers of a load or atomic and frees the operation.
  void complete(MemoryOperation& operation, const isa::RegisterView& view);
  /// Returns the issued instruction of an operation that waits for its write-back.
  [[nodiscard]] static const MemoryIssue& instruction(const MemoryOperation& operation);

  /// Sends a launch record of 64 bytes to memory, bypassing L1. Returns false if the injection FIFO is full. `number`
  /// is returned with `record_stored`.
  [[nodiscard]] bool store_record(const StoredRecord& record, unsigned warp, unsigned context, std::uint32_t number);
  /// Copies a TB's local memory as its threads see it, including dirty lines in L1.
  void save_local(unsigned context, std::vector<std::byte>& bytes) const;
  /// Writes saved bytes into the local memory of a TB; between ticks only.
  void restore_local(unsigned context, const std::vector<std::byte>& bytes);
  /// Drops the lines of the context's local memory from L1.
  void forget_local(unsigned context);
  /// Returns whether the injection FIFO has room for the request of an instruction line.
  [[nodiscard]] bool can_fetch() const;
  /// Requests an instruction line for a warp of a TB context. `can_fetch` must hold.
  void fetch(std::uint64_t line, unsigned context);

  /// S2, replies: takes at most one reply of the network.
  void take_reply(Cycle now, Tick tick);
  /// S3, memory: performs the L1 lookups that are due, one LSU pass per queue, and the sending of one packet of the
  /// injection FIFO.
  void advance(Cycle now, Tick tick);
  /// Returns the first tick after `tick` in which `advance` has work if nothing else happens, or kForever. Replies and
  /// credits are not considered; the port reports them. To be called at the end of a tick, after acquire cycles have
  /// changed.
  [[nodiscard]] Tick next(Tick tick) const;
  /// Counts the ticks up to `tick` that were skipped because nothing was due. `advance` does so itself; call this
  /// function before reports between ticks.
  void catch_up(Tick tick);
  /// Compares the L1 hits of cycle `now` with memory (machine key check.stale). To be called when all units of the
  /// cycle have ticked, so that the result does not depend on their order.
  void check_stale(Cycle now);
  /// Sets the flag that is raised when a hit is to be compared, or a translation to be requested.
  void hold_hits(HandOver& hand_over);
  /// Turns on address translation for packets to the network; statistics go into a group of `sm`. To be called once,
  /// before the first tick.
  void translate(SharedTlb& shared, base::StatisticGroup& sm);
  /// Requests from the shared TLB the pages that the tick of cycle `now` missed. To be called when all units of the
  /// cycle have ticked. Returns the cycle of the first translation to arrive, or kForever without a request.
  [[nodiscard]] Cycle request_translations(Cycle now);
  /// Returns whether the head of the L1 pipe is stalled. Statistic reservation_fail counts the stalled ticks.
  [[nodiscard]] bool blocked() const;
  /// Returns the warps whose instruction re-entered the shared-memory unit in this tick and took the issue slot of its
  /// scheduler.
  [[nodiscard]] WarpMask reissued() const;

  /// Drops the dirty local lines of a TB that has left its context.
  void tb_retired(unsigned context);
  /// Reads bytes at a generic address as a thread of the warp sees them, own local lines in L1 included. For calls into
  /// the runtime, when all older stores of the warp have completed. Returns false if the address is out of reach.
  [[nodiscard]] bool read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned warp_in_tb,
                          unsigned context) const;

  /// Memory traffic of the kernels of one kernel table entry; names and meanings are those of the statistics.
  struct Traffic {
    std::uint64_t coalesced_lines = 0, sectors = 0;
    std::uint64_t l1_read_hit = 0, l1_read_miss = 0, l1_write_hit = 0, l1_write_miss = 0;
    std::uint64_t primary_misses = 0, merged = 0, stale_refetch = 0, stale_hit = 0, reservation_fail = 0;
    OutsideReads outside_reads;
  };
  [[nodiscard]] const Traffic& traffic(unsigned entry) const;
  void clear_traffic(unsigned entry);

  /// Declares the waveform signals of the load/store unit and L1; `this` must not move.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns the L1 MSHRs in use, including those of bypassing reads.
  [[nodiscard]] unsigned outstanding() const;
  /// Returns the read misses of this tick that sent a request.
  [[nodiscard]] unsigned primary_misses() const;
  /// Returns whether no access, packet or reply is queued or in flight.
  [[nodiscard]] bool idle() const;
  /// Describes the oldest stalled access or packet, for deadlock reports; empty if nothing is in flight.
  [[nodiscard]] std::string waiting() const;
  /// Describes where the oldest load or atomic of a warp without data is: space, address, and the queue or MSHR that
  /// holds it.
  [[nodiscard]] std::string load_of(unsigned warp) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace castor::gpu
