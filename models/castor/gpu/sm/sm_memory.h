#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/sm/l1_pipe.h"
#include "castor/gpu/sm/load_store_unit.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/operation_tracker.h"
#include "castor/gpu/sm/packet_sender.h"
#include "castor/gpu/sm/sm_memory_client.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class SharedTlb;
class SpinWatch;
class Waves;

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
           const TbMemory* contexts, base::StatisticGroup& statistics)
      : machine_(machine),
        store_(store),
        port_(port),
        operations_(machine, client, contexts, statistics),
        sender_(machine, sm, port, contexts),
        pipe_(machine, sm, store, operations_, sender_),
        lsu_(machine, store, operations_, pipe_),
        resolver_(machine, store) {}

  /// Attaches a spin watch, which is given the addresses that device code reads. The watch is disturbed when bytes of
  /// shared or local memory change, or when a load returns a value that memory no longer holds. To be called once,
  /// before the first tick; null = no watch.
  void set_watch(SpinWatch* watch) { operations_.set_watch(watch); }

  /// Returns whether the LSU queues needed by this record have a free entry. With separate LSUs for global and shared
  /// memory there are two queues.
  [[nodiscard]] bool can_accept(const isa::Record& record) const { return lsu_.can_accept(record); }
  /// Returns a bit per full LSU queue; `can_accept` depends on these bits and the record only.
  [[nodiscard]] unsigned full_queues() const { return lsu_.full(); }
  /// Accepts an instruction: resolves and checks addresses, captures store data and atomic operands, and takes an LSU
  /// queue entry. The entry is released at the last pass, or when the instruction leaves to re-enter through issue. On
  /// a fault nothing is changed. A record of Kind::kPrefetch is a load without destination.
  [[nodiscard]] std::optional<AccessFault> issue(const MemoryIssue& instruction, MemoryAccepted& accepted);
  /// Writes the destination registers of a load or atomic and frees the operation.
  void complete(MemoryOperation& operation, const isa::RegisterView& view) {
    operation.write_registers(view);
    operations_.free(operation);
  }
  /// Returns the issued instruction of an operation that waits for its write-back.
  [[nodiscard]] static const MemoryIssue& instruction(const MemoryOperation& operation) { return operation.issue; }

  /// Sends a launch record of 64 bytes to memory, bypassing L1. Returns false if the injection FIFO is full. `number`
  /// is returned with `record_stored`.
  [[nodiscard]] bool store_record(const StoredRecord& record, unsigned warp, unsigned context, std::uint32_t number);
  /// S0, start: accepts an access of the swap engine to the line of 128 bytes at `address`, as an instruction of warp
  /// `warp` that bypasses L1. It takes an LSU queue entry and, in this tick, the issue slot of the warp's scheduler.
  /// `from`: the bytes to store, taken now; null = a load, which ends with SmMemoryClient::swap_loaded and
  /// `finish_swap`. Returns null if the LSU has no entry.
  [[nodiscard]] MemoryOperation* swap(std::uint64_t address, const std::byte* from, const MemoryIssue& access);
  /// Writes a loaded line of 128 bytes to `to` and frees the operation.
  void finish_swap(MemoryOperation& operation, std::byte* to);
  /// S0: begins a tick. `barred`: no memory instruction issues in it.
  void begin_swaps(bool barred) {
    lsu_.bar(barred);
    swapped_ = 0;
  }
  /// Returns the requests of the SM without a reply: reads, and stores without acknowledge.
  [[nodiscard]] unsigned requests() const { return outstanding() + static_cast<unsigned>(sender_.writes().size()); }
  /// Copies a TB's local memory as its threads see it, including dirty lines in L1.
  void save_local(unsigned context, std::vector<std::byte>& bytes) const;
  /// Writes saved bytes into the local memory of a TB; between ticks only.
  void restore_local(unsigned context, const std::vector<std::byte>& bytes);
  /// Drops the lines of the context's local memory from L1.
  void forget_local(unsigned context) {
    const TbMemory& tb = operations_.context(context);
    pipe_.lines().drop_range(tb.local_base, local_bytes(tb));
  }
  /// Returns whether the injection FIFO has room for the request of an instruction line.
  [[nodiscard]] bool can_fetch() const { return sender_.room() != 0; }
  /// Requests an instruction line for a warp of a TB context. `can_fetch` must hold.
  void fetch(std::uint64_t line, unsigned context) { sender_.fetch(line, context); }

  /// S2, replies: takes at most one reply of the network.
  void take_reply(Cycle now, Tick tick);
  /// S3, memory: performs the L1 lookups that are due, one LSU pass per queue, and the sending of one packet of the
  /// injection FIFO.
  void advance(Cycle now, Tick tick) {
    pipe_.look_up(now, tick);
    lsu_.advance(tick);
    sender_.send(now, tick);
  }
  /// Returns the first tick after `tick` in which `advance` has work if nothing else happens, or kForever. Replies and
  /// credits are not considered; the port reports them. To be called at the end of a tick, after acquire cycles have
  /// changed.
  [[nodiscard]] Tick next(Tick tick) const { return std::min({lsu_.next(tick), pipe_.next(tick), sender_.next(tick)}); }
  /// Counts the ticks up to `tick` that were skipped because nothing was due. `advance` does so itself; call this
  /// function before reports between ticks.
  void catch_up(Tick tick) { pipe_.catch_up(tick); }
  /// Compares the L1 hits of cycle `now` with memory (machine key check.stale). To be called when all units of the
  /// cycle have ticked, so that the result does not depend on their order.
  void check_stale(Cycle now) { pipe_.check_stale(now); }
  /// Sets the flag that is raised when a hit is to be compared, or a translation to be requested.
  void hold_hits(HandOver& hand_over) { sender_.set_hand_over(hand_over); }
  /// Turns on address translation for packets to the network; statistics go into a group of `sm`. To be called once,
  /// before the first tick.
  void translate(SharedTlb& shared, base::StatisticGroup& sm) { sender_.injection().translate(machine_, shared, sm); }
  /// Requests from the shared TLB the pages that the tick of cycle `now` missed. To be called when all units of the
  /// cycle have ticked. Returns the cycle of the first translation to arrive, or kForever without a request.
  [[nodiscard]] Cycle request_translations(Cycle now);
  /// Returns whether the head of the L1 pipe is stalled. Statistic reservation_fail counts the stalled ticks.
  [[nodiscard]] bool blocked() const { return pipe_.stalled(); }
  /// Returns the warps whose instruction re-entered the shared-memory unit in this tick, or for which the swap engine
  /// made an access, and took the issue slot of its scheduler.
  [[nodiscard]] WarpMask reissued() const { return lsu_.shared_unit().reissued() | swapped_; }

  /// Drops the dirty local lines of a TB that has left its context.
  void tb_retired(unsigned context) { pipe_.tb_retired(context); }
  /// Reads bytes at a generic address as a thread of the warp sees them, own local lines in L1 included. For calls into
  /// the runtime, when all older stores of the warp have completed. Returns false if the address is out of reach.
  [[nodiscard]] bool read(std::uint64_t generic, void* to, std::size_t size, unsigned lane, unsigned warp_in_tb,
                          unsigned context) const;

  /// Returns the memory traffic of the kernels of a kernel table entry.
  [[nodiscard]] const MemoryTraffic& traffic(unsigned entry) const { return operations_.of_entry(entry); }
  void clear_traffic(unsigned entry) { operations_.of_entry(entry) = {}; }

  /// Declares the waveform signals of the load/store unit and L1; `this` must not move.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns the L1 MSHRs in use, including those of bypassing reads.
  [[nodiscard]] unsigned outstanding() const { return pipe_.lines().mshrs().in_use(); }
  /// Returns the read misses of this tick that sent a request.
  [[nodiscard]] unsigned primary_misses() const { return pipe_.primary_misses(); }
  /// Returns whether no access, packet or reply is queued or in flight.
  [[nodiscard]] bool idle() const {
    return !operations_.any() && pipe_.accesses().empty() && sender_.injection().empty() && outstanding() == 0 &&
           port_.outstanding() == 0;
  }
  /// Describes the oldest stalled access or packet, for deadlock reports; empty if nothing is in flight.
  [[nodiscard]] std::string waiting() const;
  /// Describes where the oldest load or atomic of a warp without data is: space, address, and the queue or MSHR that
  /// holds it.
  [[nodiscard]] std::string load_of(unsigned warp) const;

 private:
  // Returns the size of a TB's local memory in bytes, counted from its base.
  [[nodiscard]] static std::uint64_t local_bytes(const TbMemory& tb) {
    return tb.kernel->need.warps * tb.kernel->local_stride;
  }
  // Handles a reply of the network.
  void serve(const Transaction& reply, Tick tick);
  [[nodiscard]] bool read_byte(std::uint64_t generic, std::byte& to, unsigned lane, unsigned warp_in_tb,
                               unsigned context) const;

  const Machine& machine_;
  const Store& store_;
  InitiatorPort& port_;
  // A part uses only parts that are declared before it.
  OperationTracker operations_;
  PacketSender sender_;
  L1Pipe pipe_;
  LoadStoreUnit lsu_;
  mutable AccessResolver resolver_;
  WarpMask swapped_ = 0;  // warp of the swap engine's access of this tick
};

}  // namespace castor::gpu
