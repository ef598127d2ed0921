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

/// The front end of an SM as the block sees it: thread blocks come and go, their warps are fetched, decoded, issue,
/// read operands and write results after random delays, branch, wait at barriers, exit. Operands come from the rows
/// that the block names and results go there, so a row that is given away too early, or a version that is taken out of
/// order, is a wrong value in the end: what a thread block leaves in memory is compared with run_alone. Keeps the
/// contract of the block's surroundings unless the last group of knobs says otherwise.
///
/// Throws base::Error when something is wrong and the knobs say `check`.
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

  /// What a run has done so far.
  struct Seen {
    std::uint64_t thread_blocks = 0, instructions = 0, skips = 0, leads = 0, squashes = 0, privates = 0, copies = 0;
    std::uint64_t meetings = 0, barriers = 0, checks = 0;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }
  /// What went wrong first; empty if nothing did.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static constexpr unsigned kOwn = ~0U;  // a register of the warp, not a row
  enum class Does : std::uint8_t { kNothing, kRuns, kControl, kBarrier, kNamed, kExited };

  /// An instruction that has issued.
  struct Flight {
    std::uint64_t number = 0;
    Instruction what;
    LaneMask lanes = 0;
    std::array<unsigned, 2> to{kOwn, kOwn};
    std::array<unsigned, 8> from{};
    std::array<bool, 2> written{};
    std::array<Vector, 8> sources{};
    std::array<Vector, 2> results{};
    std::array<Vector, 2> old{};
    std::uint32_t stamp = 0;
    base::Cycle collect_at = 0, done_at = 0;
    bool collected = false, performed = false;
  };
  struct Buffered {
    unsigned pc;
    LaneMask lanes;
    bool lead;
    std::array<unsigned, 2> tag;
    bool issues = false;  // in this cycle
    unsigned port = 0;
  };
  struct Warp {
    Does does = Does::kNothing;
    unsigned tb = 0, number = 0;  // number in its TB
    bool full = false;
    base::Cycle slow_until = 0;
    Path path;
    std::vector<Vector> registers;
    std::vector<unsigned> pending;  // writes, by register
    std::deque<Buffered> buffer;
    std::deque<Flight> flights;
    bool fetching = false;
    base::Cycle arrives_at = 0, go_at = 0;
    base::Cycle exit_from = 0;                          // waits to exit since; 0: it is not there yet
    bool event = false;                                 // of it in this cycle: neither eligible nor fetched
    bool hidden = false;                                // does not say that it is eligible
    std::array<std::uint32_t, 2> bound{}, last_seen{};  // stamps of the litmus cells
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
    std::array<std::uint32_t, 2> cell{}, issued_stamp{};  // litmus: shared, global
    base::Cycle barrier_at = 0;                           // 0: none is complete
  };

  // environment.cpp: thread blocks and their events
  void levels(Inputs& in);
  void place(Inputs& in);
  void start(unsigned t, const std::vector<unsigned>& slots, Inputs& in);
  [[nodiscard]] Shape some_shape(unsigned warps);
  [[nodiscard]] std::optional<unsigned> some_base(unsigned rows);
  void retire(Inputs& in);
  void finish(Tb& tb);
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
  // environment_pipeline.cpp: instructions
  void decode(Inputs& in);
  void accept(const Inputs& in, const Outputs& out);
  void choose_issues(Inputs& in);
  [[nodiscard]] bool may_issue(const Warp& warp, const Instruction& what) const;
  void show_issue(const Warp& warp, unsigned w, const Buffered& next, Inputs& in);
  void issue(const Inputs& in, const Outputs& out);
  void issue_to_memory(Warp& warp, Flight& flight);
  void collect(unsigned w);
  void read_operands(unsigned w, Flight& flight);
  void perform();
  void access(Warp& warp, Flight& flight);
  void choose_writes(Inputs& in);
  [[nodiscard]] bool writes_wait();
  void write();
  void skip_warps(const Outputs& out);
  void fetch(const Outputs& out);
  void copy(Inputs& in, const Outputs& out);
  // environment_faults.cpp
  void break_a_rule(Inputs& in);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  [[nodiscard]] U64 pc_of(const Tb& tb, unsigned index) const {
    return (tb.first_pc + U64{kInstructionBytes} * index) & twin::mask(params_.PcW);
  }
  [[nodiscard]] U64 live(const Tb& tb) const;
  [[nodiscard]] unsigned room() const { return 2 * params_.DecW; }
  [[nodiscard]] Vector garbage();

  /// A result that is written at this edge.
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
  std::deque<std::pair<unsigned, std::uint64_t>> memory_;  // warp and number of the flight, in the order of issue
  std::vector<Write> writes_;
  Outputs last_;
  std::uint64_t flights_ = 0;
  std::uint32_t stamp_ = 0;  // of litmus stores
  std::optional<unsigned> decoding_;
  base::Cycle cycle_ = 0, moved_ = 0, rest_ = 0, drawn_at_ = 0;
  base::Cycle writes_from_ = 0;  // renamed results wait to be written since; 0: there are none
  bool all_exit_ = false;        // every warp of the SM waits to exit
  bool resting_ = false, settled_ = false;
  Seen seen_;
  std::string problem_;
};

}  // namespace castor::darsie::tb
