#include "castor/laperm/engine.h"

namespace castor::laperm {

Engine::Choice Engine::examine(const Inputs& in) const {
  Choice choice{};
  if (!kernels_.waiting() || in.room_open == 0) return choice;
  choice.looked = true;
  const unsigned sm = rotation_.cur;
  const unsigned set = set_of(sm, in.policy);
  const U32 filled = sets_.filled();
  if ((busy_sets() >> set & 1U) != 0) {
    if ((filled >> set & 1U) == 0) {
      choice.starved = true;
      return choice;
    }
    choice.stage = 1;
    take_front(choice, set);
  } else if (!host_.empty()) {
    choice.stage = 2;
    choice.item = &host_.front();
    choice.pos = host_.position();
  } else if (in.policy != kTbPri && in.policy != kSmxBind && filled != 0) {
    choice.stage = 3;
    unsigned backup = rotation_.backup[sm];
    if ((filled >> backup & 1U) == 0) {
      backup = first_from(filled, set + 1 == params_.sets() ? 0 : set + 1);
      choice.switches = true;
    }
    take_front(choice, backup);
  } else {
    return choice;
  }
  const U8 kd = choice.item->kd;
  const Need& need = kernels_.need(kd);
  choice.last = ((choice.pos + 1) & cnt_mask_) == choice.item->cnt;
  choice.fits = in.room_slots != 0 && in.room_warps >= need.warps && in.room_regs >= need.regs &&
                in.room_smem >= need.smem && in.kd_ok.test(kd);
  return choice;
}

void Engine::take_front(Choice& choice, unsigned set) const {
  const unsigned level = highest(chip_.levels(set));  // level - 1
  choice.level = static_cast<U8>(level + 1);
  choice.set = static_cast<U8>(set);
  choice.list = static_cast<U16>(set * params_.LvlMax + level);
  choice.item = &chip_.front(choice.list);
  choice.pos = chip_.position(choice.list);
}

void Engine::show_choice(const Choice& choice) {
  const bool offered = choice.fits;
  out_.ev_stage = choice.stage;
  out_.ev_backup = choice.switches ? 1 : 0;
  out_.ev_starve = choice.starved ? 1 : 0;
  choice_presented_ = choice.stage != 0 || choice.starved;
  if (!offered && out_.pl_valid == 0) return;
  out_.pl_valid = offered ? 1 : 0;
  out_.pl_sm = offered ? rotation_.cur : U8{0};
  out_.pl_kd = offered ? choice.item->kd : U8{0};
  out_.pl_agei = offered ? choice.item->agei : 0;
  out_.pl_level = offered ? choice.level : U8{0};
  out_.pl_pos = offered ? choice.pos : 0;
  out_.pl_last = offered && choice.last ? 1 : 0;
  out_.pl_dim = offered ? choice.item->dim : 0;
  out_.pl_param = offered ? choice.item->param : 0;
}

void Engine::show_bound(U8 policy) {
  bound_policy_ = policy;
  bound_sets_ = busy_sets();
  U32 sms = 0;
  if (policy != kTbPri) {
    const U32 cluster = static_cast<U32>(twin::mask(params_.ClusterSize));
    for (U32 left = bound_sets_; left != 0; left &= left - 1) {
      sms |= cluster << (static_cast<unsigned>(__builtin_ctz(left)) << cluster_log2_);
    }
  }
  out_.bound_wait = sms & all_sms_;
}

void Engine::step_examine(const Choice& choice) {
  if (!kernels_.waiting()) {
    rotation_.fit = all_sms_;
    return;
  }
  const U8 sm = rotation_.cur;
  if (choice.looked) {
    const U32 bit = U32{1} << sm;
    rotation_.fit = choice.stage == 0 || choice.fits ? rotation_.fit | bit : rotation_.fit & ~bit;
    if (choice.stage == 3) rotation_.backup[sm] = choice.set;
  }
  rotation_.cur = static_cast<U8>(sm + 1U == params_.NumSm ? 0U : sm + 1U);
}

void Engine::step_place(const Choice& choice) {
  const U8 kd = choice.item->kd;
  if (!choice.last) {
    const U64 next = (choice.pos + 1) & cnt_mask_;
    choice.stage == 2 ? host_.advance(next) : chip_.advance(choice.list, next);
    return;
  }
  if (choice.stage == 2) {
    host_.pop();
  } else {
    chip_.pop(choice.set, choice.list);
    sets_.remove(choice.set);
  }
  kernels_.remove(kd);
}

}  // namespace castor::laperm
