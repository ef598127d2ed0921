#pragma once

namespace castor::dtbl::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case; times are in cycles.
struct Knobs {
  // Launches
  unsigned launch = 16000;   ///< rate of a new command while none is offered
  unsigned lanes = 8;        ///< maximum groups per command
  bool whole_warps = false;  ///< every command has one group per lane
  unsigned sms = 13;
  unsigned warps = 64;    ///< warps per SM that launch
  unsigned groups = 60;   ///< maximum groups alive at once
  unsigned volume = 3;    ///< maximum thread blocks of a group per dimension
  unsigned solid = 8192;  ///< rate of kernels and groups with more than one dimension
  unsigned huge = 0;      ///< rate of groups that never finish
  /// Rate of groups whose number of thread blocks is small except for one upper bit; they never finish either
  unsigned tall = 0;
  unsigned row = 0;  ///< rate of kernels and groups with one long dimension, next to a power of two
  /// rate, among kernels and groups with one long dimension, of dimensions of nearly long_bits bits
  unsigned long_row = 0;
  unsigned long_bits = 16;
  bool long_y = false;  ///< the long dimension is y, of long_bits bits
  unsigned wide = 0;    ///< rate of kernels and groups whose sizes have any number of bits; most never finish
  unsigned empty = 0;   ///< rate of dimensions of 0, which act as 1
  // Kernels
  unsigned keys = 4;           ///< number of different keys; each other key differs from the first key in one bit
  unsigned mixed = 8192;       ///< rate of commands whose groups have several keys
  unsigned kernel = 2000;      ///< rate at which a kernel becomes resident
  unsigned grid = 4;           ///< maximum thread blocks of a kernel per dimension
  unsigned release = kAlways;  ///< rate at which an entry without work is released
  // SMs
  unsigned fits = 60000;  ///< probability that an entry's next thread block fits, drawn again at intervals
  unsigned refit = 4096;  ///< rate of redrawing whether an entry's next thread block fits
  unsigned take = 60000;  ///< rate at which an offered thread block is accepted
  unsigned time = 20;     ///< maximum run time of a thread block
  unsigned done = 60000;  ///< rate at which a finished thread block is reported
  bool fill = false;      ///< reports completions only after the group table has been full, until it is half empty
  // Memory and launcher
  unsigned memory = 50000;    ///< rate at which a memory request is accepted
  unsigned delay = 20;        ///< maximum latency of a reply
  unsigned fallback = 50000;  ///< rate at which a fallback is accepted
  // Idle periods of all inputs: rate and maximum length
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< maximum cycles until the block is reset; 0: never
  // Violations of the contract
  unsigned break_rule = 0;  ///< rate of events without cause
  unsigned withdraw = 0;    ///< rate at which a beat is withdrawn before it is accepted
  unsigned endless = 0;     ///< rate of commands that continue where they should end
  unsigned frame = 0;       ///< rate of wrong first or last flags of a beat
};

}  // namespace castor::dtbl::tb
