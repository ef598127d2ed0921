#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// The arcs of the main and of the submit machine, and what a soft reset finds them at.
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
  bool update_last_ = false;  // what the main machine did last was an update, not an admission
};

}  // namespace castor::lax::tb
