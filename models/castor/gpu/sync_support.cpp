#include "castor/gpu/sync_support.h"

#include <algorithm>
#include <numeric>

namespace castor::gpu {

std::vector<std::uint32_t> placement_order(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
  return order;
}

}  // namespace castor::gpu
