#pragma once

#include <optional>

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Bits of the output `err`.
inline constexpr unsigned kErrorCta = 1, kErrorTwice = 2, kErrorLost = 4;

/// Cover points of warp events (barrier arrivals, exits) and unblocks: acceptance, effect on the CTA, and resulting
/// messages.
class EventPoints {
 public:
  explicit EventPoints(const CoverList& list);

  /// Errors and new messages of a cycle.
  struct Result {
    unsigned errors = 0;
    std::array<std::optional<Message>, 4> queued;  ///< message added to the queue of each scheduler
  };
  /// Samples a cycle without kernel_start. `queues` excludes the message that is taken in this cycle. `started`: a
  /// kernel was started before.
  Result see(const Now& now, const Queues& queues, bool started);

 private:
  struct Report {
    const Now& now;
    unsigned scheduler, local;
    bool started;
    bool live, blocked;
    [[nodiscard]] bool exists() const { return local < now.params.warps_per_scheduler(); }
    [[nodiscard]] bool exit() const { return at(now.in.wev_exit, scheduler); }
    [[nodiscard]] bool twice() const { return live && !exit() && blocked; }
  };
  /// An accepted warp event.
  struct Event {
    const Now* now;
    const Queues* queues;
    unsigned scheduler, cta;
    U64 warps;  ///< all warps of the event's CTA
    bool exit, hit, blocked_before;
    bool all_blocked = false;  ///< after the cycle, all live warps of the CTA on this scheduler are blocked
    bool last = false;         ///< after the cycle, the CTA has no live warp
    bool promotes = false;
    [[nodiscard]] bool tells() const {
      return now->params.SawsEn == 1 && now->probes.selected != 0 && (promotes || all_blocked);
    }
    [[nodiscard]] bool suppressed() const { return tells() && now->frees(cta); }
    [[nodiscard]] bool lost() const {
      return tells() && !suppressed() && now->probes.waiting[scheduler] == now->params.EvqDepth;
    }
    [[nodiscard]] bool queued() const { return tells() && !suppressed() && !lost(); }
    [[nodiscard]] bool unblocks() const { return (now->in.unblock.word(0) & now->probes.blocked.word(0) & warps) != 0; }
  };
  struct Pair {
    const Event &first, &second;
    [[nodiscard]] bool one_cta() const { return first.cta == second.cta; }
  };
  struct Together {
    const Now& now;
    unsigned accepted;
    bool one_cta;
  };
  void meet(const Now& now);

  Points<Report> reports_;
  Points<Event> events_;
  Points<Pair> pairs_;
  Points<Together> together_;
  std::array<Event, 4> accepted_{};
  unsigned count_ = 0;
};

}  // namespace castor::saws::tb
