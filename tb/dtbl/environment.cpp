#include "tb/dtbl/environment.h"

#include <algorithm>
#include <array>
#include <functional>

namespace castor::dtbl::tb {
namespace {

constexpr U32 kBlockUnits = 16;  // memory block in units of 16 bytes; a group's parameters begin in one block
// Number of memory blocks, below bit 31; records lie below this limit, parameters may reach beyond it
constexpr U32 kBlocks = 0x0800'0000;
constexpr std::size_t kCommand = 64;          // exceeds the number of groups in a command
constexpr U32 kUnitsBefore = 4;               // the record begins this many units before the parameters
constexpr U64 kLinkInRecord = 0x38;           // byte offset of the link in a record
constexpr U64 kHuge = 0xffff'fffeULL;         // thread blocks of a group that never finishes
constexpr U32 kReplyOfNothing = 0x7ead'7ead;  // link in the reply to a read from an address that holds no record

U64 packed(U64 x, U64 y, U64 z) { return x | y << 32U | z << 48U; }

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params), knobs_(knobs), random_(seed ^ 0x6474'626C'5F73'6DULL), edges_(params, seed) {
  Key key;
  key.set_word(0, random_());
  key.set_word(1, random_() & twin::mask(Key::kBits - 64));
  keys_.assign(std::max(1U, knobs_.keys), key);
  for (std::size_t i = 1; i < keys_.size(); ++i) draw_key(i);
  forget();
}

/// Draws key `i`: the first key with one bit inverted.
void Environment::draw_key(std::size_t i) {
  const auto bit = static_cast<unsigned>(edges_.between(0, Key::kBits - 1, below(Key::kBits)));
  keys_[i] = keys_[0];
  keys_[i].assign(bit, !keys_[0].test(bit));
}

void Environment::forget() {
  entries_.assign(params_.NumKde, {});
  beats_.clear();
  groups_.clear();
  running_.clear();
  reply_.reset();
  rest_ = 0;
  resting_ = continues_ = false;
  // Sometimes starts near the largest possible reference.
  block_ = chance(kAlways / 2) ? kBlocks - 1 - below(64) : below(kBlocks);
  shown_.clear();
  filled_ = false;
  search_ = LaunchState::kSearch;
  pointer_ = 0;
  over_at_ = cycle_ + 1 + below(1 + knobs_.over);
}

void Environment::begin(Inputs& in) {
  edges_.draw();
  forget();
  in.fits = KdeBits::ones(params_.NumKde);
}

U64 Environment::count(U64 dim) {
  const auto one = [](U64 size) { return std::max<U64>(size, 1); };
  return one(dim & twin::mask(32)) * one(dim >> 32U & twin::mask(16)) * one(dim >> 48U);
}

U64 Environment::beside_a_power(unsigned bits) { return std::max<U64>(1, (U64{1} << bits) + below(4) - 1); }

U64 Environment::draw_row() {
  std::array<U64, 3> size{};
  for (U64& one : size) one = chance(kAlways / 4) ? 2 : 1;
  const bool is_long = chance(knobs_.long_row);
  const unsigned bits = is_long ? knobs_.long_bits - below(4) : below(14);
  if (knobs_.long_y) return packed(1, beside_a_power(knobs_.long_bits), 1);
  if (is_long && knobs_.long_bits > 16) return packed(beside_a_power(knobs_.long_bits), 1, 1);
  size.at(below(3)) = std::min<U64>(beside_a_power(bits), twin::mask(16));
  return packed(size[0], size[1], size[2]);
}

U64 Environment::draw_wide() {
  if (chance(kAlways / 4)) {  // one dimension close to a limit of its range
    const unsigned which = below(3), bits = which == 0 ? 32 : 16;
    const U64 size = below(2) == 0 ? twin::mask(bits) - below(2) : (U64{1} << (bits - 1)) + below(3) - 1;
    return which == 0 ? packed(size, 1, 1) : which == 1 ? packed(1, size, 1) : packed(1, 1, size);
  }
  if (chance(kAlways / 2)) return packed(beside_a_power(below(32)), 1, 1);
  const unsigned y = below(17);
  const unsigned z = below(17);
  const auto some = [this](unsigned bits) { return 1 + (random_() & twin::mask(bits)); };
  const U64 size_y = std::min<U64>(some(y), twin::mask(16));
  const U64 size_z = std::min<U64>(some(z), twin::mask(16));
  return packed(std::min<U64>(some(32), twin::mask(32) / (size_y * size_z)), size_y, size_z);
}

U64 Environment::draw_dim(unsigned most) {
  if (knobs_.row != 0 && chance(knobs_.row)) return draw_row();
  if (knobs_.wide != 0 && chance(knobs_.wide)) return draw_wide();
  const auto size = [&]() -> U64 { return chance(knobs_.empty) ? 0 : 1 + below(most); };
  const U64 x = size();
  if (!chance(knobs_.solid)) return packed(x, 1, 1);
  const U64 y = size();
  return packed(x, y, size());
}

/// Chooses the parameter address of a group, such that the record four units before it is free. No living group may
/// have this record, and its reference must not be the reserved "no group" value.
void Environment::place_record(Beat& beat) {
  block_ = static_cast<U32>(edges_.between(0, kBlocks, (block_ + 1) % (kBlocks + 1)));
  const auto reference = [&] { return kOffChip | (beat.param - kUnitsBefore); };
  const auto is_free = [&] {
    return reference() != kNone && groups_.count(reference()) == 0 &&
           std::find(shown_.begin(), shown_.end(), reference()) == shown_.end();
  };
  // Sometimes the reference differs from "no group" in one bit.
  beat.param = (~(kOffChip | U32{1} << below(31))) + kUnitsBefore;
  for (bool chosen = chance(kAlways / 16); !chosen || !is_free(); block_ = (block_ + 1) % (kBlocks + 1)) {
    const unsigned unit = block_ == kBlocks ? below(kUnitsBefore - 1) : below(kBlockUnits);
    beat.param = block_ * kBlockUnits + (block_ == 0 ? std::max(unit, kUnitsBefore) : unit);
    chosen = true;
  }
  shown_.push_back(reference());
  if (shown_.size() > kCommand) shown_.pop_front();
}

void Environment::new_command() {
  const unsigned lanes = knobs_.whole_warps ? 32 : 1 + below(std::min(knobs_.lanes, 32U));
  const bool mixed = chance(knobs_.mixed);
  const bool goes_on = knobs_.endless != 0 && chance(knobs_.endless);
  if (keys_.size() > 1 && chance(kAlways / 8)) draw_key(1 + below(static_cast<unsigned>(keys_.size()) - 1));
  Beat beat;
  beat.sm = static_cast<U8>(below(knobs_.sms));
  beat.warp = static_cast<U8>(below(knobs_.warps));
  beat.level = static_cast<U8>(below(16));
  beat.key = keys_[below(static_cast<unsigned>(keys_.size()))];
  unsigned lane = below(33 - lanes);
  for (unsigned i = 0; i < lanes; ++i) {
    beat.first = (i == 0 && !continues_) != chance(knobs_.frame);
    beat.last = (i + 1 == lanes && !goes_on) != chance(knobs_.frame);
    beat.lane = static_cast<U8>(lane);
    if (mixed && chance(kAlways / 2)) beat.key = keys_[below(static_cast<unsigned>(keys_.size()))];
    beat.dim = chance(knobs_.huge) ? packed(kHuge, 1, 1) : draw_dim(knobs_.volume);
    if (knobs_.tall != 0 && chance(knobs_.tall)) {  // the group ends early only in a twin that ignores the upper bit
      beat.dim = packed(1 + below(4) + (U64{1} << (8 + below(24))), 1, 1);
    }
    place_record(beat);
    if (knobs_.break_rule != 0 && chance(kAlways / 4)) beat.param |= kOffChip;
    beats_.push_back(beat);
    lane = std::min(31U, lane + 1 + (lane + lanes - i < 30 ? below(2) : 0));
  }
  continues_ = goes_on;
}

void Environment::show_beat(Inputs& in) {
  const Beat& beat = beats_.front();
  in.agg_valid = 1;
  in.agg_first = beat.first ? 1 : 0;
  in.agg_last = beat.last ? 1 : 0;
  in.agg_sm = beat.sm;
  in.agg_warp = beat.warp;
  in.agg_lane = beat.lane;
  in.agg_level = beat.level;
  in.agg_key = beat.key;
  in.agg_dim = beat.dim;
  in.agg_cnt = static_cast<U32>(count(beat.dim));
  in.agg_param = beat.param;
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    return;
  }
  if (beats_.empty() && groups_.size() < knobs_.groups && chance(knobs_.launch)) new_command();
  if (!beats_.empty() && chance(knobs_.withdraw)) beats_.clear();
  if (!beats_.empty()) show_beat(in);
  const Entry& seen = entries_[pointer_];
  in.key_valid = seen.written ? 1 : 0;
  in.key_rd = seen.key;
  in.fb_ready = chance(knobs_.fallback) ? 1 : 0;
  in.mem_ready = chance(knobs_.memory) ? 1 : 0;
  for (unsigned e = 0; e < params_.NumKde; ++e) {
    if (chance(knobs_.refit)) in.fits.assign(e, chance(knobs_.fits));
  }
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (!resting_) act(in, out);
  follow_search(in, out);
  follow_memory(in, out);
  follow_attach(out);
  if (resting_) return;
  release(out);
  if (in.push_valid == 0 && beats_.empty() && chance(knobs_.rest)) rest_ = 1 + below(knobs_.rest_cycles);
}

void Environment::act(Inputs& in, const Outputs& out) {
  if (reply_ && reply_->due <= cycle_) {
    in.rsp_valid = 1;
    in.rsp_dim = reply_->dim;
    in.rsp_next = reply_->next;
    reply_.reset();
  }
  complete(in, out);
  place(in, out);
  install(in, out);
  if (chance(knobs_.break_rule)) break_a_rule(in, out);
}

void Environment::follow_search(const Inputs& in, const Outputs& out) {
  if (in.agg_valid == 0) return;
  if (search_ == LaunchState::kSearch) {
    if (in.key_valid != 0 && in.key_rd == in.agg_key) {
      search_ = LaunchState::kGrant;
      run_ = in.agg_key;
    } else if (pointer_ + 1U == params_.NumKde) {
      search_ = LaunchState::kFall;
      run_ = in.agg_key;
      pointer_ = 0;
    } else {
      ++pointer_;
    }
  } else if (in.agg_key != run_ || (out.agg_ready != 0 && in.agg_last != 0)) {
    search_ = LaunchState::kSearch;
    pointer_ = 0;
  }
  if (out.agg_ready != 0 && !beats_.empty()) beats_.pop_front();
}

void Environment::follow_attach(const Outputs& out) {
  if (out.att_valid == 0 || out.att_ready == 0) return;
  const U64 all = count(out.att_dim);
  groups_[out.att_agei] = {out.att_dim, all, static_cast<U32>(random_())};
  entries_[out.att_kd % params_.NumKde].waiting += all;
}

void Environment::follow_memory(const Inputs& in, const Outputs& out) {
  if (out.mem_valid == 0 || in.mem_ready == 0) return;
  const U64 address = out.mem_addr - (out.mem_write != 0 ? kLinkInRecord : 0);
  const auto record = groups_.find(kOffChip | static_cast<U32>(address >> 4U));
  if (out.mem_write != 0) {
    if (record != groups_.end()) record->second.next = out.mem_wdata;
    return;
  }
  Reply reply;
  reply.due = cycle_ + 1 + below(knobs_.delay);
  reply.dim = record != groups_.end() ? record->second.dim : packed(1, 1, 1);
  reply.next = record != groups_.end() ? record->second.next : kReplyOfNothing;
  reply_ = reply;
}

void Environment::place(Inputs& in, const Outputs& out) {
  if (out.pl_valid == 0 || !chance(knobs_.take)) return;
  in.pl_taken = 1;
  Entry& entry = entries_[out.pl_kd % params_.NumKde];
  if (entry.waiting > 0) --entry.waiting;
  ++entry.running;
  running_.push_back({cycle_ + 1 + below(knobs_.time), out.pl_agei, out.pl_kd % params_.NumKde});
  std::push_heap(running_.begin(), running_.end(), std::greater<>());
}

void Environment::complete(Inputs& in, const Outputs& out) {
  if (out.agt_used == params_.AgtSize) filled_ = true;
  if (out.agt_used <= params_.AgtSize / 2) filled_ = false;
  if (knobs_.fill && !filled_) return;
  if (running_.empty() || running_.front().due > cycle_ || !chance(knobs_.done)) return;
  std::pop_heap(running_.begin(), running_.end(), std::greater<>());
  const Running over = running_.back();
  running_.pop_back();
  in.done_valid = 1;
  in.done_agei = over.agei;
  --entries_[over.entry].running;
  const auto group = groups_.find(over.agei);
  if (group != groups_.end() && --group->second.left == 0) groups_.erase(group);
}

void Environment::install(Inputs& in, const Outputs& out) {
  if (!chance(knobs_.kernel)) return;
  const unsigned from = below(params_.NumKde);
  for (unsigned i = 0; i < params_.NumKde; ++i) {
    const unsigned e = (from + i) % params_.NumKde;
    Entry& entry = entries_[e];
    if (entry.written) continue;
    in.push_valid = 1;
    in.push_kd = static_cast<U8>(e);
    in.push_dim = draw_dim(knobs_.grid);
    if (out.push_ready == 0) return;
    entry = {true, keys_[below(static_cast<unsigned>(keys_.size()))], count(in.push_dim), 0};
    return;
  }
}

void Environment::release(const Outputs& out) {
  for (unsigned e = 0; e < params_.NumKde; ++e) {
    Entry& entry = entries_[e];
    if (!entry.written || entry.waiting != 0 || entry.running != 0 || out.launch_hold.test(e) ||
        out.dispatch_hold.test(e) || !chance(knobs_.release)) {
      continue;
    }
    entry.written = false;  // the key input still shows the released entry's key
  }
}

void Environment::break_a_rule(Inputs& in, const Outputs& out) {
  switch (below(4)) {
    case 0:
      if (out.pl_valid == 0) in.pl_taken = 1;
      return;
    case 1:
      if (in.rsp_valid == 0 && !reply_) {
        in.rsp_valid = 1;
        in.rsp_dim = random_();
        in.rsp_next = static_cast<U32>(random_());
      }
      return;
    case 2:
      if (in.push_valid == 0 && out.dispatch_hold.any()) {
        unsigned e = below(params_.NumKde);
        while (!out.dispatch_hold.test(e)) e = (e + 1) % params_.NumKde;
        // The block must not push a kernel to an entry whose last work is placed in this cycle.
        if (in.pl_taken != 0 && out.pl_kd == e) return;
        in.push_valid = 1;
        in.push_kd = static_cast<U8>(e);
        in.push_dim = random_();
      }
      return;
    default:
      if (in.done_valid == 0 && out.agg_ready == 0) {
        U32 index = chance(kAlways / 2) ? static_cast<U32>(random_() >> 33U) : below(2 * params_.AgtSize);
        // Often the number of an entry and one upper bit, which a narrow comparison takes for the entry.
        if (chance(kAlways / 3)) index = static_cast<U32>(edges_.tall(31, below(params_.AgtSize)));
        const bool shown = out.att_valid != 0 && out.att_agei == index;
        if (groups_.count(index) != 0 || shown) return;
        in.done_valid = 1;
        in.done_agei = index;
      }
      return;
  }
}

}  // namespace castor::dtbl::tb
