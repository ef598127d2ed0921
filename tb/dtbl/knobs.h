#pragma once

namespace castor::dtbl::tb {

inline constexpr unsigned kAlways = 65536;  ///< a rate: in every case

/// How the surroundings behave. Rates are in 1/65536 per cycle or per case, times in cycles.
struct Knobs {
  // Launches
  unsigned launch = 16000;   ///< the next command comes, if none is offered
  unsigned lanes = 8;        ///< at most so many groups in it
  bool whole_warps = false;  ///< ... one of each lane
  unsigned sms = 13;
  unsigned warps = 64;    ///< that launch
  unsigned groups = 60;   ///< at most so many alive
  unsigned volume = 3;    ///< thread blocks of a group, at most, per dimension
  unsigned solid = 8192;  ///< kernels and groups of more than one dimension
  unsigned huge = 0;      ///< groups that do not end
  unsigned tall = 0;      ///< ... nor these, of few thread blocks but for one upper bit of their number
  unsigned row = 0;       ///< kernels and groups of one long dimension, next to a power of two
  unsigned long_row = 0;  ///< ... of nearly long_bits bits
  unsigned long_bits = 16;
  unsigned wide = 0;   ///< kernels and groups whose sizes have any number of bits; most do not end
  unsigned empty = 0;  ///< a dimension is 0, which acts as 1
  // Kernels
  unsigned keys = 4;           ///< different ones; all differ from the first in one bit
  unsigned mixed = 8192;       ///< commands whose groups have several keys
  unsigned kernel = 2000;      ///< a kernel becomes resident
  unsigned grid = 4;           ///< its thread blocks, at most, per dimension
  unsigned release = kAlways;  ///< an entry without work is given back
  // SMs
  unsigned fits = 60000;  ///< an entry's next thread block fits, where that is drawn anew
  unsigned refit = 4096;  ///< ... which is so often
  unsigned take = 60000;  ///< an offer is taken
  unsigned time = 20;     ///< of a thread block, at most
  unsigned done = 60000;  ///< a thread block that is over is reported
  bool fill = false;      ///< ... once the table of groups has been full, until it is half empty
  // Memory and launcher
  unsigned memory = 50000;    ///< a request is taken
  unsigned delay = 20;        ///< of a reply, at most
  unsigned fallback = 50000;  ///< a fallback is taken
  // Everything rests
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< the block is reset after at most so many cycles; 0: never
  // What breaks the contract
  unsigned break_rule = 0;  ///< an event without cause
  unsigned withdraw = 0;    ///< a beat vanishes before it is taken
  unsigned endless = 0;     ///< a command goes on where it should end
  unsigned frame = 0;       ///< first or last of a beat are wrong
};

}  // namespace castor::dtbl::tb
