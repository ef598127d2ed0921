#pragma once

#include "castor/lax/ports.h"

namespace castor::lax::tb {

/// Probability in units of 1/65536; 65536 means always, 0 never.
using Chance = unsigned;
inline constexpr Chance kAlways = 65536;

/// Class of jumps of the time `now`.
enum class Leap : std::uint8_t {
  kLarge,      ///< a uniform number of cycles below 2^`leap_bits`, so mostly a large one
  kAny,        ///< a number of cycles of any length in bits, up to `leap_bits`
  kPower,      ///< a power of two of cycles
  kHighPower,  ///< one of the four highest powers of two up to 2^`leap_bits`
  kBorder,     ///< to shortly before a multiple of a power of two, so that times on both sides of it are compared
};

/// Internal event with which a register access coincides (Foresight).
enum class Aim : std::uint8_t {
  kNothing,
  kResets,    ///< soft resets in the cycles of those events that soft resets have hit least so far
  kRankings,  ///< soft resets in the cycles of events around PREMA rankings
  kTicks,     ///< timer periods that end in the cycle in which the activity of the previous tick starts
};

/// Parameters of the stimulus for the laxity engine. The defaults are busy traffic that keeps the contract. Chances are
/// per cycle unless stated otherwise. Counts are limited to the values that the parameter set allows.
struct Knobs {
  // Host
  unsigned queues = 0;          ///< queues in use, 0: all; the first and the last are among them
  unsigned kernel_types = 16;   ///< kernel types in use, 0: all; the first and the last are among them
  Chance submit = 3000;         ///< a job is submitted to a free queue
  Chance append = 300;          ///< work is added to a live job
  Chance append_race = 16384;   ///< per append: the job may end while the append is in flight
  bool race_at_list = false;    ///< a job with a racing append ends only after the append's list has been sent
  Chance resubmit = 500;        ///< per job: it is submitted to a queue whose last job was not acknowledged
  Chance beat = 50000;          ///< a list beat is offered
  Chance split_beat = 8000;     ///< per beat: the kernel type comes in two beats
  unsigned kernels = 4;         ///< kernels of a job, at most
  unsigned groups = 8;          ///< TBs of a kernel, at most
  Chance full_list = 2000;      ///< per job: the list has the maximum number of kernel types
  Chance huge = 0;              ///< per beat: declares 2^24-1 TBs
  Chance powers = 0;            ///< per beat, rate and isolated time: the value is a power of two of any size
  Chance repeat_beat = 0;       ///< per beat: more TBs of the kernel type follow in a second beat, if the list has room
  Chance lie = 0;               ///< per beat: declares one TB more or less than the job runs
  U32 deadline = 0;             ///< deadline of all jobs in cycles; 0: drawn
  unsigned deadline_bits = 17;  ///< drawn deadlines are below 2 to this power
  Chance no_deadline = 6000;    ///< per job: it has no deadline
  /// Per job: it starts in the future and has a deadline within one cycle of its estimate. Requires `preload_value` for
  /// all types, FREEZE, and no jobs without deadline.
  Chance aim = 0;
  Chance future_start = 0;         ///< per job: it starts in the future
  Chance extreme_deadline = 2000;  ///< per job: the deadline is 1 or 2^32-2
  unsigned age_bits = 8;           ///< jobs were enqueued fewer than 2 to this power cycles ago
  unsigned last_submission = 0;    ///< first cycle without new submissions; 0: never
  unsigned burst_period = 0;       ///< if not 0, jobs are submitted only in the first eighth of each such period
  // Verdicts
  Chance adm_ready = 50000;
  Chance adm_stall = 20;  ///< a period of `adm_stall_cycles` cycles without ready begins
  unsigned adm_stall_cycles = 200;
  // Device
  unsigned slots = 24;          ///< maximum TBs that run at once
  unsigned service = 300;       ///< maximum run time of a TB in cycles; each kernel type has its own mean
  bool service_swings = false;  ///< run times change by a factor of 1000 between periods of `service_stretch` cycles
  unsigned service_stretch = 5000;
  unsigned parse_lanes = 4;
  unsigned parse_latency = 20;
  Chance parse_grant = 40000;  ///< an offered queue is accepted for parsing, if a lane is free
  Chance dispatch_grant = 40000;
  bool end_at_deadline = false;  ///< jobs that can end early wait and end within a cycle of their deadline
  /// Kernels end in the cycle in which an update samples or a ranking examines them; needs `rest` 0
  bool end_in_time = false;
  bool end_in_visit = false;   ///< kernels end while an update visits their job; needs `rest` 0
  Chance event = 55000;        ///< a pending event is reported in this cycle
  Chance rest = 60;            ///< an idle period of all inputs begins, if no submission or access is in flight
  unsigned rest_cycles = 300;  ///< maximum length of an idle period
  Chance vector_noise = 500;   ///< an arbitrary queue is shown as eligible for one cycle and not accepted
  // Registers
  Chance access = 8000;            ///< a register access begins
  Chance acknowledge = 30000;      ///< per access: it acknowledges an ended job, if there is one
  Chance read_ended = 12000;       ///< per access: it reads the record of an ended job, if there is one
  Chance write = 16000;            ///< per access: it is a write
  Chance reconfigure = 1500;       ///< per write: it changes the control register or a period
  Chance soft_reset = 60;          ///< per write: it requests a soft reset
  bool reset_at_tick = false;      ///< soft resets coincide with update ticks; needs a fixed period
  Chance reset_after_update = 0;   ///< per start and end of an update: a soft reset follows some cycles later
  unsigned pause_after_reset = 0;  ///< cycles after a soft reset without new submissions
  Aim aim_at = Aim::kNothing;      ///< internal events that register accesses aim at; needs `rest` 0
  Chance clears = 0;  ///< per write: it clears errors, interrupts or a kernel type in use, or pops a verdict
  /// Per access: it reads STATUS, ERR_STAT or IRQ_STAT, which do not wait for the main machine
  Chance status_reads = 0;
  Chance verdict_pops = 0;       ///< per access: it reads VERDICT_POP
  bool priorities = false;       ///< reconfigurations change only PREMA_P, or the policy if `policies` is set
  Chance illegal_access = 3000;  ///< per access: its address or value must be refused
  bool poll_tables = false;      ///< tables are read without pause
  // Configuration at the start of the run
  U32 control = 0x00301583;    ///< initial value of CTRL: reset value and ENABLE
  bool random_control = true;  ///< policy and modes are drawn from the seed; ENABLE is kept
  unsigned policy = 10;        ///< 0..9: fixed policy; 10: policy of `control`, or drawn
  /// if not 0, writes of CTRL only change the policy, to one of a set; bit n: policy n is in the set
  unsigned policies = 0;
  unsigned update_period = 2500;
  unsigned prema_period = 4000;
  unsigned min_groups = 1;
  unsigned prema_priority = 1;
  Chance preload = 20000;  ///< per kernel type: a rate is written at the start of the run
  U32 preload_value = 0;   ///< value of the written rates; 0: drawn
  U32 isolated = 0;  ///< isolated cycles per TB at the start of the run for all types, in 24.8 fixed point; 0: drawn
  U32 isolated_other = 0;  ///< isolated cycles per TB of every second type; 0: `isolated` for all types
  U64 now = 0;             ///< value of `now` in cycle 0
  // Ends of ranges
  Chance tall_deadline = 0;   ///< per job: one bit of the upper half of its deadline is 1, or all bits but one are 1
  Chance tall_age = 0;        ///< per job: its age reaches a power of two within 33 cycles; half of them 2^32
  Chance beyond = 0;          ///< per access: a write of a legal value with one bit above the width of its register
  bool exact_groups = false;  ///< every kernel has `groups` TBs
  bool long_lists = false;    ///< lists with too many beats have up to 31 of them, as many as a header can announce
  /// TBs of one queue do not fit while 384 kernels are parsed, those of a second queue not in the second half of this
  /// phase, and those of a third queue not in its last quarter; the next phase has twice as many kernels, up to 12288
  bool hold_grants = false;
  // Violations of the contract
  Chance break_rule = 0;  ///< a stimulus that the block must ignore or refuse
  Chance foreign = 0;     ///< a TB completes whose kernel type is in the job's list but has not started
  bool early = false;     ///< kernels start in the cycle in which their job is judged; needs `rest` 0
  /// `now` jumps ahead by less than 2^`leap_bits` cycles, so that short runs contain the longest times
  Chance leap = 0;
  unsigned leap_bits = 33;
  Leap leap_kind = Leap::kLarge;
};

}  // namespace castor::lax::tb
