#pragma once

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Counters of the page allocator, in group "pages" of the front end.
struct PageCounters {
  explicit PageCounters(base::StatisticGroup& front_end) : group(front_end, "pages") {}
  base::StatisticGroup group;
  base::Counter images{group, {"images", "", "images granted to SMs for thread blocks that are swapped out"}};
  base::Counter images_max{group, {"images_max", "", "most images in use at once"}};
  base::Counter taken{group, {"taken", "", "pages taken for images"}};
  base::Counter taken_max{group, {"taken_max", "", "most pages taken at once"}};
  base::Counter waits{group, {"waits", "", "images whose grant waited for a page"}};
  base::Counter wait_cycles{group, {"wait_cycles", "cycles", "cycles for which these grants waited, all together"}};
};

}  // namespace castor::gpu
