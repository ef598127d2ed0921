#pragma once

#include "tb/lax/cover/edge.h"

namespace castor::lax::tb {

/// Cover points for each pair of simultaneous events that change the same register, including soft resets. Events of a
/// queue or kernel type are paired for the bits, or the table row, of the same queue or type.
class SimultaneousPoints {
 public:
  explicit SimultaneousPoints(const CoverList& list);
  void see(const Now& now);

  /// Returns the probes that are missing from all tables without a reason; the list must be empty.
  [[nodiscard]] static std::vector<std::string> forgotten();

 private:
  /// A clock edge, with the registers after it and the answer to its access.
  struct SimultaneousEdge : Edge {
    const Probes& is;
    bool good;  ///< the register access is not refused
    [[nodiscard]] bool error_is_found() const;
    [[nodiscard]] bool interrupt_is_raised() const;
  };
  struct OnQueue : SimultaneousEdge {
    unsigned queue;
  };
  struct OnType : SimultaneousEdge {
    unsigned type;
  };
  using SimultaneousRows = std::vector<castor::tb::EventRow<SimultaneousEdge>>;
  using QueueRows = std::vector<castor::tb::EventRow<OnQueue>>;
  using TypeRows = std::vector<castor::tb::EventRow<OnType>>;
  [[nodiscard]] static SimultaneousRows rows();
  [[nodiscard]] static QueueRows queue_rows();
  [[nodiscard]] static TypeRows type_rows();
  [[nodiscard]] static std::vector<SimultaneousRows> counter_rows();
  [[nodiscard]] static std::vector<castor::tb::Apart> apart(const CoverList& list);
  /// Returns the probes that are in no table of events, with the reasons.
  [[nodiscard]] static const std::vector<std::pair<std::string, std::string>>& reasons();

  void see_queues(const SimultaneousEdge& met);
  void see_types(const SimultaneousEdge& met);

  castor::tb::Simultaneous<SimultaneousEdge> simultaneous_;
  castor::tb::Simultaneous<OnQueue> on_queues_;
  castor::tb::Simultaneous<OnType> on_types_;
  std::vector<castor::tb::Simultaneous<SimultaneousEdge>> counters_;
  bool late_ = false;  // the visited job is past its deadline (Edge::late)
};

}  // namespace castor::lax::tb
