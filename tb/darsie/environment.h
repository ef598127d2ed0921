#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/darsie/knobs.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::tb {

/// Model of the front end of an SM around the block. Thread blocks are launched and retired. Their warps are fetched,
/// decoded and issued, read operands and write results after random delays, branch, wait at barriers and exit. Operands
/// are read from the rows that the block names, and results are written there. A row that is reused too early, or a
/// version that is used out of order, therefore leads to a wrong value. The memory contents of each finished thread
/// block are compared with run_alone. The model keeps the contract of the block's surroundings, unless the knobs under
/// "Violations of the contract" are set.
///
/// Throws base::Error on a wrong result or a lack of progress, if the knob `check` is set.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return settled_ ? rest_ : 0; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
  }

  /// Counts of events in the run so far.
  struct Seen {
    std::uint64_t thread_blocks = 0, instructions = 0, skips = 0, leads = 0, squashes = 0, privates = 0, copies = 0;
    std::uint64_t meetings = 0, barriers = 0, checks = 0;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }
  /// Returns the first problem of the run; empty if there was none.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static constexpr unsigned kOwn = ~0U;  // the operand or result is the warp's own register, not a row
  enum class Does : std::uint8_t { kNothing, kRuns, kControl, kBarrier, kNamed, kExited };

  /// An issued instruction, from issue until its results are written.
  struct Flight {
    std::uint64_t number = 0;  ///< unique number of the instruction
    Instruction what;
    LaneMask lanes = 0;
    std::array<unsigned, 2> to{kOwn, kOwn};  ///< row of each result; kOwn: the warp's own register
    std::array<unsigned, 8> from{};          ///< row of each operand; kOwn: the warp's own register
    std::array<bool, 2> written{};
    std::array<Vector, 8> sources{};
    std::array<Vector, 2> results{};
    std::array<Vector, 2> old{};
    std::uint32_t stamp = 0;                  ///< litmus: value stored, or oldest value that a check accepts
    base::Cycle collect_at = 0, done_at = 0;  ///< cycle of reading the operands; earliest cycle of writing the results
    bool collected = false, performed = false;
  };
  /// A decoded instruction in a warp's instruction buffer.
  struct Buffered {
    unsigned pc;
    LaneMask lanes;
    bool lead;
    std::array<unsigned, 2> tag;
    bool issues = false;  // the instruction issues in this cycle
    unsigned port = 0;
  };
  struct Warp {
    Does does = Does::kNothing;
    unsigned tb = 0, number = 0;  // number of the warp in its TB
    bool full = false;
    base::Cycle slow_until = 0;
    Path path;
    std::vector<Vector> registers;
    std::vector<unsigned> pending;  // outstanding writes of each register
    std::deque<Buffered> buffer;
    std::deque<Flight> flights;
    bool fetching = false;
    base::Cycle arrives_at = 0, go_at = 0;
    base::Cycle exit_from = 0;  // cycle since which the warp waits to exit; 0: it does not wait
    bool event = false;         // the warp has an event in this cycle: it is neither eligible nor fetched
    bool hidden = false;        // the warp is not reported as eligible
    // Litmus cells: oldest value that the warp may load, and value loaded last
    std::array<std::uint32_t, 2> bound{}, last_seen{};
  };
  struct Tb {
    bool used = false;
    U64 warps = 0;
    Kernel kernel;
    Shape shape;
    bool enabled = false;
    unsigned base = 0, rows = 0, slots = 0;
    std::vector<Vector> pool;
    U64 first_pc = 0;
    std::optional<Memory> memory;
    // Litmus cells (shared, global): value in memory, and value stored last
    std::array<std::uint32_t, 2> cell{}, issued_stamp{};
    base::Cycle barrier_at = 0;  // earliest cycle in which the barrier completes; 0: not all warps are there
  };

  // Environment.cpp: thread blocks and events of their warps
  /// Drives f_elig and f_pc.
  void levels(Inputs& in);
  void place(Inputs& in);
  void start(unsigned t, const std::vector<unsigned>& slots, Inputs& in);
  [[nodiscard]] Shape some_shape(unsigned warps);
  [[nodiscard]] std::optional<unsigned> some_base(unsigned rows);
  void retire(Inputs& in);
  void finish(Tb& tb);
  /// Executes control-flow instructions that are due.
  void controls(Inputs& in);
  void resolve(unsigned w, Inputs& in);
  void barriers(Inputs& in);
  void complete_barrier(unsigned t, Inputs& in);
  [[nodiscard]] bool at_barrier(const Tb& tb) const;
  void leave_from_outside(Inputs& in);
  [[nodiscard]] bool may_leave(const Warp& warp) const;
  void scribble(Inputs& in);
  void watch_progress();
  void problem(const std::string& what);
  // environment_pipeline.cpp: instructions from fetch to write-back
  void decode(Inputs& in);
  /// Applies the block's verdicts to the decoded instructions.
  void accept(const Inputs& in, const Outputs& out);
  void choose_issues(Inputs& in);
  [[nodiscard]] bool may_issue(const Warp& warp, const Instruction& what) const;
  void show_issue(const Warp& warp, unsigned w, const Buffered& next, Inputs& in);
  void issue(const Inputs& in, const Outputs& out);
  void issue_to_memory(Warp& warp, Flight& flight);
  /// Reads the operands of the warp's issued instructions that are due.
  void collect(unsigned w);
  void read_operands(unsigned w, Flight& flight);
  /// Performs memory accesses in order of issue.
  void perform();
  void access(Warp& warp, Flight& flight);
  void choose_writes(Inputs& in);
  [[nodiscard]] bool writes_wait();
  void write();
  void skip_warps(const Outputs& out);
  void fetch(const Outputs& out);
  void copy(Inputs& in, const Outputs& out);
  // environment_faults.cpp: violations of the contract
  void break_a_rule(Inputs& in);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  [[nodiscard]] U64 pc_of(const Tb& tb, unsigned index) const {
    return (tb.first_pc + U64{kInstructionBytes} * index) & twin::mask(params_.PcW);
  }
  [[nodiscard]] U64 live(const Tb& tb) const;
  [[nodiscard]] unsigned room() const { return 2 * params_.DecW; }
  [[nodiscard]] Vector garbage();

  /// A result that is written at this clock edge.
  struct Write {
    unsigned warp;
    std::uint64_t flight;
    unsigned which;
  };

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<Warp> warps_;
  std::vector<Tb> tbs_;
  std::vector<Kernel> kernels_;
  // Warp and instruction number of each memory access, in order of issue
  std::deque<std::pair<unsigned, std::uint64_t>> memory_;
  std::vector<Write> writes_;
  Outputs last_;
  std::uint64_t flights_ = 0;
  std::uint32_t stamp_ = 0;  // last value of a litmus store
  std::optional<unsigned> decoding_;
  base::Cycle cycle_ = 0, moved_ = 0, rest_ = 0, drawn_at_ = 0;
  base::Cycle writes_from_ = 0;  // first cycle since which renamed results wait to be written; 0: no result waits
  bool all_exit_ = false;        // every warp of the SM waits to exit
  bool resting_ = false, settled_ = false;
  Seen seen_;
  std::string problem_;
};

}  // namespace castor::darsie::tb
