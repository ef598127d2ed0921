#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/job_control.h"

/// JobScheduler: which queue's kernel enters the kernel table next; is a new job admitted.
namespace castor::gpu {

/// One beat of a job's announcement: a header, or one element of its list of kernels behind it.
struct JobBeat {
  bool header = true;          ///< else an element
  std::uint16_t queue = 0;     ///< of the job, in all beats
  std::uint32_t deadline = 0;  ///< header: core cycles from the start, all ones = none
  std::uint64_t start = 0;     ///< header: core cycle of the submission, 48 bits
  bool append = false;         ///< header: adds to the queue's job; deadline and start do not count
  std::uint8_t kernel_types =
      0;                     ///< header: elements announced, 0 to 31; more than come if the packet is short of them
  bool fits = false;         ///< header: all TBs of the job's first kernel would fit now
  bool own = false;          ///< header: the front end announces kernels for which nobody else will
  std::uint8_t kid = 0;      ///< element: kernel type
  std::uint32_t groups = 0;  ///< element: TBs, 24 bits
  bool last = false;         ///< element: last of this announcement
};

/// The answer to an announcement, or: a job that was admitted is given up, none of its TBs has been placed.
struct Verdict {
  std::uint16_t queue = 0;
  bool accept = true;          ///< false with nothing announced for the queue: gives up its job
  std::uint8_t reason = 0;     ///< of a rejection, castorJobReason; 4 (bad list) has own announcements made shorter
  std::uint32_t estimate = 0;  ///< predicted completion in core cycles from the start, 0 = none
};

/// A job has ended.
struct JobEnd {
  std::uint16_t queue = 0;
  bool met = false;           ///< by its deadline, or it had none
  std::uint32_t latency = 0;  ///< core cycles from its start
};

struct JobIn {
  Cycle now = 0;  ///< core cycle
  /// Queues that may be granted: a kernel at their head at the start of the cycle, their job accepted, an entry free.
  const QueueMask* eligible = nullptr;
  Maybe<JobBeat> beat;           ///< held until it is taken; none unless the scheduler judges
  bool verdict_ready = false;    ///< a verdict of this cycle is taken; always, if the scheduler judges
  FrontEvents ev;                ///< what happened
  const KdMask* fits = nullptr;  ///< entries whose next TB fits an open SM below quota, after this cycle's placement
  int granted = -1;              ///< at the edge: queue that a parse lane took, -1 = none
};

struct JobOut {
  bool beat_ready = true;    ///< `beat` is taken in this cycle
  Maybe<Verdict> verdict;    ///< held until `verdict_ready`
  int pick = -1;             ///< queue, granted if it is eligible and a lane is free; -1 = none
  QueueMask preempt;         ///< while set: nothing of the queue is placed; its TBs are saved, or drain
  Maybe<JobEnd> end;         ///< one cycle; goes to the job's signal word, counted (statistics jobs_ended, jobs_met)
  bool irq = false;          ///< level; JobSide::irq
  Maybe<RegisterReply> reg;  ///< to `ev.reg`, one cycle
};

/// One per GPU; settles in step F8, clocks in F10 of the front end's cycle.
class JobScheduler : public ClockedHook<JobIn, JobOut> {
 public:
  /// Jobs are announced to it, and no kernel is granted that does not belong to one it has accepted. Constant, also
  /// before `attach`.
  [[nodiscard]] virtual bool judges() const { return false; }
  /// How the host's driver uses it; null for one that does not judge. Lives as long as the hook.
  [[nodiscard]] virtual const JobControl* control() const { return nullptr; }
};

}  // namespace castor::gpu
