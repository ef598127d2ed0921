#pragma once

#include "tests/twin/shuttle/ports.h"

namespace castor::shuttle {

/// Does nothing.
class Engine {
 public:
  explicit Engine(const Params& params) { params.check(); }
  const Outputs& settle(const Inputs& /*in*/) { return out_; }
  void clock(const Inputs& /*in*/) {}
  void reset() {}
  [[nodiscard]] twin::Cycle quiet() const { return base::kForever; }
  void idle(twin::Cycle /*n*/) {}
  [[nodiscard]] Probes probes() const { return {0}; }

 private:
  Outputs out_{};
};

}  // namespace castor::shuttle
