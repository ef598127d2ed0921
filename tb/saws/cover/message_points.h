#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Messages: how they wait, are taken, switch the mode, and move lists and P.
class MessagePoints {
 public:
  explicit MessagePoints(const CoverList& list);
  /// A cycle without kernel_start. Takes the message that the block takes out of the queues.
  void see(const Now& now, Queues& queues);
  void restart() { full_operations_ = 0; }

 private:
  struct Waiting {
    const Now& now;
    unsigned full, waiting;    ///< queues
    unsigned full_operations;  ///< CTA operations in consecutive cycles with a full queue
    [[nodiscard]] bool put_off() const { return waiting > 0 && now.operates(); }
  };
  struct List {
    const Now& now;
    unsigned scheduler;
  };
  struct Switch {
    const Now& now;
    unsigned scheduler;
    const std::deque<Message>& queue;
    bool greedy;   ///< the pointer is valid
    unsigned cta;  ///< ... and this is its CTA; MaxCta for a free slot
    bool at_head;  ///< which is at the head of the list
    [[nodiscard]] bool resident() const { return greedy && cta != now.params.MaxCta; }
  };
  struct Taken {
    const Now& now;
    const Message& message;
    unsigned from;
    bool was_full;
  };
  /// A message meets a scheduler.
  struct Broadcast {
    const Now& now;
    const Message& message;
    bool own;  ///< the scheduler that sent it
    bool present;
    unsigned position, p, length;
    [[nodiscard]] bool promotes() const { return present && !own && message.hit; }
    [[nodiscard]] bool demotes() const {
      return present && own && (message.all_blocked || (message.hit && now.params.DemoteAt == 1));
    }
  };
  void switch_mode(const Now& now, const Queues& queues);
  void take(const Now& now, Queues& queues);

  Points<Waiting> waiting_;
  Points<List> lists_;
  Points<Now> switches_;
  Points<Switch> switched_;
  Points<Taken> taken_;
  Points<Broadcast> broadcasts_;
  unsigned full_operations_ = 0;
};

}  // namespace castor::saws::tb
