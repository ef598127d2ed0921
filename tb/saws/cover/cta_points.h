#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// CTAs that are placed and freed, also where that is refused.
class CtaPoints {
 public:
  explicit CtaPoints(const CoverList& list);
  /// A cycle with a CTA operation, without kernel_start; marks the messages of a CTA that is freed. `freed`: the CTA
  /// that was freed in the cycle before. True if the operation is an error.
  bool see(const Now& now, Queues& queues, unsigned freed);

 private:
  struct Place {
    const Now& now;
    unsigned freed;
    [[nodiscard]] U64 mask() const { return now.in.cta_wmask.word(0); }
    [[nodiscard]] bool used() const { return at(now.probes.cta_used, now.in.cta_id); }
    [[nodiscard]] bool nothing() const { return !used() && mask() == 0; }
    [[nodiscard]] bool taken() const { return !used() && (mask() & now.probes.allocated.word(0)) != 0; }
    [[nodiscard]] bool good() const { return !used() && !nothing() && !taken(); }
  };
  struct PlaceOn {
    const Now& now;
    unsigned scheduler, length;
    bool present;
  };
  /// A message that waits while a CTA is placed or freed.
  struct Meets {
    const Now& now;
    const Message& message;
    [[nodiscard]] bool same() const { return message.cta == now.in.cta_id; }
  };
  struct Free {
    const Now& now;
    bool live;
  };
  struct FreeOn {
    const Now& now;
    unsigned scheduler;
    unsigned position, length, p;
    bool greedy;                ///< its warp was the greedy one
    bool issues, issues_other;  ///< ... and a warp of this or another CTA issues
  };
  void place(const Now& now, const Queues& queues, const Place& operation);
  void free(const Now& now, Queues& queues);
  [[nodiscard]] static FreeOn look(const Now& now, unsigned scheduler, unsigned warp);

  Points<Now> operations_;
  Points<Place> places_;
  Points<PlaceOn> placed_;
  Points<Meets> meets_placed_, meets_freed_;
  Points<Free> frees_;
  Points<FreeOn> freed_;
};

}  // namespace castor::saws::tb
