#pragma once

#include <optional>
#include <vector>

#include "castor/base/time.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"
#include "castor/lax/state.h"

namespace castor::lax {

/// The laxity engine as a cycle model. The engine accepts jobs with deadlines and rejects those that would miss them.
/// It measures how fast TBs of each kernel type complete, and ranks the queues for the parse lanes and the TB
/// dispatcher (docs/blocks/lax.md, "Theory of operation").
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except psel_* and dsel_*, which also depend on pe_vec and de_vec of the same cycle.
/// `clock` may receive grants and events that `settle` did not.
///
/// Timing (docs/blocks/lax.md, "Cycle"): an event changes the state at its edge, and jd follows one cycle later. A
/// register access is answered in the next cycle, an access to tables once the main machine is idle. A new key or
/// eligible queue is offered after at most 2 * NumQueues / SelWidth cycles.
///
/// Deterministic; no allocation after construction. Limits: the parse lanes, the queues' packets and the register bus
/// are not modelled.
class Engine {
 public:
  using Params = lax::Params;
  using Inputs = lax::Inputs;
  using Outputs = lax::Outputs;
  using Probes = lax::Probes;
  using State = lax::State;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in);
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset, tables included. `quiet` and `idle` still use the levels of the last `clock`.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked, time advancing) that change no output. It is 0
  /// while any state changes and for 2 * NumQueues / SelWidth cycles afterwards, kForever if no output will ever
  /// change.
  [[nodiscard]] base::Cycle quiet() const;
  /// Applies `n` idle edges in time that does not depend on n; n <= quiet().
  void idle(base::Cycle n);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;
  /// Returns a register for a debugger, in any state of the machine and without side effect; empty if the address is
  /// not mapped. NOW is the time of the last cycle.
  [[nodiscard]] std::optional<U32> peek(U16 address) const;

 private:
  /// Values that the steps of one clock edge collect for `finish`.
  struct Edge {
    MainState f = MainState::kIdle;  // state of the main machine at the start of the cycle
    bool space = false;              // at the start of the cycle: room for one more job and one more dropped job
    bool had_verdict = false;        // at the start of the cycle: a verdict was waiting
    bool table_access = false;       // a register access reaches the tables in this cycle
    bool soft_reset = false;         // software requests a reset of the engine
    bool pop_verdict = false;        // software reads the oldest verdict
    bool parse_granted = false;      // a legal parse grant has arrived
    bool config_written = false;     // `config` replaces the configuration
    U32 irq = 0;                     // bits to set in IRQ_STAT
    U32 irq_clear = 0;               // bits of IRQ_STAT that software clears
    U32 err = 0;                     // bits to set in ERR_STAT
    U32 err_clear = 0;               // bits of ERR_STAT that software clears
    Config config;                   // configuration as software has written it
  };

  // Steps of a cycle (docs/blocks/lax.md, "Cycle").
  void step_selection(const Inputs& in, Edge& edge);
  void step_registers(const Inputs& in, Edge& edge);
  void step_machine(const Inputs& in, Edge& edge);
  void step_timers(Edge& edge);
  void step_events(const Inputs& in, Edge& edge);
  void step_submit(const Inputs& in, Edge& edge);
  void finish(const Inputs& in, Edge& edge);
  void soft_reset(const Edge& edge);

  // Selection of the queues that are offered.
  [[nodiscard]] bool parse_eligible(unsigned q) const;
  [[nodiscard]] bool offers_parse(const QueueBits& pe_vec) const;
  [[nodiscard]] bool offers_dispatch(const QueueBits& de_vec) const;
  void freeze(const Inputs& in);
  void compare(Best& best, unsigned q, U16 tie) const;
  void compare_group();

  // Registers: `read` returns nothing if the address is not mapped; `write` returns reg_err.
  [[nodiscard]] std::optional<U32> read(U32 address, U64 now) const;
  [[nodiscard]] std::optional<U32> read_single(U32 address, U64 now) const;
  [[nodiscard]] std::optional<U32> read_table(U32 address) const;
  [[nodiscard]] std::optional<U32> read_job(U32 address) const;
  [[nodiscard]] U32 read_ctrl() const;
  [[nodiscard]] U32 read_status() const;
  U8 write(U32 address, U32 value, Edge& edge);
  U8 write_single(U32 address, U32 value, Edge& edge);
  U8 write_ctrl(U32 value, Edge& edge) const;
  U8 write_table(U32 address, U32 value, Edge& edge);

  // Main machine: one function per group of states.
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
  [[nodiscard]] bool visits() const { return state_.f >= MainState::kVOpen && state_.f <= MainState::kVTok; }
  [[nodiscard]] bool updates() const {
    return (state_.f >= MainState::kKOpen && state_.f <= MainState::kKWb) || (visits() && state_.ph == Phase::kUpdate);
  }

  // Submit machine: takes headers and lists of jobs.
  void take_beat(const Inputs& in);
  void commit(Edge& edge);
  void check_slot();
  void merge_slot();
  void finish_append(Edge& edge);
  [[nodiscard]] Reason refusal(JobState v, Edge& edge) const;

  // Events of kernels and TBs.
  KernelType& touch(unsigned kid, U64 now);
  void kernel_started(const Inputs& in, Edge& edge);
  void kernel_issued(const Inputs& in, Edge& edge);
  void tb_completed(const Inputs& in, Edge& edge);
  void kernel_done(const Inputs& in, Edge& edge);
  void job_done(const Inputs& in, Edge& edge);

  // Probes of single registers and table rows in the cycles in which they are defined (probes.cpp).
  void probe_rows(Probes& probes) const;
  static void probe_type(Probes& probes, const KernelType& type);
  void probe_job(Probes& probes) const;
  void probe_submission(Probes& probes) const;
  void probe_software(Probes& probes) const;

  void count(Count which, U32 by = 1);
  [[nodiscard]] bool space() const { return state_.verdicts.count + state_.pend.count + 2U <= params_.VqDepth; }

  Params params_;
  unsigned groups_;       // groups of queues in a pass of the selection
  unsigned words_;        // 64-bit words of a vector of queues
  unsigned flight_mask_;  // mask of the bits of KernelType::inflight
  State state_;
  Outputs out_;
  Inputs levels_;           // levels and time of the last `clock`, events 0
  base::Cycle steady_ = 0;  // edges since the last change of a value that the selection reads
  struct Passed {
    Best p;  // best parse key
    Best d;  // best dispatch key
  };
  std::vector<Passed> passed_;  // best keys after each group of the latest pass
};

}  // namespace castor::lax
