#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "castor/gpu/machine.h"

// The closed forms of docs/gpu/closed-forms.md, "Closed forms", from the keys of a machine. All are ticks from issue to
// issue before rounding to the issue period; `rounded` rounds.
namespace castor::gpu::timing_test {

inline long ceil_div(long a, long b) { return (a + b - 1) / b; }
inline long rounded(const Machine& m, long ticks) {
  return ceil_div(ticks, static_cast<long>(m.issue.period)) * static_cast<long>(m.issue.period);
}

/// Flits of a packet that moves `data` bytes; its header has 8.
inline long flits(const Machine& m, long data) { return ceil_div(8 + data, m.xbar.flit_bytes); }
/// Returns the bytes that a cached load of one word fetches.
inline long fill_bytes(const Machine& m) { return m.l1.sectored ? 32 : static_cast<long>(m.l1.line); }

inline long dependent(const Machine& m, isa::TimingClass timing) {  // T1
  const long latency = m.timing(timing).latency;
  // A unit that is the only one of a scheduler may be busy for longer.
  return std::max(m.latency.from == LatencyFrom::kIssue ? latency : static_cast<long>(m.oc_cycles) + latency + 1,
                  static_cast<long>(m.timing(timing).interval));
}
inline long l1_hit(const Machine& m) {  // T5
  return static_cast<long>(m.oc_cycles) + m.l1.access_latency + m.l1.return_latency + 2;
}
inline long l2_hit(const Machine& m, long reply_bytes) {  // T6
  return static_cast<long>(m.oc_cycles) + m.l1.access_latency + m.l1.return_latency + 2L * m.xbar.latency +
         m.l2.latency + flits(m, reply_bytes) + 4;
}
inline long l2_miss(const Machine& m, long reply_bytes) {  // T7
  // Columns of the read: the atoms that its sectors touch.
  const long columns = std::max(1L, reply_bytes / static_cast<long>(m.dram.atom));
  const long burst = std::max(1L, static_cast<long>(m.dram.atom / m.dram.bytes_per_clk));
  const long bursts = (columns - 1) * std::max(static_cast<long>(m.dram.ccdl), burst) + burst;
  const double clocks = static_cast<double>(m.dram.rcd + m.dram.cl) + static_cast<double>(bursts);
  return l2_hit(m, reply_bytes) + 2 + m.dram.extra_latency +
         static_cast<long>(std::ceil(clocks * m.clock.core_mhz / m.clock.dram_mhz));
}
/// Returns the cycles from dispatch to the end of the last round, for an access of one group of lanes with a
/// `conflicts`-way bank conflict.
inline long shared_rounds(const Machine& m, long conflicts) {
  const long more = conflicts - 1;
  const long replays = m.smem.replay_ticks == 0 ? 0 : ceil_div(more, m.smem.replay_rounds);
  return m.smem.round_ticks + more * m.smem.conflict_ticks + replays * (static_cast<long>(m.smem.replay_ticks) - 1);
}
inline long shared_load(const Machine& m, long conflicts) {  // T8
  return static_cast<long>(m.oc_cycles) + m.smem.latency + shared_rounds(m, conflicts) + 1;
}
inline long shared_atomic(const Machine& m, long lanes) {  // T19
  const long round = m.smem.round_ticks;
  const long first = static_cast<long>(m.oc_cycles) + round + 1;
  if (m.smem.atomics == SharedAtomics::kNative)
    return first + (lanes - 1) * m.smem.atomic_ticks + m.smem.latency + m.smem.atomic_latency;
  return first + lanes * (m.smem.lock_ticks + round - 1) + (lanes - 1) * (m.smem.retry_ticks + round - 1);
}
/// Returns the distance from an access that is replayed to the next, independent instruction.
inline long replayed(const Machine& m, long conflicts) {  // T20
  const long last = 1 + (conflicts - 2) % m.smem.replay_rounds;
  const bool slot = last * m.smem.conflict_ticks == 1;  // the last replay takes the slot of the tick in which it ends
  return static_cast<long>(m.oc_cycles) + shared_rounds(m, conflicts) + (slot ? 1 : 0);
}
inline long lines_hit(const Machine& m, long lines) {  // T9
  return static_cast<long>(m.oc_cycles) + ceil_div(lines, m.l1.banks) + m.l1.access_latency + m.l1.return_latency + 1;
}
inline long store_fence(const Machine& m, long store_bytes) {  // T10
  return static_cast<long>(m.oc_cycles) + m.l1.access_latency + 2L * m.xbar.latency + m.l2.latency +
         flits(m, store_bytes) + 3;
}
/// Returns the ticks from the issue of the first of `stores` shared-memory stores to the end of the thread block. Each
/// store has `conflicts`-way bank conflicts, and the stores follow each other without a gap in the load/store unit.
inline long last_shared_store(const Machine& m, long stores, long conflicts) {  // T15
  return static_cast<long>(m.oc_cycles) + stores * conflicts;
}
/// `lanes` active lanes, at most `most` on one word, `bytes` moved each way.
inline long atomic(const Machine& m, long lanes, long most, long bytes) {  // T16
  const long busy = std::max<long>(most * m.atomic.word_cycles, ceil_div(lanes, m.atomic.words_per_cycle));
  return l2_hit(m, bytes) + flits(m, bytes) - 1 + busy - 1 + m.atomic.latency;
}

/// Returns the additional latency of a load that bypasses L1 if its page misses in the SM's TLB and hits in the shared
/// TLB. `page_walk` is for a miss in both.
inline long tlb_miss(const Machine& m) { return m.tlb.l2_latency; }                   // T21
inline long page_walk(const Machine& m) { return tlb_miss(m) + m.tlb.walk_latency; }  // T22

/// Returns the instructions per tick that fetch supplies to one warp.
inline double fetch_rate(const Machine& m) {  // T2
  const double d = m.issue.per_warp == 2 && !m.issue.dual_issue_diff_units ? 2 : 1;
  const double f = m.fetch.insns;
  if (m.issue.period > 1) return 1.0 / m.issue.period;
  return f / (std::ceil(f / d) + 2);
}

/// Returns the smaller of the DRAM peak and the slices' port bandwidth, in 10^9 bytes per second.
inline double stream_bound(const Machine& m) {  // T18
  return std::min(m.peak_gb_per_s(), m.l2.slices * m.l2.port_bytes * m.clock.core_mhz * 1e-3);
}

}  // namespace castor::gpu::timing_test
