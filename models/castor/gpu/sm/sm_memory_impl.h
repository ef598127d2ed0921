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

/// Counts for all kernels and for one table entry.
inline void count(base::Counter& all, std::uint64_t& of_entry) {
  ++all;
  ++of_entry;
}

/// What SmMemory is made of; private to its two sources (sm_memory.cpp: instructions and passes; l1_pipe.cpp: lookups,
/// replies, injection).
struct SmMemory::Impl {
  Impl(const Machine& machine, unsigned sm, const Store& store, InitiatorPort& port, SmMemoryClient& client,
       const TbMemory* contexts, base::StatisticGroup& group);

  // --- Instructions and passes ---
  /// An instruction in an LSU queue, or the part of it that this queue works on.
  struct Queued {
    MemoryOperation* operation;
    bool shared;  ///< its shared-memory rounds are due here
    bool memory;  ///< its lines and ideal loads are due here
  };
  using LsuQueue = Ring<Queued>;

  void enqueue(MemoryOperation& operation);
  void pass(LsuQueue& queue, Tick tick);
  void pass_lines(MemoryOperation& operation, Tick tick);
  /// An operation has the unit of shared memory for a tick.
  SharedUnit::Result shared_tick(MemoryOperation& operation, Tick tick);
  /// Its rounds are over.
  void shared_over(MemoryOperation& operation, Tick tick);
  /// One of the operation's parts is over, its data are there at `ready`.
  void part_done(MemoryOperation& operation, Tick ready);
  [[nodiscard]] Tick next_pass(const LsuQueue& queue, Tick tick) const;
  void catch_up(Tick tick);

  // --- L1 pipe ---
  /// Why the head of the pipe stands still.
  enum class Lack : std::uint8_t {
    kPlace,  ///< in the injection FIFO
    kEntry,  ///< MSHR, or a merge with the one of its line
    kWay,    ///< all ways of its set wait for fills
  };
  /// For a lookup that has to stay.
  [[nodiscard]] bool lacks(Lack what) {
    lack = what;
    return false;
  }
  [[nodiscard]] bool lacks_way(std::uint64_t line) {
    lack_set = l1.set_of(line);
    return lacks(Lack::kWay);
  }
  /// Whether something has come since that the head may have lacked.
  [[nodiscard]] bool may_go_on() const {
    return freed || (sent && lack == Lack::kPlace) || acquire(*pipe.front().operation) != stuck_acquire;
  }
  /// An MSHR, and a claim on a way of the line's set, was given back.
  void give_back(std::uint64_t line) { freed = freed || lack != Lack::kWay || l1.set_of(line) == lack_set; }
  struct InPipe {
    MemoryOperation* operation;
    std::uint32_t line;
    Tick due;
  };
  [[nodiscard]] bool pipe_full() const { return pipe.size() >= pipe_depth; }
  /// False if something is missing: the access stays and changes nothing.
  [[nodiscard]] bool lookup(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  [[nodiscard]] bool load(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  [[nodiscard]] bool merge(MemoryOperation& operation, unsigned line, std::uint32_t entry, std::uint32_t slot,
                           bool stale, const ByteMask& missing);
  [[nodiscard]] bool store_through(MemoryOperation& operation, unsigned line, Tick tick);
  [[nodiscard]] bool store_back(MemoryOperation& operation, unsigned line, Tick tick);
  [[nodiscard]] bool pass_by(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  /// Empties a line that is too old for its reader; local lines that are written back have one writer and never are.
  void empty(std::uint32_t slot);
  [[nodiscard]] bool too_old(std::uint32_t slot, const MemoryOperation& operation, unsigned line) const;
  [[nodiscard]] Cycle acquire(const MemoryOperation& operation) const {
    return contexts[operation.issue.context].acquire;
  }
  void close_entries(std::uint64_t line);
  void release_if_empty(std::uint32_t slot);
  void forget(std::uint32_t slot);
  void place(std::uint32_t slot, std::uint64_t line, const MemoryOperation& operation, bool own);
  void write_back(std::uint32_t slot);
  void install(MshrFile::Entry& entry, const Transaction& reply);
  void serve(const Transaction& reply, Tick tick);
  /// A hit of this tick that is compared with memory when the cycle is over.
  struct Hit {
    std::uint64_t line;
    std::uint32_t slot;
    ByteMask bytes;
    std::uint64_t* traffic;  ///< stale hits of the kernel table entry
  };
  void check_stale(const Hit& hit, Cycle now);
  [[nodiscard]] bool watched() const { return watch != nullptr && watch->is_open(); }
  /// With acquire.mode flush: an acquire cycle not seen before empties all of L1.
  void flush_for(Cycle acquire_cycle);

  // --- Packets ---
  [[nodiscard]] std::size_t places() const { return injection.room(); }
  [[nodiscard]] bool dirty(std::uint32_t slot) const {
    return slot != L1Cache::kNone && l1.at(slot).present && !l1.at(slot).dirty.none();
  }
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, unsigned context);
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, const MemoryOperation& operation);
  void inject(Transaction& transaction, std::uint64_t line);
  /// Who is told that a store is performed.
  enum class Teller : std::uint8_t { kWarp, kNobody, kRecord };
  void send_store(Transaction& transaction, std::uint64_t line, const ByteMask& bytes, Teller told,
                  std::uint32_t number = 0);
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

  // What every tick looks at stands side by side.
  const bool two_units;  ///< shared memory has a load/store unit of its own, with the second queue
  LsuQueue queues[2];
  SharedUnit shared_unit;
  const std::size_t pipe_depth;
  Ring<InPipe> pipe;
  InjectionFifo injection;
  std::vector<Hit> hits;  ///< of this cycle
  HandOver own_any_hit;
  HandOver* any_hit = &own_any_hit;  ///< there are some
  Tick last_tick = 0;
  Cycle stuck_acquire = 0;           ///< acquire cycle of the stuck head's block when it got stuck
  Traffic* stuck_traffic = nullptr;  ///< where its ticks count
  bool stuck = false;                ///< the head of the pipe stood still in the last tick
  Lack lack = Lack::kPlace;          ///< what it lacked
  bool sent = false;                 ///< the injection FIFO has a place more since
  bool freed = false;                ///< an MSHR, or with kWay a way of the set, is free since
  bool short_of_credit = false;
  std::uint32_t lack_set = 0;  ///< of L1, if it lacked a way
  unsigned primary_misses = 0;

  MshrFile mshrs;
  L1Cache l1;
  SmMemoryStatistics statistics;
  std::vector<Traffic> by_entry;           ///< per kernel table entry
  std::vector<std::uint32_t> local_lines;  ///< per TB context: lines of its local memory in L1
  OperationPool operations;
  TransactionPool pool;
  /// Stores under way; the transaction's tag is its place here.
  struct Write {
    Transaction* transaction;
    Teller told;           ///< nobody of a dirty line that left L1
    std::uint32_t number;  ///< of a record
  };
  std::vector<Write> writes;
  std::uint64_t next_id = 0;
  Cycle flushed_for = 0;
  mutable AccessResolver resolver;
};

}  // namespace castor::gpu
