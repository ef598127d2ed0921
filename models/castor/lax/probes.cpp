// Probes: registers that a test bench can observe.

#include "castor/lax/probes.h"

#include <algorithm>

#include "castor/lax/registers.h"

namespace castor::lax {
namespace {

U16 offer(const Best& best) { return best.valid != 0 ? static_cast<U16>(0x100U | best.q) : U16{0}; }

void probe_type(Probes& probes, const KernelType& type) {
  probes.row_profile = type.tpw_iso;
  if (type.valid != 0) probes.row_rate = type.tpw;
  if (type.snv != 0) probes.row_snapshot.elements = {type.snap.wal, type.snap.ins, type.snap.act, type.snap.cnt};
  if (type.kt == 0) return;
  probes.row_count = type.cnt;
  probes.row_active = type.kact;
  probes.row_instances = type.kins;
  probes.row_window = type.t_ref;
  probes.row_in_flight = type.inflight;
}

void probe_job(const State& s, Probes& probes) {
  const Queue& queue = s.queue[s.q];
  probes.row_isolated = queue.iso;
  probes.row_token = queue.token;
  probes.row_start = queue.job.start;
  probes.row_deadline = queue.job.deadline;
  probes.row_slots = static_cast<U8>(queue.list.nl | unsigned{queue.job.fits} << 5U);
  probes.row_done = queue.wgdone;
  probes.row_record.elements = {static_cast<U32>(queue.rec.lax), queue.rec.dur, queue.rec.rem};
  probes.row_key = s.key[s.q];
  probes.row_arrival = s.seq[s.q];
  probes.row_grant = s.pseq[s.q];
  probes.row_priority = queue.qprio;
}

void probe_rows(const Params& params, const State& s, Probes& probes) {
  for (unsigned first = 0; first < params.NumKt; first += 64) {
    U64 rated = 0, seen = 0, sampled = 0;
    for (unsigned k = 0; k < std::min(64U, params.NumKt - first); ++k) {
      const KernelType& type = s.type[first + k];
      rated |= U64{type.valid} << k;
      seen |= U64{type.kt} << k;
      sampled |= U64{type.snv} << k;
    }
    probes.types_rated.set_word(first / 64, rated);
    probes.types_seen.set_word(first / 64, seen);
    probes.types_sampled.set_word(first / 64, sampled);
  }
  switch (s.f) {
    case MainState::kKOpen:
      return probe_type(probes, s.type[s.k]);
    case MainState::kVOpen:
      if (s.ph == Phase::kUpdate && s.live(s.q)) probe_job(s, probes);
      return;
    case MainState::kVMac:
      probes.slot_type = s.vl.slot[s.vs].kid;
      probes.slot_groups = s.vl.slot[s.vs].n;
      return;
    default:
      return;
  }
}

void probe_submission(const State& s, Probes& probes) {
  if (s.sub == SubmitState::kIdle) return;
  probes.submit_queue = s.h.qid;
  probes.submit_deadline = s.h.deadline;
  probes.submit_start = s.h.start;
  probes.submit_flags = static_cast<U8>(s.h.append | unsigned{s.h.fits} << 1U | unsigned{s.bad_kid} << 2U |
                                        unsigned{s.overflow} << 3U | unsigned{s.nonzero} << 4U);
  probes.submit_beats = static_cast<U16>(s.h.nkt | unsigned{s.bc} << 5U | unsigned{s.sc} << 10U);
}

void probe_software(const State& s, Probes& probes) {
  probes.control = control_word(s.config);
  probes.min_groups = s.config.min_wg;
  probes.parse_latency = s.config.parse_lat;
  probes.context_speed = s.config.ckpt_bw;
  probes.prema_priority = s.config.prema_p;
  probes.interrupts = static_cast<U8>(s.irq_stat);
  probes.irq_enable = static_cast<U8>(s.irq_en);
  probes.now_high = s.now_high;
  probes.counters.elements = s.n;
}

}  // namespace

Probes probes_of(const Params& params, const State& s, base::Cycle steady) {
  Probes probes;
  probes.main_state = s.f;
  probes.submit_state = s.sub;
  probes.job_state0 = s.st0;
  probes.job_state1 = s.st1;
  probes.job_state2 = s.st2;
  probes.open = s.open;
  probes.preempted = s.pre;
  probes.kernel_type = s.k;
  probes.queue = s.q;
  probes.total = s.tot;
  probes.update_timer = s.utmr;
  probes.prema_timer = s.ptmr;
  probes.group = static_cast<U8>(s.g);
  probes.verdict_count = s.verdicts.count;
  probes.pend_count = s.pend.count;
  probes.done_count = s.done.count;
  if (!s.pend.empty()) probes.pend_oldest = s.pend.front();
  if (!s.done.empty()) probes.done_oldest = static_cast<U16>(s.done.front().qid | unsigned{s.done.front().met} << 8U);
  probes.enable = s.config.enable;
  probes.update_period = s.config.upd_period;
  probes.prema_period = s.config.prema_period;
  probes.update_waits = s.upd_pend;
  probes.prema_waits = s.prema_pend;
  probes.errors = static_cast<U16>(s.err_stat);
  probes.phase = s.visits() ? s.ph : Phase::kUpdate;
  probes.turn = s.turn;
  probes.update_start = s.upd_t;
  probes.update_length = s.upd_dt;
  probes.threshold = s.thr;
  probe_rows(params, s, probes);
  probe_submission(s, probes);
  probes.parse_offer = offer(s.p);
  probes.dispatch_offer = offer(s.d);
  probes.parse_dropped = s.p_drop;
  probes.last_granted = s.rrptr;
  probes.arrivals = s.seq_ctr;
  probes.grants = s.pseq_ctr;
  probe_software(s, probes);
  probes.rest = static_cast<U16>(std::min(steady, kMostIdle));
  return probes;
}

}  // namespace castor::lax
