#include "tb/common/cover.h"

#include <algorithm>

namespace castor::tb {

void Cover::waive(std::string_view name, std::string reason) {
  const auto point = std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.name == name; });
  CASTOR_ASSERT(point != points_.end(), "no cover point '%s'", std::string(name).c_str());
  point->waiver = std::move(reason);
}

std::size_t Cover::wanted() const {
  return static_cast<std::size_t>(
      std::count_if(points_.begin(), points_.end(), [](const Point& p) { return p.waiver.empty(); }));
}

std::size_t Cover::reached() const {
  return static_cast<std::size_t>(
      std::count_if(points_.begin(), points_.end(), [](const Point& p) { return p.waiver.empty() && p.hits > 0; }));
}

}  // namespace castor::tb
