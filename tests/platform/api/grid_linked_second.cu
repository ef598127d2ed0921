// The barrier of grid_linked.cu.
#include <cooperative_groups.h>

#include "grid_linked.h"

__device__ void meet_all() { cooperative_groups::this_grid().sync(); }
