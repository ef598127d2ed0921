#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Cover points of the schedulers' picks, and of whether they issue.
class PickPoints {
 public:
  explicit PickPoints(const CoverList& list);
  void see(const Now& now);

 private:
  struct Offer {
    const Now& now;
    unsigned scheduler;
    [[nodiscard]] bool valid() const { return at(now.out.issue_valid, scheduler); }
  };
  struct Pick {
    const Now& now;
    unsigned scheduler, warp;
    bool older;    ///< another ready warp belongs to a CTA nearer to the head of the list
    bool lower;    ///< another ready warp has a lower number
    bool sibling;  ///< another ready warp belongs to the same CTA
    [[nodiscard]] bool greedy_valid() const { return at(now.probes.greedy, scheduler); }
    [[nodiscard]] bool greedy() const {
      return greedy_valid() && now.warp(scheduler, now.probes.pointer[scheduler]) == warp;
    }
  };
  [[nodiscard]] static Pick look(const Now& now, unsigned scheduler);

  Points<Now> cycles_;
  Points<Offer> offers_;
  Points<Pick> gto_, saws_;
};

}  // namespace castor::saws::tb
