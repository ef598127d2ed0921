// Forwards to cooperative_groups.h, which defines the reductions over groups.
#pragma once
#include "../cooperative_groups.h"
