#pragma once

#include "castor/lax/edge.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"

namespace castor::lax {

/// The submit machine at one clock edge (docs/blocks/lax.md, "Cycle", step S): takes headers and lists of jobs. Made
/// for the edge; its registers are in State.
class SubmitMachine {
 public:
  SubmitMachine(const Params& params, State& state) : params_(params), state_(state) {}
  void step(const Inputs& in, Edge& edge);

 private:
  void take_beat(const Inputs& in);
  void commit(Edge& edge);
  void check_slot();
  void merge_slot();
  void finish_append(Edge& edge);
  [[nodiscard]] Reason refusal(JobState v, Edge& edge) const;

  const Params& params_;
  State& state_;
};

}  // namespace castor::lax
