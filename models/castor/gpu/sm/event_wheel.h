#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/time.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

using base::Tick;

struct MemoryOperation;

/// Event of an SM that is due at a known tick.
struct SmEvent {
  enum class Kind : std::uint8_t {
    /// `registers` from register `first` on, and `predicates`, of a warp were written in the previous tick
    kWritten,
    kLoaded,      ///< as kWritten, for a memory operation, whose data are written to the register rows in this tick
    kUnblock,     ///< the barrier of the warps in `payload` is complete: they resume
    kTimer,       ///< the sleep of a warp ends
    kReturn,      ///< a call of the device runtime returns
    kMove,        ///< TbMover has work in this tick
    kFetchable,   ///< warps of `payload` may be fetched again: their branch is resolved, or their TB is set up
    kRowWritten,  ///< row `first` of the pool of TB context `warp` is written in this tick
    /// as kWritten, for registers whose values were written to pool rows; the data of a load are written in this tick
    kRowReady,
    kSwapLoaded,  ///< the line of a memory operation of the swap engine is written in this tick
  };
  Kind kind = Kind::kWritten;
  std::uint8_t warp = 0;
  std::uint8_t first = 0;
  std::uint8_t predicates = 0;
  std::uint16_t registers = 0;  ///< bit i = register first + i
  union {
    std::uint64_t payload = 0;
    MemoryOperation* operation;
  };
};

/// Event wheel of an SM (docs/gpu/sm.md, "State of an SM"): one bucket per tick for the next `kHorizon` ticks, and a
/// sorted list for later events. Releases of operand collectors are counters per bucket instead of events. Every tick
/// that holds an event must be processed with `take`; empty ticks may be skipped.
class EventWheel {
 public:
  /// Horizon in ticks. It must exceed the longest time of an instruction: operand reads are reserved up to 64 ticks
  /// ahead, then come latency and interval of a unit.
  static constexpr Tick kHorizon = 2048;
  static_assert(64 + kMostUnitTime < kHorizon);

  EventWheel() { heads_.fill(kNone); }

  /// Adds an event for `tick`, which must be after the current tick `now`.
  void add(Tick now, Tick tick, const SmEvent& event) {
    if (tick - now >= kHorizon) {
      add_late(tick, event);
      return;
    }
    push(tick % kHorizon, event);
  }
  /// Schedules the release of one operand collector in `tick`, which must be less than kHorizon ahead.
  void free_collector(Tick tick) {
    const std::size_t bucket = tick % kHorizon;
    ++collectors_[bucket];
    mark(bucket);
  }

  /// Returns whether an event or a collector release is due in `tick`.
  [[nodiscard]] bool due(Tick tick) const {
    const std::size_t bucket = tick % kHorizon;
    return (marks_[bucket / 64] >> (bucket % 64) & 1) != 0 || (!late_.empty() && late_.back().tick == tick);
  }
  /// Removes the events of `tick`, calls `act` for each, and returns the number of operand collectors released in
  /// `tick`.
  template <class Act>
  unsigned take(Tick tick, Act&& act) {
    const std::size_t bucket = tick % kHorizon;
    if (!late_.empty() && late_.back().tick == tick) move_late(tick);
    std::uint32_t node = heads_[bucket];
    heads_[bucket] = kNone;
    while (node != kNone) {
      const SmEvent event = nodes_[node].event;
      const std::uint32_t next = nodes_[node].next;
      nodes_[node].next = free_;
      free_ = node;
      node = next;
      act(event);
    }
    const unsigned collectors = collectors_[bucket];
    collectors_[bucket] = 0;
    marks_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    if (marks_[bucket / 64] == 0) words_ &= ~(1U << (bucket / 64));
    return collectors;
  }
  /// Returns the tick of the next scheduled event after `now`, or base::kForever.
  [[nodiscard]] Tick next(Tick now) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Event in the list of a bucket, or free node.
  struct Node {
    SmEvent event;
    std::uint32_t next = kNone;
  };
  // Event beyond the horizon.
  struct Late {
    Tick tick;
    SmEvent event;
  };
  void mark(std::size_t bucket) {
    marks_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    words_ |= 1U << (bucket / 64);
  }
  void add_late(Tick tick, const SmEvent& event);
  void move_late(Tick tick);

  // Adds an event at the head of a bucket.
  void push(std::size_t bucket, const SmEvent& event) {
    std::uint32_t node = free_;
    if (node == kNone) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[node].next;
    }
    nodes_[node].event = event;
    nodes_[node].next = heads_[bucket];
    heads_[bucket] = node;
    mark(bucket);
  }

  static_assert(kHorizon / 64 <= 32, "words_ has a bit for each word of marks_");
  std::array<std::uint64_t, kHorizon / 64> marks_{};  // bit per bucket: it holds an event or a collector release
  std::uint32_t words_ = 0;                           // bit per word of marks_: the word is not 0
  std::array<std::uint32_t, kHorizon> heads_;
  std::array<std::uint8_t, kHorizon> collectors_{};
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::vector<Late> late_;  // events beyond the horizon, sorted by descending tick
};

}  // namespace castor::gpu
