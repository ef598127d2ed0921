#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Events of a clock edge, derived from the inputs and registers before the edge. No function uses the registers after
/// the edge, so events that coincide with a soft reset are seen too. The reset would hide their effect.
struct Edge {
  const Inputs& in;
  const Outputs& out;
  const Probes& was;
  const Params& params;
  bool late = false;  ///< the job that an update visits is past its deadline

  [[nodiscard]] MainState main() const { return was.main_state; }
  [[nodiscard]] bool policy_is(unsigned policy) const { return (was.control >> 4U & 15U) == policy; }

  // Register port
  [[nodiscard]] bool asks() const { return in.reg_req != 0 && out.reg_ack == 0; }
  [[nodiscard]] bool reads(unsigned address) const { return asks() && in.reg_we == 0 && in.reg_addr == address; }
  [[nodiscard]] bool writes(unsigned address) const { return asks() && in.reg_we != 0 && in.reg_addr == address; }
  [[nodiscard]] bool resets() const {
    return writes(reg::kControl) && legal_control(in.reg_wdata) && (in.reg_wdata & reg::kSoftReset) != 0;
  }
  /// Returns whether a table access is served; such an access keeps the main machine in its idle state.
  [[nodiscard]] bool uses_tables() const { return asks() && in.reg_addr >= 0x0400 && main() == MainState::kIdle; }
  [[nodiscard]] bool pops_verdict() const {
    return reads(reg::kVerdictPop) && was.verdict_count != 0 && in.adm_ready == 0;
  }
  [[nodiscard]] bool pops_done() const { return reads(reg::kDonePop) && was.done_count != 0; }

  // Timers, and activities that the idle main machine starts
  [[nodiscard]] bool update_timer_wraps() const { return was.enable != 0 && was.update_timer + 1 >= was.update_period; }
  [[nodiscard]] bool prema_timer_wraps() const { return was.enable != 0 && was.prema_timer + 1 >= was.prema_period; }
  [[nodiscard]] bool update_ticks() const { return update_timer_wraps() && (was.control >> 3U & 1U) == 0; }
  [[nodiscard]] bool prema_ticks() const { return prema_timer_wraps() && policy_is(7); }
  [[nodiscard]] bool chooses() const { return main() == MainState::kIdle && was.enable != 0 && !uses_tables(); }
  [[nodiscard]] bool update_is_accepted() const {
    return chooses() && was.update_waits != 0 && !(was.turn != 0 && was.pend_count != 0);
  }
  [[nodiscard]] bool ranking_is_accepted() const { return chooses() && !update_is_accepted() && was.prema_waits != 0; }
  [[nodiscard]] bool admission_begins() const {
    return chooses() && !update_is_accepted() && was.prema_waits == 0 && was.pend_count != 0;
  }

  // Main machine
  [[nodiscard]] bool decides(Phase phase) const { return main() == MainState::kVKey && was.phase == phase; }
  [[nodiscard]] bool last_queue() const { return was.queue + 1U == params.NumQueues; }
  [[nodiscard]] bool threshold_is_found() const { return main() == MainState::kR1 && last_queue(); }
  [[nodiscard]] bool request_is_ranked() const {
    return main() == MainState::kR2 && was.preempted.test(was.queue) && live(was.queue);
  }
  [[nodiscard]] bool ranking_ends() const { return main() == MainState::kR3; }
  [[nodiscard]] bool rate_is_written() const { return main() == MainState::kKWb; }
  [[nodiscard]] bool window_is_sampled() const {
    return main() == MainState::kKOpen && was.types_seen.test(was.kernel_type) && was.row_count >= was.min_groups;
  }
  [[nodiscard]] bool job_is_dropped() const {
    return late && decides(Phase::kUpdate) && (was.control >> 16U & 1U) != 0 && policy_is(8) && live(was.queue) &&
           !runs(was.queue) && !was.open.test(was.queue) && was.verdict_count + was.pend_count + 2U <= params.VqDepth;
  }
  [[nodiscard]] bool update_ends() const {
    const bool waits = policy_is(7) && live(was.queue) && !(was.open.test(was.queue) && !was.preempted.test(was.queue));
    const bool leaves = main() == MainState::kVTok || (decides(Phase::kUpdate) && !waits) ||
                        (main() == MainState::kVOpen && was.phase == Phase::kUpdate && !live(was.queue));
    return leaves && last_queue();
  }
  [[nodiscard]] bool job_is_judged() const { return main() == MainState::kANext && was.pend_count != 0; }

  // Submit machine
  [[nodiscard]] bool submit_is(SubmitState state) const { return was.submit_state == state; }
  [[nodiscard]] bool header_is_accepted() const { return in.js_valid != 0 && out.js_ready != 0; }
  [[nodiscard]] bool commits() const {
    return submit_is(SubmitState::kCommit) && in.wgc_valid == 0 && main() != MainState::kVKey;
  }
  [[nodiscard]] bool appends() const { return (was.submit_flags & 1U) != 0; }
  /// Returns whether the submitted list is free of errors.
  [[nodiscard]] bool list_is_good() const {
    const unsigned announced = was.submit_beats & 31U, taken = was.submit_beats >> 5U & 31U;
    return announced == taken && announced != 0 && announced <= params.MaxKt &&
           (was.submit_flags & 0b11100U) == 0b10000U;
  }
  [[nodiscard]] bool job_arrives() const {
    return commits() && was.enable != 0 && !appends() && list_is_good() && was.submit_deadline != 0 &&
           (job_is(was, was.submit_queue, JobState::kFree) || acknowledges(was.submit_queue));
  }
  [[nodiscard]] bool append_is_judged() const { return submit_is(SubmitState::kVerdict) && main() != MainState::kVKey; }
  /// Returns whether a header is refused because the engine is disabled, the queue is in use, or the list is wrong.
  [[nodiscard]] bool header_is_refused() const {
    return commits() && !job_arrives() && !(appends() && live(was.submit_queue) && list_is_good());
  }

  // Jobs and events
  [[nodiscard]] bool live(unsigned queue) const { return was.job_state1.test(queue) && !was.job_state2.test(queue); }
  [[nodiscard]] bool runs(unsigned queue) const { return live(queue) && was.job_state0.test(queue); }
  [[nodiscard]] bool acknowledges(unsigned queue) const {
    return uses_tables() && in.reg_we != 0 && in.reg_addr == reg::kQueueState + 4 * queue &&
           (in.reg_wdata & reg::kAcknowledge) != 0 && job_state(was, queue) >= number(JobState::kDone);
  }
  [[nodiscard]] bool kernel_starts() const {
    return in.ks_valid != 0 && live(in.ks_qid) && !runs(in.ks_qid) && !was.open.test(in.ks_qid) &&
           in.ks_kid < params.NumKt;
  }
  [[nodiscard]] bool open(unsigned queue) const {
    return was.open.test(queue) || (kernel_starts() && in.ks_qid == queue);
  }
  [[nodiscard]] bool kernel_is_issued() const {
    return in.ki_valid != 0 && live(in.ki_qid) && !runs(in.ki_qid) && open(in.ki_qid);
  }
  /// Returns whether a TB completes in a live job. The check uses only whether the type has been seen in the list of
  /// any job, not the list of this job.
  [[nodiscard]] bool block_completes() const {
    return in.wgc_valid != 0 && live(in.wgc_qid) && open(in.wgc_qid) && in.wgc_kid < params.NumKt &&
           (was.types_seen.test(in.wgc_kid) || (kernel_starts() && in.ks_kid == in.wgc_kid));
  }
  [[nodiscard]] bool kernel_ends() const {
    const bool issued = kernel_is_issued() && in.ki_qid == in.kd_qid;
    return in.kd_valid != 0 && live(in.kd_qid) && (runs(in.kd_qid) || issued) && in.kd_kid < params.NumKt &&
           was.types_seen.test(in.kd_kid);
  }
  [[nodiscard]] bool job_ends() const { return kernel_ends() && in.kd_last != 0; }
  /// Returns whether an event names a queue without a live job. A queue whose job is judged in this cycle does not
  /// count.
  [[nodiscard]] bool event_is_refused() const {
    const auto dead = [this](unsigned valid, unsigned queue) {
      return valid != 0 && !live(queue) && !(main() == MainState::kVKey && was.queue == queue);
    };
    return dead(in.ks_valid, in.ks_qid) || dead(in.ki_valid, in.ki_qid) || dead(in.wgc_valid, in.wgc_qid) ||
           dead(in.kd_valid, in.kd_qid);
  }

  // Selection
  [[nodiscard]] bool pass_ends() const { return was.group + 1U == params.groups(); }
  [[nodiscard]] bool parse_is_granted() const { return in.psel_grant != 0 && out.psel_valid != 0; }
};

/// Returns whether the visited job is past its deadline. The value is determined when the visit begins; later cycles
/// return `before`.
[[nodiscard]] inline bool is_late(const Edge& edge, bool before) {
  if (edge.main() != MainState::kVOpen) return before;
  const U64 age = (edge.in.now - edge.was.row_start) & twin::mask(48);
  return edge.was.row_deadline != ~U32{0} && age >> 47U == 0 && age > edge.was.row_deadline;
}

}  // namespace castor::lax::tb
