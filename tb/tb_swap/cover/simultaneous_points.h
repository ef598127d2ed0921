#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tb/tb_swap/cover/facts.h"

namespace castor::tb_swap::tb {

/// Edge between two cycles: what has happened in the first one, and the registers behind it.
struct Edge {
  const castor::tb::Cycle<Block>& was;
  const Now& now;
};

/// Cover points for pairs of simultaneous events on one register (docs/blocks/tb_swap.md, "Verification"). A kernel
/// that starts is met by the inputs that it makes the block ignore, and by each state of both machines.
class SimultaneousPoints {
 public:
  explicit SimultaneousPoints(const castor::tb::CoverList& list);
  /// Shows a cycle that has one before it.
  void see(const Now& now);

  /// Returns the events that change registers, and the registers that only one event changes, with the reason.
  [[nodiscard]] static std::vector<castor::tb::EventRow<Edge>> rows();
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> alone();
  /// Returns the pairs of events that cannot be simultaneous.
  [[nodiscard]] static std::vector<castor::tb::Apart> apart(const castor::tb::CoverList& list);

 private:
  castor::tb::Simultaneous<Edge> pairs_;
};

}  // namespace castor::tb_swap::tb
