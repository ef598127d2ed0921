#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>

#include "castor/lax/arithmetic.h"
#include "castor/lax/ports.h"
#include "castor/lax/states.h"

namespace castor::lax {

inline constexpr unsigned kMaxQueues = 256;
inline constexpr unsigned kMaxKernelTypes = 256;
inline constexpr unsigned kMaxSlots = 16;

/// Bits of IRQ_STAT and IRQ_EN, as masks.
namespace irq {
inline constexpr U32 kReject = 1U << 0U;    ///< a job was rejected or dropped
inline constexpr U32 kDone = 1U << 1U;      ///< a job ended
inline constexpr U32 kMissed = 1U << 2U;    ///< a job ended after its deadline
inline constexpr U32 kBusy = 1U << 3U;      ///< a submission was rejected with BUSY_QID
inline constexpr U32 kProtocol = 1U << 4U;  ///< a bit of ERR_STAT was set
inline constexpr U32 kClipped = 1U << 5U;   ///< a counter saturated, or a measured time was clipped
inline constexpr U32 kOverrun = 1U << 6U;   ///< an update tick was lost
inline constexpr U32 kAll = 0x7fU;
}  // namespace irq

/// Bits of ERR_STAT, as masks.
namespace err {
inline constexpr U32 kUnderflow = 1U << 0U;  ///< completion of a TB whose slot is at 0
inline constexpr U32 kNoJob = 1U << 1U;      ///< event or append for a queue without a live job
inline constexpr U32 kNoSlot = 1U << 2U;     ///< kernel type is not in the list or does not exist
inline constexpr U32 kInFlight = 1U << 3U;   ///< completion of a TB or kernel that is not in flight
inline constexpr U32 kOrder = 1U << 4U;      ///< ks, ki or kd out of order; clear of a kernel type in flight
inline constexpr U32 kTime = 1U << 5U;       ///< start of a job in the future
inline constexpr U32 kBeat = 1U << 6U;       ///< wl_last not at the last announced beat
inline constexpr U32 kGrant = 1U << 7U;      ///< grant while no queue was offered
inline constexpr U32 kReadOnly = 1U << 8U;   ///< write to a read-only register
inline constexpr U32 kDoneFull = 1U << 9U;   ///< the done queue was full, and an entry was lost
inline constexpr U32 kAll = 0x3ffU;
}  // namespace err

/// Reason of a verdict (`adm_reason`).
enum class Reason : U8 { kOk, kPredictMiss, kExpired, kBusyQueue, kBadList, kBadKernelType, kBadDeadline, kNoLiveJob };

/// The twelve counters, in the order of their registers.
enum class Count : U8 {
  kSubmit,
  kAccept,
  kReject,
  kDone,
  kMet,
  kLate,
  kUpdate,
  kTbs,
  kUsefulTbs,
  kParse,
  kPreempt,
  kDrop,
};
inline constexpr unsigned kCounts = 12;

/// One element of a job's list: a kernel type and the number of its TBs that have not completed.
struct Slot {
  U8 kid = 0;  ///< kernel type
  U32 n = 0;   ///< TBs that have not completed, 24 bits
};

/// TBs of a job by kernel type; elements beyond `nl` are undefined.
struct List {
  U8 nl = 0;  ///< number of elements
  std::array<Slot, kMaxSlots> slot{};

  /// Returns the slot of a kernel type, or `nl` if it has none.
  [[nodiscard]] unsigned find(unsigned kid) const {
    unsigned s = 0;
    while (s < nl && slot[s].kid != kid) ++s;
    return s;
  }
};

/// Submitted data of a job.
struct Job {
  U64 start = 0;     ///< time at which the job was enqueued
  U32 deadline = 0;  ///< cycles from the start; kNone: none
  U8 fits = 0;       ///< the first kernel would have fitted at once
};

/// Results of a job's last visit, for software.
struct Record {
  U32 rem = 0;           ///< remaining time, cycles
  U32 dur = 0;           ///< cycles since the start
  std::int32_t lax = 0;  ///< laxity, cycles
};

/// Counters of a kernel type at its last refresh, for software.
struct Snapshot {
  U32 cnt = 0;  ///< completions
  U32 act = 0;  ///< active time, cycles
  U32 ins = 0;  ///< time of instances in flight, cycles
  U32 wal = 0;  ///< length of the window, cycles
};

/// Entry of the kernel profiling table. If `kt` is 0, the five last fields count as 0. If `valid` is 0, `tpw` is
/// undefined; if `snv` is 0, `snap` is.
struct KernelType {
  U8 valid = 0;      ///< valid bit of `tpw`; set when `tpw` is measured or written by software
  U8 kt = 0;         ///< a kernel of this type was seen; set by its first event, cleared by software or reset
  U8 snv = 0;        ///< valid bit of `snap`
  U32 tpw = 0;       ///< rate: cycles per TB, UQ24.8
  U32 tpw_iso = 0;   ///< isolated rate, written by software; UQ24.8
  Snapshot snap;     ///< counters of the last refresh
  U32 cnt = 0;       ///< completions in the window, 24 bits; cleared by a refresh
  U64 kact = 0;      ///< active time relative to the window, modulo 2^48
  U64 kins = 0;      ///< time of instances relative to the window, modulo 2^48
  U64 t_ref = 0;     ///< start of the window; set by a refresh or by the first kernel of the type
  U16 inflight = 0;  ///< instances in flight: started and not completed
};

/// State of a queue, except the values that the selection reads.
struct Queue {
  List list;       ///< TBs that have not completed
  Job job;         ///< job as submitted
  Record rec;      ///< results of the last visit
  U32 wgdone = 0;  ///< number of TBs that have completed
  U32 iso = 0;     ///< isolated time at admission, cycles
  U32 token = 0;   ///< PREMA token, UQ16.8
  U32 qprio = 0;   ///< priority that software wrote
};

/// Header that is being submitted.
struct Header {
  U8 qid = 0;        ///< queue
  U32 deadline = 0;  ///< cycles from the start; kNone: none
  U64 start = 0;     ///< time at which the job was enqueued
  U8 nkt = 0;        ///< number of list beats that follow
  U8 append = 0;     ///< the header adds to the queue's job
  U8 fits = 0;       ///< the first kernel would fit at once
};

/// A verdict on a submission, for software and for the adm port.
struct Verdict {
  U8 qid = 0;     ///< queue
  U8 accept = 0;  ///< 1: accepted
  U8 reason = 0;  ///< value of Reason
  U32 est = 0;    ///< estimated completion, cycles
};

/// An entry of the done queue: a job that has ended.
struct Done {
  U8 qid = 0;  ///< queue
  U8 met = 0;  ///< the job met its deadline
};

/// Output register for a job that has ended (jd port).
struct JobDone {
  U8 valid = 0;
  U8 qid = 0;   ///< queue
  U8 met = 0;   ///< the job met its deadline
  U32 lat = 0;  ///< latency, cycles
};

/// Output register of the register port.
struct Response {
  U8 ack = 0;     ///< the access ends in this cycle
  U8 err = 0;     ///< 0 good, 1 address error, 2 refused
  U32 rdata = 0;  ///< data of a read
};

/// Best queue found so far in a pass of the selection, or result of the pass.
struct Best {
  U8 valid = 0;  ///< a queue was found
  U8 q = 0;      ///< queue
  U16 tie = 0;   ///< tie breaker: among queues with equal keys, the queue with the smaller number goes first
  U64 key = 0;   ///< class and value, see make_key
};

/// A queue in hardware: `count` entries from `head` on. Overflow and underflow are not checked.
template <class T>
struct Ring {
  U16 head = 0;
  U16 count = 0;
  std::array<T, 256> entry{};

  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] const T& front() const { return entry[head]; }
  void push(const T& value) { entry[(head + count++) & 0xffU] = value; }
  void pop() {
    head = (head + 1) & 0xffU;
    --count;
  }
};

/// Registers that software writes and that only a hard reset restores to their reset values (docs/blocks/lax.md,
/// "Registers").
struct Config {
  U8 enable = 0;                           ///< jobs are accepted and offered
  U8 admit_en = 1;                         ///< admission is tested, under LAX and EXT
  U8 freeze = 0;                           ///< update ticks are dropped
  Policy policy = Policy::kLax;            ///< policy that ranks the jobs
  RateMode rate_mode = RateMode::kActive;  ///< time that is divided by the completions
  U8 warm_policy = 1;                      ///< 1: the work of a job ahead counts as the job's deadline if one of its
                                           ///< kernel types has no rate yet
  U8 prio_class_en = 1;                    ///< LAX: classes rank above the value; 0: class 0 for all jobs
  U8 init_prio = 0;                        ///< LAX, new job: 0 first, 1 last, 2 computed
  U8 bypass_en = 0;            ///< accepts a job whose first kernel fits, if it alone meets its deadline and no job
                               ///< waits
  U8 drop_expired = 0;         ///< drops jobs that have not started by their deadline
  U8 ewma_shift = 0;           ///< a rate moves by the difference / 2^ewma_shift
  U8 leak = 3;                 ///< PeakHold: a rate rises by at most 1 / 2^leak
  U8 inspect_mode = 0;         ///< stored only, without effect
  U8 preparse = 0;             ///< running queues may be parsed
  U32 upd_period = 150'000;    ///< cycles between update ticks
  U32 prema_period = 375'000;  ///< cycles between PREMA ticks
  U16 parse_lat = 3'000;       ///< stored only, without effect
  U16 ckpt_bw = 64;            ///< stored only, without effect
  U8 min_wg = 1;               ///< completions that a refresh requires
  U8 prema_p = 1;              ///< PREMA priority: 1, 3 or 9
};

/// Every register of the machine as X(type, name, meaning).
// clang-format off
#define LAX_STATE(X)                                                                                      \
  X(Config,       config,     "configuration")                                                            \
  X(U32,          irq_en,     "enabled interrupts")                                                       \
  X(U32,          irq_stat,   "pending interrupts")                                                       \
  X(U32,          err_stat,   "errors seen")                                                              \
  X(CountArray,   n,          "the twelve counters")                                                      \
  X(U16,          now_high,   "bits 47..32 of the time latched by a read of the low word")                \
  X(Response,     response,   "of the register port")                                                     \
  X(JobDone,      jd,         "job that ended in the last cycle")                                         \
  X(QueueBits,    st0,        "job states, bit 0 of each")                                                \
  X(QueueBits,    st1,        "bit 1")                                                                    \
  X(QueueBits,    st2,        "bit 2")                                                                    \
  X(QueueBits,    open,       "a kernel has started and not ended")                                       \
  X(QueueBits,    pre,        "preemption is requested")                                                  \
  X(KeyArray,     key,        "class and value, see make_key")                                            \
  X(NumberArray,  seq,        "number of the arrival")                                                    \
  X(NumberArray,  pseq,       "number of the latest parse grant")                                         \
  X(U16,          seq_ctr,    "number of the next arrival")                                               \
  X(U16,          pseq_ctr,   "number of the next parse grant")                                           \
  X(U8,           rrptr,      "queue of the latest parse grant")                                          \
  X(QueueArray,   queue,      "tables by queue")                                                          \
  X(TypeArray,    type,       "kernel profiling table")                                                   \
  X(SubmitState,  sub,        "submit machine")                                                           \
  X(Header,       h,          "header being submitted")                                                   \
  X(SlotArray,    stage,      "its list")                                                                 \
  X(U8,           sc,         "slots staged")                                                             \
  X(U8,           bc,         "beats taken, up to 31")                                                    \
  X(U8,           ai,         "slot that an append checks or merges")                                     \
  X(U8,           an,         "slots that an append would add")                                           \
  X(U8,           ar,         "reason of an append's verdict")                                            \
  X(U8,           bad_kid,    "a beat named no kernel type")                                              \
  X(U8,           overflow,   "more kernel types than slots")                                             \
  X(U8,           nonzero,    "a beat had TBs")                                                           \
  X(MainState,    f,          "main machine")                                                             \
  X(Phase,        ph,         "why it visits queues")                                                     \
  X(U8,           k,          "kernel type it works on")                                                  \
  X(U8,           q,          "queue it works on")                                                        \
  X(U64,          tot,        "work ahead in the admission pass, cycles, 40 bits")                        \
  X(U8,           act,        "admission tests are made")                                                 \
  X(U8,           upd_pend,   "an update is due")                                                         \
  X(U8,           prema_pend, "a PREMA ranking is due")                                                   \
  X(U8,           turn,       "after an update admission goes first")                                     \
  X(U32,          utmr,       "cycles since the update tick")                                             \
  X(U32,          ptmr,       "cycles since the PREMA tick")                                              \
  X(U64,          upd_t,      "start of the latest update")                                               \
  X(U32,          upd_dt,     "cycles between the starts of the latest two updates")                      \
  X(U8,           thr,        "PREMA threshold: 1, 3 or 9")                                               \
  X(U32,          mx,         "largest token seen by the ranking")                                        \
  X(U8,           blocked,    "ranking: a candidate's TB does not fit")                                   \
  X(U8,           victim_v,   "ranking: there is a victim")                                               \
  X(U8,           victim,     "ranking: queue to preempt")                                                \
  X(U32,          kc,         "refresh: completions sampled")                                             \
  X(U64,          kw,         "refresh: length of the window, cycles")                                    \
  X(U64,          ka,         "refresh: active time, relative")                                           \
  X(U64,          ki,         "refresh: time of instances, relative")                                     \
  X(U16,          kf,         "refresh: instances in flight")                                             \
  X(List,         vl,         "visit: the queue's list")                                                  \
  X(Job,          vj,         "visit: the queue's job")                                                   \
  X(U32,          vdur,       "visit: time since the start, cycles")                                      \
  X(U32,          vwork,      "visit: remaining time at the engine's rates, cycles")                      \
  X(U8,           vs,         "visit: slot being multiplied")                                             \
  X(U8,           vpass,      "visit: 1 = with isolated rates")                                           \
  X(U8,           vunprof,    "visit: a slot's kernel type has no rate yet")                              \
  X(U64,          acc,        "visit: sum of TBs times cycles per TB, UQ52.8")                            \
  X(U64,          div_num,    "divider: numerator, 40 bits")                                              \
  X(U32,          div_den,    "divider: denominator")                                                     \
  X(U8,           div_left,   "divider: bits still to come")                                              \
  X(VerdictRing,  verdicts,   "verdicts waiting")                                                         \
  X(PendRing,     pend,       "jobs waiting for admission")                                               \
  X(DoneRing,     done,       "jobs that ended, for software")                                            \
  X(U16,          g,          "group of queues that the selection compares")                              \
  X(QueueBits,    ep,         "queues eligible for parsing, frozen for this pass")                        \
  X(QueueBits,    ed,         "queues eligible for dispatch, frozen for this pass")                       \
  X(Best,         best_p,     "least parse key of the pass so far")                                       \
  X(Best,         best_d,     "least dispatch key of the pass so far")                                    \
  X(Best,         p,          "parse offer")                                                              \
  X(Best,         d,          "dispatch offer")                                                           \
  X(U8,           p_drop,     "a parse grant came during this pass")
// clang-format on

/// All registers of the laxity engine. Plain data: copied, compared and printed as a whole.
///
/// Arrays have the size of the largest parameters; entries beyond the actual parameters stay 0.
struct State {
  using CountArray = std::array<U32, kCounts>;
  using KeyArray = std::array<U64, kMaxQueues>;
  using NumberArray = std::array<U16, kMaxQueues>;
  using QueueArray = std::array<Queue, kMaxQueues>;
  using TypeArray = std::array<KernelType, kMaxKernelTypes>;
  using SlotArray = std::array<Slot, kMaxSlots>;
  using VerdictRing = Ring<Verdict>;
  using PendRing = Ring<U8>;
  using DoneRing = Ring<Done>;

#define CASTOR_LAX_FIELD(type_, name_, meaning_) type_ name_{};
  LAX_STATE(CASTOR_LAX_FIELD)
#undef CASTOR_LAX_FIELD

  [[nodiscard]] JobState job_state(unsigned q) const {
    return static_cast<JobState>(unsigned(st0[q]) | unsigned(st1[q]) << 1U | unsigned(st2[q]) << 2U);
  }
  void set_job_state(unsigned q, JobState state) {
    const auto bits = static_cast<unsigned>(state);
    st0.assign(q, (bits & 1U) != 0);
    st1.assign(q, (bits & 2U) != 0);
    st2.assign(q, (bits & 4U) != 0);
  }
  /// Whether the job of queue `q` is live: ready or running.
  [[nodiscard]] bool live(unsigned q) const { return st1[q] && !st2[q]; }
  /// Whether the main machine visits a queue.
  [[nodiscard]] bool visits() const { return f >= MainState::kVOpen && f <= MainState::kVTok; }
  /// Whether the main machine refreshes rates or updates queues.
  [[nodiscard]] bool updates() const {
    return (f >= MainState::kKOpen && f <= MainState::kKWb) || (visits() && ph == Phase::kUpdate);
  }
  /// Adds to a counter, which saturates.
  void count(Count which, U32 by = 1) {
    U32& counter = n[static_cast<unsigned>(which)];
    counter = by > ~counter ? ~U32{0} : counter + by;
  }
};

[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// Prints one line "name = value" per register that is not 0.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::lax
