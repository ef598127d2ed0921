#pragma once

namespace castor::saws::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case
inline constexpr unsigned kRandom = ~0U;    ///< value of a setting that is drawn at random at each use

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case; times are in cycles.
struct Knobs {
  // Kernels
  unsigned mode = kRandom;    ///< value of mode_sel
  unsigned toggle = kRandom;  ///< value of toggle_en
  unsigned before = 16384;    ///< rate of runs that start with CTAs before the first kernel_start
  unsigned kernel_ctas = 40;  ///< maximum CTAs of a kernel
  // CTAs
  unsigned place = 20000;      ///< rate of placing the next CTA, if the SM has enough free warps
  unsigned free = 20000;       ///< rate of freeing a CTA whose warps have all exited
  unsigned ctas = 64;          ///< maximum resident CTAs
  unsigned least_warps = 1;    ///< minimum warps of a CTA
  unsigned most_warps = 8;     ///< maximum warps of a CTA
  unsigned scattered = 8192;   ///< rate of CTAs whose warps are arbitrary free warps, not neighbours
  unsigned swap = 0;           ///< rate of freeing a CTA whose warps have not all exited
  unsigned swap_issuing = 0;   ///< rate of freeing a CTA in the cycle in which one of its warps issues
  unsigned burst = 0;          ///< rate of bursts of CTA operations in consecutive cycles
  unsigned burst_cycles = 24;  ///< length of a burst
  // Programs
  unsigned barriers = 6;       ///< maximum barriers of a program
  unsigned work = 6;           ///< maximum instructions between barriers
  unsigned named = 8192;       ///< rate of steps in which groups of warps have barriers of their own
  unsigned arrive = 16384;     ///< rate, among these steps, of groups in which some warps only arrive
  unsigned early_exit = 8192;  ///< rate of steps in which some warps exit
  unsigned sleeper = 0;        ///< rate of CTAs that wait for memory nearly all the time
  unsigned absent = 0;         ///< rate of CTAs of which one warp starts at least 1500 cycles late
  // Warps
  unsigned stall = 12000;        ///< probability that an instruction stalls its warp
  unsigned stall_cycles = 30;    ///< maximum length of a stall
  unsigned acknowledge = 60000;  ///< probability that a picked warp issues
  unsigned late = 8192;          ///< rate of reporting a barrier or exit of a warp that was not picked
  unsigned in_step = 1;          ///< barriers and exits issue only in every n-th cycle
  // Idle periods of the whole SM: rate and maximum length
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Violations of the contract
  unsigned break_rule = 0;       ///< rate of illegal inputs
  unsigned restart = 0;          ///< rate of kernel_start while CTAs are resident
  unsigned ignore_ready = 0;     ///< rate of barriers and exits although wev_ready is 0
  unsigned free_with_event = 0;  ///< rate of freeing a CTA in the cycle of an event of one of its warps
};

}  // namespace castor::saws::tb
