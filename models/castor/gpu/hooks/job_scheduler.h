#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/job_control.h"

/// JobScheduler hook: selects the queue whose next kernel enters the kernel table, and admits or rejects jobs.
namespace castor::gpu {

/// One beat of a job announcement: its header, or one element of the list of kernels that follows the header.
struct JobBeat {
  bool header = true;          ///< true: header; false: list element
  std::uint16_t queue = 0;     ///< all beats: queue of the job
  std::uint32_t deadline = 0;  ///< header: deadline in core cycles from `start`; all ones = no deadline
  std::uint64_t start = 0;     ///< header: core cycle of the job's submission, 48 bits
  bool append = false;         ///< header: adds kernels to the queue's current job; `deadline` and `start` are ignored
  /// header: number of announced elements, 0 to 31; fewer elements follow if the JOB packet has no room for all
  std::uint8_t kernel_types = 0;
  bool fits = false;  ///< header: all TBs of the job's first kernel would fit now
  /// header: announcement made by the front end itself, for kernels that no job packet announces
  bool own = false;
  std::uint8_t kid = 0;      ///< element: kernel type
  std::uint32_t groups = 0;  ///< element: number of TBs, 24 bits
  bool last = false;         ///< element: last element of this announcement
};

/// Verdict of the scheduler on an announcement. Without an announcement: cancellation of an admitted job of which no TB
/// has been placed.
struct Verdict {
  std::uint16_t queue = 0;
  /// false without an open announcement of the queue: the scheduler cancels the queue's job
  bool accept = true;
  /// reason of a rejection (castorJobReason); on 4 (bad list) the front end shortens its own announcements
  std::uint8_t reason = 0;
  std::uint32_t estimate = 0;  ///< predicted completion in core cycles from the job's start; 0 = no prediction
};

/// End of a job.
struct JobEnd {
  std::uint16_t queue = 0;
  bool met = false;           ///< the job met its deadline, or had none
  std::uint32_t latency = 0;  ///< core cycles from the job's start to its end
};

/// Inputs of a job scheduler. "At the edge": valid in `clock` only.
struct JobIn {
  Cycle now = 0;  ///< core cycle of this front-end cycle
  /// Queues that may be granted: a kernel was at the queue's head at the start of the cycle, the queue's job is
  /// accepted, and a kernel table entry is free.
  const QueueMask* eligible = nullptr;
  Maybe<JobBeat> beat;         ///< announcement beat, held until `beat_ready`; only for schedulers that judge jobs
  bool verdict_ready = false;  ///< a verdict of this cycle is accepted; always true for schedulers that judge jobs
  FrontEvents ev;              ///< front-end events of this cycle
  /// kernel table entries whose next TB fits an open SM below its quota, after this cycle's placement
  const KdMask* fits = nullptr;
  int granted = -1;  ///< at the edge: queue whose kernel a parse lane accepted; -1 = none
};

/// Outputs of a job scheduler.
struct JobOut {
  bool beat_ready = true;  ///< `JobIn::beat` is accepted in this cycle
  Maybe<Verdict> verdict;  ///< verdict, held until `verdict_ready`
  int pick = -1;           ///< queue to grant; granted if the queue is eligible and a parse lane is free; -1 = none
  /// queues under preemption: no TB of the queue is placed, and its resident TBs are saved or drain
  QueueMask preempt;
  /// end of a job, valid for one cycle; the front end writes the job's signal word and counts jobs_ended and jobs_met
  Maybe<JobEnd> end;
  bool irq = false;          ///< interrupt level, read as JobSide::irq
  Maybe<RegisterReply> reg;  ///< reply to the register access in `ev.reg`, valid for one cycle
};

/// One per GPU. Settles in F8, parse, and clocks in F10, edges, of the front end's cycle.
class JobScheduler : public ClockedHook<JobIn, JobOut> {
 public:
  /// Returns whether the scheduler judges jobs: jobs are announced to it, and only kernels of accepted jobs are
  /// granted. Constant, may be called before `attach`.
  [[nodiscard]] virtual bool judges() const { return false; }
  /// Returns the register accesses for the host's driver, or null for a scheduler that does not judge jobs. The object
  /// lives as long as the hook.
  [[nodiscard]] virtual const JobControl* control() const { return nullptr; }
};

}  // namespace castor::gpu
