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
inline constexpr U32 kReject = 1U << 0U;
inline constexpr U32 kDone = 1U << 1U;
inline constexpr U32 kMissed = 1U << 2U;
inline constexpr U32 kBusy = 1U << 3U;
inline constexpr U32 kProtocol = 1U << 4U;
inline constexpr U32 kClipped = 1U << 5U;
inline constexpr U32 kOverrun = 1U << 6U;
inline constexpr U32 kAll = 0x7fU;
}  // namespace irq

/// Bits of ERR_STAT, as masks.
namespace err {
inline constexpr U32 kUnderflow = 1U << 0U;
inline constexpr U32 kNoJob = 1U << 1U;
inline constexpr U32 kNoSlot = 1U << 2U;
inline constexpr U32 kInFlight = 1U << 3U;
inline constexpr U32 kOrder = 1U << 4U;
inline constexpr U32 kTime = 1U << 5U;
inline constexpr U32 kBeat = 1U << 6U;
inline constexpr U32 kGrant = 1U << 7U;
inline constexpr U32 kReadOnly = 1U << 8U;
inline constexpr U32 kDoneFull = 1U << 9U;
inline constexpr U32 kAll = 0x3ffU;
}  // namespace err

/// Why a verdict is what it is (`adm_reason`).
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

/// One element of a job's list: a kernel type and its TBs that have not completed.
struct Slot {
  U8 kid = 0;
  U32 n = 0;  ///< 24 bits
};

/// TBs of a job by kernel type; elements beyond `nl` mean nothing.
struct List {
  U8 nl = 0;
  std::array<Slot, kMaxSlots> slot{};
};

/// What was submitted with a job.
struct Job {
  U64 start = 0;
  U32 deadline = 0;
  U8 fits = 0;
};

/// Results of the last visit, for software.
struct Record {
  U32 rem = 0;
  U32 dur = 0;
  std::int32_t lax = 0;
};

/// Counters of a kernel type at its last refresh, for software.
struct Snapshot {
  U32 cnt = 0;
  U32 act = 0;
  U32 ins = 0;
  U32 wal = 0;
};

/// Entry of the kernel profiling table. Without `kt` the five last fields count as 0; without `valid` tpw means
/// nothing, without `snv` neither does `snap`.
struct KernelType {
  U8 valid = 0;
  U8 kt = 0;   ///< a kernel of this type was seen
  U8 snv = 0;  ///< `snap` was written
  U32 tpw = 0;
  U32 tpw_iso = 0;
  Snapshot snap;
  U32 cnt = 0;       ///< completions in the window, 24 bits
  U64 kact = 0;      ///< active time relative to the window, modulo 2^48
  U64 kins = 0;      ///< time of instances relative to the window, modulo 2^48
  U64 t_ref = 0;     ///< start of the window
  U16 inflight = 0;  ///< instances started and not complete
};

/// Per queue: everything but what the selection looks at.
struct Queue {
  List list;
  Job job;
  Record rec;
  U32 wgdone = 0;
  U32 iso = 0;
  U32 token = 0;
  U32 qprio = 0;
};

/// Header being submitted.
struct Header {
  U8 qid = 0;
  U32 deadline = 0;
  U64 start = 0;
  U8 nkt = 0;
  U8 append = 0;
  U8 fits = 0;
};

struct Verdict {
  U8 qid = 0;
  U8 accept = 0;
  U8 reason = 0;
  U32 est = 0;
};

struct Done {
  U8 qid = 0;
  U8 met = 0;
};

/// Output register of a finished job.
struct JobDone {
  U8 valid = 0;
  U8 qid = 0;
  U8 met = 0;
  U32 lat = 0;
};

/// Output register of the register port.
struct Response {
  U8 ack = 0;
  U8 err = 0;
  U32 rdata = 0;
};

/// The least key found so far, or the result of a pass.
struct Best {
  U8 valid = 0;
  U8 q = 0;
  U16 tie = 0;
  U64 key = 0;
};

/// A queue in hardware: `count` entries from `head` on. Nothing is checked.
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

/// Registers that software writes and that only a hard reset puts back (docs/blocks/lax.md, "Registers").
struct Config {
  U8 enable = 0;
  U8 admit_en = 1;
  U8 freeze = 0;
  Policy policy = Policy::kLax;
  RateMode rate_mode = RateMode::kActive;
  U8 warm_policy = 1;
  U8 prio_class_en = 1;
  U8 init_prio = 0;
  U8 bypass_en = 0;
  U8 drop_expired = 0;
  U8 ewma_shift = 0;
  U8 leak = 3;
  U8 inspect_mode = 0;
  U8 preparse = 0;
  U32 upd_period = 150'000;
  U32 prema_period = 375'000;
  U16 parse_lat = 3'000;
  U16 ckpt_bw = 64;
  U8 min_wg = 1;
  U8 prema_p = 1;
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
/// Arrays have the size of the largest parameters; entries that a parameter set does not have stay 0.
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
  /// Ready or running.
  [[nodiscard]] bool live(unsigned q) const { return st1[q] && !st2[q]; }
};

[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// One line per register that is not 0: name, value.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::lax
