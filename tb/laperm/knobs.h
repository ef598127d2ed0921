#pragma once

namespace castor::laperm::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case; times are in cycles.
struct Knobs {
  // The settings `policy` and `ovf_log2`, which may only be redrawn while no item waits
  unsigned policy = 4;       ///< 0..3: fixed policy; 4: drawn at random
  unsigned ovf_log2 = 5;     ///< maximum of ovf_log2; 0: no memory
  unsigned ovf_least = 1;    ///< minimum of ovf_log2, where there is memory
  unsigned no_memory = 0;    ///< probability of no memory when the settings are redrawn
  unsigned settings = 8192;  ///< rate of redrawing the settings, while this is allowed
  // Kernels and launches
  unsigned kernel = 2000;     ///< rate of host kernels
  unsigned grid = 8;          ///< maximum thread blocks of a host kernel
  unsigned grid_least = 1;    ///< minimum thread blocks of a host kernel
  unsigned orphan = 0;        ///< rate of orphans: dynamic items without a parent in the model
  unsigned launch = 20000;    ///< probability that a thread block launches items when it is placed
  unsigned fan = 3;           ///< maximum items per launching thread block
  unsigned volume = 4;        ///< maximum thread blocks of a dynamic item
  unsigned volume_least = 1;  ///< minimum thread blocks of a dynamic item
  unsigned huge = 0;          ///< rate of items that never finish
  /// Draws numbers of thread blocks near the limits of their range too; most such items never finish
  bool sizes = false;
  /// Rate of items whose number of thread blocks is small except for one bit of its upper half
  unsigned tall = 0;
  unsigned level = 15;     ///< maximum level of an orphan
  unsigned kernels = 256;  ///< number of kernel entries to which orphans belong: the first ones
  unsigned bind = 32;      ///< number of SMs to which launches are bound: the first ones
  bool last_sms = false;   ///< launches are bound to the last SMs instead
  unsigned alive = 60;     ///< no new item while this many items wait
  unsigned backlog = ~0U;  ///< no orphan while this many pushes wait
  unsigned burst = 0;      ///< number of orphans that arrive together while all SMs are closed
  unsigned push = 50000;   ///< rate at which a waiting push is offered
  // SMs
  unsigned slots = 4;       ///< thread block slots per SM
  unsigned closed = 0;      ///< number of SMs, from 0 upwards, that never accept a thread block
  unsigned need = 3;        ///< maximum needs of a thread block, in eighths of an SM's resources
  unsigned time = 60;       ///< maximum run time of a thread block
  unsigned take = 60000;    ///< rate at which an offer is accepted
  unsigned stray = 0;       ///< rate of pl_taken without an offer
  unsigned open = 62000;    ///< probability that an SM may accept thread blocks, when this is redrawn
  unsigned reopen = 4096;   ///< rate of redrawing whether an SM may accept thread blocks
  unsigned quota = 62000;   ///< probability that a kernel entry may have one more thread block, when this is redrawn
  unsigned requota = 2048;  ///< rate of redrawing whether kernel entries may have one more thread block
  // Memory
  unsigned memory = 50000;  ///< rate at which a request is accepted
  unsigned answer = 60000;  ///< rate at which a due reply is sent
  unsigned delay = 20;      ///< maximum latency of a reply
  // Idle periods of all inputs: rate and maximum length
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< maximum cycles until the block is reset; 0: never
  // Violations of the contract
  unsigned break_push = 0;   ///< rate of pushes that must be refused
  unsigned break_reply = 0;  ///< rate of replies without a read
};

}  // namespace castor::laperm::tb
