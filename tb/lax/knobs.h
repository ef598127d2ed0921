#pragma once

#include "castor/lax/ports.h"

namespace castor::lax::tb {

/// A chance in 1/65536; 65536 is always, 0 never.
using Chance = unsigned;
inline constexpr Chance kAlways = 65536;

/// Where `now` jumps to.
enum class Leap : std::uint8_t {
  kLarge,      ///< any number of cycles below 2^`leap_bits`, mostly one of the largest
  kAny,        ///< the same, of every size
  kPower,      ///< a power of two of cycles
  kHighPower,  ///< the same, one of the four highest
  kBorder,     ///< shortly before a multiple of a power of two, so that times on both of its sides are compared
};

/// What an access to a register hits in its very cycle (Foresight).
enum class Aim : std::uint8_t {
  kNothing,
  kResets,    ///< soft resets, what they have met least so far
  kRankings,  ///< the same, around rankings of PREMA
  kTicks,     ///< periods that end when the tick before is taken
};

/// Everything that can be set in the surroundings of the engine. The defaults are busy traffic that keeps the contract.
/// Chances are per cycle unless they say otherwise. Counts are limited to what the parameter set has.
struct Knobs {
  // Host
  unsigned queues = 0;          ///< queues in use, 0: all; the first and the last are among them
  unsigned kernel_types = 16;   ///< kernel types in use, 0: all; the first and the last are among them
  Chance submit = 3000;         ///< a job is submitted to a free queue
  Chance append = 300;          ///< work is added to a live job
  Chance append_race = 16384;   ///< per append: the job may end while it is on its way
  bool race_at_list = false;    ///< such a job ends when the list has been sent, not before
  Chance resubmit = 500;        ///< per job: goes to a queue whose last job was not acknowledged
  Chance beat = 50000;          ///< a list beat is offered
  Chance split_beat = 8000;     ///< per beat: the kernel type comes in two beats
  unsigned kernels = 4;         ///< kernels of a job, at most
  unsigned groups = 8;          ///< TBs of a kernel, at most
  Chance full_list = 2000;      ///< per job: as many kernel types as a list can hold
  Chance huge = 0;              ///< per beat: declares 2^24-1 TBs
  Chance powers = 0;            ///< per beat, rate and isolated time: a power of two of any size
  Chance repeat_beat = 0;       ///< per beat: some more of the kernel type come in a second one, if there is room
  Chance lie = 0;               ///< per beat: declares one TB more or less than will run
  U32 deadline = 0;             ///< of all jobs; 0: drawn
  unsigned deadline_bits = 17;  ///< deadlines are below 2 to this power
  Chance no_deadline = 6000;    ///< per job
  /// Per job: starts in the future, its deadline within a cycle of its estimate. Needs `preload_value` for all types,
  /// FREEZE, and no jobs without deadline.
  Chance aim = 0;
  Chance future_start = 0;         ///< per job
  Chance extreme_deadline = 2000;  ///< per job: 1 or 2^32-2
  unsigned age_bits = 8;           ///< jobs were enqueued fewer than 2 to this power cycles ago
  unsigned last_submission = 0;    ///< nothing is submitted from this cycle on; 0: never
  unsigned burst_period = 0;       ///< if not 0, jobs are submitted only in the first eighth of each such period
  // Verdicts
  Chance adm_ready = 50000;
  Chance adm_stall = 20;  ///< a stretch of `adm_stall_cycles` without ready begins
  unsigned adm_stall_cycles = 200;
  // Device
  unsigned slots = 24;          ///< TBs that run at once
  unsigned service = 300;       ///< cycles of a TB, at most; each kernel type has its own mean
  bool service_swings = false;  ///< times change by 1000 between stretches of `service_stretch` cycles
  unsigned service_stretch = 5000;
  unsigned parse_lanes = 4;
  unsigned parse_latency = 20;
  Chance parse_grant = 40000;  ///< an offered queue is taken, if a lane is free
  Chance dispatch_grant = 40000;
  bool end_at_deadline = false;  ///< jobs end within a cycle of their deadline, those that could end before
  bool end_in_time = false;      ///< kernels end where an update or a ranking meets them; needs `rest` 0
  bool end_in_visit = false;     ///< kernels end while an update visits their job; needs `rest` 0
  Chance event = 55000;          ///< an event that is due is reported in this cycle
  Chance rest = 60;              ///< everything rests for up to `rest_cycles`, if nothing is on its way
  unsigned rest_cycles = 300;
  Chance vector_noise = 500;  ///< an arbitrary queue is shown as eligible for a cycle and not taken
  // Registers
  Chance access = 8000;            ///< an access begins
  Chance acknowledge = 30000;      ///< per access: frees a queue whose job has ended, if there is one
  Chance read_ended = 12000;       ///< per access: reads the record of a job that has ended, if there is one
  Chance write = 16000;            ///< per access: writes
  Chance reconfigure = 1500;       ///< per write: control, periods
  Chance soft_reset = 60;          ///< per write
  bool reset_at_tick = false;      ///< soft resets in the very cycle of an update tick; needs a fixed period
  Chance reset_after_update = 0;   ///< per start and end of an update: a soft reset some cycles later
  unsigned pause_after_reset = 0;  ///< cycles after a soft reset in which the host has nothing new to submit
  Aim aim_at = Aim::kNothing;      ///< needs `rest` 0
  Chance clears = 0;               ///< per write: clears errors, interrupts, or a kernel type in use; or pops a verdict
  Chance status_reads = 0;         ///< per access: STATUS, ERR_STAT or IRQ_STAT, which do not wait for the main machine
  Chance verdict_pops = 0;         ///< per access: reads VERDICT_POP
  bool priorities = false;         ///< reconfigurations change PREMA_P, or `policies`, and nothing else
  Chance illegal_access = 3000;    ///< per access: address or value that is refused
  bool poll_tables = false;        ///< reads of tables without pause
  // Configuration at the start
  U32 control = 0x00301583;    ///< CTRL: reset value and ENABLE
  bool random_control = true;  ///< policy and modes are drawn from the seed; ENABLE stays
  unsigned policy = 10;        ///< 0..9; 10: as `control`, or drawn
  unsigned policies = 0;  ///< if not 0, writes of CTRL change to one of these, bit n being policy n, and nothing else
  unsigned update_period = 2500;
  unsigned prema_period = 4000;
  unsigned min_groups = 1;
  unsigned prema_priority = 1;
  Chance preload = 20000;  ///< per kernel type: a rate is written at the start
  U32 preload_value = 0;   ///< 0: drawn
  U32 isolated = 0;        ///< isolated cycles per TB of all types at the start, 24.8; 0: drawn
  U32 isolated_other = 0;  ///< ... of every second type; 0: as of the others
  U64 now = 0;             ///< `now` of cycle 0
  // Breaking the contract
  Chance break_rule = 0;  ///< a stimulus that the block must ignore or refuse
  Chance foreign = 0;     ///< a TB completes of a kernel type of the job's that has not started
  bool early = false;     ///< kernels start in the cycle in which their job is judged; needs `rest` 0
  Chance leap = 0;        ///< `now` jumps ahead by less than 2^`leap_bits`: the longest times in a short run
  unsigned leap_bits = 33;
  Leap leap_kind = Leap::kLarge;
};

}  // namespace castor::lax::tb
