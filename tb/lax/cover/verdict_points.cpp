#include "tb/lax/cover/verdict_points.h"

namespace castor::lax::tb {
namespace {

constexpr unsigned kUnknownType = 5;

std::vector<std::string> reasons(const CoverList& list) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < 8; ++i) {
    const bool possible = i != kUnknownType || list.can(has::kUnknownTypes);
    names.push_back(possible ? "verdict with reason " + std::to_string(i) : "");
  }
  return names;
}

}  // namespace

VerdictPoints::VerdictPoints(const CoverList& list)
    : reasons_(list, reasons(list), [](const Now& n) { return n.out.adm_reason; }),
      verdicts_(
          list,
          {{"estimate one below the deadline", 0,
            [](const Verdict& v) { return v.accepted() && v.estimate + 1 == v.deadline; }},
           {"estimate at the deadline", 0, [](const Verdict& v) { return v.refused() && v.estimate == v.deadline; }},
           {"estimate one above the deadline", 0,
            [](const Verdict& v) { return v.refused() && v.estimate == v.deadline + 1; }},
           {"job without deadline accepted", 0, [](const Verdict& v) { return v.accepted() && v.best_effort(); }},
           {"accepted against the prediction", 0,
            [](const Verdict& v) {
              return v.tested() && v.accepted() && !v.best_effort() && v.estimate >= v.deadline && v.may_bypass();
            }}}),
      ends_(list, {{"job meets its deadline", 0, [](const Now& n) { return n.out.jd_met != 0; }},
                   {"job misses its deadline", 0, [](const Now& n) { return n.out.jd_met == 0; }}}),
      // Two entries are reserved for verdicts in flight, so the queue is only certain to fill up to one below its
      // depth.
      queues_(list, {{"js_ready low for want of space", 0,
                      [](const Now& n) { return n.submit() == SubmitState::kIdle && n.out.js_ready == 0; }},
                     {"verdict queue one short of full", 0,
                      [](const Now& n) { return n.probes.verdict_count + 1U >= n.params.VqDepth; }},
                     {"done queue full", 0, [](const Now& n) { return n.probes.done_count == n.params.NumQueues; }},
                     {"three jobs wait for admission", 0, [](const Now& n) { return n.probes.pend_count >= 3; }}}),
      resets_(list, {{"soft reset withdraws a verdict", 0, [](const Now& n) {
                        return n.before->out.adm_valid != 0 && n.before->in.adm_ready == 0 && n.out.adm_valid == 0;
                      }}}) {}

void VerdictPoints::see(const Now& now, Submitted& submitted) {
  const Inputs& in = now.in;
  if (in.js_valid != 0 && now.out.js_ready != 0 && in.js_append == 0 &&
      job_is(now.probes, in.js_qid, JobState::kFree)) {
    submitted.deadline[in.js_qid] = in.js_deadline;
    submitted.start[in.js_qid] = in.js_start;
  }
  if (now.out.adm_valid != 0 && in.adm_ready != 0) {
    reasons_.see(now);
    verdicts_.see({now, now.out.adm_est, submitted.deadline[now.out.adm_qid]});
  }
  if (now.out.jd_valid != 0) ends_.see(now);
  queues_.see(now);
  if (now.after_reset) resets_.see(now);
}

}  // namespace castor::lax::tb
