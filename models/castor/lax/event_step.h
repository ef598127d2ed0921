#pragma once

#include "castor/lax/edge.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"

namespace castor::lax {

/// Events of kernels and TBs at one clock edge (docs/blocks/lax.md, "Cycle", step E).
class EventStep {
 public:
  EventStep(const Params& params, State& state)
      : params_(params), flight_mask_((2U << params.queue_bits()) - 1), state_(state) {}
  void step(const Inputs& in, Edge& edge);

 private:
  KernelType& touch(unsigned kid, U64 now);
  void kernel_started(const Inputs& in, Edge& edge);
  void kernel_issued(const Inputs& in, Edge& edge);
  void tb_completed(const Inputs& in, Edge& edge);
  void kernel_done(const Inputs& in, Edge& edge);
  void job_done(const Inputs& in, Edge& edge);

  const Params& params_;
  const unsigned flight_mask_;  // mask of the bits of KernelType::inflight
  State& state_;
};

}  // namespace castor::lax
