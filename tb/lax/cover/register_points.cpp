#include "tb/lax/cover/register_points.h"

namespace castor::lax::tb {
namespace {

constexpr unsigned kTables = 0x0400;  // first table address; table accesses wait until the main machine is idle

constexpr const char* kErrors[] = {"underflow", "no job", "no slot", "in flight", "order",
                                   "time",      "beat",   "grant",   "read only", "done queue full"};
constexpr const char* kIrqs[] = {"refused", "done", "missed", "busy", "error", "limited", "overrun"};
constexpr unsigned kOverrun = 6;

/// Returns whether a queue is acknowledged while a header for the same queue waits.
bool acknowledges_what_is_submitted(const Now& now) {
  const Inputs& in = now.in;
  const unsigned offset = in.reg_addr - reg::kQueueState, queue = offset / 4;
  return in.reg_we != 0 && in.reg_addr >= reg::kQueueState && offset < 4 * now.params.NumQueues &&
         now.main() == MainState::kIdle && (in.reg_wdata & reg::kAcknowledge) != 0 &&
         job_state(now.probes, queue) >= number(JobState::kDone) && in.js_valid != 0 && in.js_qid == queue;
}

bool resets_at_a_tick(const Now& now) {
  if (!now.writes(reg::kControl) || (now.in.reg_wdata & reg::kSoftReset) == 0) return false;
  const U32 period = now.look(reg::kUpdatePeriod);
  return period != 0 && now.probes.update_timer + 1 >= period;
}

/// Returns whether the previous cycle wrote the priority of a live job under policy EXT.
bool moves_a_live_job(const Now& now) {
  const unsigned address = now.before->in.reg_addr, queue = (address - reg::kExternal) / 4U;
  if (address < reg::kExternal || address >= reg::kExternal + 4 * now.params.NumQueues || now.policy() != 9) {
    return false;
  }
  return job_is(now.before->probes, queue, JobState::kReady) || job_is(now.before->probes, queue, JobState::kRunning);
}

}  // namespace

RegisterPoints::RegisterPoints(const CoverList& list)
    : asks_(list, {{"table access waits for idle", 0,
                    [](const Now& n) { return n.in.reg_addr >= kTables && n.main() != MainState::kIdle; }},
                   {"update tick in the cycle of a soft reset", 0, resets_at_a_tick},
                   {"queue acknowledged while a header for it waits", 0, acknowledges_what_is_submitted},
                   {"pop while the port takes the verdict", 0,
                    [](const Now& n) {
                      return n.in.reg_we == 0 && n.in.reg_addr == reg::kVerdictPop && n.out.adm_valid != 0 &&
                             n.in.adm_ready != 0;
                    }}}),
      errors_(list, shown(kErrors, "error: ")),
      irqs_(list, shown(kIrqs, "interrupt: ")),
      answers_(list, {{"verdict popped by register", 0,
                       [](const Answer& a) { return a.reads(reg::kVerdictPop) && a.bit(31); }},
                      {"ended job popped", 0, [](const Answer& a) { return a.reads(reg::kDonePop) && a.bit(31); }},
                      {"priority written for a live job under EXT", 0,
                       [](const Answer& a) { return a.writes() && moves_a_live_job(a.now); }}}) {}

template <std::size_t kCount>
std::vector<castor::tb::PointRow<RegisterPoints::Answer>> RegisterPoints::shown(const char* const (&names)[kCount],
                                                                                const std::string& what) {
  std::vector<castor::tb::PointRow<Answer>> rows;
  for (unsigned i = 0; i < kCount; ++i) {
    const bool overrun = names[i] == kIrqs[kOverrun];
    rows.push_back({what + names[i], overrun ? has::kOverruns : 0, [i](const Answer& a) { return a.bit(i); }});
  }
  return rows;
}

void RegisterPoints::see(const Now& now) {
  if (now.asks()) asks_.see(now);
  if (now.before == nullptr || now.out.reg_ack == 0 || now.out.reg_err != 0) return;
  const Answer answer{now};
  if (answer.reads(reg::kErrStat)) errors_.see(answer);
  if (answer.reads(reg::kIrqStat)) irqs_.see(answer);
  answers_.see(answer);
}

}  // namespace castor::lax::tb
