#pragma once

#include "castor/tb_swap/position.h"
#include "castor/tb_swap/state.h"

namespace castor::tb_swap {

/// Machine that takes the jobs, decides where the TB of a context goes, moves it out, and hands the rest of the job
/// over to the machine that moves TBs in (docs/blocks/tb_swap.md, "Moving out"). A job without a TB to move out passes
/// through it, too.
class OutMachine {
 public:
  [[nodiscard]] bool busy() const { return state_ != OutState::kIdle; }
  /// Returns the access that the machine wants to make in this cycle.
  [[nodiscard]] Want want(const State& s) const;
  /// Applies the rising edge.
  void clock(const Inputs& in, const Turn& turn, State& s);
  /// Renews the entry that is offered: the homes of a context have changed.
  void change_homes(const Inputs& in, State& s) const {
    if (state_ == OutState::kPush) show_parked(in, s);
  }
  void probes(Probes& probes) const;

 private:
  /// Class of a move: where the TB goes.
  enum Class : std::uint8_t { kNothing, kInPlace, kRegistersToPlace, kSharedToPlace, kToMemory };

  // A step per state.
  void step_idle(State& s);
  void step_place(const Inputs& in, State& s);
  void step_page(const Inputs& in, State& s);
  void step_simt(const Inputs& in, State& s);
  void step_mask(const Inputs& in, State& s);
  void step_registers(const Inputs& in, State& s);
  void step_shared(const Inputs& in, const Turn& turn, State& s);
  void step_push(const Inputs& in, State& s);
  void step_hand(const Turn& turn, State& s);

  [[nodiscard]] Class choose(const Inputs& in, const State& s, bool rhome, bool shome) const;
  void choose_rhome(Storage& storage, bool brought);
  void choose_shome(State& s, bool brought);
  void begin_move(State& s);
  void end_registers(const Inputs& in, State& s);
  void begin_push(const Inputs& in, State& s);
  void show_parked(const Inputs& in, State& s) const;
  [[nodiscard]] Access store(AccessType type) const;

  OutState state_ = OutState::kIdle;
  Job job_;                   // the current job; reset while the machine is idle, as all that follows
  Class class_ = kNothing;    // where the TB goes; set in Place
  bool keeps_rhome_ = false;  // the TB keeps its register home; set in Place
  bool keeps_shome_ = false;  // the TB keeps its shared home; set in Place
  U8 next_rhome_ = 0;         // register home that the context will have; set in Place
  U8 next_shome_ = 0;         // shared home that it will have; set in Place
  U64 simt_line_ = 0;         // address of the first SIMT line; set with the place or the image
  U64 register_line_ = 0;     // address of the first register; set in Mask
  U64 shared_line_ = 0;       // address of the first line of shared memory; set before Shared
  Position at_;
};

}  // namespace castor::tb_swap
