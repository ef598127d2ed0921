#pragma once

#include <cstdint>

#include "castor/darsie/params.h"
#include "tb/darsie/kernels.h"

namespace castor::darsie::tb {

inline constexpr unsigned kAlways = 65536;  ///< a rate: in every case

/// How the surroundings behave. Rates are in 1/65536 per cycle or per case, times in cycles, "at most" unless said
/// otherwise.
struct Knobs {
  // Kernels
  Style style;
  unsigned kernels = 3;        ///< that thread blocks are started from
  unsigned new_kernel = 6000;  ///< a start writes one of them anew
  // Thread blocks
  unsigned place = 9000;    ///< one is started, if there is room
  unsigned most_warps = 8;  ///< of one
  unsigned least_warps = 1;
  unsigned most_tbs = 32;            ///< at once
  unsigned two_dimensional = 40000;  ///< shapes that promote
  unsigned enabled = 60000;
  unsigned most_rows = 32;
  unsigned least_rows = 0;
  unsigned fewer_slots = 4000;  ///< fewer registers may be renamed than the kernel's marks think
  unsigned scattered = 20000;   ///< its warp slots are no neighbours
  unsigned lowest_tb = 0;       ///< its TB slot is the lowest free one
  unsigned full_warps = 0;      ///< all of its warps have 32 threads
  unsigned one_base = 10000;    ///< its code begins where all others' does
  unsigned retire = 20000;      ///< a slot whose warps have exited is told free
  // Front end
  unsigned fetch = kAlways;  ///< a warp is fetched
  unsigned fetch_cycles = 4;
  unsigned ahead = 30000;         ///< a warp is fetched while instructions wait in its buffer
  unsigned decode = kAlways;      ///< a group that has come is decoded
  unsigned issue = 50000;         ///< an instruction that may issue does
  unsigned collect_late = 16000;  ///< operands are read later than in the cycle of the issue
  unsigned collect_cycles = 6;
  unsigned write_cycles = 8;
  unsigned slow_write = 2000;  ///< a result comes late
  unsigned slow_cycles = 200;
  unsigned resolve_cycles = 4;  ///< of branches
  unsigned barrier_cycles = 3;
  unsigned named_cycles = 40;
  unsigned acknowledge = 30000;  ///< a copy is served
  unsigned hidden = 2000;        ///< a warp that may be skipped does not say so
  unsigned laggard = 16000;      ///< a thread block has a warp that is slow
  unsigned stragglers = 0;       ///< all of its warps but one are slow for some hundred cycles
  unsigned leave = 10;           ///< a warp is taken out of the majority from outside
  unsigned leave_all = 0;        ///< all warps are, if nothing keeps any of them from it
  /// Barriers wait until those of all thread blocks are complete, exits until all warps of the SM are at theirs,
  /// write-backs, for a shorter time, until there is one for each port: at most so many cycles. 0: nothing waits.
  unsigned together = 0;
  unsigned rest = 30;  ///< nothing happens for a while
  unsigned rest_cycles = 60;
  unsigned scribble = 20000;  ///< payloads without a valid are anything
  unsigned redraw = 0;        ///< after so many cycles other knobs are drawn; 0: never
  // What breaks the contract, or the marks
  unsigned break_rule = 0;      ///< an illegal input
  unsigned early_eligible = 0;  ///< a warp is eligible although instructions wait in its buffer
  unsigned force_promote = 0;   ///< shapes promote that must not
  unsigned litmus_always = 0;   ///< not 0: litmus cells also where stores leave load entries
  bool check = true;            ///< what the kernels leave must be right, and something must move
};

/// A mix of traffic out of the seed.
[[nodiscard]] Knobs draw(const Params& params, std::uint64_t seed);

}  // namespace castor::darsie::tb
