#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/sm/injection_fifo.h"
#include "castor/gpu/sm/l1_cache.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/mshr_file.h"
#include "castor/gpu/sm/ring.h"
#include "castor/gpu/sm/shared_unit.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_memory_statistics.h"
#include "castor/gpu/sm/spin_watch.h"

namespace castor::gpu {

/// Increments two counters: the counter of all kernels, and the counter of one table entry.
inline void count(base::Counter& all, std::uint64_t& of_entry) {
  ++all;
  ++of_entry;
}

/// Implementation of SmMemory, private to sm_memory.cpp (instructions and passes) and l1_pipe.cpp (lookups, replies,
/// injection).
struct SmMemory::Impl {
  Impl(const Machine& machine, unsigned sm, const Store& store, InitiatorPort& port, SmMemoryClient& client,
       const TbMemory* contexts, base::StatisticGroup& group);

  // --- Instructions and passes ---
  /// An instruction in an LSU queue, or its part for this queue if global and shared memory have separate LSUs.
  struct Queued {
    MemoryOperation* operation;
    bool shared;  ///< this queue has to do the operation's shared-memory rounds
    bool memory;  ///< this queue has to do the operation's lines and ideal loads
  };
  using LsuQueue = Ring<Queued>;

  void enqueue(MemoryOperation& operation);
  void pass(LsuQueue& queue, Tick tick);
  void pass_lines(MemoryOperation& operation, Tick tick);
  /// Gives the shared-memory unit to an operation for one tick.
  SharedUnit::Result shared_tick(MemoryOperation& operation, Tick tick);
  /// Completes the shared-memory part of an operation after its last round.
  void shared_over(MemoryOperation& operation, Tick tick);
  /// Completes one part of the operation, whose data are available at `ready`.
  void part_done(MemoryOperation& operation, Tick ready);
  [[nodiscard]] Tick next_pass(const LsuQueue& queue, Tick tick) const;
  /// Counts the stalls of skipped ticks up to `tick`.
  void catch_up(Tick tick);

  // --- L1 pipe ---
  /// Resource that the stalled head of the L1 pipe is_missing.
  enum class StallReason : std::uint8_t {
    kInjectionSlot,  ///< entry of the injection FIFO
    kEntry,          ///< MSHR, or a merge slot in the MSHR of its line
    kWay,            ///< way: all ways of the set are claimed by fills
  };
  /// Records the missing resource of a lookup; returns false.
  [[nodiscard]] bool is_missing(StallReason what) {
    lack = what;
    return false;
  }
  [[nodiscard]] bool lacks_free_way(std::uint64_t line) {
    lack_set = l1.set_of(line);
    return is_missing(StallReason::kWay);
  }
  /// Returns whether the missing resource may have become free since the head stalled, or the acquire cycle of its
  /// block has changed.
  [[nodiscard]] bool may_resume() const {
    return freed || (sent && lack == StallReason::kInjectionSlot) || acquire(*pipe.front().operation) != stuck_acquire;
  }
  /// Records that an MSHR, and a claim on a way of the line's set, was released.
  void give_back(std::uint64_t line) { freed = freed || lack != StallReason::kWay || l1.set_of(line) == lack_set; }
  /// Line access in the L1 pipe, with the tick of its lookup.
  struct InPipe {
    MemoryOperation* operation;
    std::uint32_t line;
    Tick due;
  };
  [[nodiscard]] bool pipe_full() const { return pipe.size() >= pipe_depth; }
  /// Looks a line up in L1, and performs or sends the access. Returns false if a resource is missing; nothing is
  /// changed then.
  [[nodiscard]] bool lookup(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  /// Performs a cached load of a line: hit, merge with an open MSHR, or miss.
  [[nodiscard]] bool load(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  [[nodiscard]] bool merge(MemoryOperation& operation, unsigned line, std::uint32_t entry, std::uint32_t slot,
                           bool stale, const ByteMask& missing);
  /// Performs a store with write-through: updates L1 on a hit, and sends the bytes to memory.
  [[nodiscard]] bool store_through(MemoryOperation& operation, unsigned line, Tick tick);
  /// Performs a store to a local line with write-back: allocates the line, and marks the bytes dirty.
  [[nodiscard]] bool store_back(MemoryOperation& operation, unsigned line, Tick tick);
  /// Sends an access that bypasses L1, and drops the line from L1 after writing its dirty bytes back.
  [[nodiscard]] bool bypass(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  /// Invalidates a line that is older than its reader's acquire cycle. Not needed for local lines with write-back: only
  /// one TB writes them, so they are never too old.
  void empty(std::uint32_t slot);
  [[nodiscard]] bool too_old(std::uint32_t slot, const MemoryOperation& operation, unsigned line) const;
  [[nodiscard]] Cycle acquire(const MemoryOperation& operation) const {
    return contexts[operation.issue.context].acquire;
  }
  /// Closes all open MSHRs of a line: later loads do not merge, and the data are not installed.
  void close_entries(std::uint64_t line);
  void release_if_empty(std::uint32_t slot);
  void forget(std::uint32_t slot);
  void place(std::uint32_t slot, std::uint64_t line, const MemoryOperation& operation, bool own);
  /// Sends the dirty bytes of a slot to memory.
  void write_back(std::uint32_t slot);
  /// Writes the data of a reply into the slot of its open MSHR; valid bytes stay.
  void install(MshrFile::Entry& entry, const Transaction& reply);
  /// Handles a reply of the network.
  void serve(const Transaction& reply, Tick tick);
  /// A hit of this tick that is compared with memory at the end of the cycle.
  struct Hit {
    std::uint64_t line;
    std::uint32_t slot;
    ByteMask bytes;
    std::uint64_t* traffic;  ///< counter of stale hits of the kernel table entry
  };
  void check_stale(const Hit& hit, Cycle now);
  [[nodiscard]] bool watched() const { return watch != nullptr && watch->is_open(); }
  /// Empties L1 at the first lookup with a newer acquire cycle (acquire.mode flush). Local lines with write-back stay.
  void flush_for(Cycle acquire_cycle);

  // --- Packets ---
  [[nodiscard]] std::size_t places() const { return injection.room(); }
  [[nodiscard]] bool dirty(std::uint32_t slot) const {
    return slot != L1Cache::kNone && l1.at(slot).present && !l1.at(slot).dirty.none();
  }
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, unsigned context);
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, const MemoryOperation& operation);
  void inject(Transaction& transaction, std::uint64_t line);
  /// Receiver of the acknowledge of a store: the warp, nobody, or the launch pointers of a record.
  enum class Listener : std::uint8_t { kWarp, kNobody, kRecord };
  void send_store(Transaction& transaction, std::uint64_t line, const ByteMask& bytes, Listener listener,
                  std::uint32_t number = 0);
  /// Sends the head of the injection FIFO, if the crossbar port has credits.
  void send_one(Cycle now, Tick tick);

  [[nodiscard]] Traffic& traffic(const MemoryOperation& operation) {
    return by_entry[contexts[operation.issue.context].kernel->entry];
  }

  [[nodiscard]] bool read_byte(std::uint64_t generic, std::byte& to, unsigned lane, unsigned warp_in_tb,
                               unsigned context) const;

  const Machine& machine;
  const unsigned sm;
  const std::uint8_t all_sectors;
  const Store& store;
  InitiatorPort& port;
  SmMemoryClient& client;
  const TbMemory* const contexts;
  SpinWatch* watch = nullptr;

  // The members used in every tick come first, to share cache lines.
  const bool two_units;  ///< shared memory has its own load/store unit, with queue 1
  /// LSU queues: [0] global memory, and shared memory unless two_units; [1] shared memory
  LsuQueue queues[2];
  SharedUnit shared_unit;
  const std::size_t pipe_depth;
  /// L1 pipe: line accesses between their pass and their lookup
  Ring<InPipe> pipe;
  InjectionFifo injection;
  std::vector<Hit> hits;  ///< hits of this cycle that are to be compared with memory
  HandOver own_any_hit;
  HandOver* any_hit = &own_any_hit;                ///< flag that is raised if hits or translation requests are pending
  Tick last_tick = 0;                              ///< last tick whose stalls were counted
  Cycle stuck_acquire = 0;                         ///< acquire cycle of the stalled head's block when the head stalled
  Traffic* stuck_traffic = nullptr;                ///< traffic entry that counts the stalled ticks
  bool stuck = false;                              ///< the head of the pipe was stalled in the last tick
  StallReason lack = StallReason::kInjectionSlot;  ///< resource that the stalled head lacked
  bool sent = false;                               ///< a packet left the injection FIFO in the last tick
  /// an MSHR has become free since the head stalled; with kWay, a way of set lack_set
  bool freed = false;
  /// the crossbar port had no credit for the head of the injection FIFO in the last tick
  bool short_of_credit = false;
  std::uint32_t lack_set = 0;   ///< with kWay: set of L1 without a free way
  unsigned primary_misses = 0;  ///< accesses of this tick that sent a request for their result

  MshrFile mshrs;
  L1Cache l1;
  SmMemoryStatistics statistics;
  std::vector<Traffic> by_entry;           ///< [kernel table entry] traffic of its kernels
  std::vector<std::uint32_t> local_lines;  ///< [TB context] number of L1 lines with its local memory
  OperationPool operations;
  TransactionPool pool;
  /// A store in flight; the transaction's tag is its index in `writes`.
  struct Write {
    Transaction* transaction;
    Listener listener;     ///< receiver of the acknowledge; kNobody for the write-back of a dirty line
    std::uint32_t number;  ///< with kRecord: number of the launch record
  };
  std::vector<Write> writes;
  std::uint64_t next_id = 0;
  Cycle flushed_for = 0;  ///< acquire.mode flush: newest acquire cycle for which L1 was emptied
  mutable AccessResolver resolver;
};

}  // namespace castor::gpu
