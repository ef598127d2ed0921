#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "castor/gpu/machine.h"

// The closed forms of docs/gpu.md, "Closed forms", from the keys of a machine. All are ticks from issue to issue before
// rounding to the issue period; `rounded` rounds.
namespace castor::gpu::timing_test {

inline long ceil_div(long a, long b) { return (a + b - 1) / b; }
inline long rounded(const Machine& m, long ticks) {
  return ceil_div(ticks, static_cast<long>(m.issue.period)) * static_cast<long>(m.issue.period);
}

/// Flits of a packet that moves `data` bytes; its header has 8.
inline long flits(const Machine& m, long data) { return ceil_div(8 + data, m.xbar.flit_bytes); }
/// Bytes that a cached load of one word brings.
inline long fill_bytes(const Machine& m) { return m.l1.sectored ? 32 : static_cast<long>(m.l1.line); }

inline long dependent(const Machine& m, isa::TimingClass timing) {  // T1
  return static_cast<long>(m.oc_cycles) + m.timing(timing).latency + 1;
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
inline long shared_load(const Machine& m, long conflicts) {  // T8
  return static_cast<long>(m.oc_cycles) + m.smem.latency + conflicts + 1;
}
inline long lines_hit(const Machine& m, long lines) {  // T9
  return static_cast<long>(m.oc_cycles) + ceil_div(lines, m.l1.banks) + m.l1.access_latency + m.l1.return_latency + 1;
}
inline long store_fence(const Machine& m, long store_bytes) {  // T10
  return static_cast<long>(m.oc_cycles) + m.l1.access_latency + 2L * m.xbar.latency + m.l2.latency +
         flits(m, store_bytes) + 3;
}
/// `lanes` active lanes, at most `most` on one word, `bytes` moved each way.
inline long atomic(const Machine& m, long lanes, long most, long bytes) {  // T16
  const long busy = std::max(most, ceil_div(lanes, m.atomic.words_per_cycle));
  return l2_hit(m, bytes) + flits(m, bytes) - 1 + busy - 1 + m.atomic.latency;
}

/// Instructions per tick that one warp is fed with.
inline double fetch_rate(const Machine& m) {  // T2
  const double d = m.issue.per_warp == 2 && !m.issue.dual_issue_diff_units ? 2 : 1;
  const double f = m.fetch.insns;
  if (m.issue.period > 1) return 1.0 / m.issue.period;
  return f / (std::ceil(f / d) + 2);
}

/// DRAM peak or what the slices' ports give, 10^9 bytes per second.
inline double stream_bound(const Machine& m) {  // T18
  return std::min(m.peak_gb_per_s(), m.l2.slices * m.l2.port_bytes * m.clock.core_mhz * 1e-3);
}

}  // namespace castor::gpu::timing_test
