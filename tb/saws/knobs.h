#pragma once

namespace castor::saws::tb {

inline constexpr unsigned kAlways = 65536;  ///< a rate: in every case
inline constexpr unsigned kRandom = ~0U;    ///< a setting: drawn anew where it is used

/// How the surroundings behave. Rates are in 1/65536 per cycle or per case, times in cycles.
struct Knobs {
  // Kernels
  unsigned mode = kRandom;    ///< mode_sel
  unsigned toggle = kRandom;  ///< toggle_en
  unsigned before = 16384;    ///< runs that begin with work before the first kernel_start
  unsigned kernel_ctas = 40;  ///< CTAs of a kernel
  // CTAs
  unsigned place = 20000;    ///< the next CTA is placed, if there is room
  unsigned free = 20000;     ///< a CTA whose warps have exited is freed
  unsigned ctas = 64;        ///< at most so many at once
  unsigned least_warps = 1;  ///< of a CTA
  unsigned most_warps = 8;
  unsigned scattered = 8192;  ///< its warps are any free ones, not neighbours
  unsigned swap = 0;          ///< a CTA is freed although its warps have not exited
  unsigned swap_issuing = 0;  ///< ... in the cycle in which one of them issues
  unsigned burst = 0;         ///< a run of CTA operations in consecutive cycles begins
  unsigned burst_cycles = 24;
  // Programs
  unsigned barriers = 6;       ///< at most so many before the end
  unsigned work = 6;           ///< at most so many instructions between barriers
  unsigned named = 8192;       ///< steps at which groups of warps meet at barriers of their own
  unsigned arrive = 16384;     ///< ... and some only arrive
  unsigned early_exit = 8192;  ///< steps at which some warps exit
  unsigned sleeper = 0;        ///< CTAs that wait for memory nearly all the time
  unsigned absent = 0;         ///< CTAs of which a warp begins 1500 cycles late, or more
  // Warps
  unsigned stall = 12000;  ///< an instruction makes its warp wait
  unsigned stall_cycles = 30;
  unsigned acknowledge = 60000;  ///< a pick issues
  unsigned late = 8192;          ///< a barrier or exit is reported of a warp that was not picked
  unsigned in_step = 1;          ///< barriers and exits are issued in every so many cycles only
  // The whole SM rests
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // What breaks the contract
  unsigned break_rule = 0;       ///< an illegal input
  unsigned restart = 0;          ///< kernel_start in the middle of everything
  unsigned ignore_ready = 0;     ///< barriers and exits are issued although wev_ready is 0
  unsigned free_with_event = 0;  ///< a CTA is freed in the cycle of an event of it
};

}  // namespace castor::saws::tb
