// Jobs: JOB packets, what the inspector announces, verdicts, ends (docs/gpu.md, "Jobs").

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/front_end/jobs.h"
#include "castor/gpu/job_check.h"
#include "castor/gpu/occupancy.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 48) - 1;
constexpr std::size_t kMostBeats = 31;  // that a header can announce
constexpr std::uint32_t kMostTbs = 0xffffff;
constexpr std::uint8_t kBadList = 4, kNoJob = 7;  // reasons of a verdict

// Adds thread blocks of a kernel type to a list that has an element per type.
void add_tbs(std::vector<JobElement>& list, std::uint8_t kid, std::uint64_t tbs) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const JobElement& element) { return element.kid == kid; });
  const auto more = static_cast<std::uint32_t>(std::min<std::uint64_t>(tbs, kMostTbs));
  if (found == list.end()) {
    list.push_back({kid, more});
  } else {
    found->tbs = std::min(found->tbs + more, kMostTbs);
  }
}

// What nobody judges ends by the clock: latency, and whether that is within the deadline.
JobEnd end_of(const Jobs::Job& job, const Jobs::Ended& ended) {
  const std::uint64_t took = (ended.kernel - job.start) & kTimeMask;
  JobEnd end;
  end.queue = ended.queue;
  end.latency = took >> 47 != 0 ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(took, 0xfffffffe));
  end.met = job.deadline == JobPacket::kNoDeadline || end.latency <= job.deadline;
  return end;
}

}  // namespace

Jobs& FrontEnd::jobs() {
  if (!jobs_) jobs_ = std::make_unique<Jobs>(queues_.count(), judges());
  return *jobs_;
}

const std::vector<JobRecord>& FrontEnd::job_records() const {
  static const std::vector<JobRecord> none;
  return jobs_ ? jobs_->records : none;
}

// Kernels at heads of queues that may be granted.
QueueMask FrontEnd::grantable() const { return jobs_ ? queues_.kernels() & ~jobs_->withheld : queues_.kernels(); }

void FrontEnd::update_withheld(unsigned queue) {
  const Jobs::Queue& state = jobs_->queues[queue];
  jobs_->discarding[queue] = state.discard != 0;
  jobs_->jobless[queue] = !state.job;
  jobs_->withheld[queue] = state.error || state.discard != 0 || (jobs_->judges && (!state.job || state.job->left == 0));
}

// A packet has come into a queue, behind others if it was not empty.
void FrontEnd::note_packet(unsigned queue, const Packet& packet, Ticket ticket, Cycle visible) {
  if (const auto* const job = std::get_if<JobPacket>(&packet)) {
    Jobs& state = jobs();
    if (job->append && machine_.inspect != Inspect::kOff)
      state.ahead.push_back({static_cast<std::uint16_t>(queue), ticket, visible});
  }
  if (judges()) {
    static_cast<void>(jobs());
    update_withheld(queue);
  }
}

// --- Reading --------------------------------------------------------------------------------------------------------

// Queues whose head is to be announced: JOB packets, and kernels that no job covers.
QueueMask FrontEnd::to_inspect() const {
  QueueMask set = queues_.jobs();
  if (jobs_->judges) {
    set |= queues_.kernels() & jobs_->jobless & ~jobs_->discarding & ~jobs_->refused;
  }
  return set & ~jobs_->asking & ~jobs_->errors;
}

// F8: one announcement is given a lane, in round robin over the queues; appends that wait in a live queue come first.
void FrontEnd::inspect(Cycle now) {
  if (!jobs_) return;
  serve_jobs(now);
  if (!lanes_.can_start(now)) return;
  if (const Jobs::Ahead* const append = next_ahead(now)) {
    const unsigned queue = append->queue;
    for (const QueuedPacket& packet : queues_.packets(queue)) {
      if (packet.ticket == append->ticket) return begin_inspection(queue, packet, true, now);
    }
  }
  const QueueMask set = to_inspect();
  if (set.none()) return;
  std::size_t queue = set._Find_next(jobs_->last);
  if (queue >= set.size()) queue = set._Find_first();
  jobs_->last = static_cast<unsigned>(queue);
  begin_inspection(jobs_->last, queues_.head(jobs_->last), false, now);
}

// The oldest append that can be announced now. Those that have reached the head or left are forgotten.
const Jobs::Ahead* FrontEnd::next_ahead(Cycle now) {
  auto& ahead = jobs_->ahead;
  for (std::size_t i = 0; i < ahead.size();) {
    const Jobs::Ahead& one = ahead[i];
    const auto& packets = queues_.packets(one.queue);
    const bool at_head = !packets.empty() && packets.front().ticket == one.ticket && queues_.jobs()[one.queue];
    const bool there = std::any_of(packets.begin(), packets.end(),
                                   [&](const QueuedPacket& packet) { return packet.ticket == one.ticket; });
    if (!there || at_head) {
      ahead.erase(ahead.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (one.visible < now && jobs_->queues[one.queue].job && !jobs_->asking[one.queue]) return &one;
    ++i;
  }
  return nullptr;
}

void FrontEnd::begin_inspection(unsigned queue, const QueuedPacket& packet, bool ahead, Cycle now) {
  Jobs::Ask ask;
  ask.own = packet_kind(packet.packet) == PacketKind::kKernel;
  ask.ahead = ahead;
  ask.ticket = ask.own ? 0 : packet.ticket;
  ask.visible = packet.visible;
  if (ahead) {
    auto& list = jobs_->ahead;
    list.erase(
        std::find_if(list.begin(), list.end(), [&](const Jobs::Ahead& one) { return one.ticket == ask.ticket; }));
  }
  const std::uint64_t image = packet.image;
  const bool own = ask.own;
  jobs_->queues[queue].ask = std::move(ask);
  jobs_->asking[queue] = true;
  ++statistics_.inspections;
  if (own) {
    lanes_.inspect(queue, now);
    announce_own(queue, now);
    return;
  }
  const ParseLanes::Lane& lane = lanes_.inspect(queue, image, now);
  if (lane.read) announce(queue, lane.image.data(), now);
}

// The JOB packet has been read.
void FrontEnd::announce(unsigned queue, const std::byte* image, Cycle now) {
  if (!jobs_->queues[queue].ask) return;  // dropped meanwhile
  Jobs::Ask& ask = *jobs_->queues[queue].ask;
  ask.packet = decode_job(image);
  ask.append = ask.packet.append;
  if (!is_valid(ask.packet, store_)) {
    queue_error(queue, now);
    return;
  }
  if (machine_.inspect == Inspect::kWalk) walk(queue, ask);
  submit_beats(queue, now);
}

// The list of a JOB packet, made from the kernel packets behind it.
void FrontEnd::walk(unsigned queue, Jobs::Ask& ask) const {
  ask.packet.list.clear();
  bool behind = false;
  unsigned left = ask.packet.kernels;
  for (const QueuedPacket& packet : queues_.packets(queue)) {
    if (left == 0) return;
    if (packet.ticket == ask.ticket) {
      behind = true;
      continue;
    }
    const auto* const kernel = std::get_if<KernelPacket>(&packet.packet);
    if (!behind || kernel == nullptr) continue;
    add_tbs(ask.packet.list, kernel->kid, kernel->grid.count());
    --left;
  }
}

// Kernels that nobody announced: as far as they follow each other now, a job without a deadline.
void FrontEnd::announce_own(unsigned queue, Cycle now) {
  Jobs::Ask& ask = *jobs_->queues[queue].ask;
  JobPacket& job = ask.packet;
  job.best_effort = true;
  for (const QueuedPacket& packet : queues_.packets(queue)) {
    const auto* const kernel = std::get_if<KernelPacket>(&packet.packet);
    if (std::holds_alternative<JobPacket>(packet.packet) || packet.visible >= now || job.kernels == 0xffff) break;
    if (kernel == nullptr) continue;
    std::vector<JobElement> longer = job.list;
    add_tbs(longer, kernel->kid, kernel->grid.count());
    if (longer.size() > jobs_->own_types) break;
    job.list = std::move(longer);
    ++job.kernels;
  }
  submit_beats(queue, now);
}

// Would all TBs of the first kernel behind the announcement fit at this moment?
bool FrontEnd::first_kernel_fits(unsigned queue, const Jobs::Ask& ask) const {
  bool behind = ask.own;
  for (const QueuedPacket& packet : queues_.packets(queue)) {
    behind = behind || packet.ticket == ask.ticket;
    const auto* const kernel = std::get_if<KernelPacket>(&packet.packet);
    if (!behind || kernel == nullptr) continue;
    const isa::Program& program = programs_[kernel->program].program();
    const Occupancy fit = occupancy(machine_, {static_cast<unsigned>(kernel->block.count()), program.registers,
                                               program.shared_bytes + kernel->dynamic_shared});
    const TbNeed need = {static_cast<std::uint16_t>(fit.warps_per_tb),
                         static_cast<std::uint16_t>(fit.warps_per_tb * machine_.sm.lanes),
                         static_cast<std::uint16_t>(fit.register_units), static_cast<std::uint16_t>(fit.shared_units)};
    std::uint64_t room = 0;
    for (unsigned sm = 0; sm < ledger_.sms(); ++sm) room += ledger_.room_for(sm, need);
    return room >= kernel->grid.count();
  }
  return false;
}

// Header and list go to the job scheduler, one beat per cycle; without one that judges the answer is there at once.
void FrontEnd::submit_beats(unsigned queue, Cycle now) {
  Jobs::Ask& ask = *jobs_->queues[queue].ask;
  JobPacket& job = ask.packet;
  if (job.start == 0) job.start = ask.visible & kTimeMask;
  if (job.best_effort) job.deadline = JobPacket::kNoDeadline;
  if (!jobs_->judges) {
    const bool orphan = job.append && !jobs_->queues[queue].job;
    ask.sent = true;
    ask.verdict = Verdict{static_cast<std::uint16_t>(queue), !orphan, orphan ? kNoJob : std::uint8_t{0}, 0};
    return;
  }
  JobBeat beat;
  beat.queue = static_cast<std::uint16_t>(queue);
  beat.deadline = job.deadline;
  beat.start = job.start;
  beat.append = job.append;
  beat.own = ask.own;
  const std::size_t announced = std::min(job.list.size(), kMostBeats);
  beat.kernel_types = static_cast<std::uint8_t>(announced);
  beat.fits = first_kernel_fits(queue, ask);
  jobs_->beats.push_back(beat);
  const bool packet = !ask.own && machine_.inspect != Inspect::kWalk;
  const std::size_t carried = packet ? std::min<std::size_t>(announced, JobPacket::kElements) : announced;
  for (std::size_t i = 0; i < carried; ++i) {
    JobBeat element;
    element.header = false;
    element.queue = beat.queue;
    element.kid = job.list[i].kid;
    element.groups = job.list[i].tbs;
    element.last = i + 1 == carried;
    jobs_->beats.push_back(element);
  }
  wake_at(now + 1);
}

// A JOB packet that is none: nothing of the queue is done any more.
void FrontEnd::queue_error(unsigned queue, Cycle now) {
  Jobs::Queue& state = jobs_->queues[queue];
  const JobPacket packet = state.ask->packet;
  ++statistics_.queue_errors;
  state.error = true;
  jobs_->errors[queue] = true;
  if (packet.signal != 0 && is_signal_address(packet.signal, store_)) {
    completions_.signal(queue, state.ask->ticket, packet.signal, {JobStatus::kError, 0, 0}, now);
  }
  state.ask.reset();
  jobs_->asking[queue] = false;
  update_withheld(queue);
}

// --- Verdicts -------------------------------------------------------------------------------------------------------

// The slot of the lane is over; what was announced is judged when the verdict is there too.
void FrontEnd::end_inspection(unsigned queue, Cycle now) {
  Jobs::Queue& state = jobs_->queues[queue];
  if (!state.ask) return;
  state.ask->slot_over = true;
  judge(queue, now);
}

void FrontEnd::take_verdict(const Verdict& verdict, Cycle now) {
  CASTOR_ASSERT_AT(now, verdict.queue < queues_.count(), "verdict for queue %u", verdict.queue);
  Jobs::Queue& state = jobs_->queues[verdict.queue];
  if (state.ask && state.ask->sent && !state.ask->verdict) {
    state.ask->verdict = verdict;
    judge(verdict.queue, now);
    return;
  }
  if (!verdict.accept && state.job) drop_job(verdict, now);
}

void FrontEnd::judge(unsigned queue, Cycle now) {
  Jobs::Queue& state = jobs_->queues[queue];
  if (!state.ask || !state.ask->slot_over || !state.ask->verdict) return;
  const Jobs::Ask ask = *std::exchange(state.ask, std::nullopt);
  const Verdict verdict = *ask.verdict;
  jobs_->asking[queue] = false;
  if (ask.own && !verdict.accept) {
    // Asked again with a shorter list, or when somebody has changed the scheduler's registers.
    if (verdict.reason == kBadList && jobs_->own_types > 1) {
      jobs_->own_types = 1;
    } else {
      jobs_->refused[queue] = true;
    }
    return;
  }
  const JobPacket& packet = ask.packet;
  if (!ask.own && !ask.ahead) {
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now);
    if (!verdict.accept) state.discard += packet.kernels;
  } else if (ask.ahead) {
    state.judged.push_back({ask.ticket, verdict.accept, packet.kernels});
  }
  CASTOR_ASSERT_AT(now, !verdict.accept || !ask.append || state.job, "an append to queue %u is accepted, it has no job",
                   queue);
  if (verdict.accept && ask.append) {
    state.job->left += packet.kernels;
  } else if (verdict.accept) {
    begin_job(queue, ask, now);
  }
  if (!ask.own) {
    ++(verdict.accept ? statistics_.jobs_accepted : statistics_.jobs_rejected);
    if (!verdict.accept && !ask.append) record_refusal(queue, ask, verdict, now);
    completions_.signal(
        queue, ask.ticket, packet.signal,
        {verdict.accept ? JobStatus::kAccepted : JobStatus::kRejected, verdict.reason, verdict.estimate}, now);
  }
  update_withheld(queue);
}

void FrontEnd::begin_job(unsigned queue, const Jobs::Ask& ask, Cycle now) {
  const JobPacket& packet = ask.packet;
  Jobs::Job job;
  job.own = ask.own;
  job.ticket = ask.ticket;
  job.signal = packet.signal;
  job.deadline = packet.deadline;
  job.start = packet.start;
  job.left = packet.kernels;
  job.record = jobs_->records.size();
  jobs_->queues[queue].job = job;
  JobRecord record;
  record.id = packet.id;
  record.queue = queue;
  record.ticket = ask.ticket;
  record.deadline = packet.deadline;
  record.start = packet.start;
  record.judged = now;
  record.accepted = true;
  record.estimate = ask.verdict->estimate;
  jobs_->records.push_back(record);
}

void FrontEnd::record_refusal(unsigned queue, const Jobs::Ask& ask, const Verdict& verdict, Cycle now) {
  JobRecord record;
  record.id = ask.packet.id;
  record.queue = queue;
  record.ticket = ask.ticket;
  record.deadline = ask.packet.deadline;
  record.start = ask.packet.start;
  record.judged = now;
  record.reason = verdict.reason;
  record.estimate = verdict.estimate;
  jobs_->records.push_back(record);
}

// The scheduler has given up a job that it had admitted: none of its TBs was placed.
void FrontEnd::drop_job(const Verdict& verdict, Cycle now) {
  const unsigned queue = verdict.queue;
  Jobs::Queue& state = jobs_->queues[queue];
  const Jobs::Job job = *std::exchange(state.job, std::nullopt);
  ++statistics_.jobs_rejected;
  state.discard += job.left;
  JobRecord& record = jobs_->records[job.record];
  record.accepted = false;
  record.reason = verdict.reason;
  record.judged = now;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree || kernel.context.queue != queue) continue;
    --state.discard;
    table_.give_up(entry);
    if (kernel.state != EntryState::kWritten) continue;
    ledger_.unwatch(entry);
    dispatcher_.remove(entry);
    table_.drop_rest(entry);
  }
  if (!job.own) {
    completions_.signal(queue, job.ticket, job.signal, {JobStatus::kRejected, verdict.reason, verdict.estimate}, now);
  }
  update_withheld(queue);
}

// --- Kernels of jobs ------------------------------------------------------------------------------------------------

// Heads of queues whose job was refused, of queues in error, and appends that were answered before.
void FrontEnd::serve_jobs(Cycle now) {
  while (!jobs_->ended.empty() && jobs_->ended.front().kernel < now) {
    const Jobs::Ended ended = jobs_->ended.front();
    jobs_->ended.pop_front();
    end_job(end_of(*jobs_->queues[ended.queue].job, ended), now);
  }
  QueueMask heads = queues_.kernels() & jobs_->discarding;
  for (std::size_t queue = heads._Find_first(); queue < heads.size(); queue = heads._Find_next(queue)) {
    Jobs::Queue& state = jobs_->queues[queue];
    const auto index = static_cast<unsigned>(queue);
    const Ticket ticket = queues_.take(index, QueueState::kReady, now).ticket;
    ++statistics_.kernels_discarded;
    --state.discard;
    completions_.finish(index, ticket, now, PacketEnd::kDiscarded);
    update_withheld(index);
  }
  heads = queues_.jobs() & ~jobs_->asking;
  for (std::size_t queue = heads._Find_first(); queue < heads.size(); queue = heads._Find_next(queue)) {
    Jobs::Queue& state = jobs_->queues[queue];
    const auto index = static_cast<unsigned>(queue);
    if (state.judged.empty() || state.judged.front().ticket != queues_.head(index).ticket) continue;
    const Jobs::Judged judged = state.judged.front();
    state.judged.pop_front();
    if (!judged.accepted) state.discard += judged.kernels;
    completions_.finish(index, queues_.take(index, QueueState::kReady, now).ticket, now);
    update_withheld(index);
  }
  heads = (queues_.jobs() | queues_.kernels()) & jobs_->errors;
  for (std::size_t queue = heads._Find_first(); queue < heads.size(); queue = heads._Find_next(queue)) {
    const auto index = static_cast<unsigned>(queue);
    completions_.finish(index, queues_.take(index, QueueState::kReady, now).ticket, now, PacketEnd::kDiscarded);
  }
}

// A JOB packet on a machine without an inspector: nobody judges it, it takes no lane.
void FrontEnd::serve_unread_job(unsigned queue, const JobPacket& packet, Cycle now) {
  // Streams may share the queue. The end of the job before is told before this one takes its place; `inspect`, which
  // tells ends, comes later in a cycle.
  std::deque<Jobs::Ended>& all = jobs().ended;
  const auto before = std::find_if(all.begin(), all.end(), [&](const auto& ended) { return ended.queue == queue; });
  if (before != all.end()) {
    const Jobs::Ended ended = *before;
    all.erase(before);
    end_job(end_of(*jobs_->queues[queue].job, ended), now);
  }
  Jobs::Ask ask;
  ask.ticket = queues_.head(queue).ticket;
  ask.visible = queues_.head(queue).visible;
  Jobs& state = jobs();
  state.queues[queue].ask = std::move(ask);
  state.asking[queue] = true;
  const PacketImage image = encode(packet);
  announce(queue, image.data(), now);
  if (state.queues[queue].error) {
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kDiscarded);
    return;
  }
  end_inspection(queue, now);
}

// A kernel completes only when it is known whether an append that was announced is still in time.
bool FrontEnd::waits_for_append(unsigned entry) const {
  const Jobs::Queue& state = jobs_->queues[table_[entry].context.queue];
  return state.job && state.job->left == 1 && state.ask && state.ask->ahead && state.ask->sent;
}

// Was this the last kernel of the queue's job? Of a queue without jobs: is the queue empty?
bool FrontEnd::last_of_job(unsigned queue, Cycle now) {
  if (!jobs_ || !jobs_->queues[queue].job) return queues_.size(queue) == 0;
  Jobs::Queue& state = jobs_->queues[queue];
  Jobs::Job& job = *state.job;
  JobRecord& record = jobs_->records[job.record];
  ++record.kernels;
  if (job.issued != 0) record.running += now - job.issued;
  job.issued = 0;
  if (job.left > 0) --job.left;
  update_withheld(queue);
  if (job.left > 0) return false;
  if (!jobs_->judges) jobs_->ended.push_back({static_cast<std::uint16_t>(queue), now});
  return true;
}

void FrontEnd::note_placed(unsigned queue, bool last, Cycle now) {
  if (!jobs_->queues[queue].job) return;
  Jobs::Job& job = *jobs_->queues[queue].job;
  JobRecord& record = jobs_->records[job.record];
  if (record.first_tb == 0) record.first_tb = now;
  ++record.tbs;
  if (last) job.issued = now;
}

void FrontEnd::end_job(const JobEnd& end, Cycle now) {
  ++statistics_.jobs_ended;
  statistics_.jobs_met += end.met ? 1 : 0;
  if (!jobs_ || !jobs_->queues[end.queue].job) return;
  const Jobs::Job job = *std::exchange(jobs_->queues[end.queue].job, std::nullopt);
  JobRecord& record = jobs_->records[job.record];
  record.done = now - 1;
  record.met = end.met;
  if (!job.own) {
    completions_.signal(end.queue, job.ticket, job.signal,
                        {end.met ? JobStatus::kDone : JobStatus::kDoneLate, 0, end.latency}, now);
  }
  update_withheld(end.queue);
}

// First cycle after `now` in which jobs have something to do while nothing else happens.
Cycle FrontEnd::next_job(Cycle now) const {
  Cycle next = kForever;
  if (!jobs_->beats.empty() || !jobs_->ended.empty()) return now + 1;
  const QueueMask heads = queues_.kernels() | queues_.jobs();
  if ((heads & (jobs_->discarding | jobs_->errors)).any()) return now + 1;
  const QueueMask answered = queues_.jobs() & ~jobs_->asking;
  for (std::size_t queue = answered._Find_first(); queue < answered.size(); queue = answered._Find_next(queue)) {
    const auto& judged = jobs_->queues[queue].judged;
    if (!judged.empty() && judged.front().ticket == queues_.head(static_cast<unsigned>(queue)).ticket) return now + 1;
  }
  if (lanes_.full()) return next;
  if (to_inspect().any()) next = std::max(lanes_.next_start(), now + 1);
  for (const Jobs::Ahead& one : jobs_->ahead) {
    if (!jobs_->queues[one.queue].job || jobs_->asking[one.queue]) continue;
    next = std::min(next, std::max({lanes_.next_start(), one.visible + 1, now + 1}));
  }
  return next;
}

void FrontEnd::reset_jobs() {
  if (!judges()) return;
  scheduler_.reset();
  if (policy_.on()) policy_.reset();
}

// Everything that was announced is forgotten; lanes that still read it end without effect.
void FrontEnd::abandon_jobs() {
  if (!jobs_) return;
  std::vector<JobRecord> records = std::move(jobs_->records);
  jobs_ = std::make_unique<Jobs>(queues_.count(), judges());
  jobs_->records = std::move(records);
  for (unsigned queue = 0; queue < queues_.count(); ++queue) update_withheld(queue);
}

}  // namespace castor::gpu
