#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/owner_gate.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Announcement of a job's kernels, from its grant of a parse lane to its verdict.
struct Announcement {
  bool own = false;        ///< made by the front end for kernels that no JOB packet announced
  bool ahead = false;      ///< the JOB packet is not at the head of its queue
  bool sent = false;       ///< the header beat was taken by the job scheduler
  bool slot_over = false;  ///< the time in the parse lane is over
  Ticket ticket = 0;       ///< ticket of the JOB packet; 0 if `own`
  Cycle visible = 0;       ///< cycle of the doorbell
  JobPacket packet;
  std::optional<Verdict> verdict;
};

/// Job inspector (docs/gpu/jobs.md, "Jobs"): announces JOB packets, and kernels that belong to no job, to a job
/// scheduler that judges. It takes the verdicts and drops the kernels of rejected jobs from their queues. Accepted jobs
/// go to the job table. The front end owns the inspector.
///
/// A queue has one announcement at a time. The announcement takes a parse lane and is read (`announce`, F1). It is sent
/// to the scheduler beat by beat (`beat`, `take_beat`, F8) and answered (`answer`, F8). It is judged when its time in
/// the lane is over too (`slot_over`, F8).
///
/// `step` is called in F8 (parse), after the other heads and before a kernel is granted. It ends jobs, drops or
/// completes heads that were judged before, and gives a lane to one announcement.
class JobInspector {
 public:
  JobInspector(const Machine& machine, const Store& store, const ProgramTable& programs, const Ledger& ledger,
               Queues& queues, ParseLanes& lanes, JobTable& jobs, CompletionPort& host,
               base::StatisticGroup& statistics);

  /// Notes a packet that enters a queue. Called before `Queues::push`.
  void submitted(unsigned queue, const Packet& packet, Ticket ticket, Cycle visible);
  /// Takes the JOB packet of a queue's announcement, which has been read.
  void announce(unsigned queue, const std::byte* image, Cycle now);
  void step(Cycle now) {
    if (in_use_) work(now);
  }
  /// Ends the announcement's time in its lane.
  void slot_over(unsigned queue, Cycle now);
  /// Serves a JOB packet at the head of a queue, on a machine that does not inspect JOB packets. The packet takes no
  /// lane.
  void serve_unread(unsigned queue, const JobPacket& packet, Cycle now);

  /// Returns whether beats are sent to the scheduler and verdicts are taken.
  [[nodiscard]] bool judging() const { return in_use_ && jobs_.judged(); }
  /// Returns the oldest beat that was not taken; empty if there is none.
  [[nodiscard]] Maybe<JobBeat> beat() const { return beats_.empty() ? std::nullopt : Maybe<JobBeat>(beats_.front()); }
  /// Removes the oldest beat, which the scheduler has taken.
  void take_beat();
  /// Takes a verdict. Returns false if it answers no announcement; a rejection then means that the scheduler drops the
  /// queue's job.
  [[nodiscard]] bool answer(const Verdict& verdict, Cycle now);
  /// Drops the queue's job on the scheduler's request. `in_table`: number of the job's kernels in the kernel table.
  void drop_job(const Verdict& verdict, std::uint32_t in_table, Cycle now);
  /// Notes that the scheduler's registers have changed: kernels whose announcement was rejected are announced again.
  void registers_changed() { refused_.reset(); }

  /// Returns the queues whose kernels must not be granted a lane.
  [[nodiscard]] QueueMask withheld() const { return discarding_ | errors_ | jobs_.uncovered(); }
  /// Returns the queues with a kernel at their head that may be granted.
  [[nodiscard]] QueueMask grantable() const {
    const QueueMask kernels = queues_.kernels() & ~withheld();
    return gate_ == nullptr || kernels.none() ? kernels : kernels & ~gate_->closed();
  }
  /// Sets the gate for kernels that own the machine.
  void set_gate(const OwnerGate& gate) { gate_ = &gate; }
  /// Returns that gate; null on a machine without such kernels.
  [[nodiscard]] const OwnerGate* gate() const { return gate_; }
  /// Returns whether a kernel of the queue must not complete yet, because an append to the kernel's job was sent and
  /// has no verdict yet.
  [[nodiscard]] bool holds(unsigned queue) const {
    const std::optional<Announcement>& ask = state_[queue].ask;
    return ask && ask->ahead && ask->sent && jobs_.one_left(queue);
  }
  /// Returns whether the queue has an announcement without a verdict.
  [[nodiscard]] bool announcing(unsigned queue) const { return announcing_[queue]; }
  /// Returns whether an announcement of the queue's kernels was rejected.
  [[nodiscard]] bool refused(unsigned queue) const { return refused_[queue]; }
  /// Returns the first cycle after `now` in which `step` has work if nothing else changes.
  [[nodiscard]] Cycle next(Cycle now) const { return in_use_ ? next_work(now) : kForever; }

  /// Forgets all announcements. Lanes that still read one end without effect.
  void abandon();

 private:
  struct Judged {
    Ticket ticket = 0;
    bool accepted = false;
    std::uint16_t kernels = 0;
  };
  struct PerQueue {
    std::optional<Announcement> ask;
    std::uint32_t discard = 0;  ///< number of the queue's kernels to be dropped when they reach the head
    std::deque<Judged> judged;  ///< appends judged before they reached the head
  };
  /// Append (JOB packet that adds to a job) that is not at the head of its queue.
  struct Ahead {
    std::uint16_t queue = 0;
    Ticket ticket = 0;
    Cycle visible = 0;
  };

  void work(Cycle now);
  [[nodiscard]] Cycle next_work(Cycle now) const;
  [[nodiscard]] QueueMask to_inspect() const;
  [[nodiscard]] const Ahead* next_ahead(Cycle now);
  void begin(unsigned queue, const QueuedPacket& packet, bool ahead, Cycle now);
  void announce_own(unsigned queue, Cycle now);
  void walk(unsigned queue, Announcement& ask) const;
  [[nodiscard]] bool first_kernel_fits(unsigned queue, const Announcement& ask) const;
  void submit_beats(unsigned queue);
  void fail_queue(unsigned queue, Cycle now);
  void judge(unsigned queue, Cycle now);
  void discard(unsigned queue, std::uint32_t kernels);
  void drop_discarded(Cycle now);
  void pass_answered(Cycle now);
  void drop_of_failed(Cycle now);

  const OwnerGate* gate_ = nullptr;  // null on a machine without kernels that own it
  const Machine& machine_;
  const Store& store_;
  const ProgramTable& programs_;
  const Ledger& ledger_;
  Queues& queues_;
  ParseLanes& lanes_;
  JobTable& jobs_;
  CompletionPort& host_;

  bool in_use_ = false;  // set by the first JOB packet, or by the first packet on a machine whose scheduler judges
  std::vector<PerQueue> state_;                // [queue] state of each queue
  QueueMask announcing_;                       // queues with an announcement
  QueueMask discarding_;                       // queues with kernels to be dropped
  QueueMask errors_;                           // queues stopped by an invalid JOB packet; their packets are dropped
  QueueMask refused_;                          // queues whose job that the front end announced itself was rejected
  std::deque<Ahead> ahead_;                    // appends not announced yet, the oldest first
  std::deque<JobBeat> beats_;                  // beats to be sent to the scheduler
  unsigned last_;                              // queue whose announcement was granted a lane last
  unsigned own_types_ = JobPacket::kElements;  // most kernel types in an announcement by the front end
  base::Counter inspections_, kernels_discarded_, queue_errors_;
};

}  // namespace castor::gpu
