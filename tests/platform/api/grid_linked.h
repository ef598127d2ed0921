// Device code of grid_linked.cu in another file.
#pragma once

/// Waits for all blocks of the grid.
__device__ void meet_all();
