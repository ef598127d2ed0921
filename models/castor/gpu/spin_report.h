#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/dim3.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// A live warp that repeats its loop.
struct SpinningWarp {
  const Launch* kernel = nullptr;
  Dim3 block;
  unsigned warp_in_tb = 0;
  std::string place;  ///< "SM 0, slot 3"; empty on a machine without
  std::uint32_t pc = 0;
  std::vector<SpinWatch::Poll> polls;
  bool more_polls = false;
};

/// How many warps of which kernels repeat which loop and read what, a line for each. `span`: for how long nothing has
/// changed, "1000000 cycles (watchdog.cycles)".
[[nodiscard]] std::string spin_report(const std::vector<SpinningWarp>& warps, const std::string& span,
                                      const Store& store);

}  // namespace castor::gpu
