#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/address_map.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/store.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

class Waves;

/// One slice of the L2 with its atomic unit (docs/gpu.md, "L2 slice"): the place where accesses are performed.
///
/// Accepts one request per cycle into a pipe of l2.latency stages; a request accepted in c is decided in c + l2.latency
/// or later, in order. Per cycle it serves one thing: the next waiter of the oldest fill, else the head of the pipe. A
/// reply is visible to the crossbar in the cycle after; atomics keep the slice busy for k cycles and their replies
/// enter k - 1 + atomic.latency cycles later. What lacks credits for its reply, an MSHR, a way, or room in the miss
/// queue stays where it is.
///
/// Write-back, least recently used, sectors of 32 bytes; a store fetches only sectors that it writes in part. Data
/// live in the store: tags, dirty bits and DRAM are timing over it.
class L2Slice final : public sc_core::sc_module, public Unit {
 public:
  /// Traffic of one kernel table entry.
  struct Traffic {
    std::uint64_t hits = 0, misses = 0, merged = 0, evictions = 0;
  };

  /// Statistics go into a group `slice<index>` of `parent`.
  L2Slice(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
          base::StatisticGroup& parent);
  ~L2Slice() override;

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
  [[nodiscard]] bool flushing(Cycle now) const { return flush_from_ != kForever || flushed_before_ > now; }

  /// For memories that keep data of their own: write-backs carry the bytes they write, and what a read brings is
  /// compared with the store (statistic l2_fill_differs). Off: only timing moves.
  void set_memory_keeps_data(bool keeps) { memory_keeps_data_ = keeps; }

  /// Begins or ends a window in which the slice notices whether a byte of memory changes its value; the first change
  /// ends it (docs/gpu.md, "Watchdogs").
  void watch(bool on) { watching_ = on; }
  /// The window goes on: no byte has changed since `watch(true)`.
  [[nodiscard]] bool watching() const { return watching_; }

  /// Nothing is queued, in the pipe, or in flight.
  [[nodiscard]] bool idle() const;
  /// What the slice waits for, for deadlock reports; empty if idle.
  [[nodiscard]] std::string waiting() const;
  /// Requests that the slice holds: in FIFO, pipe, MSHRs or waiting for their delayed reply.
  [[nodiscard]] std::size_t held() const;
  /// State of a line, for tests: nothing if absent.
  [[nodiscard]] const TagArray::Line* line(std::uint64_t address) const;
  [[nodiscard]] const Traffic& traffic(unsigned entry) const { return by_entry_[entry]; }
  void clear_traffic(unsigned entry) { by_entry_[entry] = {}; }

 private:
  static constexpr std::int32_t kNone = -1;

  /// MSHR: one read under way and the requests that wait for it, linked by MemoryRequest::next.
  struct Entry {
    Transaction* first = nullptr;
    Transaction* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t line = 0;     ///< index in the tag array
    std::int32_t next = kNone;  ///< next entry of the line, or of the free list
    std::uint8_t sectors = 0;
    bool filled = false;
  };
  struct Piped {
    Transaction* transaction;
    Cycle due;
    unsigned set;  ///< of its line
  };
  struct Delayed {
    Transaction* transaction;
    Cycle visible;
    std::uint32_t cost;
  };
  struct ClientCounters;
  /// What the head of the pipe was found to lack in this cycle.
  enum class Lack : std::uint8_t { kNothing, kCredit, kMissQueue, kEntry };
  enum class Event : std::uint8_t { kHit, kMiss, kMerged };

  void send_delayed(Cycle now);
  void collect_replies(Cycle now);
  [[nodiscard]] bool fill_waits(Cycle now) const { return filling_ != kNone || memory.reply(now) != nullptr; }
  void serve_fill(Cycle now);
  void compare_fill(const Transaction& read);
  void finish_entry(std::int32_t index);
  void serve_head(Cycle now);
  [[nodiscard]] Lack decide(Transaction& transaction, unsigned set, Cycle now);
  [[nodiscard]] Lack decide_in_flight(Transaction& transaction, std::int32_t way, std::uint8_t need);
  void open_entry(Transaction& transaction, std::int32_t way, std::uint8_t sectors);
  void write_back(std::size_t way, const MemoryRequest& cause);
  void accept(Cycle now);
  void send_miss(Cycle now);
  void flush_step(Cycle now);
  void plan(Cycle now);
  [[nodiscard]] bool can_reply(const MemoryRequest& request, Cycle now);
  void perform_watched(Transaction& transaction);
  void perform_and_reply(Transaction& transaction, std::int32_t way, Cycle now);
  void count(const MemoryRequest& request, Event event);
  [[nodiscard]] static std::uint8_t needed(const MemoryRequest& request);
  [[nodiscard]] Transaction& memory_request(RequestKind kind, std::uint64_t line, std::uint8_t sectors,
                                            const MemoryRequest& cause);

  const Store& store_;
  AddressMap map_;
  unsigned latency_, line_bytes_, merges_, flit_bytes_, atomic_latency_, words_per_cycle_;
  bool memory_keeps_data_ = false;
  bool watching_ = false;

  TagArray tags_;
  std::vector<Entry> entries_;
  std::int32_t free_entry_ = 0;
  unsigned entries_used_ = 0;
  boost::circular_buffer<Piped> pipe_;
  boost::circular_buffer<Transaction*> miss_queue_;
  boost::circular_buffer<Delayed> delayed_;  ///< replies of atomics
  std::uint32_t delayed_cost_ = 0;           ///< credits that delayed replies will need
  std::int32_t filling_ = kNone;             ///< entry whose waiters are being served
  Cycle busy_until_ = 0;                     ///< by an atomic
  TransactionPool pool_;

  // Of this tick.
  Lack head_lack_ = Lack::kNothing;
  bool fill_blocked_ = false;
  bool miss_sent_ = false;

  Cycle head_stuck_since_ = kForever;
  Cycle flush_from_ = kForever;
  Cycle flushed_before_ = 0;  ///< first cycle after the last flush
  std::size_t flush_next_ = 0;

  base::StatisticGroup group_;
  base::Counter read_hit_, read_miss_, write_hit_, write_miss_, atomic_hit_, atomic_miss_, merged_, evict_dirty_,
      reservation_fail_, atomic_busy_, fill_differs_;
  std::vector<std::unique_ptr<ClientCounters>> by_client_;
  std::vector<Traffic> by_entry_;
};

}  // namespace castor::gpu
