#include "castor/gpu/execution/warp_start.h"

#include <algorithm>

namespace castor::gpu {

isa::LaneMask started_lanes(unsigned threads, unsigned lanes, unsigned warp) {
  const unsigned started = std::min(lanes, threads - warp * lanes);
  return started == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << started) - 1;
}

void identify(const Launch& launch, const ItemData& item, const Dim3& index, unsigned lanes, unsigned warp,
              isa::WarpContext& context) {
  const auto threads = static_cast<unsigned>(launch.block.count());
  const unsigned first = warp * lanes;
  const unsigned started = std::min(lanes, threads - first);
  context = {};
  Dim3 thread{first % launch.block.x, first / launch.block.x % launch.block.y, first / launch.block.x / launch.block.y};
  for (unsigned lane = 0; lane < started; ++lane) {
    context.tid[0][lane] = static_cast<std::uint16_t>(thread.x);
    context.tid[1][lane] = static_cast<std::uint16_t>(thread.y);
    context.tid[2][lane] = static_cast<std::uint16_t>(thread.z);
    if (++thread.x == launch.block.x) {
      thread.x = 0;
      if (++thread.y == launch.block.y) {
        thread.y = 0;
        ++thread.z;
      }
    }
  }
  const Dim3 sizes[3] = {launch.block, index, item.grid};
  std::uint32_t* const targets[3] = {context.ntid, context.ctaid, context.nctaid};
  for (unsigned i = 0; i < 3; ++i) {
    targets[i][0] = sizes[i].x;
    targets[i][1] = sizes[i].y;
    targets[i][2] = sizes[i].z;
  }
  context.grid = launch.grid_id;
  context.dynamic_shared = launch.dynamic_shared;
  context.total_shared = launch.shared_bytes;
  context.parameter_base = item.parameters;
  context.grid_workspace = launch.grid_workspace;
  context.cooperative = launch.cooperative;
  context.live = started_lanes(threads, lanes, warp);
  context.active = context.live;
}

}  // namespace castor::gpu
