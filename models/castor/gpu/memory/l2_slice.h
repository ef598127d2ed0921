#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/address_map.h"
#include "castor/gpu/memory/atomic_unit.h"
#include "castor/gpu/memory/l2_data.h"
#include "castor/gpu/memory/l2_fills.h"
#include "castor/gpu/memory/l2_flush.h"
#include "castor/gpu/memory/l2_memory_side.h"
#include "castor/gpu/memory/l2_reply_side.h"
#include "castor/gpu/memory/l2_traffic.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/store.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

class Waves;

/// One slice of the L2 cache with its atomic unit (docs/gpu/memory.md, "L2 slice"). Accesses take effect here.
///
/// The slice accepts one request per cycle into a pipe of l2.latency stages. A request accepted in cycle c is decided
/// in cycle c + l2.latency or later, in order. Per cycle the slice serves the next waiter of the oldest fill, else the
/// head of the pipe. A reply is visible to the crossbar in the following cycle. An atomic keeps the slice busy for k
/// cycles, and its reply enters the crossbar k - 1 + atomic.latency cycles later. A request stalls at the head of the
/// pipe while reply credits, an MSHR, a way, or a miss-queue slot for it is missing.
///
/// The cache is write-back with least-recently-used replacement and sectors of 32 bytes. A store fetches only sectors
/// of which it does not write all bytes. Data are in the store; tags, dirty bits and DRAM only model timing.
///
/// Tags, MSHRs, miss queue, reply path, atomic unit, flush engine and counters are separate classes with their own
/// state. This class holds the pipe, decides what its head needs, and defines the order of steps in a cycle.
class L2Slice final : public sc_core::sc_module, public Unit {
 public:
  /// L2 traffic of one kernel table entry.
  using Traffic = L2Traffic::OfEntry;

  /// The statistics group `slice<index>` is created in `parent`.
  L2Slice(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
          base::StatisticGroup& parent);

  TargetPort network;    ///< from the crossbar; credits in flits
  InitiatorPort memory;  ///< to the DRAM channel; one credit per request

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Starts a flush in cycle `visible`, for machines that flush at the end of a kernel. The pipe is stalled until all
  /// dirty sectors are in the miss queue and all lines without an MSHR entry are invalid. The flush handles one dirty
  /// line per cycle.
  void flush(Cycle visible);
  /// Returns whether a flush is requested or running. After its end, this stays true until the next cycle.
  [[nodiscard]] bool flushing(Cycle now) const { return flush_.under_way(now); }

  /// Tells the slice that the memory behind it holds data of its own. Write-backs then carry the bytes they write, and
  /// the data of a read are compared with the store (statistic l2_fill_differs). Without this mode, only timing is
  /// modelled.
  void set_memory_keeps_data(bool keeps) { to_memory_.set_keeps_data(keeps); }

  /// Starts or ends a watch for bytes of memory that change their value. The first change ends the watch
  /// (docs/gpu/faults.md, "Watchdogs").
  void watch(bool on) { data_.watch(on); }
  /// Returns whether the watch is still on: no byte has changed since `watch(true)`.
  [[nodiscard]] bool watching() const { return data_.watching(); }

  /// Returns whether nothing is queued, in the pipe, or in flight.
  [[nodiscard]] bool idle() const;
  /// Returns the reason for which the slice waits, for deadlock reports; empty if idle.
  [[nodiscard]] std::string waiting() const;
  /// Returns the number of requests in the slice: in FIFO, pipe, MSHRs, or waiting for a delayed reply.
  [[nodiscard]] std::size_t held() const;
  /// Returns the state of a line, for tests; null if absent.
  [[nodiscard]] const TagArray::Line* line(std::uint64_t address) const;
  /// Returns the bytes in dirty sectors, which have not been written back to memory.
  [[nodiscard]] std::uint64_t dirty_bytes() const;
  [[nodiscard]] const Traffic& traffic(unsigned entry) const { return traffic_.of(entry); }
  void clear_traffic(unsigned entry) { traffic_.clear(entry); }
  [[nodiscard]] const Traffic& traffic_of_nobody() const { return traffic_.of_nobody(); }

 private:
  /// Request in the pipe.
  struct Piped {
    Transaction* transaction;
    Cycle due;     ///< first cycle in which the request may be decided
    unsigned set;  ///< cache set of the request's line
  };
  /// Stall reason of the head of the pipe in this cycle. kEntry: no free MSHR, no room for a merge, or no free way.
  enum class StallReason : std::uint8_t { kNothing, kCredit, kMissQueue, kEntry };

  void collect_replies(Cycle now);
  [[nodiscard]] bool fill_waits(Cycle now) const { return fills_.serving() || memory.reply(now) != nullptr; }
  void serve_fill(Cycle now);
  void serve_queue_head(Cycle now);
  [[nodiscard]] StallReason decide(Transaction& transaction, unsigned set, Cycle now);
  [[nodiscard]] StallReason decide_present(Transaction& transaction, std::size_t way, std::uint8_t need, Cycle now);
  [[nodiscard]] StallReason decide_in_flight(Transaction& transaction, std::size_t way, std::uint8_t need);
  [[nodiscard]] StallReason miss(Transaction& transaction, std::size_t way, std::uint8_t sectors);
  void fetch(Transaction& transaction, std::size_t way, std::uint8_t sectors);
  void accept(Cycle now);
  void plan(Cycle now);
  void perform_and_reply(Transaction& transaction, std::size_t way, Cycle now);

  AddressMap map_;
  unsigned latency_;
  TagArray tags_;
  L2Data data_;
  L2Fills fills_;
  boost::circular_buffer<Piped> pipe_;

  // State of the current tick.
  StallReason stall_reason_ = StallReason::kNothing;
  bool fill_blocked_ = false;

  Cycle head_stuck_since_ = kForever;  ///< cycle since which the head of the pipe stalls

  // Parts with counters, in the order in which their counters are reported.
  base::StatisticGroup group_;
  L2Traffic traffic_;
  base::Counter reservation_fail_;
  AtomicUnit atomics_;
  L2ReplySide replies_;
  L2MemorySide to_memory_;
  L2Flush flush_;
  base::Formula dirty_bytes_;
};

}  // namespace castor::gpu
