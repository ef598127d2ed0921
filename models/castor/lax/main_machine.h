#pragma once

#include "castor/lax/edge.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"

namespace castor::lax {

/// The main machine at one clock edge (docs/blocks/lax.md, "Cycle", step F): refresh of rates, visits of queues with
/// update and admission, PREMA ranking. Made for the edge; its registers are in State.
class MainMachine {
 public:
  MainMachine(const Params& params, State& state) : params_(params), state_(state) {}
  void step(const Inputs& in, Edge& edge);

 private:
  // One function per group of states.
  void run_idle(const Inputs& in, const Edge& edge);
  void run_refresh(const Inputs& in, Edge& edge);
  void run_visit(const Inputs& in, Edge& edge);
  void run_ranking(const Inputs& in);
  void open_kernel_type(const Inputs& in);
  void measure_kernel_type(Edge& edge);
  void write_rate();
  void next_kernel_type();
  void open_queue(const Inputs& in, Edge& edge);
  void multiply();
  void next_queue();
  void divide(MainState then);
  void start_division(U64 numerator, U32 denominator, MainState state);
  void decide(Edge& edge);
  void update_queue(Edge& edge);
  void update_token();
  void admit(Edge& edge);
  void rank_token();
  void rank_queue(const Inputs& in);
  void rank_end();
  [[nodiscard]] KeyInput key_input(U32 remaining) const;

  const Params& params_;
  State& state_;
};

}  // namespace castor::lax
