#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tb/darsie/cover/facts.h"

namespace castor::darsie::tb {

/// Cover points for each pair of simultaneous events that change the same register. Events of warps or TB slots are
/// paired for the bits of one warp or TB slot.
class SimultaneousPoints {
 public:
  explicit SimultaneousPoints(const CoverList& list);
  void see(const Facts& now);

  /// Returns the probes that are missing from all tables without a reason; the list must be empty.
  [[nodiscard]] static std::vector<std::string> forgotten();

 private:
  struct OnWarp {
    const Facts& f;
    unsigned w;
    [[nodiscard]] bool in(U64 mask) const { return contains(mask, w); }
    [[nodiscard]] unsigned tb() const { return f.tb_of(w); }
    [[nodiscard]] bool live() const { return in(f.probes.live); }
    [[nodiscard]] bool decoded(Why why) const { return f.why == why && f.warp == w; }
    [[nodiscard]] bool launched() const { return f.launches && in(f.in.lnch_warps); }
    [[nodiscard]] bool at_barrier() const { return live() && contains(f.barriers, tb()); }
    [[nodiscard]] bool issues() const;
  };
  struct OnTb {
    const Facts& f;
    unsigned t;
    [[nodiscard]] bool decoded(Why why) const { return f.why == why && f.tb == t; }
    [[nodiscard]] bool elects() const { return f.leads() && f.tb == t; }
    [[nodiscard]] bool launched() const { return f.launches && f.in.lnch_tb == t; }
    [[nodiscard]] bool meets() const { return f.completed == t && !contains(f.probes.sync, t); }
    [[nodiscard]] bool gathers() const { return f.completed == t && contains(f.probes.sync, t); }
    [[nodiscard]] bool writes() const;
  };
  struct OnSm {
    const Facts& f;
  };
  template <class Subject>
  using Rows = std::vector<castor::tb::EventRow<Subject>>;
  [[nodiscard]] static Rows<OnWarp> warp_rows();
  [[nodiscard]] static Rows<OnTb> tb_rows();
  [[nodiscard]] static Rows<OnSm> sm_rows();
  [[nodiscard]] static std::vector<castor::tb::Apart> apart();
  [[nodiscard]] static const std::vector<std::pair<std::string, std::string>>& reasons();

  castor::tb::Simultaneous<OnWarp> on_warps_;
  castor::tb::Simultaneous<OnTb> on_tbs_;
  castor::tb::Simultaneous<OnSm> on_sm_;
};

}  // namespace castor::darsie::tb
