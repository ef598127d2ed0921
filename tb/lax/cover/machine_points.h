#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of the transitions of main and submit machine, and of their states at a soft reset.
class MachinePoints {
 public:
  explicit MachinePoints(const CoverList& list);
  void see(const Now& now);

 private:
  castor::tb::Cover& cover_;
  Arcs<MainState> main_;
  Arcs<SubmitState> submit_;
  OneOf<Probes> main_reset_, submit_reset_;
  Points<bool> admissions_;
  bool update_last_ = false;  // the last activity of the main machine was an update, not an admission
};

}  // namespace castor::lax::tb
