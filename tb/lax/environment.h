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

/// One kernel type's entry of a job's list, or one launch.
struct Work {
  U8 kid = 0;
  U32 groups = 0;
};

/// A header and its list, ready to be sent.
struct Submission {
  U8 queue = 0;
  U32 deadline = 0;
  U64 start = 0;
  U8 announced = 0;
  bool append = false;
  bool fits = false;
  std::vector<Work> beats;
  bool refused = false;  ///< breaks a rule: nothing comes of it but a refusal
};

/// A host that submits jobs, a command processor that parses, a dispatcher and a device that run TBs, in one. Keeps the
/// contract of the engine's surroundings; with `Knobs::break_rule` it adds stimuli that the engine must ignore.
///
/// Its own picture of the jobs comes from verdicts and from the events that it reports, never from inside the engine.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_until_ > next_ ? rest_until_ - next_ : 0; }
  void skip(base::Cycle n) override { next_ += n; }

 private:
  enum class Asked : std::uint8_t { kNothing, kJob, kAppend };
  enum class Host : std::uint8_t { kFree, kLive, kEnded };

  struct Queue {
    Host host = Host::kFree;
    Asked asked = Asked::kNothing;
    bool append_races = false;
    unsigned refused = 0;        ///< headers on their way that will be refused
    std::vector<Work> kernels;   ///< of the job, in order
    std::vector<Work> appended;  ///< of the append on its way
    std::vector<Work> list;      ///< TBs that the engine still expects, by kernel type
    std::vector<Work> list_added;
    unsigned head = 0;    ///< kernel that runs, or comes next
    unsigned parsed = 0;  ///< kernels parsed
    bool parsing = false;
    U32 unissued = 0;  ///< TBs of the head kernel
    U32 resident = 0;
    bool issuing = false;      ///< the head kernel has been loaded into `unissued`
    unsigned pending_wgc = 0;  ///< events not reported yet
    bool pending_ks = false, pending_ki = false;
    bool open = false, running = false;  ///< as the engine sees the reports
    U64 due = 0;                         ///< start and deadline of the job
    U16 epoch = 0;                       ///< what runs of an older epoch is forgotten
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

  // Host
  void drive_submission(Inputs& in);
  void observe_submission(const Outputs& out, const Inputs& in);
  void new_submission();
  [[nodiscard]] Submission job_for(unsigned q, bool append);
  [[nodiscard]] U32 deadline();
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
  // Device
  void drive_device(Inputs& in);
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
  // Breaking the rules (rule_breaker.cpp)
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
  std::optional<Foresight> foresight_;  ///< if knobs ask for something to be aimed at
  unsigned queues_, types_, queue_mask_;
  base::Cycle cycle_ = 0;
  base::Cycle next_ = 0;  ///< the one that is driven next
  U64 now_ = 0;
  U64 leapt_ = 0;

  std::array<Queue, 256> queue_{};
  // Header and list on the ports
  enum class Port : std::uint8_t { kIdle, kHeader, kBeats } port_ = Port::kIdle;
  Submission sent_;
  unsigned beat_ = 0;
  unsigned border_ = 0;  ///< of the leaps to borders: which is next
  bool beat_offered_ = false;
  std::deque<Submission> waiting_;
  base::Cycle stall_until_ = 0;
  // Queues whose job has ended and is not acknowledged
  std::vector<U8> ended_;
  int acknowledging_ = -1;
  // Resets that hit a certain moment
  base::Cycle timer_zero_ = 0, reset_at_ = base::kForever;
  bool update_seen_ = false;
  base::Cycle paused_until_ = 0;
  // Stretches in which everything rests
  base::Cycle rest_until_ = 0;  ///< first cycle after it
  Inputs resting_;
  // Device
  QueueBits to_parse_, to_issue_;
  std::array<Lane, 8> lanes_{};
  unsigned lanes_used_;
  unsigned free_slots_;
  std::priority_queue<Completion> running_;
  std::deque<Event> ks_, ki_, wgc_, kd_;
  U64 order_ = 0;
  std::array<U16, 256> in_flight_{};  ///< instances by kernel type, as reported
};

}  // namespace castor::lax::tb
