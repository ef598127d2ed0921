#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Cover points for each pair of simultaneous events that change the same register, including the kernel start. Events
/// of warps or schedulers are paired for the bits of one warp or scheduler.
class SimultaneousPoints {
 public:
  explicit SimultaneousPoints(const CoverList& list);
  void see(const Now& now);

  /// Returns the probes that are missing from all tables without a reason; the list must be empty.
  [[nodiscard]] static std::vector<std::string> forgotten();

 private:
  /// A cycle, with its internal events in addition to the events of its inputs.
  struct Edge : Now {
    unsigned source;  ///< scheduler whose message is next; NumSched if no message waits
    bool frees_cta, places_cta;
    [[nodiscard]] bool starts() const { return in.kernel_start != 0; }
    [[nodiscard]] bool message_acts() const { return source != params.NumSched && !operates(); }
    [[nodiscard]] bool takes() const { return message_acts() && !gto(); }
    [[nodiscard]] bool switches() const { return message_acts() && gto(); }
    [[nodiscard]] unsigned oldest() const { return probes.oldest[source]; }
  };
  struct OnWarp : Edge {
    unsigned warp;
    [[nodiscard]] U64 self() const { return U64{1} << warp; }
    [[nodiscard]] bool reports(bool exit) const;
    [[nodiscard]] bool placed() const { return places_cta && (in.cta_wmask.word(0) & self()) != 0; }
    [[nodiscard]] bool freed() const { return frees_cta && allocated() && probes.warp_cta[warp] == in.cta_id; }
    [[nodiscard]] bool allocated() const { return at(probes.allocated.word(0), warp); }
    [[nodiscard]] bool let_go() const { return (in.unblock.word(0) & probes.blocked.word(0) & self()) != 0; }
    [[nodiscard]] bool hits() const;
  };
  struct OnScheduler : Edge {
    unsigned scheduler;
    [[nodiscard]] bool has(unsigned cta) const { return warp_on(cta, scheduler) != params.NumWarps; }
    [[nodiscard]] bool promoted() const;
    [[nodiscard]] bool demoted() const;
    [[nodiscard]] bool placed() const { return places_cta && (in.cta_wmask.word(0) & on[scheduler]) != 0; }
    [[nodiscard]] bool freed() const { return frees_cta && has(in.cta_id); }
    [[nodiscard]] bool issued() const;
    [[nodiscard]] bool hits() const;
    [[nodiscard]] bool marked() const;
  };
  template <class Subject>
  using Rows = std::vector<castor::tb::EventRow<Subject>>;
  [[nodiscard]] static Rows<Edge> rows();
  [[nodiscard]] static Rows<OnWarp> warp_rows();
  [[nodiscard]] static Rows<OnScheduler> scheduler_rows();
  [[nodiscard]] static std::vector<castor::tb::Apart> apart(const CoverList& list);
  [[nodiscard]] static const std::vector<std::pair<std::string, std::string>>& reasons();

  castor::tb::Simultaneous<Edge> simultaneous_;
  castor::tb::Simultaneous<OnWarp> on_warps_;
  castor::tb::Simultaneous<OnScheduler> on_schedulers_;
};

}  // namespace castor::saws::tb
