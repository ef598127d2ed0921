#include "tb/lax/cover/collision_points.h"

namespace castor::lax::tb {
namespace {

using M = MainState;
using S = SubmitState;

bool one_queue(const Inputs& in) {
  return in.ks_qid == in.ki_qid && in.ki_qid == in.wgc_qid && in.wgc_qid == in.kd_qid;
}

/// Returns whether the running kernel of the visited queue ends.
bool visited_ends(const Now& now) {
  return now.in.kd_valid != 0 && now.in.kd_qid == now.probes.queue &&
         job_is(now.probes, now.in.kd_qid, JobState::kRunning);
}

bool update_ticked(const Now& now) {
  return now.before != nullptr && !now.after_reset && now.probes.update_timer == 0 &&
         now.before->probes.update_timer != 0;
}

}  // namespace

CollisionPoints::CollisionPoints(const CoverList& list, unsigned longest_list)
    : events_(list,
              {{"ks, ki, wgc and kd of a queue in one cycle", 0,
                [](const Now& n) { return one_queue(n.in) && job_is(n.probes, n.in.ks_qid, JobState::kReady); }}}),
      at_open_(list, {{"ks while its counters are sampled", 0,
                       [](const Now& n) { return n.in.ks_valid != 0 && n.in.ks_kid == n.probes.kernel_type; }},
                      {"wgc while its counters are sampled", 0,
                       [](const Now& n) { return n.in.wgc_valid != 0 && n.in.wgc_kid == n.probes.kernel_type; }},
                      {"kd while its counters are sampled", 0,
                       [](const Now& n) { return n.in.kd_valid != 0 && n.in.kd_kid == n.probes.kernel_type; }}}),
      at_end_(list, {{"kd of the visited queue in VOpen", 0, [](const Now& n) { return n.main() == M::kVOpen; }},
                     {"kd of the visited queue in VMac", 0, [](const Now& n) { return n.main() == M::kVMac; }},
                     {"kd of the visited queue in VKey", 0, [](const Now& n) { return n.main() == M::kVKey; }}}),
      completions_(list, {{"SCommit waits for a completion", 0, [](const Now& n) { return n.submit() == S::kCommit; }},
                          {"SChk waits for a completion", 0, [](const Now& n) { return n.submit() == S::kCheck; }},
                          {"SMrg waits for a completion", 0, [](const Now& n) { return n.submit() == S::kMerge; }},
                          {"wgc of the visited queue while its list is read", 0,
                           [](const Now& n) { return n.in.wgc_qid == n.probes.queue && n.main() == M::kVOpen; }}}),
      at_key_(list, {{"SCommit waits for VKey", 0,
                      [](const Now& n) { return n.submit() == S::kCommit && n.in.wgc_valid == 0; }},
                     {"SVer waits for VKey", 0, [](const Now& n) { return n.submit() == S::kVerdict; }}}),
      ticks_(list, {{"update tick during an activity", 0,
                     [](const Now& n) { return n.main() != M::kIdle && n.before->probes.main_state != M::kIdle; }},
                    {"update tick with a header", 0,
                     [](const Now& n) { return n.before->in.js_valid != 0 && n.before->out.js_ready != 0; }},
                    {"update tick while a verdict waits", 0,
                     [](const Now& n) {
                       return n.out.adm_valid != 0 && n.before->in.adm_ready == 0 && n.before->out.adm_valid != 0;
                     }}}),
      lists_(list, {{"list of one slot visited", 0, [](unsigned slots) { return slots == 1; }},
                    {"full list visited", 0, [longest_list](unsigned slots) { return slots == longest_list; }}}),
      time_(list, {{"now wraps", 0, [](const Now& n) { return n.in.now < n.before->in.now; }}}) {}

void CollisionPoints::see(const Now& now) {
  const Inputs& in = now.in;
  if (now.before != nullptr) time_.see(now);
  if (in.ks_valid != 0 && in.ki_valid != 0 && in.wgc_valid != 0 && in.kd_valid != 0) events_.see(now);
  if (now.main() == M::kKOpen) at_open_.see(now);
  if (visited_ends(now)) at_end_.see(now);
  if (in.wgc_valid != 0) completions_.see(now);
  if (now.main() == M::kVKey) at_key_.see(now);
  if (update_ticked(now)) ticks_.see(now);
  if (now.main() == M::kVMac) {
    ++slots_;
  } else if (slots_ != 0) {
    lists_.see(slots_);
    slots_ = 0;
  }
}

}  // namespace castor::lax::tb
