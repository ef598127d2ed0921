#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "castor/base/error.h"

namespace castor::tb {

/// List of cover points: events that a run must have seen at least once. The block's Bench owns it. A point that cannot
/// be reached is waived with a reason and reported as waived. The classes in cover_points.h define a block's points.
class Cover {
 public:
  struct Point {
    std::string name;
    std::uint64_t hits = 0;
    std::string waiver;     ///< why the point cannot be reached; empty: the point can be reached
    bool long_run = false;  ///< reaching the point takes a million cycles or more
  };

  /// Adds a point and returns its number.
  unsigned add(std::string name, bool long_run = false) {
    points_.push_back({std::move(name), 0, {}, long_run});
    hits_.push_back(0);
    return static_cast<unsigned>(points_.size() - 1);
  }
  void hit(unsigned point) { ++hits_[point]; }
  void hit_if(unsigned point, bool seen) { hits_[point] += seen ? 1 : 0; }
  /// Waives the point `name`; a missing point is an assertion failure.
  void waive(std::string_view name, std::string reason) {
    const auto point = std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.name == name; });
    CASTOR_ASSERT(point != points_.end(), "no cover point '%s'", std::string(name).c_str());
    point->waiver = std::move(reason);
  }
  /// Records an event that must never occur: a bug of the twin, or of the list of points. The first 20 different events
  /// are kept.
  void impossible(const std::string& what) {
    if (impossible_.size() < 20 && std::find(impossible_.begin(), impossible_.end(), what) == impossible_.end()) {
      impossible_.push_back(what);
    }
  }

  [[nodiscard]] std::uint64_t hits(unsigned point) const { return hits_[point]; }
  [[nodiscard]] std::vector<Point> points() const {
    std::vector<Point> points = points_;
    for (std::size_t i = 0; i < points.size(); ++i) points[i].hits = hits_[i];
    return points;
  }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(points_.size()); }
  [[nodiscard]] const std::vector<std::string>& impossible() const { return impossible_; }

 private:
  std::vector<Point> points_;        // names and waivers; the hit counts are in hits_
  std::vector<std::uint64_t> hits_;  // contiguous hit counts, because a run updates them in every cycle
  std::vector<std::string> impossible_;
};

}  // namespace castor::tb
