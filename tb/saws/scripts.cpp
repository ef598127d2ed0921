#include "tb/saws/scripts.h"

#include <algorithm>

namespace castor::saws::tb {
namespace {

/// Event of the worked example: the warp that is reported blocked, and the cycle.
struct Blocked {
  unsigned cycle, warp;
};
constexpr Blocked kBlocks[] = {{5, 4}, {8, 6}, {11, 1}, {14, 3}, {17, 0}, {20, 5}, {24, 0}, {27, 5}, {30, 2}, {33, 7}};

}  // namespace

void Chaos::new_phase() {
  const auto pick = [this](std::initializer_list<unsigned> rates) { return rates.begin()[below(rates.size())]; };
  left_ = 20 + below(400);
  start_ = pick({0, 0, 1, 8, 64});
  operation_ = pick({4, 20, 60, 200, 256});
  event_ = pick({10, 60, 160, 256});
  exit_ = pick({2, 30, 128});
  unblock_ = pick({0, 10, 60, 200});
  ready_ = pick({10, 100, 250});
  ack_ = pick({20, 128, 256});
}

void Chaos::drive(Inputs& in) {
  if (left_ == 0) new_phase();
  --left_;
  const U64 all = twin::mask(params_.NumWarps);
  if (!chance(128)) return;
  U64 ready = random_();
  if (ready_ < 100) ready &= random_() & random_();
  if (ready_ > 200) ready |= random_() | random_();
  in.w_ready = WarpBits(ready & all);
}

void Chaos::react(Inputs& in, const Outputs& /*out*/) {
  const U64 all = twin::mask(params_.NumWarps);
  in.mode_sel = static_cast<U8>(below(4));
  in.toggle_en = static_cast<U8>(below(2));
  if (chance(operation_)) operate(in);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (chance(event_)) in.wev_valid = static_cast<U8>(in.wev_valid | 1U << s);
    if (chance(exit_)) in.wev_exit = static_cast<U8>(in.wev_exit | 1U << s);
    if (chance(ack_)) in.issue_ack = static_cast<U8>(in.issue_ack | 1U << s);
    const U64 idx = chance(8) ? random_() : random_.below(params_.warps_per_scheduler());
    in.wev_idx[s] = static_cast<U8>(idx & twin::mask(params_.index_bits()));
  }
  if (chance(unblock_)) {
    U64 mask = random_();
    if (chance(128)) mask &= random_() & random_();
    if (chance(64)) mask = ~U64{0};
    in.unblock = WarpBits(mask & all);
  }
  if (chance(start_)) {
    in.kernel_start = 1;
    std::fill(placed_.begin(), placed_.end(), 0);
  }
}

U64 Chaos::warps() {
  const unsigned count = 1 + below(chance(128) ? 4 : params_.NumWarps), from = below(params_.NumWarps);
  U64 mask = twin::mask(count) << from;
  if (chance(40)) mask = random_() & random_();
  return mask & twin::mask(params_.NumWarps);
}

void Chaos::operate(Inputs& in) {
  in.cta_valid = 1;
  in.cta_free = static_cast<U8>(chance(90) ? 1 : 0);
  in.cta_id = static_cast<U8>(random_() & twin::mask(params_.cta_bits()));
  U64 taken = 0;
  for (const U64 mask : placed_) taken |= mask;
  const U64 mask = chance(240) ? warps() & ~taken : warps();
  in.cta_wmask = WarpBits(mask);
  U64& slot = placed_[in.cta_id];
  if (in.cta_id >= params_.MaxCta) return;
  if (in.cta_free != 0) {
    slot = 0;
  } else if (slot == 0 && (mask & taken) == 0) {
    slot = mask;
  }
}

void Example::drive(Inputs& in) {
  if (pause_ > 0) {
    --pause_;
    return;
  }
  const unsigned warps = params_.NumWarps, schedulers = params_.NumSched;
  const U64 all = twin::mask(warps);
  if (cycle_ == 0) {
    in.kernel_start = in.mode_sel = 1;
    in.toggle_en = toggling_ ? 1 : 0;
  }
  if (cycle_ >= 1 && cycle_ <= 3 && cycle_ - 1 < params_.MaxCta) {
    in.cta_wmask = WarpBits(0xFULL << 4 * (cycle_ - 1) & all);
    in.cta_valid = in.cta_wmask.any() ? 1 : 0;
    in.cta_id = static_cast<U8>(cycle_ - 1);
  }
  in.w_ready = cycle_ == 4 ? WarpBits(0b10010 & all) : cycle_ > 36 ? WarpBits(random_() & all) : WarpBits{};
  if (cycle_ == 4) in.issue_ack = static_cast<U8>(0b11 & twin::mask(schedulers));
  if (cycle_ == 19) in.unblock = WarpBits(0b1011 & all);
  if (cycle_ == 22) in.unblock = WarpBits(0b1110000 & all);
  for (const Blocked& block : kBlocks) {
    if (block.cycle != cycle_ || block.warp >= warps || block.warp / 4 >= params_.MaxCta) continue;
    in.wev_valid = static_cast<U8>(1U << block.warp % schedulers);
    in.wev_idx[block.warp % schedulers] = static_cast<U8>(block.warp / schedulers);
  }
  if (++cycle_ == 40) {
    cycle_ = 0;
    pause_ = static_cast<unsigned>(random_.below(5));
    toggling_ = !toggling_;
  }
}

}  // namespace castor::saws::tb
