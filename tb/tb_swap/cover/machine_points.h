#pragma once

#include "tb/tb_swap/cover/facts.h"

namespace castor::tb_swap::tb {

/// Cover points of the two machines: each arc, and each state in which a kernel starts.
class MachinePoints {
 public:
  explicit MachinePoints(const castor::tb::CoverList& list);
  void see(const Now& now);

 private:
  castor::tb::Arcs<OutState> out_;
  castor::tb::Arcs<InState> in_;
  castor::tb::OneOf<Now> starts_out_, starts_in_;
};

}  // namespace castor::tb_swap::tb
