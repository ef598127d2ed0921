#pragma once

#include "castor/gpu/memory/port.h"
#include "castor/gpu/sm/event_buffer.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Output buffer of an SM for one tick: memory request, reply, wake-up of the front end, observer events. The device
/// delivers it after all units of the cycle have ticked.
class Departures {
 public:
  /// `observer` may be null.
  Departures(InitiatorPort& port, SmOutbox& outbox, Observer* observer)
      : port_(port), outbox_(outbox), observer_(observer) {
    port.hold(flag_);
    outbox.hold(flag_);
  }
  Departures(const Departures&) = delete;
  Departures& operator=(const Departures&) = delete;

  /// Returns the buffer that records observer events of the tick, or null if the machine has no observer.
  [[nodiscard]] Observer* events() { return observer_ != nullptr ? &events_ : nullptr; }
  /// Flag that is raised when the buffer has output. The owner of the variable given to `keep_in` clears the flag.
  [[nodiscard]] HandOver& flag() { return flag_; }
  /// Raises the flag at the end of a tick that recorded observer events.
  void end_tick() {
    if (!events_.empty()) flag_.raise();
  }
  /// Sends the buffered request, messages and events.
  void deliver() {
    port_.deliver();
    outbox_.deliver();
    if (!events_.empty()) events_.deliver(*observer_);
  }

 private:
  InitiatorPort& port_;
  SmOutbox& outbox_;
  Observer* const observer_;
  HandOver flag_;
  EventBuffer events_;
};

}  // namespace castor::gpu
