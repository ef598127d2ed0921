#include <algorithm>
#include <iterator>

#include "tb/lax/environment.h"

// Device side of the environment: command processor, dispatcher and SMs with parsed kernels, running TBs and their
// events.

namespace castor::lax::tb {

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
  hold_back(in);
  if (knobs_.vector_noise != 0 && chance(knobs_.vector_noise)) {
    in.pe_vec.set(draw(params_.NumQueues));
    in.de_vec.set(draw(params_.NumQueues));
    in.df_vec.set(draw(params_.NumQueues));
  }
}

// Shows the TBs of three queues as not fitting, in the phases of the knob `hold_grants`.
void Environment::hold_back(Inputs& in) {
  constexpr unsigned kReleased = 64, kLongest = 384U << 5U;  // parse grants
  if (!knobs_.hold_grants) return;
  if (grants_ >= hold_length_ + kReleased) {
    grants_ = 0;
    hold_length_ = hold_length_ >= kLongest ? 384 : 2 * hold_length_;
    ++hold_turn_;
  }
  if (grants_ >= hold_length_) return;
  const unsigned begins[] = {0, hold_length_ / 2, hold_length_ / 4 * 3};
  for (unsigned i = 0; i < std::size(begins); ++i) {
    const unsigned q = (hold_turn_ + i) & queue_mask_;
    if (grants_ < begins[i] || !in.de_vec.test(q)) continue;
    in.de_vec.assign(q, false);
    in.df_vec.assign(q, true);
  }
}

void Environment::observe_device(const Outputs& out, Inputs& in) {
  if (out.psel_valid != 0 && to_parse_.test(out.psel_qid) && chance(knobs_.parse_grant)) {
    for (unsigned i = 0; i < lanes_used_; ++i) {
      Lane& lane = lanes_[i];
      if (lane.busy) continue;
      in.psel_grant = 1;
      ++grants_;
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
  // Mean times of kernel types differ by a factor of up to 64. A TB takes between half its type's mean time and the
  // whole mean time.
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

// Reports at most one event of each type per cycle. The events of one kernel are in order; within a cycle the order is
// ks, ki, wgc, kd.
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

// Moves the first kernel end that may be reported now to the front. An end of a job long before its deadline may not be
// reported. Returns false if no end may be reported.
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

// Moves a kernel end that coincides with the targeted event to the front. If there is no such end, returns false as
// long as all other ends can wait. Ends of queues with a preemption request wait for the next ranking.
bool Environment::choose_wanted_end() {
  const auto bring = [this](const auto& fits) {
    const auto chosen = std::find_if(kd_.begin(), kd_.end(), [&](const Event& event) {
      return event.epoch == queue_[event.queue].epoch && fits(event);
    });
    if (chosen == kd_.end()) return false;
    std::rotate(kd_.begin(), chosen, chosen + 1);
    return true;
  };
  if (bring([this](const Event& event) { return foresight_->wants_end(event.queue, event.kid); })) return true;
  if (bring([this](const Event& event) { return !foresight_->asked(event.queue); })) return draw(64) == 0;
  return draw(4096) == 0;
}

// Moves the end of a kernel whose job is being visited to the front. If there is no such end, returns false in nearly
// all cases.
bool Environment::choose_visited_end() {
  const auto chosen = std::find_if(kd_.begin(), kd_.end(), [this](const Event& event) {
    return event.epoch == queue_[event.queue].epoch && foresight_->visits(event.queue);
  });
  if (chosen == kd_.end()) return draw(4096) == 0;
  std::rotate(kd_.begin(), chosen, chosen + 1);
  return true;
}

void Environment::report_kernel_end(Inputs& in) {
  if (knobs_.end_in_visit && !choose_visited_end()) return;
  if (knobs_.end_in_time && !choose_wanted_end()) return;
  if (knobs_.end_at_deadline && (!choose_kernel_end() || chance(kAlways / 3))) return;
  const Event event = kd_.front();
  const unsigned q = event.queue;
  Queue& queue = queue_[q];
  if (queue.pending_ks || queue.pending_ki || queue.pending_wgc > 0 || !chance(knobs_.event)) return;
  const bool last = queue.head + 1 == queue.kernels.size();
  if (last && queue.asked == Asked::kAppend && (!queue.append_races || (knobs_.race_at_list && append_is_coming(q)))) {
    // The command processor knows that an append is in flight; kernels of other jobs may end meanwhile.
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
