#include "tb/lax/environment.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

constexpr U32 kNoDeadline = 0xFFFFFFFF;
constexpr U32 kMostGroups = 0xFFFFFF;
constexpr U64 kTimeMask = twin::mask(48);

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params),
      knobs_(knobs),
      rng_(seed),
      registers_(params_, knobs_, rng_),
      queues_(knobs.queues == 0 ? params.NumQueues : std::min<unsigned>(knobs.queues, params.NumQueues)),
      types_(knobs.kernel_types == 0 ? params.NumKt : std::min<unsigned>(knobs.kernel_types, params.NumKt)),
      queue_mask_(params.NumQueues - 1),
      lanes_used_(std::clamp(knobs.parse_lanes, 1U, 8U)),
      free_slots_(knobs.slots) {}

void Environment::drive(Inputs& in) {
  in = Inputs{};
  cycle_ = next_++;
  if (knobs_.leap != 0 && chance(knobs_.leap)) {
    leapt_ += leap(knobs_.now + cycle_ + leapt_);
  }
  now_ = (knobs_.now + cycle_ + leapt_) & kTimeMask;
  if (cycle_ < rest_until_) {
    in.adm_ready = resting_.adm_ready;
    in.pe_vec = resting_.pe_vec;
    in.de_vec = resting_.de_vec;
    in.df_vec = resting_.df_vec;
    in.now = now_;
    return;
  }
  in.now = now_;
  drive_submission(in);
  if (cycle_ >= stall_until_) {
    if (chance(knobs_.adm_stall)) stall_until_ = cycle_ + knobs_.adm_stall_cycles;
    in.adm_ready = chance(knobs_.adm_ready) ? 1 : 0;
  }
  drive_device(in);
  acknowledging_ = ended_.empty() ? -1 : ended_[draw(ended_.size())];
  const base::Cycle running = cycle_ - timer_zero_;
  const bool ticks = knobs_.reset_at_tick && running != 0 && running % knobs_.update_period == 0 && draw(2) == 0;
  if ((ticks || cycle_ >= reset_at_) && registers_.configured() && !registers_.active()) {
    registers_.ask({true, reg::kControl, registers_.control() | reg::kSoftReset});
    reset_at_ = base::kForever;
  }
  registers_.drive(in, acknowledging_);
}

// Cycles by which `now` jumps ahead from `from`.
U64 Environment::leap(U64 from) {
  switch (knobs_.leap_kind) {
    case Leap::kAny:
      return rng_.below(U64{1} << (1 + rng_.below(knobs_.leap_bits)));
    case Leap::kPower:
      return U64{1} << rng_.below(knobs_.leap_bits);
    case Leap::kBorder: {
      // An odd multiple: one bit rises, all below it fall.
      const U64 border = U64{1} << (12 + rng_.below(knobs_.leap_bits - 12));
      const U64 ahead = (border - from) & (2 * border - 1);
      return ahead - std::min(ahead, rng_.below(128));
    }
    default:
      return rng_.below(U64{1} << knobs_.leap_bits);
  }
}

// Starts and ends of updates are seen from outside; what follows them is hit by a reset after a short while.
void Environment::aim_resets(const Outputs& out) {
  const bool busy = out.upd_busy != 0;
  if (busy != update_seen_ && chance(knobs_.reset_after_update)) {
    reset_at_ = cycle_ + draw(draw(2) == 0 ? 60 : 2 * params_.NumQueues);
  }
  update_seen_ = busy;
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (out.adm_valid != 0 && in.adm_ready != 0) verdict(out.adm_qid, out.adm_accept != 0, out.adm_reason);
  if (cycle_ < rest_until_) return;
  observe_submission(out, in);
  observe_device(out, in);
  const bool reset = registers_.resets(out, in);
  const RegisterDriver::Done done = registers_.observe(out, in);
  if (done.valid && done.error == 0) {
    const unsigned address = done.access.address;
    if (!done.access.write && address == reg::kVerdictPop && (done.data >> 31U) != 0) {
      verdict(done.data & queue_mask_, ((done.data >> 8U) & 1U) != 0, (done.data >> 9U) & 7U);
    }
    if (done.access.write && address >= reg::kQueueState && address < reg::kQueueState + 4 * params_.NumQueues) {
      const unsigned q = (address - reg::kQueueState) / 4;
      ended_.erase(std::remove(ended_.begin(), ended_.end(), q), ended_.end());
      if (queue_[q].host == Host::kEnded) queue_[q].host = Host::kFree;
    }
  }
  if (knobs_.break_rule != 0 && chance(knobs_.break_rule)) break_a_rule(out, in);
  if (knobs_.foreign != 0 && in.wgc_valid == 0 && chance(knobs_.foreign)) complete_foreign(in);
  if (knobs_.reset_after_update != 0) aim_resets(out);
  if (in.reg_req != 0 && out.reg_ack == 0 && in.reg_we != 0 && in.reg_addr == reg::kControl) timer_zero_ = cycle_;
  if (reset) forget_all();
  if (knobs_.rest != 0 && chance(knobs_.rest)) fall_asleep(out, in);
}

// Events that are due, completions and parses wait until it is over.
void Environment::fall_asleep(const Outputs& out, const Inputs& in) {
  const bool asks = registers_.active() || (in.reg_req != 0 && out.reg_ack == 0);
  if (port_ != Port::kIdle || asks || !registers_.configured()) return;
  rest_until_ = cycle_ + 1 + draw(knobs_.rest_cycles);
  resting_ = in;
}

// ---- host ---------------------------------------------------------------------------------------------------------

void Environment::drive_submission(Inputs& in) {
  if (port_ == Port::kIdle) {
    if (waiting_.empty()) new_submission();
    if (!waiting_.empty()) {
      sent_ = std::move(waiting_.front());
      waiting_.pop_front();
      port_ = Port::kHeader;
    }
  }
  if (port_ == Port::kHeader) {
    in.js_valid = 1;
    in.js_qid = sent_.queue;
    in.js_deadline = sent_.deadline;
    in.js_start = sent_.start;
    in.js_nkt = sent_.announced;
    in.js_append = sent_.append ? 1 : 0;
    in.js_fits = sent_.fits ? 1 : 0;
  } else if (port_ == Port::kBeats) {
    beat_offered_ = beat_offered_ || chance(knobs_.beat);
    if (!beat_offered_) return;
    in.wl_valid = 1;
    in.wl_kid = sent_.beats[beat_].kid;
    in.wl_numwg = sent_.beats[beat_].groups;
    in.wl_last = beat_ + 1 == sent_.beats.size() ? 1 : 0;
  }
}

void Environment::observe_submission(const Outputs& out, const Inputs& in) {
  if (in.js_valid != 0 && out.js_ready != 0) {
    Queue& queue = queue_[sent_.queue];
    if (sent_.refused) ++queue.refused;
    beat_ = 0;
    beat_offered_ = false;
    port_ = sent_.beats.empty() ? Port::kIdle : Port::kBeats;
  } else if (in.wl_valid != 0 && out.wl_ready != 0) {
    beat_offered_ = false;
    if (++beat_ == sent_.beats.size()) port_ = Port::kIdle;
  }
}

// Decides what the host sends next: more work for a job, or a new job.
void Environment::new_submission() {
  if (!registers_.configured() || (knobs_.last_submission != 0 && cycle_ >= knobs_.last_submission)) return;
  if (cycle_ < paused_until_) return;
  if (chance(knobs_.append)) {
    const unsigned q = any_queue();
    Queue& queue = queue_[q];
    if (queue.host == Host::kLive && queue.asked == Asked::kNothing) {
      queue.appended.clear();
      queue.list_added.clear();
      waiting_.push_back(job_for(q, true));
      queue.asked = Asked::kAppend;
      queue.append_races = chance(knobs_.append_race);
      return;
    }
  }
  const bool in_burst = knobs_.burst_period == 0 || cycle_ % knobs_.burst_period < (knobs_.burst_period + 7) / 8;
  if (!in_burst || !chance(knobs_.submit)) return;
  for (unsigned tries = 0; tries < 4; ++tries) {
    const unsigned q = any_queue();
    Queue& queue = queue_[q];
    if (queue.asked != Asked::kNothing || queue.host == Host::kLive) continue;
    if (queue.host == Host::kEnded && !chance(knobs_.resubmit)) continue;
    queue.kernels.clear();
    queue.list.clear();
    waiting_.push_back(job_for(q, false));
    queue.asked = Asked::kJob;
    return;
  }
}

// Kernels of a job and the list that declares them.
Submission Environment::job_for(unsigned q, bool append) {
  Queue& queue = queue_[q];
  std::vector<Work>& kernels = append ? queue.appended : queue.kernels;
  std::vector<Work>& list = append ? queue.list_added : queue.list;
  const bool full = chance(knobs_.full_list);
  const unsigned count = full ? std::min<unsigned>(params_.MaxKt, types_) : 1 + draw(knobs_.kernels);
  std::vector<U8> kinds;
  if (append && chance(kAlways / 2)) {  // more of what the job has
    for (const Work& work : queue.list) kinds.push_back(work.kid);
  }
  while (kinds.empty() || (kinds.size() < params_.MaxKt && (full || chance(kAlways / 2)))) {
    const auto kid = static_cast<U8>(any_type());
    if (std::find(kinds.begin(), kinds.end(), kid) == kinds.end()) kinds.push_back(kid);
    if (kinds.size() >= types_) break;
  }
  for (unsigned i = 0; i < count; ++i) {
    kernels.push_back({full ? kinds[i % kinds.size()] : kinds[draw(kinds.size())], 1 + draw(knobs_.groups)});
  }
  for (const Work& kernel : kernels) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const Work& w) { return w.kid == kernel.kid; });
    if (same == list.end()) {
      list.push_back(kernel);
    } else {
      same->groups = std::min(same->groups + kernel.groups, kMostGroups);
    }
  }
  for (Work& work : list) {
    if (chance(knobs_.huge)) work.groups = kMostGroups;
    if (chance(knobs_.lie)) work.groups += chance(kAlways / 2) || work.groups == 1 ? 1 : -1;
    work.groups = std::min(work.groups, kMostGroups);
  }
  Submission submission;
  submission.queue = static_cast<U8>(q);
  submission.append = append;
  submission.deadline = deadline();
  submission.start = (now_ - rng_.below(std::uint64_t{1} << knobs_.age_bits)) & kTimeMask;
  if (chance(knobs_.future_start)) submission.start = (now_ + 1000 + rng_.below(U64{1} << rng_.below(47))) & kTimeMask;
  if (!append && chance(knobs_.aim)) {
    submission.deadline = aimed_deadline(list);
    submission.start = (now_ + (U64{1} << 40U)) & kTimeMask;
  }
  if (!append) queue.due = (submission.start + submission.deadline) & kTimeMask;
  submission.fits = chance(kAlways / 2);
  submission.beats = list;
  for (std::size_t i = 0; i < submission.beats.size() && submission.beats.size() < params_.MaxKt; ++i) {
    if (submission.beats[i].groups < 2 || !chance(knobs_.split_beat)) continue;
    const U32 part = draw(submission.beats[i].groups);
    submission.beats[i].groups -= part;
    submission.beats.push_back({submission.beats[i].kid, part});
  }
  for (std::size_t i = submission.beats.size(); i-- > 0 && submission.beats.size() < params_.MaxKt;) {
    if (knobs_.repeat_beat != 0 && chance(knobs_.repeat_beat))
      submission.beats.push_back({submission.beats[i].kid, 1 + draw(4096)});
  }
  submission.announced = static_cast<U8>(submission.beats.size());
  return submission;
}

U32 Environment::deadline() {
  if (knobs_.deadline != 0) return knobs_.deadline;
  if (chance(knobs_.no_deadline)) return kNoDeadline;
  if (chance(knobs_.extreme_deadline)) return rng_.below(2) == 0 ? 1 : kNoDeadline - 1;
  return 1 + static_cast<U32>(rng_.below((std::uint64_t{1} << knobs_.deadline_bits) - 1));
}

// The estimate of a job that is judged now, for rates that are known, and one cycle around it.
U32 Environment::aimed_deadline(const std::vector<Work>& list) {
  U64 groups = 0;
  for (const Work& work : list) groups += work.groups;
  for (unsigned q = 0; q < params_.NumQueues; ++q) {
    if (queue_[q].host != Host::kLive) continue;
    for (const Work& work : queue_[q].list) groups += work.groups;
  }
  const U64 estimate = groups * (knobs_.preload_value >> 8U);
  return static_cast<U32>(std::min<U64>(std::max<U64>(estimate, 2) + draw(3) - 1, kNoDeadline - 1));
}

void Environment::verdict(unsigned q, bool accept, unsigned reason) {
  Queue& queue = queue_[q];
  if (reason >= 3 && queue.refused > 0) {
    --queue.refused;
    return;
  }
  const bool judged = reason <= 2;
  if (!accept && reason == 2 && queue.host == Host::kLive) {  // dropped: it had missed its deadline
    end_job(q);
    return;
  }
  if (queue.asked == Asked::kJob) {
    queue.asked = Asked::kNothing;
    if (accept) {
      queue.host = Host::kLive;
      refresh_vectors(q);
    } else if (judged) {
      ended(q);
    }
  } else if (queue.asked == Asked::kAppend) {
    queue.asked = Asked::kNothing;
    if (!accept || queue.host != Host::kLive) return;
    queue.kernels.insert(queue.kernels.end(), queue.appended.begin(), queue.appended.end());
    for (const Work& work : queue.list_added) {
      const auto same =
          std::find_if(queue.list.begin(), queue.list.end(), [&](const Work& w) { return w.kid == work.kid; });
      if (same == queue.list.end()) {
        queue.list.push_back(work);
      } else {
        same->groups = std::min(same->groups + work.groups, kMostGroups);
      }
    }
    refresh_vectors(q);
  }
}

bool Environment::append_is_coming(unsigned q) const {
  return (port_ != Port::kIdle && sent_.queue == q) ||
         std::any_of(waiting_.begin(), waiting_.end(), [q](const Submission& one) { return one.queue == q; });
}

void Environment::ended(unsigned q) {
  if (queue_[q].host == Host::kEnded) return;
  queue_[q].host = Host::kEnded;
  ended_.push_back(static_cast<U8>(q));
}

// Forgets what still runs of the queue's job.
void Environment::end_job(unsigned q) {
  Queue& queue = queue_[q];
  ++queue.epoch;
  queue.kernels.clear();
  queue.list.clear();
  queue.head = queue.parsed = 0;
  queue.parsing = queue.issuing = false;
  queue.unissued = queue.resident = 0;
  queue.pending_wgc = 0;
  queue.pending_ks = queue.pending_ki = false;
  queue.open = queue.running = false;
  refresh_vectors(q);
  ended(q);
}

void Environment::forget_all() {
  for (unsigned q = 0; q < params_.NumQueues; ++q) {
    if (queue_[q].host == Host::kLive) end_job(q);
    Queue& queue = queue_[q];
    queue.host = Host::kFree;
    queue.asked = Asked::kNothing;
    queue.refused = 0;
  }
  paused_until_ = cycle_ + knobs_.pause_after_reset;
  ended_.clear();
  waiting_.clear();
  if (port_ == Port::kHeader) {  // still offered, as every payload that waits; the empty engine will take it
    Queue& queue = queue_[sent_.queue];
    if (!sent_.refused) queue.asked = sent_.append ? Asked::kAppend : Asked::kJob;
  } else {
    port_ = Port::kIdle;
  }
  ks_.clear();
  ki_.clear();
  wgc_.clear();
  kd_.clear();
  running_ = {};
  free_slots_ = knobs_.slots;
  in_flight_ = {};
  for (Lane& lane : lanes_) lane.busy = false;
}

// ---- device -------------------------------------------------------------------------------------------------------

void Environment::refresh_vectors(unsigned q) {
  const Queue& queue = queue_[q];
  const bool ahead = (registers_.control() & reg::kPreparse) != 0;
  const bool parse = queue.host == Host::kLive && !queue.parsing && queue.parsed < queue.kernels.size() &&
                     queue.parsed <= queue.head + (ahead ? 1U : 0U);
  to_parse_.assign(q, parse);
  to_issue_.assign(q, queue.host == Host::kLive && queue.issuing && queue.unissued > 0);
}

void Environment::drive_device(Inputs& in) {
  for (unsigned i = 0; i < lanes_used_; ++i) {
    Lane& lane = lanes_[i];
    if (!lane.busy || cycle_ < lane.until) continue;
    lane.busy = false;
    Queue& queue = queue_[lane.queue];
    if (lane.epoch != queue.epoch) continue;
    queue.parsing = false;
    ++queue.parsed;
    if (!queue.issuing && queue.parsed > queue.head) {
      queue.issuing = true;
      queue.unissued = queue.kernels[queue.head].groups;
    }
    refresh_vectors(lane.queue);
  }
  in.pe_vec = to_parse_;
  (free_slots_ > 0 ? in.de_vec : in.df_vec) = to_issue_;
  if (knobs_.vector_noise != 0 && chance(knobs_.vector_noise)) {
    in.pe_vec.set(draw(params_.NumQueues));
    in.de_vec.set(draw(params_.NumQueues));
    in.df_vec.set(draw(params_.NumQueues));
  }
}

void Environment::observe_device(const Outputs& out, Inputs& in) {
  if (out.psel_valid != 0 && to_parse_.test(out.psel_qid) && chance(knobs_.parse_grant)) {
    for (unsigned i = 0; i < lanes_used_; ++i) {
      Lane& lane = lanes_[i];
      if (lane.busy) continue;
      in.psel_grant = 1;
      Queue& queue = queue_[out.psel_qid];
      lane = {cycle_ + 1 + knobs_.parse_latency, true, out.psel_qid, queue.epoch};
      queue.parsing = true;
      refresh_vectors(out.psel_qid);
      break;
    }
  }
  if (out.dsel_valid != 0 && free_slots_ > 0 && to_issue_.test(out.dsel_qid) && chance(knobs_.dispatch_grant)) {
    in.dsel_grant = 1;
    issue(out.dsel_qid);
  }
  complete_due();
  report(in);
}

// Places one TB of the queue's head kernel.
void Environment::issue(unsigned q) {
  Queue& queue = queue_[q];
  const Work& kernel = queue.kernels[queue.head];
  const Event event{static_cast<U8>(q), kernel.kid, queue.epoch};
  if (queue.unissued == kernel.groups) {
    ks_.push_back(event);
    queue.pending_ks = true;
  }
  --queue.unissued;
  ++queue.resident;
  --free_slots_;
  running_.push({cycle_ + service(kernel.kid), order_++, event});
  if (queue.unissued == 0) {
    ki_.push_back(event);
    queue.pending_ki = true;
    refresh_vectors(q);
  }
}

unsigned Environment::service(unsigned kid) {
  // Kernel types differ by up to 64; a TB varies by half of its mean.
  unsigned mean = std::max(1U, knobs_.service >> (kid % 7));
  if (knobs_.service_swings && (cycle_ / knobs_.service_stretch) % 2 == 1) mean = std::max(1U, mean / 1000);
  if (knobs_.service == 0) return 0;
  return mean / 2 + draw(mean / 2 + 1);
}

void Environment::complete_due() {
  while (!running_.empty() && running_.top().at <= cycle_) {
    const Event event = running_.top().event;
    running_.pop();
    ++free_slots_;
    Queue& queue = queue_[event.queue];
    if (event.epoch != queue.epoch) continue;
    --queue.resident;
    ++queue.pending_wgc;
    wgc_.push_back(event);
    if (queue.resident == 0 && queue.unissued == 0) kd_.push_back(event);
  }
}

// At most one event of each kind per cycle, those of one kernel in order; in one cycle they count as ks, ki, wgc, kd.
void Environment::report(Inputs& in) {
  const auto stale = [this](std::deque<Event>& events) {
    while (!events.empty() && events.front().epoch != queue_[events.front().queue].epoch) events.pop_front();
    return events.empty();
  };
  if (!stale(ks_) && chance(knobs_.event)) {
    const Event event = ks_.front();
    ks_.pop_front();
    in.ks_valid = 1;
    in.ks_qid = event.queue;
    in.ks_kid = event.kid;
    queue_[event.queue].pending_ks = false;
    queue_[event.queue].open = true;
    ++in_flight_[event.kid];
  }
  if (!stale(ki_) && !queue_[ki_.front().queue].pending_ks && chance(knobs_.event)) {
    const Event event = ki_.front();
    ki_.pop_front();
    in.ki_valid = 1;
    in.ki_qid = event.queue;
    queue_[event.queue].pending_ki = false;
    queue_[event.queue].running = true;
  }
  if (!stale(wgc_) && !queue_[wgc_.front().queue].pending_ks && chance(knobs_.event)) {
    const Event event = wgc_.front();
    wgc_.pop_front();
    in.wgc_valid = 1;
    in.wgc_qid = event.queue;
    in.wgc_kid = event.kid;
    Queue& queue = queue_[event.queue];
    --queue.pending_wgc;
    for (Work& work : queue.list) {
      if (work.kid == event.kid && work.groups > 0) --work.groups;
    }
  }
  if (!stale(kd_)) report_kernel_end(in);
}

// Brings the first event to the front that is not a job's end long before its deadline. False if all are.
bool Environment::choose_kernel_end() {
  const auto waits = [this](const Event& event) {
    const Queue& queue = queue_[event.queue];
    if (event.epoch != queue.epoch || queue.head + 1 != queue.kernels.size()) return false;
    const U64 left = (queue.due - now_) & kTimeMask;
    return left > 1 && left < 5000;
  };
  const auto chosen = std::find_if_not(kd_.begin(), kd_.end(), waits);
  if (chosen == kd_.end()) return false;
  std::rotate(kd_.begin(), chosen, chosen + 1);
  return true;
}

void Environment::report_kernel_end(Inputs& in) {
  if (knobs_.end_at_deadline && (!choose_kernel_end() || chance(kAlways / 3))) return;
  const Event event = kd_.front();
  const unsigned q = event.queue;
  Queue& queue = queue_[q];
  if (queue.pending_ks || queue.pending_ki || queue.pending_wgc > 0 || !chance(knobs_.event)) return;
  const bool last = queue.head + 1 == queue.kernels.size();
  if (last && queue.asked == Asked::kAppend && (!queue.append_races || (knobs_.race_at_list && append_is_coming(q)))) {
    // The command processor knows that more is on its way; let the kernels of other jobs end meanwhile.
    kd_.pop_front();
    kd_.push_back(event);
    return;
  }
  kd_.pop_front();
  in.kd_valid = 1;
  in.kd_qid = event.queue;
  in.kd_kid = event.kid;
  in.kd_last = last ? 1 : 0;
  --in_flight_[event.kid];
  queue.open = queue.running = false;
  ++queue.head;
  queue.issuing = false;
  if (last) {
    end_job(q);
    return;
  }
  if (queue.parsed > queue.head) {
    queue.issuing = true;
    queue.unissued = queue.kernels[queue.head].groups;
  }
  refresh_vectors(q);
}

}  // namespace castor::lax::tb
