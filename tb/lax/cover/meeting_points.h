#pragma once

#include "tb/lax/cover/edge.h"

namespace castor::lax::tb {

/// Every two events that meet in one cycle on one register that more than one of them moves, a soft reset among them.
/// What is about one queue or one kernel type meets on the bits, or the row, of that one.
class MeetingPoints {
 public:
  explicit MeetingPoints(const CoverList& list);
  void see(const Now& now);

  /// Probes that are in no table, and for which there is no reason why: none.
  [[nodiscard]] static std::vector<std::string> forgotten();

 private:
  /// An edge, and what is known behind it.
  struct Met : Edge {
    const Probes& is;
    bool good;  ///< the access is not refused
    [[nodiscard]] bool error_is_found() const;
    [[nodiscard]] bool interrupt_is_raised() const;
  };
  struct OnQueue : Met {
    unsigned queue;
  };
  struct OnType : Met {
    unsigned type;
  };
  using MetRows = std::vector<castor::tb::EventRow<Met>>;
  using QueueRows = std::vector<castor::tb::EventRow<OnQueue>>;
  using TypeRows = std::vector<castor::tb::EventRow<OnType>>;
  [[nodiscard]] static MetRows rows();
  [[nodiscard]] static QueueRows queue_rows();
  [[nodiscard]] static TypeRows type_rows();
  [[nodiscard]] static std::vector<MetRows> counter_rows();
  [[nodiscard]] static std::vector<castor::tb::Apart> apart(const CoverList& list);
  /// Probes that are in no table, and why.
  [[nodiscard]] static const std::vector<std::pair<std::string, std::string>>& reasons();

  void see_queues(const Met& met);
  void see_types(const Met& met);

  castor::tb::Meetings<Met> meetings_;
  castor::tb::Meetings<OnQueue> on_queues_;
  castor::tb::Meetings<OnType> on_types_;
  std::vector<castor::tb::Meetings<Met>> counters_;
  bool late_ = false;  // see Edge
};

}  // namespace castor::lax::tb
