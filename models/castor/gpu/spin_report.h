#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/dim3.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// A live warp that the watchdog found repeating a loop.
struct SpinningWarp {
  const Launch* kernel = nullptr;
  Dim3 block;
  unsigned warp_in_tb = 0;
  std::string place;                   ///< "SM 0, slot 3"; empty on a machine without SMs
  std::uint32_t pc = 0;                ///< record index
  std::vector<SpinWatch::Poll> polls;  ///< reads of the loop
  bool more_polls = false;             ///< the loop has more reads than `polls` holds
};

/// Returns one line per group of spinning warps: their number, kernel, loop and the addresses read. `span`: time
/// without progress, e.g. "1000000 cycles (watchdog.cycles)". A line per grid barrier at which warps wait follows.
[[nodiscard]] std::string spin_report(const std::vector<SpinningWarp>& warps, const std::string& span,
                                      const Store& store);

}  // namespace castor::gpu
