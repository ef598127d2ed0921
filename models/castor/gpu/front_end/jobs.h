#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/job_record.h"

namespace castor::gpu {

/// What the front end keeps of jobs (docs/gpu.md, "Jobs"); there is none until the first JOB packet, or a job scheduler
/// that judges.
struct Jobs {
  /// An announcement from the lane that reads it to its verdict. A queue has one at a time.
  struct Ask {
    bool append = false;
    bool own = false;    ///< made by the front end for kernels that nobody announced
    bool ahead = false;  ///< the packet is not at the head of its queue
    bool sent = false;   ///< its header has gone to the job scheduler
    bool slot_over = false;
    Ticket ticket = 0;  ///< of the JOB packet; own: 0
    Cycle visible = 0;  ///< doorbell
    JobPacket packet;
    std::optional<Verdict> verdict;
  };
  /// The job whose kernels may enter the table.
  struct Job {
    bool own = false;
    Ticket ticket = 0;
    std::uint64_t signal = 0;
    std::uint32_t deadline = JobPacket::kNoDeadline;
    std::uint64_t start = 0;
    std::uint32_t left = 0;  ///< kernel packets announced and not complete
    std::size_t record = 0;
    Cycle issued = 0;  ///< last TB of the kernel under way was placed; 0 = not yet
  };
  struct Judged {
    Ticket ticket = 0;
    bool accepted = false;
    std::uint16_t kernels = 0;
  };
  struct Queue {
    std::optional<Ask> ask;
    std::optional<Job> job;
    std::uint32_t discard = 0;  ///< kernels to be dropped when they reach the head
    bool error = false;
    std::deque<Judged> judged;  ///< appends answered before they reached the head
  };
  /// An append that is in a queue behind others.
  struct Ahead {
    std::uint16_t queue = 0;
    Ticket ticket = 0;
    Cycle visible = 0;
  };
  struct Ended {
    std::uint16_t queue = 0;
    Cycle kernel = 0;  ///< in which its last kernel completed
  };
  struct Access {
    std::uint64_t id = 0;  ///< 0: nobody waits
    RegisterAccess access;
    Cycle visible = 0;
  };

  Jobs(unsigned queue_count, bool judged_by_hook) : queues(queue_count), judges(judged_by_hook), last(queue_count - 1) {
    jobless.set();
  }

  std::vector<Queue> queues;
  bool judges;         ///< the job scheduler does; otherwise everybody is accepted
  QueueMask asking;    ///< queues with an ask
  QueueMask withheld;  ///< queues whose kernels may not be granted
  QueueMask jobless;
  QueueMask discarding;
  QueueMask errors;
  QueueMask refused;  ///< own announcements that were refused: asked again after the next register access
  std::deque<Ahead> ahead;
  std::deque<JobBeat> beats;
  std::deque<Ended> ended;  ///< without a judge: told in the next cycle
  unsigned last;            ///< queue whose announcement was read last
  unsigned own_types = JobPacket::kElements;
  std::vector<JobRecord> records;
};

}  // namespace castor::gpu
