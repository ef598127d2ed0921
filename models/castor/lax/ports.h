#pragma once

#include <algorithm>
#include <string_view>

#include "castor/base/time.h"
#include "castor/lax/params.h"
#include "castor/lax/states.h"
#include "castor/twin/ports.h"

/// Ports of the laxity engine (docs/blocks/lax.md, "Ports"). In the lists, `p` is a Params.
// clang-format off
#define LAX_INPUTS(X)                                                                                               \
  /*name         type       elements  bits            class     timing   meaning */                                 \
  X(now,         U64,       1,        48,             kTime,    kEdge,   "GPU cycle counter")                       \
  X(js_valid,    U8,        1,        1,              kEvent,   kEdge,   "the header of a job is submitted")        \
  X(js_qid,      U8,        1,        p.queue_bits(), kPayload, kEdge,   "queue of the job")                        \
  X(js_deadline, U32,       1,        32,             kPayload, kEdge,                                              \
    "deadline, cycles from the job's start; all ones: none")                                                        \
  X(js_start,    U64,       1,        48,             kPayload, kEdge,                                              \
    "time at which the job was enqueued (its start)")                                                               \
  X(js_nkt,      U8,        1,        5,              kPayload, kEdge,   "number of list beats that follow")        \
  X(js_append,   U8,        1,        1,              kPayload, kEdge,                                              \
    "the list is added to the queue's live job")                                                                    \
  X(js_fits,     U8,        1,        1,              kPayload, kEdge,                                              \
    "the job's first kernel would fit entirely now")                                                                \
  X(wl_valid,    U8,        1,        1,              kEvent,   kEdge,   "a list beat is submitted")                \
  X(wl_kid,      U8,        1,        8,              kPayload, kEdge,   "kernel type of the beat")                 \
  X(wl_numwg,    U32,       1,        24,             kPayload, kEdge,   "number of TBs of the beat")               \
  X(wl_last,     U8,        1,        1,              kPayload, kEdge,   "last beat of the header")                 \
  X(adm_ready,   U8,        1,        1,              kLevel,   kEdge,   "the verdict is accepted")                 \
  X(ks_valid,    U8,        1,        1,              kEvent,   kEdge,   "the first TB of a kernel is placed")      \
  X(ks_qid,      U8,        1,        p.queue_bits(), kPayload, kEdge,   "queue of the started kernel")             \
  X(ks_kid,      U8,        1,        8,              kPayload, kEdge,   "kernel type of the started kernel")       \
  X(ki_valid,    U8,        1,        1,              kEvent,   kEdge,   "all TBs of a kernel are issued")          \
  X(ki_qid,      U8,        1,        p.queue_bits(), kPayload, kEdge,   "queue of the issued kernel")              \
  X(wgc_valid,   U8,        1,        1,              kEvent,   kEdge,   "a TB completes")                          \
  X(wgc_qid,     U8,        1,        p.queue_bits(), kPayload, kEdge,   "queue of the completed TB")               \
  X(wgc_kid,     U8,        1,        8,              kPayload, kEdge,   "kernel type of the completed TB")         \
  X(kd_valid,    U8,        1,        1,              kEvent,   kEdge,   "a kernel completes")                      \
  X(kd_qid,      U8,        1,        p.queue_bits(), kPayload, kEdge,   "queue of the completed kernel")           \
  X(kd_kid,      U8,        1,        8,              kPayload, kEdge,                                              \
    "type of the completed kernel, as given at its first TB")                                                       \
  X(kd_last,     U8,        1,        1,              kPayload, kEdge,   "last kernel of the job: the job is done") \
  X(pe_vec,      QueueBits, 1,        p.NumQueues,    kLevel,   kSettle, "queues with a kernel to parse")           \
  X(psel_grant,  U8,        1,        1,              kEvent,   kEdge,   "a parse lane accepts the offered queue")  \
  X(de_vec,      QueueBits, 1,        p.NumQueues,    kLevel,   kSettle, "queues with a TB that fits now")          \
  X(df_vec,      QueueBits, 1,        p.NumQueues,    kLevel,   kEdge,   "queues with a TB that does not fit now")  \
  X(dsel_grant,  U8,        1,        1,              kEvent,   kEdge,   "one TB of the offered queue is issued")   \
  X(reg_req,     U8,        1,        1,              kEvent,   kEdge,   "register access; held until reg_ack")     \
  X(reg_we,      U8,        1,        1,              kPayload, kEdge,   "1: write, 0: read")                       \
  X(reg_addr,    U16,       1,        16,             kPayload, kEdge,   "byte address of the register")            \
  X(reg_wdata,   U32,       1,        32,             kPayload, kEdge,   "data of a write")
// clang-format on

// clang-format off
#define LAX_OUTPUTS(X)                                                                                                 \
  /*name        type       elements  bits            class     timing          meaning */                              \
  X(js_ready,   U8,        1,        1,              kEvent,   kRegistered,    "the header is accepted")               \
  X(wl_ready,   U8,        1,        1,              kEvent,   kRegistered,    "the list beat is accepted")            \
  X(adm_valid,  U8,        1,        1,              kEvent,   kRegistered,                                            \
    "a verdict on a submission is available")                                                                          \
  X(adm_qid,    U8,        1,        p.queue_bits(), kPayload, kRegistered,    "queue of the verdict")                 \
  X(adm_accept, U8,        1,        1,              kPayload, kRegistered,                                            \
    "1: the submission is accepted, 0: refused")                                                                       \
  X(adm_reason, U8,        1,        3,              kPayload, kRegistered,    "reason code of the verdict")           \
  X(adm_est,    U32,       1,        32,             kPayload, kRegistered,                                            \
    "estimated completion of the job, cycles")                                                                         \
  X(psel_valid, U8,        1,        1,              kEvent,   kCombinational,                                         \
    "a queue is offered to the parse lanes")                                                                           \
  X(psel_qid,   U8,        1,        p.queue_bits(), kPayload, kCombinational, "queue offered to the parse lanes")     \
  X(dsel_valid, U8,        1,        1,              kEvent,   kCombinational, "a queue is offered to the dispatcher") \
  X(dsel_qid,   U8,        1,        p.queue_bits(), kPayload, kCombinational, "queue offered to the dispatcher")      \
  X(pre_vec,    QueueBits, 1,        p.NumQueues,    kLevel,   kRegistered,                                            \
    "queues whose job is to be preempted (PREMA)")                                                                     \
  X(jd_valid,   U8,        1,        1,              kEvent,   kRegistered,                                            \
    "a job ended; one cycle after its last kd")                                                                        \
  X(jd_qid,     U8,        1,        p.queue_bits(), kPayload, kRegistered,    "queue of the job that ended")          \
  X(jd_met,     U8,        1,        1,              kPayload, kRegistered,    "the job met its deadline")             \
  X(jd_lat,     U32,       1,        32,             kPayload, kRegistered,    "latency of the job, cycles")           \
  X(upd_busy,   U8,        1,        1,              kLevel,   kRegistered,    "a periodic update is running")         \
  X(irq,        U8,        1,        1,              kLevel,   kRegistered,    "an enabled interrupt is pending")      \
  X(reg_ack,    U8,        1,        1,              kEvent,   kRegistered,    "the register access ends")             \
  X(reg_err,    U8,        1,        2,              kPayload, kRegistered,    "0 good, 1 address error, 2 refused")   \
  X(reg_rdata,  U32,       1,        32,             kPayload, kRegistered,    "data of a read")
// clang-format on

/// Registers that a test bench can observe.
// clang-format off
#define LAX_PROBES(X)                                                                                                \
  /*name             type         el. bits            meaning */                                                     \
  X(main_state,      MainState,   1,  4,              "state of the main machine")                                   \
  X(submit_state,    SubmitState, 1,  3,              "state of the submit machine")                                 \
  X(job_state0,      QueueBits,   1,  p.NumQueues,    "bit 0 of each queue's job state")                             \
  X(job_state1,      QueueBits,   1,  p.NumQueues,    "bit 1 of each queue's job state")                             \
  X(job_state2,      QueueBits,   1,  p.NumQueues,    "bit 2 of each queue's job state")                             \
  X(open,            QueueBits,   1,  p.NumQueues,    "queues with a kernel that has started and not ended")         \
  X(preempted,       QueueBits,   1,  p.NumQueues,    "queues with a preemption request")                            \
  X(kernel_type,     U8,          1,  p.kt_bits(),    "kernel type that the main machine works on")                  \
  X(queue,           U8,          1,  p.queue_bits(), "queue that the main machine works on")                        \
  X(total,           U64,         1,  40,             "work ahead in the admission pass, cycles")                    \
  X(update_timer,    U32,         1,  24,             "cycles since the last update tick")                           \
  X(prema_timer,     U32,         1,  24,             "cycles since the last PREMA tick")                            \
  X(group,           U8,          1,  8,              "group of queues that the selection compares")                 \
  X(verdict_count,   U16,         1,  9,              "number of waiting verdicts")                                  \
  X(pend_count,      U16,         1,  9,              "number of jobs that wait for admission")                      \
  X(done_count,      U16,         1,  9,              "entries of the done queue")                                   \
  X(pend_oldest,     U8,          1,  p.queue_bits(), "queue that has waited longest for admission")                 \
  X(done_oldest,     U16,         1,  9,              "oldest entry of the done queue: bit 8 met, queue")            \
  X(enable,          U8,          1,  1,              "CTRL.ENABLE")                                                 \
  X(update_period,   U32,         1,  24,             "register UPD_PERIOD")                                         \
  X(prema_period,    U32,         1,  24,             "register PREMA_PERIOD")                                       \
  X(update_waits,    U8,          1,  1,              "an update tick waits for the main machine")                   \
  X(prema_waits,     U8,          1,  1,              "a PREMA tick waits for the main machine")                     \
  X(errors,          U16,         1,  10,             "register ERR_STAT")                                           \
  X(phase,           Phase,       1,  2,              "reason for the visits of the main machine")                   \
  X(turn,            U8,          1,  1,              "an admission precedes the next update")                       \
  X(update_start,    U64,         1,  48,             "start of the latest update")                                  \
  X(update_length,   U32,         1,  32,             "cycles between the starts of the latest two updates")         \
  X(threshold,       U8,          1,  4,              "PREMA threshold: 1, 3 or 9")                                  \
  X(row_rate,        U32,         1,  32,             "KOpen: rate of the kernel type")                              \
  X(row_count,       U32,         1,  24,             "KOpen: completions in the type's window")                     \
  X(row_active,      U64,         1,  48,             "KOpen: active time of the type, relative to the window")      \
  X(row_instances,   U64,         1,  48,             "KOpen: time of the type's instances, relative to the window") \
  X(row_window,      U64,         1,  48,             "KOpen: start of the type's window")                           \
  X(row_in_flight,   U16,         1,  9,              "KOpen: instances of the type in flight")                      \
  X(row_profile,     U32,         1,  32,             "KOpen: isolated rate of the type")                            \
  X(row_snapshot,    Snapshots,   4,  32,             "KOpen: completions and times of the type's snapshot")         \
  X(row_isolated,    U32,         1,  32,             "VOpen in an update: isolated time of the live job")           \
  X(row_token,       U32,         1,  24,             "VOpen in an update: token of the job")                        \
  X(row_start,       U64,         1,  48,             "VOpen in an update: start of the job")                        \
  X(row_deadline,    U32,         1,  32,             "VOpen in an update: deadline of the job")                     \
  X(row_slots,       U8,          1,  6,                                                                             \
    "VOpen in an update: bit 5 first kernel fitted, slots of the list")                                              \
  X(row_done,        U32,         1,  24,             "VOpen in an update: completed TBs of the job")                \
  X(row_record,      Records,     3,  32,                                                                            \
    "VOpen in an update: remaining, duration, laxity of the last visit")                                             \
  X(row_key,         U64,         1,  50,             "VOpen in an update: key of the job")                          \
  X(row_arrival,     U16,         1,  16,             "VOpen in an update: arrival number of the job")               \
  X(row_grant,       U16,         1,  16,             "VOpen in an update: number of the job's latest parse grant")  \
  X(row_priority,    U32,         1,  32,             "VOpen in an update: QPRIO of the queue")                      \
  X(slot_type,       U8,          1,  p.kt_bits(),    "VMac: kernel type of the slot")                               \
  X(slot_groups,     U32,         1,  24,             "VMac: TBs of the slot")                                       \
  X(types_rated,     TypeBits,    1,  p.NumKt,        "kernel types with a rate")                                    \
  X(types_seen,      TypeBits,    1,  p.NumKt,        "kernel types whose window is open")                           \
  X(types_sampled,   TypeBits,    1,  p.NumKt,        "kernel types with a snapshot")                                \
  X(submit_queue,    U8,          1,  p.queue_bits(), "queue of the header in the submit machine")                   \
  X(submit_deadline, U32,         1,  32,             "deadline of the header in the submit machine")                \
  X(submit_start,    U64,         1,  48,             "start of the header in the submit machine")                   \
  X(submit_flags,    U8,          1,  5,              "append, fits; any bad type, too many types, any TBs so far")  \
  X(submit_beats,    U16,         1,  15,             "beats announced, beats taken, slots staged: 5 bits each")     \
  X(parse_offer,     U16,         1,  9,              "bit 8 a parse offer is valid, queue")                         \
  X(dispatch_offer,  U16,         1,  9,              "bit 8 a dispatch offer is valid, queue")                      \
  X(parse_dropped,   U8,          1,  1,              "a parse grant occurred during this pass")                     \
  X(last_granted,    U8,          1,  p.queue_bits(), "queue of the latest parse grant")                             \
  X(arrivals,        U16,         1,  16,             "number of the next arrival")                                  \
  X(grants,          U16,         1,  16,             "number of the next parse grant")                              \
  X(control,         U32,         1,  25,             "register CTRL")                                               \
  X(min_groups,      U8,          1,  8,              "register MIN_WG")                                             \
  X(parse_latency,   U16,         1,  16,             "register PARSE_LAT")                                          \
  X(context_speed,   U16,         1,  16,             "register CKPT_BW")                                            \
  X(prema_priority,  U8,          1,  4,              "register PREMA_P")                                            \
  X(interrupts,      U8,          1,  7,              "register IRQ_STAT")                                           \
  X(irq_enable,      U8,          1,  7,              "register IRQ_EN")                                             \
  X(now_high,        U16,         1,  16,             "register NOW, high half")                                     \
  X(counters,        Counters,    12, 32,             "registers N_SUBMIT to N_DROP")                                \
  X(rest,            U16,         1,  10,                                                                            \
    "edges since the last change of the selection, at most 2^10 - 1")
// clang-format on

namespace castor::lax {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using QueueBits = twin::Bits<256>;  ///< bit per queue
using TypeBits = twin::Bits<256>;   ///< bit per kernel type
using Counters = twin::Lanes<U32, 12>;
using Snapshots = twin::Lanes<U32, 4>;
using Records = twin::Lanes<U32, 3>;

CASTOR_PORT_LISTS(LAX, lax)

/// Largest value of the probe `rest`; more than the two longest passes of the selection.
inline constexpr base::Cycle kMostIdle = 1023;

class Engine;

/// The laxity engine as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "lax";
  static constexpr const char* kTop = "castor_lax";
  static constexpr const char* kMeaning = "laxity engine: which job is next, and which is admitted";
  using Engine = lax::Engine;
  static constexpr std::string_view kRunning[] = {"update_timer", "prema_timer", "group", "rest"};

  /// Returns the bound of Engine::quiet, computed from probes (for RTL): the number of edges before the next timer
  /// tick, while the main machine is idle and both selections have settled; else 0.
  static base::Cycle quiet(const Probes& probes, const Inputs& last, const Params& params) {
    if (probes.rest < 2 * params.groups() || probes.main_state != MainState::kIdle) return 0;
    if (probes.submit_state > SubmitState::kList || (probes.verdict_count != 0 && last.adm_ready != 0)) return 0;
    if (probes.enable == 0) return base::kForever;
    if ((probes.update_waits | probes.prema_waits) != 0 || probes.pend_count != 0) return 0;
    const auto before = [](U32 period, U32 timer) { return timer + 1 < period ? period - timer - 1 : 0; };
    return std::min(before(probes.update_period, probes.update_timer), before(probes.prema_period, probes.prema_timer));
  }
};

}  // namespace castor::lax
