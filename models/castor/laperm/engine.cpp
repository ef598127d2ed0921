#include "castor/laperm/engine.h"

#include "castor/twin/block.h"

namespace castor::laperm {

Engine::Engine(const Params& params)
    : params_(twin::checked<Block>(params)),
      cluster_log2_(twin::log2_ceil(params.ClusterSize)),
      cnt_mask_(twin::mask(params.CntW)),
      all_sms_(static_cast<U32>(twin::mask(params.NumSm))),
      sets_(params.sets()),
      chip_(params),
      memory_(params.LvlMax),
      host_(params.NumKd),
      kernels_(params) {
  reset();
}

void Engine::reset() {
  rotation_ = {};
  for (unsigned sm = 0; sm < params_.NumSm; ++sm) rotation_.backup[sm] = static_cast<U8>(sm >> cluster_log2_);
  rotation_.fit = all_sms_;
  sets_.reset();
  chip_.reset();
  memory_.reset();
  host_.reset();
  kernels_.reset();
  parked_ = {};
  request_ = {};
  tags_ = {};
  reply_ = {};
  refill_next_ = 0;
  wrote_ = false;
  err_ = 0;
  out_ = {};
  choice_presented_ = false;
  bound_sets_ = 0;
  show();
}

const Outputs& Engine::settle(const Inputs& in) {
  if (bound_sets_ != busy_sets() || (bound_policy_ != in.policy && bound_sets_ != 0)) show_bound(in.policy);
  if (kernels_.waiting() || choice_presented_) show_choice(examine(in));
  return out_;
}

void Engine::clock(const Inputs& in) {
  if (rests_ && (in.push_valid | in.mem_rvalid) == 0) return;
  sets_.set_limit(in.policy == kTbPri ? params_.sets() * params_.BankDepth : params_.BankDepth);

  // All decisions use the register values before the edge; the steps then change the registers.
  const Choice choice = examine(in);
  const bool pushed = in.push_valid != 0 && !parked_.valid;
  const bool accepted = pushed && accepts(in);
  Parked item;
  if (accepted) {
    item = {true, in.push_level, in.push_sm, {in.push_agei, in.push_cnt, in.push_dim, in.push_param, in.push_kd}};
  } else if (parked_.valid) {
    item = parked_;
  }
  const Route where = item.valid ? route(item, in) : Route{};
  const unsigned refill =
      where.target == Target::kMemory ? kNoSet : refill_set(where.target == Target::kChip ? where.set : kNoSet);
  const bool taken = request_.valid && in.mem_ready != 0;

  err_ = 0;
  if (pushed && !accepted) err_ = kErrorPush;
  step_examine(choice);
  if (choice.fits && in.pl_taken != 0) step_place(choice);
  if (reply_.valid || in.mem_rvalid != 0) step_reply(in);
  if (accepted) {
    kernels_.add(in.push_kd);
    kernels_.set_need(in.push_kd, {in.push_warps, in.push_regs, in.push_smem});
  }
  if (item.valid) step_item(item, where, in);
  if (refill != kNoSet) step_refill(refill, in);
  if (taken) request_ = {};
  show();
}

void Engine::idle(base::Cycle n) {
  if (!kernels_.waiting()) return;
  rotation_.cur = static_cast<U8>((rotation_.cur + n % params_.NumSm) % params_.NumSm);
  out_.scan_sm = rotation_.cur;
}

bool Engine::settled() const {
  return err_ == 0 && !parked_.valid && !request_.valid && !reply_.valid && tags_.count() == 0 &&
         refill_set(kNoSet) == kNoSet;
}

void Engine::show() {
  out_.push_ready = parked_.valid ? 0 : 1;
  out_.scan_sm = rotation_.cur;
  out_.mem_valid = request_.valid ? 1 : 0;
  out_.mem_we = request_.write ? 1 : 0;
  out_.mem_list = request_.list;
  out_.mem_idx = request_.idx;
  out_.mem_wdata = request_.data;
  out_.hold = kernels_.hold();
  out_.waiting = kernels_.waiting() ? 1 : 0;
  out_.ready = sets_.filled() != 0 || !host_.empty() ? 1 : 0;
  out_.fits_head = rotation_.fit;
  out_.err = err_;
  rests_ = !kernels_.waiting() && rotation_.fit == all_sms_ && err_ == 0 && !request_.valid && !parked_.valid &&
           !reply_.valid && memory_.sets() == 0;
}

Probes Engine::probes() const {
  Probes probes;
  const unsigned levels = params_.LvlMax;
  for (unsigned set = 0; set < params_.sets(); ++set) {
    for (U32 left = chip_.levels(set); left != 0; left &= left - 1) {
      const unsigned list = set * levels + static_cast<unsigned>(__builtin_ctz(left));
      probes.listed.set(list);
      if (chip_.position(list) != 0) probes.begun.set(list);
    }
  }
  probes.in_memory = memory_.counts();
  probes.oldest = memory_.oldest();
  probes.fetches = memory_.fetches();
  probes.entries = sets_.entries();
  probes.promised = sets_.promised();
  probes.host_count = static_cast<U16>(host_.count());
  probes.host_pos = host_.position();
  probes.items = kernels_.items();
  probes.backup = rotation_.backup;
  probes.fit = rotation_.fit;
  probes.pk_valid = parked_.valid ? 1 : 0;
  if (parked_.valid) {
    probes.pk_entry = pack(parked_.item, params_);
    probes.pk_level = parked_.level;
    probes.pk_sm = parked_.sm;
  }
  probes.tags = static_cast<U8>(tags_.count());
  probes.rf_valid = reply_.valid ? 1 : 0;
  if (reply_.valid) {
    probes.rf_list = reply_.list;
    probes.rf_entry = pack(reply_.item, params_);
  }
  probes.refill_set = refill_next_;
  probes.wrote = wrote_ ? 1 : 0;
  probes.requested = request_.valid ? 1 : 0;
  probes.error = err_;
  return probes;
}

}  // namespace castor::laperm
