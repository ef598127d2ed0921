#pragma once

#include "castor/base/time.h"

namespace castor::tb_swap::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case; times are in cycles.
struct Knobs {
  // Kernels
  unsigned warps = 2;            ///< maximum warps of a thread block
  unsigned regs = 6;             ///< maximum registers of a thread
  unsigned simt = 3;             ///< maximum SIMT lines of a thread block
  unsigned smem = 6;             ///< maximum lines of shared memory of a thread block
  bool longest = false;          ///< warps, regs, simt and smem are the numbers, not maxima of numbers
  unsigned no_smem = 8192;       ///< rate of kernels without shared memory
  unsigned slots = 64;           ///< maximum TB contexts in use
  unsigned spare_rhomes = 4;     ///< maximum spare register homes
  unsigned spare_shomes = 4;     ///< maximum spare shared homes
  unsigned in_place = 4;         ///< maximum places for thread blocks that keep their homes
  unsigned copies = 4;           ///< maximum places for copies
  bool all_storage = false;      ///< the numbers of spare homes and places are as large as possible
  unsigned direction = 3;        ///< direction of copies; 3: drawn
  unsigned live = 49152;         ///< rate of kernels of which only live registers move
  unsigned read_only = 32768;    ///< rate of kernels with read-only segments
  unsigned jobs = 40;            ///< maximum jobs of a kernel
  unsigned cut = 8192;           ///< rate of kernels that end with thread blocks away
  unsigned sites = 64;           ///< maximum sites with a mask
  unsigned empty_mask = 8192;    ///< rate of sites without live registers
  unsigned full_mask = 8192;     ///< rate of sites at which all registers are live
  unsigned least_threshold = 8;  ///< plain threshold: this number and fewer than 32 more
  // Jobs
  unsigned job = 20000;           ///< rate of a job while none is offered
  unsigned time = 30;             ///< maximum time until a thread block in a context waits or ends
  unsigned ends = 12000;          ///< rate at which a thread block ends instead of waiting
  unsigned back = 40000;          ///< rate at which a parked thread block is moved in instead of a new one
  unsigned local_first = 40000;   ///< rate, among these, of preferring one that is parked on chip
  unsigned parked = 40;           ///< maximum parked thread blocks
  unsigned foreign = 2000;        ///< rate at which a thread block parked by another SM is moved in
  unsigned all_registers = 6000;  ///< rate of jobs whose warps wait at several sites
  unsigned depth = 64;            ///< local entries that the commander can keep
  unsigned shut = 6000;           ///< rate at which local_room is 0 although an entry could be kept
  unsigned reopen = 3000;         ///< rate of drawing that again
  // Read-only segments
  unsigned segment = 3000;  ///< rate of segments of a thread block in a context
  unsigned drop = 16384;    ///< rate, among these, of segments that are dropped
  // Back-pressure
  unsigned parked_ready = 50000;
  unsigned enter_ready = 50000;
  unsigned access = 50000;    ///< rate at which an access is accepted
  unsigned local_access = 0;  ///< rate for accesses to places; 0: the same
  unsigned last_stall = 0;    ///< cycles in which the last store of a thread block is not accepted
  // Memory
  unsigned page = 30000;      ///< rate at which an image is granted
  unsigned page_delay = 10;   ///< maximum cycles until that
  unsigned stray_page = 500;  ///< rate of grants without a request, which the block ignores
  unsigned delay = 20;        ///< maximum latency of a load
  bool hold = false;          ///< no load is performed until no more loads come
  unsigned busy = 20000;      ///< rate at which requests without a reply are near the threshold, instead of few
  unsigned retarget = 3000;   ///< rate of drawing their number again
  // Idle periods of all inputs: rate and maximum length
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< maximum cycles until the block is reset; 0: never
  // Violations of the contract
  unsigned break_rule = 0;   ///< rate of events without cause
  unsigned early_load = 0;   ///< rate at which a load is performed that has not been accepted
  unsigned stray_load = 0;   ///< rate, among these, of loads performed that were not requested
  unsigned far_segment = 0;  ///< rate of segments that overlap or end behind the shared memory
  unsigned restart = 0;      ///< rate of kernels that start while thread blocks move
};

}  // namespace castor::tb_swap::tb
