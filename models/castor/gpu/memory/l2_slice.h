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

/// One slice of the L2 with its atomic unit (docs/gpu/memory.md, "L2 slice"): the place where accesses are performed.
///
/// Accepts one request per cycle into a pipe of l2.latency stages; a request accepted in c is decided in c + l2.latency
/// or later, in order. Per cycle it serves one thing: the next waiter of the oldest fill, else the head of the pipe. A
/// reply is visible to the crossbar in the cycle after; atomics keep the slice busy for k cycles and their replies
/// enter k - 1 + atomic.latency cycles later. What lacks credits for its reply, an MSHR, a way, or room in the miss
/// queue stays where it is.
///
/// Write-back, least recently used, sectors of 32 bytes; a store fetches only sectors that it writes in part. Data
/// live in the store: tags, dirty bits and DRAM are timing over it.
///
/// Tags, fills, the side to memory, that to the network, the atomic unit, the flush and the counters have their own
/// state; this class has the pipe, decides what its head needs, and has the order of a cycle.
class L2Slice final : public sc_core::sc_module, public Unit {
 public:
  /// Traffic of one kernel table entry.
  using Traffic = L2Traffic::OfEntry;

  /// Statistics go into a group `slice<index>` of `parent`.
  L2Slice(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
          base::StatisticGroup& parent);

  TargetPort network;    ///< from the crossbar; credits in flits
  InitiatorPort memory;  ///< to the DRAM channel; one credit per request

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// From cycle `visible` on, serves nothing from the pipe until all dirty sectors are in the miss queue and all lines
  /// without an entry in flight are absent; one line per cycle. For machines that flush at the end of a kernel.
  void flush(Cycle visible);
  /// A flush was asked for and is not over; the end counts from the next cycle on.
  [[nodiscard]] bool flushing(Cycle now) const { return flush_.under_way(now); }

  /// For memories that keep data of their own: write-backs carry the bytes they write, and what a read brings is
  /// compared with the store (statistic l2_fill_differs). Off: only timing moves.
  void set_memory_keeps_data(bool keeps) { to_memory_.set_keeps_data(keeps); }

  /// Begins or ends a window in which the slice notices whether a byte of memory changes its value; the first change
  /// ends it (docs/gpu/faults.md, "Watchdogs").
  void watch(bool on) { data_.watch(on); }
  /// The window goes on: no byte has changed since `watch(true)`.
  [[nodiscard]] bool watching() const { return data_.watching(); }

  /// Nothing is queued, in the pipe, or in flight.
  [[nodiscard]] bool idle() const;
  /// What the slice waits for, for deadlock reports; empty if idle.
  [[nodiscard]] std::string waiting() const;
  /// Requests that the slice holds: in FIFO, pipe, MSHRs or waiting for their delayed reply.
  [[nodiscard]] std::size_t held() const;
  /// State of a line, for tests: nothing if absent.
  [[nodiscard]] const TagArray::Line* line(std::uint64_t address) const;
  /// Bytes of sectors that differ from what memory behind L2 has been sent.
  [[nodiscard]] std::uint64_t dirty_bytes() const;
  [[nodiscard]] const Traffic& traffic(unsigned entry) const { return traffic_.of(entry); }
  void clear_traffic(unsigned entry) { traffic_.clear(entry); }
  [[nodiscard]] const Traffic& traffic_of_nobody() const { return traffic_.of_nobody(); }

 private:
  struct Piped {
    Transaction* transaction;
    Cycle due;
    unsigned set;  ///< of its line
  };
  /// What the head of the pipe was found to lack in this cycle.
  enum class Lack : std::uint8_t { kNothing, kCredit, kMissQueue, kEntry };

  void collect_replies(Cycle now);
  [[nodiscard]] bool fill_waits(Cycle now) const { return fills_.serving() || memory.reply(now) != nullptr; }
  void serve_fill(Cycle now);
  void serve_head(Cycle now);
  [[nodiscard]] Lack decide(Transaction& transaction, unsigned set, Cycle now);
  [[nodiscard]] Lack decide_present(Transaction& transaction, std::size_t way, std::uint8_t need, Cycle now);
  [[nodiscard]] Lack decide_in_flight(Transaction& transaction, std::size_t way, std::uint8_t need);
  [[nodiscard]] Lack miss(Transaction& transaction, std::size_t way, std::uint8_t sectors);
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

  // Of this tick.
  Lack head_lack_ = Lack::kNothing;
  bool fill_blocked_ = false;

  Cycle head_stuck_since_ = kForever;

  // Parts that count, in the order of their counters.
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
