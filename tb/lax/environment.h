#pragma once

#include <array>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/lax/foresight.h"
#include "tb/lax/knobs.h"
#include "tb/lax/register_driver.h"
#include "tb/lax/sequences.h"

namespace castor::lax::tb {

inline constexpr U64 kTimeMask = twin::mask(48);

/// Kernel type and number of TBs: an entry of a job's list, or a kernel launch.
struct Work {
  U8 kid = 0;
  U32 groups = 0;
};

/// Header and list of a submission, ready to be sent.
struct Submission {
  U8 queue = 0;
  U32 deadline = 0;
  U64 start = 0;
  U8 announced = 0;
  bool append = false;
  bool fits = false;
  std::vector<Work> beats;
  bool refused = false;  ///< the submission breaks a rule and only leads to a refusal
};

/// Model of the surroundings of the engine: a host that submits jobs, a command processor that parses kernels, and a
/// dispatcher and device that run TBs. The model keeps the contract of the engine's surroundings. With
/// `Knobs::break_rule` it adds stimuli that the engine must ignore.
///
/// The model tracks the jobs from the verdicts and from the events that it reports, never from internal state of the
/// engine.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return idle_until_ > next_ ? idle_until_ - next_ : 0; }
  void skip(base::Cycle n) override { next_ += n; }

 private:
  enum class Asked : std::uint8_t { kNothing, kJob, kAppend };
  enum class Host : std::uint8_t { kFree, kLive, kEnded };

  struct Queue {
    Host host = Host::kFree;
    Asked asked = Asked::kNothing;
    bool append_races = false;
    unsigned refused = 0;          ///< headers in flight that will be refused
    std::vector<Work> kernels;     ///< kernels of the job, in order
    std::vector<Work> appended;    ///< kernels of the append in flight
    std::vector<Work> list;        ///< TBs that the engine still expects, by kernel type
    std::vector<Work> list_added;  ///< list of the append in flight
    unsigned head = 0;             ///< index of the running kernel; if no kernel runs, index of the next kernel
    unsigned parsed = 0;           ///< number of parsed kernels
    bool parsing = false;
    U32 unissued = 0;  ///< TBs of the head kernel that are not issued yet
    /// TBs of the head kernel that run
    U32 resident = 0;
    bool issuing = false;      ///< the head kernel has been loaded into `unissued`
    unsigned pending_wgc = 0;  ///< completions that are not reported yet
    bool pending_ks = false, pending_ki = false;
    bool open = false, running = false;  ///< state of the kernel as reported to the engine
    U64 due = 0;                         ///< deadline of the job as an absolute time: start + deadline
    U16 epoch = 0;                       ///< incremented when a job ends; events and TBs of older epochs are discarded
  };

  struct Event {
    U8 queue;
    U8 kid;
    U16 epoch;
  };
  struct Completion {
    base::Cycle at;
    U64 order;
    Event event;
    [[nodiscard]] bool operator<(const Completion& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct Lane {
    base::Cycle until = 0;
    bool busy = false;
    U8 queue = 0;
    U16 epoch = 0;
  };

  // Host side
  void drive_submission(Inputs& in);
  void observe_submission(const Outputs& out, const Inputs& in);
  void new_submission();
  [[nodiscard]] Submission job_for(unsigned q, bool append);
  [[nodiscard]] U32 deadline();
  [[nodiscard]] U64 age();
  void verdict(unsigned q, bool accept, unsigned reason);
  [[nodiscard]] bool append_is_coming(unsigned q) const;
  void ended(unsigned q);
  void end_job(unsigned q);
  void forget_all();
  void aim_resets(const Outputs& out);
  void aim(Inputs& in, const Outputs& out);
  [[nodiscard]] U64 leap(U64 from);
  void fall_asleep(const Outputs& out, const Inputs& in);
  [[nodiscard]] U32 aimed_deadline(const std::vector<Work>& list);
  // Device side
  void drive_device(Inputs& in);
  void hold_back(Inputs& in);
  void observe_device(const Outputs& out, Inputs& in);
  void issue(unsigned q);
  void complete_due();
  void report(Inputs& in);
  void report_kernel_end(Inputs& in);
  [[nodiscard]] bool choose_kernel_end();
  [[nodiscard]] bool choose_wanted_end();
  [[nodiscard]] bool choose_visited_end();
  void refresh_vectors(unsigned q);
  [[nodiscard]] unsigned service(unsigned kid);
  // Violations of the contract (rule_breaker.cpp)
  void break_a_rule(const Outputs& out, Inputs& in);
  void break_by_event(Inputs& in);
  void complete_foreign(Inputs& in);
  void start_early(Inputs& in);
  [[nodiscard]] Submission bad_submission();
  [[nodiscard]] int find_queue(bool (*fits)(const Queue&));

  [[nodiscard]] bool chance(Chance value) { return (rng_() & 0xFFFFU) < value; }
  [[nodiscard]] unsigned draw(std::uint64_t bound) { return static_cast<unsigned>(rng_.below(bound)); }
  [[nodiscard]] unsigned any_queue() { return spread(draw(queues_), params_.NumQueues); }
  [[nodiscard]] unsigned any_type() { return spread(draw(types_), params_.NumKt); }

  const Params params_;
  const Knobs knobs_;
  base::Xoshiro256 rng_;
  castor::tb::PortEdges<Block> edges_;
  RegisterDriver registers_;
  std::optional<Foresight> foresight_;  ///< present if the knobs aim at events inside the engine
  unsigned queues_, types_, queue_mask_;
  base::Cycle cycle_ = 0;
  base::Cycle next_ = 0;  ///< cycle that is driven next
  U64 now_ = 0;
  U64 leapt_ = 0;  ///< cycles that `now` has jumped ahead so far

  std::array<Queue, 256> queue_{};
  // Header and list on the ports
  enum class Port : std::uint8_t { kIdle, kHeader, kBeats } port_ = Port::kIdle;
  Submission sent_;
  unsigned beat_ = 0;
  unsigned border_ = 0;  ///< index of the next power of two for Leap::kBorder
  bool beat_offered_ = false;
  std::deque<Submission> waiting_;
  base::Cycle stall_until_ = 0;
  // Queues with an ended job that is not acknowledged
  std::vector<U8> ended_;
  int acknowledging_ = -1;
  // Soft resets aimed at updates
  base::Cycle timer_zero_ = 0, reset_at_ = base::kForever;
  bool update_seen_ = false;
  base::Cycle paused_until_ = 0;
  // Idle periods of all inputs
  base::Cycle idle_until_ = 0;  ///< first cycle after the idle period
  Inputs resting_;              ///< inputs held during the idle period
  // Device state
  QueueBits to_parse_, to_issue_;
  // Hold phases
  unsigned grants_ = 0;         ///< parse grants since the phase began
  unsigned hold_length_ = 384;  ///< parse grants of the phase, before the queues are released
  unsigned hold_turn_ = 0;      ///< number of the phase
  std::array<Lane, 8> lanes_{};
  unsigned lanes_used_;
  unsigned free_slots_;
  std::priority_queue<Completion> running_;
  std::deque<Event> ks_, ki_, wgc_, kd_;
  U64 order_ = 0;
  std::array<U16, 256> in_flight_{};  ///< instances by kernel type, as reported to the engine
};

}  // namespace castor::lax::tb
