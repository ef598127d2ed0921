#include "castor/gpu/front_end/job_table.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kJobTimeMask = (std::uint64_t{1} << 48) - 1;

JobRecord record_of(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now) {
  JobRecord record;
  record.id = packet.id;
  record.queue = queue;
  record.ticket = ticket;
  record.deadline = packet.deadline;
  record.start = packet.start;
  record.judged = now;
  record.accepted = verdict.accept;
  if (!verdict.accept) record.reason = verdict.reason;
  record.estimate = verdict.estimate;
  return record;
}

}  // namespace

JobTable::JobTable(unsigned queues, bool judged, CompletionPort& host, base::StatisticGroup& statistics)
    : judged_(judged),
      host_(host),
      jobs_(queues),
      jobs_ended_(statistics, {"jobs_ended", "", "jobs whose end a job scheduler reported"}),
      jobs_met_(statistics, {"jobs_met", "", "jobs that met their deadline"}),
      jobs_accepted_(statistics, {"jobs_accepted", "", "JOB packets that were accepted"}),
      jobs_rejected_(statistics, {"jobs_rejected", "",
                                  "JOB packets that were rejected, and accepted jobs that were dropped later"}) {
  abandon();
}

void JobTable::update(unsigned queue) {
  const std::optional<Job>& job = jobs_[queue];
  jobless_[queue] = !job;
  uncovered_[queue] = judged_ && (!job || job->left == 0);
}

void JobTable::judge(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now) {
  CASTOR_ASSERT_AT(now, !verdict.accept || !packet.append || jobs_[queue],
                   "kernels are appended to the job of queue %u, but the queue has no job", queue);
  if (verdict.accept && packet.append) {
    jobs_[queue]->left += packet.kernels;
  } else if (verdict.accept) {
    begin(queue, ticket, packet, verdict, now);
  }
  update(queue);
  if (ticket == 0) return;
  ++(verdict.accept ? jobs_accepted_ : jobs_rejected_);
  if (!verdict.accept && !packet.append) records_.push_back(record_of(queue, ticket, packet, verdict, now));
  host_.signal(queue, ticket, packet.signal,
               {verdict.accept ? JobStatus::kAccepted : JobStatus::kRejected, verdict.reason, verdict.estimate}, now);
}

void JobTable::begin(unsigned queue, Ticket ticket, const JobPacket& packet, const Verdict& verdict, Cycle now) {
  Job job;
  job.ticket = ticket;
  job.signal = packet.signal;
  job.deadline = packet.deadline;
  job.start = packet.start;
  job.left = packet.kernels;
  job.record = records_.size();
  jobs_[queue] = job;
  records_.push_back(record_of(queue, ticket, packet, verdict, now));
}

std::uint32_t JobTable::drop_job(const Verdict& verdict, Cycle now) {
  const Job job = *std::exchange(jobs_[verdict.queue], std::nullopt);
  update(verdict.queue);
  ++jobs_rejected_;
  JobRecord& record = records_[job.record];
  record.accepted = false;
  record.reason = verdict.reason;
  record.judged = now;
  if (job.ticket != 0) {
    host_.signal(verdict.queue, job.ticket, job.signal, {JobStatus::kRejected, verdict.reason, verdict.estimate}, now);
  }
  return job.left;
}

void JobTable::note_placed(Job& job, bool last, Cycle now) {
  JobRecord& record = records_[job.record];
  if (record.first_tb == 0) record.first_tb = now;
  ++record.tbs;
  if (last) job.issued = now;
}

bool JobTable::completed(unsigned queue, Cycle now) {
  Job& job = *jobs_[queue];
  JobRecord& record = records_[job.record];
  ++record.kernels;
  if (job.issued != 0) record.running += now - job.issued;
  job.issued = 0;
  if (job.left > 0) --job.left;
  update(queue);
  if (job.left > 0) return false;
  if (!judged_) ended_.push_back({static_cast<std::uint16_t>(queue), now});
  return true;
}

void JobTable::end(const JobEnd& end, Cycle now) {
  ++jobs_ended_;
  jobs_met_ += end.met ? 1 : 0;
  if (!jobs_[end.queue]) return;
  const Job job = *std::exchange(jobs_[end.queue], std::nullopt);
  update(end.queue);
  JobRecord& record = records_[job.record];
  record.done = now - 1;
  record.met = end.met;
  if (job.ticket == 0) return;
  host_.signal(end.queue, job.ticket, job.signal, {end.met ? JobStatus::kDone : JobStatus::kDoneLate, 0, end.latency},
               now);
}

// Returns the end record of a job on a machine without a scheduler that judges: its latency, and whether it met the
// deadline.
JobEnd JobTable::end_of(const Ended& ended) const {
  const Job& job = *jobs_[ended.queue];
  const std::uint64_t took = (ended.kernel - job.start) & kJobTimeMask;
  JobEnd end;
  end.queue = ended.queue;
  end.latency = took >> 47 != 0 ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(took, 0xfffffffe));
  end.met = job.deadline == JobPacket::kNoDeadline || end.latency <= job.deadline;
  return end;
}

void JobTable::report_ends(Cycle now) {
  while (!ended_.empty() && ended_.front().kernel < now) {
    const Ended ended = ended_.front();
    ended_.pop_front();
    end(end_of(ended), now);
  }
}

void JobTable::report_end(unsigned queue, Cycle now) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) { return one.queue == queue; });
  if (found == ended_.end()) return;
  const Ended ended = *found;
  ended_.erase(found);
  end(end_of(ended), now);
}

void JobTable::abandon() {
  std::fill(jobs_.begin(), jobs_.end(), std::nullopt);
  ended_.clear();
  jobless_.set();
  uncovered_.reset();
  if (judged_) uncovered_.set();
}

}  // namespace castor::gpu
