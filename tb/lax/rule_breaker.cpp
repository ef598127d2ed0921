#include <algorithm>

#include "tb/lax/environment.h"

// Stimuli that the engine must ignore or refuse (docs/blocks/lax.md, "Breaking the rules"). None of them changes the
// environment's view of the jobs.

namespace castor::lax::tb {

void Environment::break_a_rule(const Outputs& out, Inputs& in) {
  if (!registers_.configured()) return;
  switch (draw(4)) {
    case 0:
      if (waiting_.size() < 2) waiting_.push_back(bad_submission());
      break;
    case 1:
      if (out.psel_valid == 0) in.psel_grant = 1;
      if (out.dsel_valid == 0) in.dsel_grant = 1;
      break;
    default:
      break_by_event(in);
      break;
  }
}

// Returns a queue for which `fits` holds, or -1 if a few random tries find none.
int Environment::find_queue(bool (*fits)(const Queue&)) {
  for (int tries = 0; tries < 8; ++tries) {
    const unsigned q = any_queue();
    if (fits(queue_[q])) return static_cast<int>(q);
  }
  return -1;
}

// Adds an illegal event at a port without an event in this cycle. Queues with any event in this cycle are left alone. A
// queue whose job the engine may have accepted already gets only events that are illegal in any state.
void Environment::break_by_event(Inputs& in) {
  const auto busy = [&](int q) {
    const auto hit = [q](unsigned valid, unsigned qid) { return valid != 0 && static_cast<int>(qid) == q; };
    return q < 0 || hit(in.ks_valid, in.ks_qid) || hit(in.ki_valid, in.ki_qid) || hit(in.wgc_valid, in.wgc_qid) ||
           hit(in.kd_valid, in.kd_qid);
  };
  const auto dead = [](const Queue& queue) { return queue.host != Host::kLive && queue.asked == Asked::kNothing; };
  const auto closed = [](const Queue& queue) { return !queue.open; };
  const auto open = [](const Queue& queue) { return queue.host == Host::kLive && queue.open; };
  const auto running = [](const Queue& queue) { return queue.host == Host::kLive && queue.running; };
  const auto not_running = [](const Queue& queue) { return !queue.running; };
  const auto any_kid = [&] { return static_cast<U8>(rng_.below(4) == 0 ? rng_.below(256) : any_type()); };
  const auto ks = [&](int q, U8 kid) {
    if (busy(q) || in.ks_valid != 0) return;
    in.ks_valid = 1;
    in.ks_qid = static_cast<U8>(q);
    in.ks_kid = kid;
  };
  const auto ki = [&](int q) {
    if (busy(q) || in.ki_valid != 0) return;
    in.ki_valid = 1;
    in.ki_qid = static_cast<U8>(q);
  };
  const auto wgc = [&](int q, U8 kid) {
    if (busy(q) || in.wgc_valid != 0) return;
    in.wgc_valid = 1;
    in.wgc_qid = static_cast<U8>(q);
    in.wgc_kid = kid;
  };
  const auto kd = [&](int q, U8 kid) {
    if (busy(q) || in.kd_valid != 0) return;
    in.kd_valid = 1;
    in.kd_qid = static_cast<U8>(q);
    in.kd_kid = kid;
    in.kd_last = static_cast<U8>(rng_.below(2));
  };
  switch (draw(13)) {
    case 0:  // the queue has no job
      ks(find_queue(dead), any_kid());
      break;
    case 1:
      ki(find_queue(dead));
      break;
    case 2:
      wgc(find_queue(dead), any_kid());
      break;
    case 3:
      kd(find_queue(dead), any_kid());
      break;
    case 4:  // TB completion outside a kernel
      wgc(find_queue(closed), any_kid());
      break;
    case 5:  // the kernel has not started, or was issued before
      ki(find_queue(closed));
      break;
    case 6:
      ki(find_queue(running));
      break;
    case 7:  // the kernel was started before
      ks(find_queue(open), any_kid());
      break;
    case 8:  // the kernel is not issued
      kd(find_queue(not_running), any_kid());
      break;
    case 9: {  // ends a kernel of a type with no kernel in flight
      const auto kid = static_cast<U8>(rng_.below(256));
      const bool starts = in.ks_valid != 0 && in.ks_kid == kid;
      if (in_flight_[kid] == 0 && !starts) kd(find_queue(running), kid);
      break;
    }
    case 10: {  // completes a TB of a type that is not in the job's list
      const int q = find_queue(open);
      if (q < 0 || queue_[q].asked != Asked::kNothing) break;
      const U8 kid = any_kid();
      const std::vector<Work>& list = queue_[q].list;
      if (std::none_of(list.begin(), list.end(), [kid](const Work& work) { return work.kid == kid; })) wgc(q, kid);
      break;
    }
    case 11: {  // completes a TB of a type whose TBs have all completed
      const int q = find_queue(open);
      if (q < 0 || queue_[q].asked != Asked::kNothing) break;
      for (const Work& work : queue_[q].list) {
        if (work.groups == 0) wgc(q, work.kid);
      }
      break;
    }
    default:  // starts a kernel of a type that does not exist, where a start would be legal
      if (params_.NumKt < 256) {
        const int q = find_queue([](const Queue& queue) {
          return queue.host == Host::kLive && !queue.open && !queue.pending_ks && !queue.running;
        });
        ks(q, static_cast<U8>(params_.NumKt + rng_.below(256 - params_.NumKt)));
      }
      break;
  }
}

// Completes a TB of a kernel type that no queue has in flight, in a job that still expects TBs of this type. The engine
// counts the completion.
void Environment::complete_foreign(Inputs& in) {
  const int found = find_queue(
      [](const Queue& queue) { return queue.host == Host::kLive && queue.open && queue.asked == Asked::kNothing; });
  const auto q = static_cast<unsigned>(found);
  if (found < 0 || (in.kd_valid != 0 && in.kd_qid == q)) return;
  for (Work& work : queue_[q].list) {
    if (work.groups == 0 || in_flight_[work.kid] != 0 || (in.ks_valid != 0 && in.ks_kid == work.kid)) continue;
    in.wgc_valid = 1;
    in.wgc_qid = static_cast<U8>(q);
    in.wgc_kid = work.kid;
    --work.groups;
    return;
  }
}

// Starts and issues a kernel of a job that is judged in this cycle; sometimes also ends the kernel.
void Environment::start_early(Inputs& in) {
  const std::optional<unsigned> q = foresight_->admitted();
  if (!q || (in.ks_valid | in.ki_valid | in.kd_valid) != 0 || queue_[*q].list.empty()) return;
  in.ks_valid = in.ki_valid = 1;
  in.ks_qid = in.ki_qid = static_cast<U8>(*q);
  in.ks_kid = queue_[*q].list.front().kid;
  if (draw(2) == 0) return;
  in.kd_valid = in.kd_last = 1;
  in.kd_qid = in.ks_qid;
  in.kd_kid = in.ks_kid;
}

// Returns a submission that is refused in any state of its queue: by the checks before the judgement, or because of the
// queue's state.
Submission Environment::bad_submission() {
  Submission submission;
  submission.refused = true;
  submission.queue = static_cast<U8>(any_queue());
  submission.deadline = deadline();
  submission.start = now_;
  submission.append = rng_.below(3) == 0;
  const auto beats = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) submission.beats.push_back({static_cast<U8>(any_type()), 1 + draw(9)});
    submission.announced = static_cast<U8>(count % 32);
  };
  switch (draw(8)) {
    case 0:  // fewer or more beats than announced
      beats(1 + draw(params_.MaxKt));
      submission.announced =
          static_cast<U8>(rng_.below(4) == 0 ? (submission.announced + 1U + draw(31)) % 32
                          : submission.announced == 1 || rng_.below(2) == 0 ? submission.announced + 1
                                                                            : submission.announced - 1);
      break;
    case 1:  // an empty list
      beats(0);
      break;
    case 2:  // too many beats
      beats(draw(8) == 0 ? 32 + draw(8)
                         : params_.MaxKt + 1 + draw(std::min(knobs_.long_lists ? 31U : 3U, 31U - params_.MaxKt)));
      break;
    case 3:  // all counts are 0
      beats(1 + draw(params_.MaxKt));
      for (Work& work : submission.beats) work.groups = 0;
      break;
    case 4:  // a kernel type that does not exist
      beats(1 + draw(params_.MaxKt));
      if (params_.NumKt < 256) {
        submission.beats[draw(submission.beats.size())].kid =
            static_cast<U8>(params_.NumKt + rng_.below(256 - params_.NumKt));
      } else {
        submission.announced = 31;
      }
      break;
    case 5:  // a deadline of 0
      submission.append = false;
      submission.deadline = 0;
      beats(1 + draw(params_.MaxKt));
      break;
    case 6: {  // the queue's job is live
      const int q = find_queue([](const Queue& queue) {
        return queue.host == Host::kLive && !queue.running && queue.head + 1 < queue.kernels.size();
      });
      if (q >= 0) submission.queue = static_cast<U8>(q);
      submission.append = false;
      beats(q >= 0 ? 1 : 0);
      break;
    }
    default: {  // append to a queue without a live job, possibly with a job that is not judged yet
      submission.append = true;
      const int q = find_queue([](const Queue& queue) { return queue.host != Host::kLive; });
      if (q >= 0) submission.queue = static_cast<U8>(q);
      // A waiting job may be admitted before the append arrives, so the list of this append is made wrong as well.
      const bool sure = q >= 0 && queue_[q].asked == Asked::kNothing;
      beats(1);
      if (!sure) submission.announced = 2;
      break;
    }
  }
  return submission;
}

}  // namespace castor::lax::tb
