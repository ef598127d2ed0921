#include <algorithm>

#include "tb/lax/environment.h"

// Host side of the environment: submissions, and verdicts and ends of jobs.

namespace castor::lax::tb {
namespace {

constexpr U32 kNoDeadline = 0xFFFFFFFF;
constexpr U32 kMostGroups = 0xFFFFFF;
// The engine treats a start of an age of 2^47 cycles or more as a start in the future. No run is long enough for a job
// of this age to reach 2^47.
constexpr U64 kOldest = (U64{1} << 47U) - (U64{1} << 26U);

}  // namespace

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

// Chooses the next submission: an append to a live job, or a new job.
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

// Draws the kernels of a job or append, and the list that declares them.
Submission Environment::job_for(unsigned q, bool append) {
  Queue& queue = queue_[q];
  std::vector<Work>& kernels = append ? queue.appended : queue.kernels;
  std::vector<Work>& list = append ? queue.list_added : queue.list;
  const bool full = chance(knobs_.full_list);
  const unsigned count = full ? std::min<unsigned>(params_.MaxKt, types_) : 1 + draw(knobs_.kernels);
  std::vector<U8> kinds;
  if (append && chance(kAlways / 2)) {  // half of the appends use kernel types of the job
    for (const Work& work : queue.list) kinds.push_back(work.kid);
  }
  while (kinds.empty() || (kinds.size() < params_.MaxKt && (full || chance(kAlways / 2)))) {
    const auto kid = static_cast<U8>(any_type());
    if (std::find(kinds.begin(), kinds.end(), kid) == kinds.end()) kinds.push_back(kid);
    if (kinds.size() >= types_) break;
  }
  for (unsigned i = 0; i < count; ++i) {
    const U8 kid = full ? kinds[i % kinds.size()] : kinds[draw(kinds.size())];
    kernels.push_back({kid, knobs_.exact_groups ? knobs_.groups : 1 + draw(knobs_.groups)});
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
    // The list never declares fewer TBs than run, since surplus completions would find a slot at 0.
    if (knobs_.huge != 0) work.groups = static_cast<U32>(edges_.size(work.groups, kMostGroups, work.groups));
    if (knobs_.powers != 0 && chance(knobs_.powers)) work.groups = std::max(work.groups, U32{1} << draw(24));
    if (chance(knobs_.lie)) work.groups += chance(kAlways / 2) || work.groups == 1 ? 1 : -1;
    work.groups = std::min(work.groups, kMostGroups);
  }
  Submission submission;
  submission.queue = static_cast<U8>(q);
  submission.append = append;
  submission.deadline = deadline();
  submission.start = (now_ - age()) & kTimeMask;
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
  const U64 plain = 1 + rng_.below((std::uint64_t{1} << knobs_.deadline_bits) - 1);
  if (knobs_.tall_deadline != 0 && chance(knobs_.tall_deadline)) {
    if (draw(4) == 0) return ~(U32{1} << (16 + draw(16)));
    return static_cast<U32>(edges_.tall(32, plain));
  }
  return static_cast<U32>(edges_.size(1, kNoDeadline - 1, plain));
}

// Returns the number of cycles for which a job has been enqueued when it is submitted.
U64 Environment::age() {
  const U64 plain = rng_.below(std::uint64_t{1} << knobs_.age_bits);
  if (knobs_.tall_age == 0 || !chance(knobs_.tall_age)) return edges_.size(0, kOldest, plain);
  return (U64{1} << (draw(2) == 0 ? 32 : 16 + draw(31))) - 1 - draw(32);
}

// Returns a deadline within one cycle of the estimate of a job that is judged now; all rates must be known.
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
  if (!accept && reason == 2 && queue.host == Host::kLive) {  // a job that was dropped after its deadline
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

// Ends the queue's job and discards its running TBs and pending events.
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
  // The header is still offered, like every waiting payload, and the empty engine will accept it
  if (port_ == Port::kHeader) {
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

}  // namespace castor::lax::tb
