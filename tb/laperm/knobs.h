#pragma once

namespace castor::laperm::tb {

inline constexpr unsigned kAlways = 65536;  ///< a rate: in every case

/// How the surroundings behave. Rates are in 1/65536 per cycle or per case, times in cycles.
struct Knobs {
  // The two settings, drawn anew while nothing waits
  unsigned policy = 4;       ///< 0..3, or 4: drawn
  unsigned ovf_log2 = 5;     ///< at most; 0: no memory
  unsigned ovf_least = 1;    ///< at least, where there is memory
  unsigned no_memory = 0;    ///< none, where it is drawn anew
  unsigned settings = 8192;  ///< drawn anew, if they may be
  // Kernels and launches
  unsigned kernel = 2000;     ///< a kernel of the host comes
  unsigned grid = 8;          ///< its thread blocks, at most
  unsigned grid_least = 1;    ///< ... at least
  unsigned orphan = 0;        ///< a group comes without a parent that was seen
  unsigned launch = 20000;    ///< a thread block launches, when it is placed
  unsigned fan = 3;           ///< ... at most so many items
  unsigned volume = 4;        ///< thread blocks of one, at most
  unsigned volume_least = 1;  ///< ... at least
  unsigned huge = 0;          ///< items that do not end
  bool sizes = false;         ///< numbers of thread blocks lie at the ends of their range, too: most do not end
  unsigned level = 15;        ///< of an orphan, at most
  unsigned bind = 32;         ///< launches are bound to the first so many SMs only
  bool last_sms = false;      ///< ... to the last so many
  unsigned alive = 60;        ///< no launch beyond so many items that wait
  unsigned backlog = ~0U;     ///< no orphan beyond so many pushes that wait
  unsigned burst = 0;         ///< so many orphans come together, while all SMs are closed
  unsigned push = 50000;      ///< what can be pushed is pushed
  // SMs
  unsigned slots = 4;       ///< of an SM
  unsigned closed = 0;      ///< so many SMs never take a thread block
  unsigned need = 3;        ///< of 8 parts of an SM's resources, at most
  unsigned time = 60;       ///< of a thread block, at most
  unsigned take = 60000;    ///< an offer is taken
  unsigned stray = 0;       ///< taken without an offer
  unsigned open = 62000;    ///< the SM may take thread blocks, where that is drawn anew
  unsigned reopen = 4096;   ///< ... which is so often
  unsigned quota = 62000;   ///< an entry may have one more thread block, where that is drawn anew
  unsigned requota = 2048;  ///< ... which is so often
  // Memory
  unsigned memory = 50000;  ///< a request is taken
  unsigned answer = 60000;  ///< a reply that is due comes
  unsigned delay = 20;      ///< of a reply, at most
  // Everything rests
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< the block is reset after at most so many cycles; 0: never
  // What breaks the contract
  unsigned break_push = 0;   ///< a push that must be refused
  unsigned break_reply = 0;  ///< a reply of no read
};

}  // namespace castor::laperm::tb
