#pragma once

#include <variant>
#include <vector>

#include "castor/base/tick_wall.h"
#include "castor/gpu/observer.h"

namespace castor::gpu {

/// Buffer for the observer events of one SM tick. All SMs share the observer, so an SM must not call it during a tick.
class EventBuffer final : public Observer {
 public:
  void issued(const Issue& event) override { events_.emplace_back(event); }
  void tb_started(const Tb& event) override { events_.emplace_back(Started{event}); }
  void tb_retired(const Tb& event) override { events_.emplace_back(Retired{event}); }

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Sends the buffered events to the observer in the order of their occurrence, and empties the buffer.
  void deliver(Observer& to) {
    base::TickWall::check("an observer");
    for (const Event& event : events_) std::visit([&to](const auto& one) { tell(to, one); }, event);
    events_.clear();
  }

 private:
  struct Started {
    Tb tb;
  };
  struct Retired {
    Tb tb;
  };
  using Event = std::variant<Issue, Started, Retired>;

  static void tell(Observer& to, const Issue& event) { to.issued(event); }
  static void tell(Observer& to, const Started& event) { to.tb_started(event.tb); }
  static void tell(Observer& to, const Retired& event) { to.tb_retired(event.tb); }

  std::vector<Event> events_;
};

}  // namespace castor::gpu
