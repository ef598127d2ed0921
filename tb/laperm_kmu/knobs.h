#pragma once

namespace castor::laperm_kmu::tb {

inline constexpr unsigned kAlways = 65536;  ///< a rate: in every case

/// How the surroundings behave. Rates are in 1/65536 per cycle or per case, times in cycles.
struct Knobs {
  // What arrives
  unsigned launch = 8000;   ///< a launch by device code goes into a list
  unsigned level = 15;      ///< of launches, at most
  unsigned bind = 32;       ///< launches are of the first so many SMs only
  unsigned burst = 0;       ///< so many launches come together
  unsigned alive = 60;      ///< no launch beyond so many
  unsigned host = 3000;     ///< a kernel comes to the head of a queue
  unsigned queues = 128;    ///< of the first so many
  unsigned all_queues = 0;  ///< every queue of the host has one
  unsigned suspend = 800;   ///< a suspended block can come back
  // What leaves
  unsigned entries = 8;     ///< of the kernel table
  unsigned time = 40;       ///< of a kernel in its entry, at most
  unsigned lane = 50000;    ///< a parse lane can be taken
  unsigned interval = 1;    ///< from a grant to the next, at least
  unsigned drop = 0;        ///< the head of a list is dropped: its tree has stopped
  unsigned take_back = 0;   ///< a queue's kernel, or a suspended block, is not ready any more
  unsigned drop_found = 0;  ///< the list that is offered is dropped, if it was not taken
  // Everything rests
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< the block is reset after at most so many cycles; 0: never
  // What breaks the contract
  unsigned stray = 0;   ///< taken without an offer, or though the source is not ready any more
  unsigned glitch = 0;  ///< what is ready is drawn anew, whatever there is
};

}  // namespace castor::laperm_kmu::tb
