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
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// An announcement, from the lane that reads it to its verdict.
struct Announcement {
  bool own = false;    ///< made by the front end for kernels that nobody announced
  bool ahead = false;  ///< the packet is not at the head of its queue
  bool sent = false;   ///< its header has gone to the job scheduler
  bool slot_over = false;
  Ticket ticket = 0;  ///< of the JOB packet; own: 0
  Cycle visible = 0;  ///< doorbell
  JobPacket packet;
  std::optional<Verdict> verdict;
};

/// The inspector (docs/gpu/jobs.md, "Jobs"): announces JOB packets, and kernels that no job covers, to a job scheduler
/// that judges, takes the verdicts, and drops from their queues what was refused. What is accepted goes to the job
/// table.
///
/// A queue has one announcement at a time: it takes a lane, is read (`announce`, F1), goes out beat by beat (`beat`,
/// `take_beat`, F8), is answered (`answer`, F8), and is judged when its slot of the lane is over too (`slot_over`, F8).
/// `step` in F8, behind the other heads and before a kernel is granted: ends of jobs, heads that are dropped or were
/// answered before, and one announcement that is given a lane.
class JobInspector {
 public:
  JobInspector(const Machine& machine, const Store& store, const ProgramTable& programs, const Ledger& ledger,
               Queues& queues, ParseLanes& lanes, JobTable& jobs, CompletionPort& host,
               base::StatisticGroup& statistics);

  /// A packet comes into a queue, behind others if it is not empty; before `Queues::push`.
  void submitted(unsigned queue, const Packet& packet, Ticket ticket, Cycle visible);
  /// The JOB packet of a queue's announcement has been read.
  void announce(unsigned queue, const std::byte* image, Cycle now);
  void step(Cycle now) {
    if (in_use_) work(now);
  }
  void slot_over(unsigned queue, Cycle now);
  /// A JOB packet at its head, on a machine that does not inspect: it takes no lane.
  void serve_unread(unsigned queue, const JobPacket& packet, Cycle now);

  /// Verdicts are taken, beats sent.
  [[nodiscard]] bool judging() const { return in_use_ && jobs_.judged(); }
  /// The oldest beat that was not taken.
  [[nodiscard]] Maybe<JobBeat> beat() const { return beats_.empty() ? std::nullopt : Maybe<JobBeat>(beats_.front()); }
  void take_beat();
  /// False if it answers no announcement: with a rejection the scheduler then drops the queue's job.
  [[nodiscard]] bool answer(const Verdict& verdict, Cycle now);
  /// The scheduler drops the queue's job; `in_table` of its kernels are in the kernel table.
  void give_up(const Verdict& verdict, std::uint32_t in_table, Cycle now);
  /// Registers of the scheduler have changed: what it refused to hear of is announced again.
  void registers_changed() { refused_.reset(); }

  /// Queues whose kernels may not be granted.
  [[nodiscard]] QueueMask withheld() const { return discarding_ | errors_ | jobs_.uncovered(); }
  /// Queues whose kernels at their heads may be granted.
  [[nodiscard]] QueueMask grantable() const { return queues_.kernels() & ~withheld(); }
  /// A kernel of the queue must not complete before the verdict on an append that has gone out.
  [[nodiscard]] bool holds(unsigned queue) const {
    const std::optional<Announcement>& ask = state_[queue].ask;
    return ask && ask->ahead && ask->sent && jobs_.one_left(queue);
  }
  [[nodiscard]] bool asking(unsigned queue) const { return asking_[queue]; }
  /// An announcement of the queue's kernels was refused.
  [[nodiscard]] bool refused(unsigned queue) const { return refused_[queue]; }
  /// First cycle after `now` in which `step` has something to do while nothing else happens.
  [[nodiscard]] Cycle next(Cycle now) const { return in_use_ ? next_work(now) : kForever; }

  /// Everything that was announced is forgotten; lanes that still read it end without effect.
  void abandon();

 private:
  struct Judged {
    Ticket ticket = 0;
    bool accepted = false;
    std::uint16_t kernels = 0;
  };
  struct PerQueue {
    std::optional<Announcement> ask;
    std::uint32_t discard = 0;  ///< kernels to be dropped when they reach the head
    std::deque<Judged> judged;  ///< appends answered before they reached the head
  };
  /// An append that is in a queue behind others.
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

  const Machine& machine_;
  const Store& store_;
  const ProgramTable& programs_;
  const Ledger& ledger_;
  Queues& queues_;
  ParseLanes& lanes_;
  JobTable& jobs_;
  CompletionPort& host_;

  bool in_use_ = false;  // there has been a JOB packet, or a packet while somebody judges
  std::vector<PerQueue> state_;
  QueueMask asking_;      // queues with an ask
  QueueMask discarding_;  // queues with kernels to be dropped
  QueueMask errors_;      // queues of which nothing is done any more
  QueueMask refused_;
  std::deque<Ahead> ahead_;
  std::deque<JobBeat> beats_;
  unsigned last_;  // queue whose announcement was given a lane last
  unsigned own_types_ = JobPacket::kElements;
  base::Counter inspections_, kernels_discarded_, queue_errors_;
};

}  // namespace castor::gpu
