#pragma once

#include <cstdint>

#include "castor/darsie/params.h"
#include "tb/darsie/kernels.h"

namespace castor::darsie::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case. Times are in cycles and are maxima unless
/// stated otherwise.
struct Knobs {
  // Kernels
  Style style;
  unsigned kernels = 3;        ///< number of different kernels in use
  unsigned new_kernel = 6000;  ///< probability that a launch replaces one of the kernels
  // Thread blocks
  unsigned place = 9000;             ///< rate of launches, if the SM has free slots
  unsigned most_warps = 8;           ///< maximum warps of a thread block
  unsigned least_warps = 1;          ///< minimum warps of a thread block
  unsigned most_tbs = 32;            ///< maximum thread blocks at once
  unsigned two_dimensional = 40000;  ///< probability of a shape that promotes mark 1
  unsigned enabled = 60000;          ///< probability that a launched thread block uses the block
  unsigned most_rows = 32;           ///< maximum rows of a thread block
  unsigned least_rows = 0;           ///< minimum rows of a thread block
  unsigned fewer_slots = 4000;       ///< probability that fewer registers may be renamed than the kernel's marks assume
  unsigned scattered = 20000;        ///< probability that the warp slots of a thread block are not contiguous
  unsigned lowest_tb = 0;            ///< probability that a launch uses the lowest free TB slot
  unsigned full_warps = 0;           ///< probability that all warps of a thread block have 32 threads
  /// Probability that a thread block's code begins at PC 0; PCs of such thread blocks coincide
  unsigned one_base = 10000;
  unsigned retire = 20000;  ///< rate of retiring a TB slot whose warps have exited
  // Front end
  unsigned fetch = kAlways;       ///< rate of fetching a warp
  unsigned fetch_cycles = 4;      ///< maximum latency of a fetch
  unsigned ahead = 30000;         ///< probability of fetching a warp whose instruction buffer is not empty
  unsigned decode = kAlways;      ///< rate of decoding a fetched group of instructions
  unsigned issue = 50000;         ///< probability that an instruction that may issue does issue
  unsigned collect_late = 16000;  ///< probability that operands are read after the cycle of the issue
  unsigned collect_cycles = 6;    ///< maximum delay of reading operands
  unsigned write_cycles = 8;      ///< maximum latency of a result
  unsigned slow_write = 2000;     ///< probability of an additional delay of a result
  unsigned slow_cycles = 200;     ///< maximum of this additional delay
  unsigned resolve_cycles = 4;    ///< maximum time to resolve a branch
  unsigned barrier_cycles = 3;    ///< maximum delay of a complete barrier
  unsigned named_cycles = 40;     ///< maximum wait at a barrier of some warps
  unsigned acknowledge = 30000;   ///< rate of serving a copy request
  unsigned hidden = 2000;         ///< probability that an eligible warp is not reported as eligible
  unsigned laggard = 16000;       ///< probability that a thread block has a slow warp
  /// Probability that all warps of a thread block except one are slow for some hundred cycles
  unsigned stragglers = 0;
  unsigned leave = 10;     ///< rate of removing a warp from the majority from outside
  unsigned leave_all = 0;  ///< rate of removing all warps from the majority, if all of them may leave
  /// Maximum cycles for which events wait for each other; 0: no event waits. Barriers wait until the barriers of all
  /// thread blocks are complete. Exits wait until all warps of the SM are at their exits. Write-backs wait, for a
  /// shorter time, until every write port has one.
  unsigned together = 0;
  unsigned rest = 30;         ///< rate of idle periods of all inputs
  unsigned rest_cycles = 60;  ///< maximum length of an idle period
  unsigned scribble = 20000;  ///< rate of random payloads for inputs whose valid is 0
  unsigned redraw = 0;        ///< cycles after which all knobs are redrawn; 0: never
  // Violations of the contract or of the marking rules
  unsigned break_rule = 0;      ///< rate of illegal inputs
  unsigned early_eligible = 0;  ///< rate of reporting a warp as eligible although its instruction buffer is not empty
  unsigned force_promote = 0;   ///< rate of promoting shapes that the rules do not allow to promote
  unsigned litmus_always = 0;   ///< not 0: uses litmus cells even if stores do not clear load entries (StoreInv 0)
  bool check = true;            ///< checks the results of the kernels and that the simulation makes progress
};

/// Returns a mix of traffic drawn from the seed.
[[nodiscard]] Knobs draw(const Params& params, std::uint64_t seed);

}  // namespace castor::darsie::tb
