#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Cover points of messages: waiting, being taken, the switch of the mode, and changes of lists and P.
class MessagePoints {
 public:
  explicit MessagePoints(const CoverList& list);
  /// Samples a cycle without kernel_start. Removes from `queues` the message that the block takes.
  void see(const Now& now, Queues& queues);
  void restart() { full_operations_ = 0; }

 private:
  struct Waiting {
    const Now& now;
    unsigned full, waiting;    ///< numbers of full and of non-empty queues
    unsigned full_operations;  ///< number of consecutive cycles with a CTA operation and a full queue
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
    bool greedy;   ///< the greedy pointer is valid
    unsigned cta;  ///< CTA of the greedy warp; MaxCta for a free warp slot
    bool at_head;  ///< this CTA is at the head of the list
    [[nodiscard]] bool resident() const { return greedy && cta != now.params.MaxCta; }
  };
  struct Taken {
    const Now& now;
    const Message& message;
    unsigned from;
    bool was_full;
  };
  /// Effect of a message on one scheduler.
  struct Broadcast {
    const Now& now;
    const Message& message;
    bool own;  ///< this scheduler sent the message
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
