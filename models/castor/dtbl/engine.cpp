#include "castor/dtbl/engine.h"

#include "castor/twin/block.h"

namespace castor::dtbl {

Engine::Engine(const Params& params) : params_(twin::checked<Block>(params)) { reset(); }

void Engine::reset() {
  launch_ = {};
  dispatch_ = {};
  dispatch_.nagei.fill(kNone);
  dispatch_.lagei.fill(kNone);
  out_ = {};
  offer_presented_ = fb_ready_ = false;
  show_launch();
  show_dispatch();
  show_ready();
}

void Engine::clock(const Inputs& in) {
  fb_ready_ = in.fb_ready != 0;
  const Push push = pushed(in);  // computed before the launch half changes its state
  const Launch& l = launch_;
  if ((in.agg_valid | in.done_valid | l.err) != 0 || l.cq_valid || l.rel_valid || l.o.valid || beat_shown_) {
    clock_launch(in);
  }
  const Dispatch& d = dispatch_;
  if (push.valid || (in.pl_taken | in.rsp_valid | d.err) != 0 || d.st == DispatchState::kReq || d.lw_valid) {
    clock_dispatch(in, push);
  }
  show_ready();
}

Probes Engine::probes() const {
  const Launch& l = launch_;
  const Dispatch& d = dispatch_;
  Probes probes;
  probes.launch_state = l.st;
  probes.run_key = l.rk;
  probes.in_command = l.mid ? 1 : 0;
  probes.fallbacks = l.ford;
  probes.busy = l.busy;
  probes.done_valid = l.cq_valid ? 1 : 0;
  probes.done_age = l.cq_age;
  probes.done_left = l.cq_valid && l.busy.test(l.cq_age) ? l.left[l.cq_age] : 0;
  probes.out_valid = l.o.valid ? 1 : 0;
  probes.out_fallback = l.o.valid && l.o.fallback ? 1 : 0;
  probes.released = l.rel_valid ? 1 : 0;
  probes.launch_error = l.err;
  probes.dispatch_state = d.st;
  probes.first = d.first;
  probes.queue_head = static_cast<U8>(d.head);
  probes.queue_count = d.count;
  probes.queue_oldest = d.count != 0 ? d.fq[d.head] : U8{0};
  probes.cur_kd = d.kd;
  probes.cur_agei = d.agei;
  probes.cur_od = d.od.bits();
  probes.cur_pos = d.pos;
  const U32 head = d.mark.test(d.kd) ? d.nagei[d.kd] : 0;
  probes.row_nagei = head;
  probes.row_lagei = d.mark.test(d.kd) && head != kNone ? d.lagei[d.kd] : 0;
  probes.row_kdim = d.first.test(d.kd) ? d.kdim[d.kd] : 0;
  const bool linked = d.st == DispatchState::kRun && (d.agei & kOffChip) == 0 && d.agei != d.lagei[d.kd];
  probes.row_next = linked ? d.lnext[age(d.agei)] : 0;
  probes.record_dim = d.ob_dim;
  probes.record_next = d.ob_next;
  probes.record_linked = d.ob_linked ? 1 : 0;
  probes.link_valid = d.lw_valid ? 1 : 0;
  probes.link_rec = d.lw_valid ? d.lw_rec : 0;
  probes.link_data = d.lw_valid ? d.lw_data : 0;
  probes.read_stays = d.ro ? 1 : 0;
  probes.dispatch_error = d.err;
  return probes;
}

}  // namespace castor::dtbl
