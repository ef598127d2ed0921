// Forwards to cooperative_groups.h, which defines the scans over groups.
#pragma once
#include "../cooperative_groups.h"
