#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "castor/lax/engine.h"
#include "castor/twin/twin.h"
#include "unit/lax/reference.h"

namespace castor::lax::reference {

/// Follows a run of the engine with the reference algorithm. When something is computed it learns from the states of
/// the two machines; what is computed it works out by itself from the inputs: rates from times counted cycle by cycle,
/// remaining times from one element per launch, keys, verdicts, tokens, states, errors, counters.
///
/// `problems()` lists what the engine showed otherwise, the first of them with its cycle.
///
/// Limits: arrival and grant numbers must not wrap; `now` must not leap.
class Follower {
 public:
  using Model = twin::Model<Block>;

  Follower(const Params& params, const Model& model);

  /// Follows one cycle. To be called before its clock edge, for every cycle in order.
  void step(const Inputs& in, const Outputs& out);

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// Counts of comparisons, so that a test can check that they occurred.
  struct Seen {
    std::uint64_t rates = 0, updates = 0, keys = 0, verdicts = 0, ends = 0, passes = 0, rankings = 0, drops = 0,
                  literal = 0, sweeps = 0, appends = 0, lengths = 0;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  struct KernelType {
    bool used = false;
    std::uint64_t since = 0, completed = 0, active = 0, instance = 0;
    unsigned in_flight = 0;
    std::optional<Integer> rate;
    Rational exact;
    std::optional<std::array<std::uint64_t, 4>> snapshot;  ///< completed, active, instance, wall
    std::uint64_t isolated = 0;
  };
  struct Slot : Job {
    Rank key;
    Integer rem, dur, lax;
    bool recorded = false;
    std::uint64_t done = 0;  ///< thread blocks completed
  };
  struct ExpectedVerdict {
    unsigned queue;
    bool accept;
    unsigned reason;
    std::uint64_t estimate;
  };
  enum class PhaseOf : std::uint8_t { kUpdate, kScan, kAdmission };
  struct Visit {
    unsigned queue = 0;
    Slot job;
    Integer duration, work;
  };
  struct Pass {
    bool valid = false, parse = true, dispatch = true;
    std::vector<unsigned> parse_set, dispatch_set;
  };

  void process(const Outputs& out, const Probes& probes);
  void registers(const Outputs& out);
  void write(unsigned address, U32 data, bool good);
  void machine(const Probes& probes);
  void open_kernel_type(const Probes& probes);
  void write_rate();
  void open_visit(const Probes& probes);
  void key_of_visit(const Probes& probes);
  void key_of_update(const Probes& probes);
  void judge();
  void prema(const Probes& probes);
  void events();
  void submission();
  void commit();
  void grants();
  void pass_begin();
  void pass_end(const Outputs& out);
  void compare(const Outputs& out, const Probes& probes);
  void sweep();
  void soft_reset();

  void set_state(unsigned q, JobState state);
  void refuse(unsigned q, unsigned reason);
  void set_key(unsigned q, const Rank& key);
  void touch(unsigned k);
  [[nodiscard]] Table rates() const;
  [[nodiscard]] ExactTable exact_rates() const;
  [[nodiscard]] Table isolated() const;
  [[nodiscard]] static bool live(const Slot& slot) {
    return slot.state == JobState::Ready || slot.state == JobState::Running;
  }
  [[nodiscard]] bool enabled() const { return (control_ & 1U) != 0; }
  void error(unsigned bit) { new_errors_ |= 1U << bit; }
  void problem(const std::string& what);
  template <class A, class B>
  void expect(const A& seen, const B& expected, const std::string& what) {
    if (!(Integer(seen) == Integer(expected))) {
      problem(what + ": is " + Integer(seen).str() + ", expected " + Integer(expected).str());
    }
  }
  [[nodiscard]] U32 look(unsigned address) const { return model_.peek(static_cast<U16>(address)).value(); }

  const Params params_;
  const Model& model_;
  std::vector<std::string> problems_;
  Seen seen_;
  std::uint64_t cycle_ = 0;
  bool first_ = true;
  Inputs in_, next_in_;
  Outputs out_;
  Probes was_;

  U32 control_ = 0x00301582, min_groups_ = 1, prema_p_ = 1, errors_ = 0, new_errors_ = 0;
  Rules rules_;
  std::vector<Slot> jobs_;
  std::vector<KernelType> types_;
  std::vector<std::uint64_t> external_;
  std::array<QueueBits, 3> planes_{};
  QueueBits open_, preempted_;
  std::deque<ExpectedVerdict> verdicts_;
  std::deque<unsigned> pending_;
  std::deque<std::pair<bool, unsigned>> done_;
  std::optional<std::array<std::uint64_t, 3>> ended_;  ///< queue, met, latency of the cycle
  // Main machine
  PhaseOf phase_ = PhaseOf::kUpdate;
  Visit visit_;
  Integer total_;
  bool judging_ = false;
  struct Sample {
    unsigned kernel_type;
    Window window;
    RateMode mode;  ///< mode in the cycle in which the time is measured
  };
  std::optional<Sample> sample_;
  std::uint64_t last_update_ = 0, update_interval_ = 0, expected_length_ = 0, length_ = 0;
  unsigned threshold_ = 1;
  std::vector<Job> ranked_, ranked_first_;
  std::map<unsigned, Integer> ranked_rem_;
  std::map<unsigned, bool> ranked_blocked_;
  // Submissions
  Submission header_;
  Launches staged_;
  std::size_t merged_ = 0;
  Reason append_reason_ = Reason::Ok;
  std::uint64_t arrivals_ = 0, grants_ = 0;
  unsigned last_granted_;
  Pass pass_;
  // N_SUBMIT, N_ACCEPT, N_REJECT, N_DONE, N_MET, N_LATE, N_UPD, N_WG, N_WG_USEFUL, N_PARSE, N_PREEMPT, N_DROP
  std::array<std::uint64_t, 12> counters_{};
};

}  // namespace castor::lax::reference
