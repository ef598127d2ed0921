#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Cover points of placing and freeing CTAs, including refused operations.
class CtaPoints {
 public:
  explicit CtaPoints(const CoverList& list);
  /// Samples a cycle with a CTA operation and without kernel_start, and marks the waiting messages of a freed CTA.
  /// `freed` is the CTA that was freed in the previous cycle. Returns whether the operation is an error.
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
  /// A waiting message in the cycle of a CTA operation.
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
    bool greedy;                ///< the greedy warp belongs to the CTA
    bool issues, issues_other;  ///< the CTA's warp is greedy and a warp of this CTA, or of another CTA, issues
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
