#include "castor/gpu/front_end/job_inspector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/job_check.h"
#include "castor/gpu/occupancy.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kStartMask = (std::uint64_t{1} << 48) - 1;
constexpr std::size_t kMostBeats = 31;  // most list beats that a header can announce
constexpr std::uint32_t kMostTbs = 0xffffff;
constexpr std::uint8_t kBadList = 4, kNoJob = 7;  // reasons of a rejection

// Adds thread blocks of a kernel type to a list that has one element per type.
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

}  // namespace

JobInspector::JobInspector(const Machine& machine, const Store& store, const ProgramTable& programs,
                           const Ledger& ledger, Queues& queues, ParseLanes& lanes, JobTable& jobs,
                           CompletionPort& host, base::StatisticGroup& statistics)
    : machine_(machine),
      store_(store),
      programs_(programs),
      ledger_(ledger),
      queues_(queues),
      lanes_(lanes),
      jobs_(jobs),
      host_(host),
      state_(machine.queue.count),
      last_(machine.queue.count - 1),
      inspections_(statistics, {"inspections", "", "times that a parse lane was used to announce a job"}),
      kernels_discarded_(statistics, {"kernels_discarded", "", "kernels that were dropped with their job"}),
      queue_errors_(statistics, {"queue_errors", "", "queues stopped by an invalid JOB packet"}) {}

void JobInspector::submitted(unsigned queue, const Packet& packet, Ticket ticket, Cycle visible) {
  const auto* const job = std::get_if<JobPacket>(&packet);
  if (job != nullptr && job->append && machine_.inspect != Inspect::kOff) {
    ahead_.push_back({static_cast<std::uint16_t>(queue), ticket, visible});
  }
  in_use_ = in_use_ || job != nullptr || jobs_.judged();
}

// --- Announcements --------------------------------------------------------------------------------------------------

// Returns the queues whose head must be announced: JOB packets, and kernels that belong to no job.
QueueMask JobInspector::to_inspect() const {
  QueueMask set = queues_.jobs();
  if (jobs_.judged()) set |= queues_.kernels() & jobs_.jobless() & ~discarding_ & ~refused_;
  return set & ~announcing_ & ~errors_;
}

// Ends and drops jobs, then gives a lane to one announcement, in round robin over the queues. Appends behind the head
// of a queue with a job have priority.
void JobInspector::work(Cycle now) {
  jobs_.report_ends(now);
  drop_discarded(now);
  pass_answered(now);
  drop_of_failed(now);
  if (!lanes_.can_start(now)) return;
  if (const Ahead* const append = next_ahead(now)) {
    const unsigned queue = append->queue;
    for (const QueuedPacket& packet : queues_.packets(queue)) {
      if (packet.ticket == append->ticket) return begin(queue, packet, true, now);
    }
  }
  const QueueMask set = to_inspect();
  if (set.none()) return;
  std::size_t queue = set._Find_next(last_);
  if (queue >= set.size()) queue = set._Find_first();
  last_ = static_cast<unsigned>(queue);
  begin(last_, queues_.head(last_), false, now);
}

// Returns the oldest append that can be announced now, or null. Appends that have reached the head or left their queue
// are removed from the list.
const JobInspector::Ahead* JobInspector::next_ahead(Cycle now) {
  for (std::size_t i = 0; i < ahead_.size();) {
    const Ahead& one = ahead_[i];
    const auto& packets = queues_.packets(one.queue);
    const bool at_head = !packets.empty() && packets.front().ticket == one.ticket && queues_.jobs()[one.queue];
    const bool there = std::any_of(packets.begin(), packets.end(),
                                   [&](const QueuedPacket& packet) { return packet.ticket == one.ticket; });
    if (!there || at_head) {
      ahead_.erase(ahead_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (one.visible < now && jobs_.has(one.queue) && !announcing_[one.queue]) return &one;
    ++i;
  }
  return nullptr;
}

void JobInspector::begin(unsigned queue, const QueuedPacket& packet, bool ahead, Cycle now) {
  const bool own = packet_kind(packet.packet) == PacketKind::kKernel;
  Announcement& ask = state_[queue].ask.emplace();
  ask.own = own;
  ask.ahead = ahead;
  ask.ticket = own ? 0 : packet.ticket;
  ask.visible = packet.visible;
  if (ahead) {
    ahead_.erase(
        std::find_if(ahead_.begin(), ahead_.end(), [&](const Ahead& one) { return one.ticket == packet.ticket; }));
  }
  announcing_[queue] = true;
  ++inspections_;
  if (own) {
    lanes_.inspect(queue, now);
    announce_own(queue, now);
    return;
  }
  const ParseLanes::Lane& lane = lanes_.inspect(queue, packet.image, now);
  if (lane.read) announce(queue, lane.image.data(), now);
}

void JobInspector::announce(unsigned queue, const std::byte* image, Cycle now) {
  if (!state_[queue].ask) return;  // the announcement was dropped while its packet was read
  Announcement& ask = *state_[queue].ask;
  ask.packet = decode_job(image);
  if (!is_valid(ask.packet, store_)) {
    fail_queue(queue, now);
    return;
  }
  if (machine_.inspect == Inspect::kWalk) walk(queue, ask);
  submit_beats(queue);
}

// Fills the list of a JOB packet from the kernel packets behind it in the queue.
void JobInspector::walk(unsigned queue, Announcement& ask) const {
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

// Announces kernels that no JOB packet announced: the consecutive kernels at the head of the queue become a job without
// a deadline.
void JobInspector::announce_own(unsigned queue, Cycle now) {
  JobPacket& job = state_[queue].ask->packet;
  job.best_effort = true;
  for (const QueuedPacket& packet : queues_.packets(queue)) {
    const auto* const kernel = std::get_if<KernelPacket>(&packet.packet);
    if (std::holds_alternative<JobPacket>(packet.packet) || packet.visible >= now || job.kernels == 0xffff) break;
    if (kernel == nullptr) continue;
    std::vector<JobElement> longer = job.list;
    add_tbs(longer, kernel->kid, kernel->grid.count());
    if (longer.size() > own_types_) break;
    job.list = std::move(longer);
    ++job.kernels;
  }
  submit_beats(queue);
}

// Returns whether all TBs of the first kernel behind the announcement would fit on the SMs now.
bool JobInspector::first_kernel_fits(unsigned queue, const Announcement& ask) const {
  bool behind = ask.own;
  for (const QueuedPacket& packet : queues_.packets(queue)) {
    behind = behind || packet.ticket == ask.ticket;
    const auto* const kernel = std::get_if<KernelPacket>(&packet.packet);
    if (!behind || kernel == nullptr) continue;
    const isa::Program& program = programs_[kernel->program].program();
    const TbNeed need =
        need_of(machine_, occupancy(machine_, {static_cast<unsigned>(kernel->block.count()), program.registers,
                                               program.shared_bytes + kernel->dynamic_shared}));
    std::uint64_t room = 0;
    for (unsigned sm = 0; sm < ledger_.sms(); ++sm) room += ledger_.room_for(sm, need);
    return room >= kernel->grid.count();
  }
  return false;
}

// Queues header and list elements as beats for the job scheduler, one beat per cycle. Without a scheduler that judges,
// the verdict is given at once.
void JobInspector::submit_beats(unsigned queue) {
  Announcement& ask = *state_[queue].ask;
  JobPacket& job = ask.packet;
  if (job.start == 0) job.start = ask.visible & kStartMask;
  if (job.best_effort) job.deadline = JobPacket::kNoDeadline;
  if (!jobs_.judged()) {
    const bool orphan = job.append && !jobs_.has(queue);
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
  beats_.push_back(beat);
  const bool packet = !ask.own && machine_.inspect != Inspect::kWalk;
  const std::size_t carried = packet ? std::min<std::size_t>(announced, JobPacket::kElements) : announced;
  for (std::size_t i = 0; i < carried; ++i) {
    JobBeat element;
    element.header = false;
    element.queue = beat.queue;
    element.kid = job.list[i].kid;
    element.groups = job.list[i].tbs;
    element.last = i + 1 == carried;
    beats_.push_back(element);
  }
}

void JobInspector::take_beat() {
  const JobBeat& beat = beats_.front();
  if (beat.header && state_[beat.queue].ask) state_[beat.queue].ask->sent = true;
  beats_.pop_front();
}

// Stops a queue whose JOB packet is invalid: its packets are dropped from then on.
void JobInspector::fail_queue(unsigned queue, Cycle now) {
  const Announcement ask = *std::exchange(state_[queue].ask, std::nullopt);
  announcing_[queue] = false;
  errors_[queue] = true;
  ++queue_errors_;
  if (ask.packet.signal != 0 && is_signal_address(ask.packet.signal, store_)) {
    host_.signal(queue, ask.ticket, ask.packet.signal, {JobStatus::kError, 0, 0}, now);
  }
}

// --- Verdicts -------------------------------------------------------------------------------------------------------

// Ends the announcement's time in its lane. The announcement is judged if its verdict has arrived, and otherwise when
// it arrives.
void JobInspector::slot_over(unsigned queue, Cycle now) {
  std::optional<Announcement>& ask = state_[queue].ask;
  if (!ask) return;
  ask->slot_over = true;
  judge(queue, now);
}

bool JobInspector::answer(const Verdict& verdict, Cycle now) {
  CASTOR_ASSERT_AT(now, verdict.queue < queues_.count(), "verdict for queue %u", verdict.queue);
  std::optional<Announcement>& ask = state_[verdict.queue].ask;
  if (!ask || !ask->sent || ask->verdict) return false;
  ask->verdict = verdict;
  judge(verdict.queue, now);
  return true;
}

void JobInspector::judge(unsigned queue, Cycle now) {
  PerQueue& state = state_[queue];
  if (!state.ask || !state.ask->slot_over || !state.ask->verdict) return;
  const Announcement ask = *std::exchange(state.ask, std::nullopt);
  const Verdict& verdict = *ask.verdict;
  announcing_[queue] = false;
  if (ask.own && !verdict.accept) {
    // The kernels are announced again: with a shorter list, or later, when the host has changed the scheduler's
    // registers.
    if (verdict.reason == kBadList && own_types_ > 1) {
      own_types_ = 1;
    } else {
      refused_[queue] = true;
    }
    return;
  }
  if (!ask.own && !ask.ahead) {
    host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now);
    if (!verdict.accept) discard(queue, ask.packet.kernels);
  } else if (ask.ahead) {
    state.judged.push_back({ask.ticket, verdict.accept, ask.packet.kernels});
  }
  jobs_.judge(queue, ask.ticket, ask.packet, verdict, now);
}

void JobInspector::drop_job(const Verdict& verdict, std::uint32_t in_table, Cycle now) {
  discard(verdict.queue, jobs_.drop_job(verdict, now) - in_table);
}

// --- Heads of queues ------------------------------------------------------------------------------------------------

void JobInspector::discard(unsigned queue, std::uint32_t kernels) {
  state_[queue].discard += kernels;
  discarding_[queue] = state_[queue].discard != 0;
}

// Drops kernels of rejected jobs that have reached the heads of their queues.
void JobInspector::drop_discarded(Cycle now) {
  const QueueMask heads = queues_.kernels() & discarding_;
  for (std::size_t i = heads._Find_first(); i < heads.size(); i = heads._Find_next(i)) {
    const auto queue = static_cast<unsigned>(i);
    ++kernels_discarded_;
    host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kDiscarded);
    discarding_[queue] = --state_[queue].discard != 0;
  }
}

// Completes appends that were judged before they reached the heads of their queues and are at the heads now.
void JobInspector::pass_answered(Cycle now) {
  const QueueMask heads = queues_.jobs() & ~announcing_;
  for (std::size_t i = heads._Find_first(); i < heads.size(); i = heads._Find_next(i)) {
    const auto queue = static_cast<unsigned>(i);
    std::deque<Judged>& all = state_[queue].judged;
    if (all.empty() || all.front().ticket != queues_.head(queue).ticket) continue;
    const Judged judged = all.front();
    all.pop_front();
    if (!judged.accepted) discard(queue, judged.kernels);
    host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now);
  }
}

void JobInspector::drop_of_failed(Cycle now) {
  const QueueMask heads = (queues_.jobs() | queues_.kernels()) & errors_;
  for (std::size_t i = heads._Find_first(); i < heads.size(); i = heads._Find_next(i)) {
    const auto queue = static_cast<unsigned>(i);
    host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kDiscarded);
  }
}

void JobInspector::serve_unread(unsigned queue, const JobPacket& packet, Cycle now) {
  // Streams may share the queue. The end of the previous job is reported before this job replaces it, because `step`,
  // which reports ends, is called later in the cycle.
  jobs_.report_end(queue, now);
  Announcement& ask = state_[queue].ask.emplace();
  ask.ticket = queues_.head(queue).ticket;
  ask.visible = queues_.head(queue).visible;
  announcing_[queue] = true;
  const PacketImage image = encode(packet);
  announce(queue, image.data(), now);
  if (errors_[queue]) {
    host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kDiscarded);
    return;
  }
  slot_over(queue, now);
}

Cycle JobInspector::next_work(Cycle now) const {
  if (!beats_.empty() || jobs_.ending()) return now + 1;
  const QueueMask heads = queues_.kernels() | queues_.jobs();
  if ((heads & (discarding_ | errors_)).any()) return now + 1;
  const QueueMask answered = queues_.jobs() & ~announcing_;
  for (std::size_t queue = answered._Find_first(); queue < answered.size(); queue = answered._Find_next(queue)) {
    const auto& judged = state_[queue].judged;
    if (!judged.empty() && judged.front().ticket == queues_.head(static_cast<unsigned>(queue)).ticket) return now + 1;
  }
  if (lanes_.full()) return kForever;
  Cycle next = to_inspect().any() ? std::max(lanes_.next_start(), now + 1) : kForever;
  for (const Ahead& one : ahead_) {
    if (!jobs_.has(one.queue) || announcing_[one.queue]) continue;
    next = std::min(next, std::max({lanes_.next_start(), one.visible + 1, now + 1}));
  }
  return next;
}

void JobInspector::abandon() {
  std::fill(state_.begin(), state_.end(), PerQueue());
  for (QueueMask* const set : {&announcing_, &discarding_, &errors_, &refused_}) set->reset();
  ahead_.clear();
  beats_.clear();
  last_ = queues_.count() - 1;
  own_types_ = JobPacket::kElements;
}

}  // namespace castor::gpu
