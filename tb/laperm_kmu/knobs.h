#pragma once

namespace castor::laperm_kmu::tb {

inline constexpr unsigned kAlways = 65536;  ///< rate of an event that occurs in every case

/// Parameters of the stimulus. Rates are in 1/65536, per cycle or per case; times are in cycles.
struct Knobs {
  // Arrivals
  unsigned launch = 8000;   ///< rate of launches by device code
  unsigned level = 15;      ///< maximum level of a launch
  unsigned bind = 32;       ///< number of SMs that launch: the first ones
  unsigned burst = 0;       ///< number of launches that arrive together
  unsigned alive = 60;      ///< maximum number of waiting launches
  unsigned host = 3000;     ///< rate at which a kernel reaches the head of a host queue
  unsigned queues = 128;    ///< number of host queues in use: the first ones
  unsigned all_queues = 0;  ///< rate at which all host queues get a kernel together
  unsigned pairs = 0;       ///< rate at which two host queues, any distance apart, get a kernel together
  unsigned suspend = 800;   ///< rate at which a suspended thread block becomes able to resume
  // Departures
  unsigned entries = 8;     ///< number of kernel table entries
  unsigned time = 40;       ///< maximum time of a kernel in its entry
  unsigned lane = 50000;    ///< rate at which a parse lane accepts an offer
  unsigned interval = 1;    ///< minimum cycles between two grants
  unsigned drop = 0;        ///< rate at which the head of a list is dropped, because its launch tree was stopped
  unsigned take_back = 0;   ///< rate at which a host queue's kernel, or the suspended thread blocks, stop being ready
  unsigned drop_found = 0;  ///< rate at which the offered source is emptied, if the offer was not accepted
  // Idle periods of all inputs: rate and maximum length
  unsigned rest = 20;
  unsigned rest_cycles = 60;
  // Resets
  unsigned over = 0;  ///< maximum cycles until the block is reset; 0: never
  // Violations of the contract
  unsigned stray = 0;   ///< rate of grants without an offer, or for a source that is no longer ready
  unsigned glitch = 0;  ///< rate at which the ready inputs are drawn at random
};

}  // namespace castor::laperm_kmu::tb
