#include "tb/tb_swap/cover/facts.h"

namespace castor::tb_swap::tb {

bool Now::covered(unsigned slot, unsigned line) const {
  if (probes.read_only == 0) return false;
  for (unsigned i = 0; i < params.RoSegs; ++i) {
    const unsigned row = slot * params.RoSegs + i;
    if (line >= probes.ro_first[row] && line < probes.ro_first[row] + unsigned{probes.ro_lines[row]}) return true;
  }
  return false;
}

bool Now::out_wants() const {
  if (probes.out_state == OutState::kSimt || probes.out_state == OutState::kRegisters) return true;
  return probes.out_state == OutState::kShared && probes.out_line < probes.smem &&
         !covered(probes.out_slot, probes.out_line);
}

bool Now::in_wants() const {
  if (probes.in_state == InState::kSimt || probes.in_state == InState::kRegisters) return true;
  return probes.in_state == InState::kShared && probes.in_line < probes.smem;
}

bool Now::in_local() const {
  if (entering == nullptr) return false;
  if (probes.in_state == InState::kSimt) return entering->simt_loc == kSimtInPlace;
  if (probes.in_state == InState::kRegisters) return entering->reg_loc == kInPlace;
  return entering->smem_loc == kInPlace && !covered(probes.in_slot, probes.in_line);
}

Now Jobs::follow(const castor::tb::Cycle<Block>& cycle) {
  if (cycle.before != nullptr) {
    const castor::tb::Cycle<Block>& last = *cycle.before;
    if (last.in.cfg_valid != 0) {
      waiting_.clear();
    } else {
      if (last.probes.in_state == InState::kIdle && last.probes.hand_valid != 0) entering_ = handed_;
      if (last.probes.out_state == OutState::kHand && cycle.probes.out_state == OutState::kIdle) handed_ = leaving_;
    }
  }
  if (cycle.probes.out_state == OutState::kPlace && !waiting_.empty()) {
    leaving_ = waiting_.front();
    waiting_.pop_front();
  }
  if (cycle.in.job_valid != 0 && cycle.out.job_ready != 0) {
    JobFacts job;
    job.out = cycle.in.job_out != 0;
    job.is_new = cycle.in.job_new != 0;
    job.slot = cycle.in.job_slot;
    job.site = cycle.in.job_site;
    if (!job.is_new) {
      job.reg_loc = static_cast<unsigned>(get(cycle.in.job_entry, kRegLoc));
      job.smem_loc = static_cast<unsigned>(get(cycle.in.job_entry, kSmemLoc));
      job.simt_loc = static_cast<unsigned>(get(cycle.in.job_entry, kSimtLoc));
    }
    waiting_.push_back(job);
  }
  return {cycle, cycle.probes.out_state != OutState::kIdle ? &leaving_ : nullptr,
          cycle.probes.in_state != InState::kIdle ? &entering_ : nullptr};
}

}  // namespace castor::tb_swap::tb
