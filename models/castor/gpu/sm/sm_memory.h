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

/// What the memory side needs to know of a TB context; the SM core keeps one per context.
struct TbMemory {
  const KernelContext* kernel = nullptr;
  std::byte* shared = nullptr;     ///< the TB's shared memory
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::uint64_t parameters = 0;    ///< device address of its item's parameter block
  std::uint64_t local_base = 0;    ///< of its warp 0; warp w of the TB: + w * kernel->local_stride
  Cycle acquire = 0;               ///< lines older than this are absent
};

/// A memory instruction as the core issues it.
struct MemoryIssue {
  const isa::Record* record = nullptr;
  isa::RegisterView view;
  isa::LaneMask mask = 0;  ///< lanes that access, not 0
  unsigned warp = 0;       ///< warp slot
  unsigned warp_in_tb = 0;
  unsigned context = 0;  ///< TB context
  std::uint32_t pc = 0;  ///< record index
  Tick dispatch = 0;     ///< tick in which it enters the LSU; passes start one later
  Cycle now = 0;
  Tick tick = 0;
};

/// What an instruction means for its warp.
struct MemoryAccepted {
  /// To come, of one that writes: one per line, and one for all that it does in shared memory.
  unsigned acknowledges = 0;
  bool holds = false;  ///< the warp may not issue before it is told to go on
};

/// An access that is refused.
struct AccessFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::string what;
};

/// One memory instruction from issue to completion. Belongs to SmMemory.
struct MemoryOperation;
class SharedTlb;
class SpinWatch;

/// What the memory side tells the core. All calls happen inside `take_reply` and `advance`.
class SmMemoryClient {
 public:
  virtual ~SmMemoryClient() = default;
  /// All data of a load or atomic with result are there. The core reserves write slots at `ready` or later, and calls
  /// SmMemory::complete in the tick in which the registers are written.
  virtual void data_ready(MemoryOperation& operation, Tick ready) = 0;
  /// A line of a store, reduction or atomic of the warp is performed, or all that one writes in shared memory: one
  /// acknowledge less is to come.
  virtual void acknowledged(unsigned warp) = 0;
  /// The record that `store_record` sent for the warp is performed.
  virtual void record_stored(unsigned warp, std::uint32_t number) = 0;
  /// The instruction that held the warp has had its last round in shared memory.
  virtual void goes_on(unsigned warp) = 0;
  /// An instruction line that `fetch` asked for has arrived; its waiters decode in the next tick.
  virtual void fetched(std::uint64_t line) = 0;
};

/// The memory side of an SM: load/store unit, shared memory, L1 with MSHRs, injection FIFO (docs/gpu/sm-memory.md,
/// "LSU", "L1").
///
/// Who calls what in a tick: S2 `take_reply`, S3 `advance`, S5 `can_accept` and `issue`, S7 `can_fetch` and `fetch`,
/// S10 `next`. Registers of a load are written by the core (`complete`), at its write-back, with the bytes of the
/// moment in which the access was performed.
class SmMemory {
 public:
  /// `contexts`: the core's array of TB contexts, machine.sm.tb_contexts long.
  SmMemory(const Machine& machine, unsigned sm, const Store& store, InitiatorPort& port, SmMemoryClient& client,
           const TbMemory* contexts, base::StatisticGroup& statistics);
  ~SmMemory();

  /// Tells `watch` what device code reads, and disturbs it when bytes of shared or local memory change or a load
  /// returns a value that memory does not hold any more. To be called once, before the first tick; null: nobody
  /// watches.
  void set_watch(SpinWatch* watch);

  /// A queue entry is free for this record (two queues where global and shared memory have LSUs of their own).
  [[nodiscard]] bool can_accept(const isa::Record& record) const;
  /// Bit per queue without a free entry: what `can_accept` depends on besides the record.
  [[nodiscard]] unsigned full_queues() const;
  /// Takes an instruction: resolves and checks addresses, captures store data and atomic operands, takes a queue entry
  /// until its last pass, or until it leaves to come back through issue. On a fault nothing is taken. A record of
  /// Kind::kPrefetch is a load without destination.
  [[nodiscard]] std::optional<AccessFault> issue(const MemoryIssue& instruction, MemoryAccepted& accepted);
  /// Writes the destination rows of a load or atomic and forgets the operation.
  void complete(MemoryOperation& operation, const isa::RegisterView& view);
  /// Facts about an operation that waits for its write-back.
  [[nodiscard]] static const MemoryIssue& instruction(const MemoryOperation& operation);

  /// Sends the record of a launch, 64 bytes, past L1; false if the injection FIFO has no room. `number` comes back with
  /// `record_stored`.
  [[nodiscard]] bool store_record(const StoredRecord& record, unsigned warp, unsigned context, std::uint32_t number);
  /// Bytes of a TB's local memory as its threads see them, lines of it in L1 that are not written back included.
  void save_local(unsigned context, std::vector<std::byte>& bytes) const;
  /// Puts such bytes into the local memory of a TB; between ticks.
  void restore_local(unsigned context, const std::vector<std::byte>& bytes);
  /// Lines of the context's local memory are not in L1 any more.
  void forget_local(unsigned context);
  /// Room in the injection FIFO for an instruction line.
  [[nodiscard]] bool can_fetch() const;
  void fetch(std::uint64_t line, unsigned context);

  /// S2: at most one reply of the network.
  void take_reply(Cycle now, Tick tick);
  /// S3: lookups due, one pass, one packet of the injection FIFO.
  void advance(Cycle now, Tick tick);
  /// First tick after `tick` in which `advance` has something to do, if nothing else happens (replies and credits are
  /// the port's to tell); kForever if none. To be asked at the end of a tick, when acquire cycles have their new
  /// values.
  [[nodiscard]] Tick next(Tick tick) const;
  /// Counts ticks up to `tick` in which `advance` was not called because nothing was due; `advance` does it by itself,
  /// so this is for reports in between.
  void catch_up(Tick tick);
  /// Compares the L1 hits of cycle `now` with memory (machine key check.stale). To be called when all units of the
  /// cycle have ticked, so that the result does not depend on their order.
  void check_stale(Cycle now);
  /// Raised whenever there is a hit to be compared.
  void hold_hits(HandOver& hand_over);
  /// From now on what leaves for the network needs the translation of its page; statistics go into a group of `sm`. To
  /// be called once, before the first tick.
  void translate(SharedTlb& shared, base::StatisticGroup& sm);
  /// Asks the shared TLB for the pages that the tick of `now` missed; to be called when all units of the cycle have
  /// ticked. The cycle in which the first of all answers is here, if it asked, else kForever. Raises the same as hits.
  [[nodiscard]] Cycle ask_for_translations(Cycle now);
  /// The head of the L1 pipe stands still. Its ticks are counted here (reservation_fail).
  [[nodiscard]] bool blocked() const;
  /// Warps whose instruction has come back in this tick for more rounds in shared memory: it took the issue slot of its
  /// scheduler.
  [[nodiscard]] WarpMask reissued() const;

  /// A TB has left its context: its dirty local lines are dropped.
  void tb_retired(unsigned context);
  /// Reads bytes as a thread of the warp sees them at a generic address (own L1 lines of local memory included); for
  /// calls into the runtime, when all older stores of the warp are performed. False if out of reach.
  [[nodiscard]] bool read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned warp_in_tb,
                          unsigned context) const;

  /// What the kernel of one kernel table entry did; names and meanings are those of the statistics.
  struct Traffic {
    std::uint64_t coalesced_lines = 0, sectors = 0;
    std::uint64_t l1_read_hit = 0, l1_read_miss = 0, l1_write_hit = 0, l1_write_miss = 0;
    std::uint64_t primary_misses = 0, merged = 0, stale_refetch = 0, stale_hit = 0, reservation_fail = 0;
    OutsideReads outside_reads;
  };
  [[nodiscard]] const Traffic& traffic(unsigned entry) const;
  void clear_traffic(unsigned entry);

  /// Declares the signals of load/store unit and L1; `this` must stay where it is.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// L1 MSHRs in use and bypassing reads under way.
  [[nodiscard]] unsigned outstanding() const;
  /// Read misses that created a request in this tick.
  [[nodiscard]] unsigned primary_misses() const;
  /// Nothing is queued or under way.
  [[nodiscard]] bool idle() const;
  /// Oldest thing that stands still, for deadlock reports; empty if nothing is under way.
  [[nodiscard]] std::string waiting() const;
  /// Where the oldest load or atomic of a warp is found that has no data yet: space, address, and what it waits in.
  [[nodiscard]] std::string load_of(unsigned warp) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace castor::gpu
