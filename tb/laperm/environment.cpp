#include "tb/laperm/environment.h"

#include <algorithm>
#include <functional>

namespace castor::laperm::tb {
namespace {

// Resources of an SM in plain episodes; other episodes use the full width of the ports.
constexpr unsigned kWarps = 64, kRegs = 512, kSmem = 384;
constexpr unsigned kParts = 8;

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params), knobs_(knobs), random_(seed ^ 0x6C61'7065'726DULL), edges_(params, seed) {
  forget();
}

void Environment::forget() {
  whole_.slots = knobs_.slots;
  whole_.warps = static_cast<unsigned>(edges_.any(&Inputs::room_warps, kWarps));
  whole_.regs = static_cast<unsigned>(edges_.any(&Inputs::room_regs, kRegs));
  whole_.smem = static_cast<unsigned>(edges_.any(&Inputs::room_smem, kSmem));
  sms_.assign(params_.NumSm, {whole_, true});
  kernels_.assign(params_.NumKd, {});
  pushes_.clear();
  offered_ = wrong_ = false;
  items_ = 0;
  running_.clear();
  replies_.clear();
  reads_ = 0;
  requested_ = false;
  scan_ = 0;
  waiting_ = false;
  closed_ = 0;
  rest_ = 0;
  resting_ = false;
  over_at_ = cycle_ + 1 + below(1 + knobs_.over);
}

void Environment::begin(Inputs& in) {
  edges_.draw();
  forget();
  in.kd_ok = KdBits::ones(params_.NumKd);
  draw_settings(in);
}

/// Follows the block's rotation by n cycles: while an item waits, the block examines the next SM in each cycle.
void Environment::turn(base::Cycle n) {
  if (waiting_) scan_ = static_cast<unsigned>((scan_ + n) % params_.NumSm);
}

void Environment::draw_settings(Inputs& in) {
  in.policy = static_cast<U8>(knobs_.policy < 4 ? knobs_.policy : below(4));
  in.ovf_log2 = 0;
  if (knobs_.ovf_log2 != 0 && !chance(knobs_.no_memory)) {
    const unsigned least = std::min(knobs_.ovf_least, knobs_.ovf_log2);
    in.ovf_log2 = static_cast<U8>(edges_.between(least, knobs_.ovf_log2, least + below(knobs_.ovf_log2 + 1 - least)));
  }
}

Environment::Room Environment::draw_need() {
  const auto part = [&](unsigned all) {
    const unsigned most = all * std::min(knobs_.need, kParts) / kParts;
    return static_cast<unsigned>(edges_.between(0, most, below(1 + most)));
  };
  Room need;
  need.warps = part(whole_.warps);
  need.regs = part(whole_.regs);
  need.smem = part(whole_.smem);
  return need;
}

void Environment::wish(unsigned kd, unsigned level, unsigned sm, unsigned volume) {
  const U64 most = twin::mask(params_.CntW);
  Push push;
  push.kd = kd;
  push.level = level;
  push.sm = std::min(sm, params_.NumSm - 1) % std::max(1U, knobs_.bind);
  if (knobs_.last_sms) push.sm = params_.NumSm - 1 - push.sm;
  // The SM of a host kernel is not used, so any value of the port is legal.
  if (level == 0) push.sm = (sm + static_cast<unsigned>(number_)) % (1U << params_.sm_bits());
  push.cnt = chance(knobs_.huge) ? most : std::min<U64>(1 + below(volume), most);
  if (knobs_.sizes) push.cnt = edges_.size(1, most, push.cnt, true);
  if (knobs_.tall != 0 && chance(knobs_.tall)) push.cnt = edges_.tall(params_.CntW, push.cnt);
  push.cnt = std::max(push.cnt, std::min<U64>(level == 0 ? knobs_.grid_least : knobs_.volume_least, most));
  push.agei = edges_.any(&Inputs::push_agei, ++number_);
  push.dim = edges_.any(&Inputs::push_dim, random_());
  push.param = edges_.any(&Inputs::push_param, random_());
  pushes_.push_back(push);
}

void Environment::host_kernel() {
  const unsigned from = below(params_.NumKd);
  for (unsigned i = 0; i < params_.NumKd; ++i) {
    const unsigned kd = (from + i) % params_.NumKd;
    const bool wished = std::any_of(pushes_.begin(), pushes_.end(), [kd](const Push& push) { return push.kd == kd; });
    if (kernels_[kd].waiting != 0 || kernels_[kd].running != 0 || wished) continue;
    kernels_[kd].need = draw_need();
    wish(kd, 0, below(params_.NumSm), knobs_.grid);
    pushes_.back().agei = twin::mask(params_.AgeiW);
    return;
  }
  // All entries are in use: pushes one of the kernels again, with unchanged resource needs.
  if (chance(kAlways / 2)) wish(below(params_.NumKd), 0, below(params_.NumSm), knobs_.grid);
}

void Environment::orphan() {
  const unsigned kernels = std::min(params_.NumKd, std::max(1U, knobs_.kernels));
  wish(below(kernels), 1 + below(std::max(1U, knobs_.level)), below(params_.NumSm), knobs_.volume);
}

void Environment::show_push(Inputs& in) {
  const Push& push = wrong_ ? wrong_push_ : pushes_.front();
  Room need = kernels_[push.kd % params_.NumKd].need;
  if (wrong_ && other_need_) {
    need = {need.slots, whole_.warps - need.warps, whole_.regs - need.regs, whole_.smem - need.smem};
  }
  in.push_valid = 1;
  in.push_kd = static_cast<U8>(push.kd);
  in.push_agei = push.agei;
  in.push_cnt = push.cnt;
  in.push_dim = push.dim;
  in.push_param = push.param;
  in.push_level = static_cast<U8>(push.level);
  in.push_sm = static_cast<U8>(push.sm);
  in.push_warps = static_cast<U8>(need.warps);
  in.push_regs = static_cast<U16>(need.regs);
  in.push_smem = static_cast<U16>(need.smem);
}

/// Draws a push that must be refused: no thread blocks, a kernel or SM that does not exist, or a kernel whose item
/// count is at its maximum.
void Environment::draw_wrong_push() {
  Push& push = wrong_push_;
  push = {below(std::min(params_.NumKd, std::max(1U, knobs_.kernels))),
          below(16),
          below(params_.NumSm),
          random_() & twin::mask(params_.AgeiW),
          1,
          0,
          0};
  wrong_ = true;
  other_need_ = false;  // a push at the maximum may become legal, so its needs stay those of the kernel
  for (unsigned kd = 0; kd < params_.NumKd; ++kd) {
    if (kernels_[kd].waiting != twin::mask(params_.QcntW)) continue;
    push.kd = kd;
    return;
  }
  const unsigned kds = 1U << params_.kd_bits(), all_sms = 1U << params_.sm_bits();
  const unsigned kind = below(3);
  other_need_ = true;
  if (kind == 1 && kds > params_.NumKd) {
    push.kd = params_.NumKd + below(kds - params_.NumKd);
  } else if (kind == 2 && all_sms > params_.NumSm) {
    push.level = 1 + below(15);
    push.sm = params_.NumSm + below(all_sms - params_.NumSm);
  } else {
    push.cnt = 0;
  }
}

void Environment::show_room(Inputs& in) {
  Sm& sm = sms_[scan_];
  if (chance(knobs_.reopen)) sm.open = chance(knobs_.open);
  in.room_open = sm.open && closed_ == 0 && scan_ >= knobs_.closed ? 1 : 0;
  in.room_slots = static_cast<U8>(sm.left.slots);
  in.room_warps = static_cast<U8>(sm.left.warps);
  in.room_regs = static_cast<U16>(sm.left.regs);
  in.room_smem = static_cast<U16>(sm.left.smem);
  if (chance(knobs_.requota)) {
    for (unsigned kd = 0; kd < params_.NumKd; ++kd) in.kd_ok.assign(kd, chance(knobs_.quota));
  }
}

void Environment::finish_thread_blocks() {
  while (!running_.empty() && running_.front().due <= cycle_) {
    std::pop_heap(running_.begin(), running_.end(), std::greater<>());
    const Running& over = running_.back();
    Room& left = sms_[over.sm].left;
    ++left.slots;
    left.warps += over.need.warps;
    left.regs += over.need.regs;
    left.smem += over.need.smem;
    --kernels_[over.kd].running;
    running_.pop_back();
  }
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    return;
  }
  finish_thread_blocks();
  if (closed_ > 0) --closed_;
  if (!offered_ && !wrong_ && !waiting_ && chance(knobs_.settings)) {
    draw_settings(in);
  } else {
    if (chance(knobs_.kernel)) host_kernel();
    if (items_ + pushes_.size() < knobs_.alive && pushes_.size() < knobs_.backlog) {
      if (chance(knobs_.orphan)) orphan();
      if (knobs_.burst != 0 && closed_ == 0 && chance(kAlways / 200)) {
        for (unsigned i = 0; i < knobs_.burst; ++i) orphan();
        // At most one item is pushed every other cycle. The SMs stay closed until all waiting pushes can have been
        // accepted.
        closed_ = 2 * static_cast<unsigned>(pushes_.size()) + below(16);
      }
    }
    // Defers the first push while its kernel's item count is at the maximum, since the block would refuse this push.
    const auto most = twin::mask(params_.QcntW);
    if (!offered_ && !pushes_.empty() && kernels_[pushes_.front().kd].waiting >= most) {
      pushes_.push_back(pushes_.front());
      pushes_.pop_front();
    }
    const bool can = !pushes_.empty() && kernels_[pushes_.front().kd].waiting < most;
    if (!offered_ && !wrong_ && chance(knobs_.break_push)) draw_wrong_push();
    if (wrong_ || offered_ || (can && chance(knobs_.push))) {
      offered_ = !wrong_;
      show_push(in);
    }
  }
  in.mem_ready = chance(knobs_.memory) ? 1 : 0;
  show_room(in);
}

void Environment::react(Inputs& in, const Outputs& out) {
  follow_push(in, out);
  follow_memory(in, out);
  if (!resting_) place(in, out);
  turn(1);
  waiting_ = items_ > 0;
  if (!resting_ && !offered_ && !wrong_ && chance(knobs_.rest)) rest_ = 1 + below(knobs_.rest_cycles);
}

void Environment::follow_push(const Inputs& in, const Outputs& out) {
  if (in.push_valid == 0 || out.push_ready == 0) return;
  const bool refused = in.push_cnt == 0 || in.push_kd >= params_.NumKd ||
                       (in.push_level > 0 && in.push_sm >= params_.NumSm) ||
                       kernels_[in.push_kd].waiting == twin::mask(params_.QcntW);
  if (!wrong_) {
    pushes_.pop_front();
    offered_ = false;
  }
  wrong_ = false;
  // A push that came at the kernel's maximum is accepted if an item of the kernel left while the push waited.
  if (refused) return;
  ++kernels_[in.push_kd].waiting;
  ++items_;
}

void Environment::place(Inputs& in, const Outputs& out) {
  if (out.pl_valid == 0) {
    in.pl_taken = chance(knobs_.stray) ? 1 : 0;
    return;
  }
  if (!chance(knobs_.take)) return;
  in.pl_taken = 1;
  Kernel& kernel = kernels_[out.pl_kd % params_.NumKd];
  Sm& sm = sms_[scan_];
  const auto take = [](unsigned& left, unsigned need) { left -= std::min(left, need); };
  take(sm.left.slots, 1);
  take(sm.left.warps, kernel.need.warps);
  take(sm.left.regs, kernel.need.regs);
  take(sm.left.smem, kernel.need.smem);
  ++kernel.running;
  running_.push_back({cycle_ + 1 + below(knobs_.time), scan_, out.pl_kd % params_.NumKd, kernel.need});
  std::push_heap(running_.begin(), running_.end(), std::greater<>());
  if (out.pl_last != 0 && kernel.waiting > 0) {
    --kernel.waiting;
    --items_;
  }
  if (items_ + pushes_.size() >= knobs_.alive || !chance(knobs_.launch)) return;
  const unsigned items = 1 + below(knobs_.fan);
  const unsigned level = std::min(15U, out.pl_level + 1U);
  for (unsigned i = 0; i < items; ++i) wish(out.pl_kd % params_.NumKd, level, scan_, knobs_.volume);
}

void Environment::follow_memory(Inputs& in, const Outputs& out) {
  const bool read = out.mem_valid != 0 && out.mem_we == 0;
  if (read && !requested_) ++reads_;
  requested_ = out.mem_valid != 0 && in.mem_ready == 0;
  if (!resting_) {
    if (!replies_.empty() && replies_.front().due <= cycle_ && chance(knobs_.answer)) {
      in.mem_rvalid = 1;
      in.mem_rdata = replies_.front().entry;
      replies_.pop_front();
      --reads_;
    } else if (reads_ == 0 && chance(knobs_.break_reply)) {
      in.mem_rvalid = 1;
      in.mem_rdata = Entry(random_() & twin::mask(params_.ParamW));
    }
  }
  if (out.mem_valid == 0 || in.mem_ready == 0) return;
  const auto place = std::make_pair(unsigned{out.mem_list}, unsigned{out.mem_idx});
  if (out.mem_we != 0) {
    lists_[place] = out.mem_wdata;
  } else {
    replies_.push_back({cycle_ + 1 + below(knobs_.delay), lists_[place]});
  }
}

}  // namespace castor::laperm::tb
