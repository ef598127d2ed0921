#include "castor/hookup/darsie/compared/no_sync.h"

#include <algorithm>

#include "castor/base/hash.h"
#include "castor/darsie/masks.h"

namespace castor::hookup {

using darsie::for_each_bit;
using darsie::warp_bit;

void NoSync::attach(const gpu::HookSite& site) {
  ComparedSystem::attach(site);
  statistics_ = std::make_unique<NoSyncStatistics>(*site.statistics);
  for (Tb& tb : tbs_) tb.instances.reserve(kInstances);
}

void NoSync::reset() {
  for (Tb& tb : tbs_) {
    tb.together = 0;
    tb.instances.clear();
    tb.users = {};
    tb.unwritten.reset();
  }
  for (Warp& warp : warps_) {
    warp = {};
    warp.tag.fill(kNone);
  }
  copying_ = 0;
  out_ = {};
  changed_ = false;
}

// --- Outputs ---------------------------------------------------------------------------------------------------------

NoSync::Instance* NoSync::find(unsigned w, std::uint64_t pc) {
  std::vector<Instance>& all = tbs_[warps_[w].tb].instances;
  const std::uint64_t history = warps_[w].history;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Instance& each) { return each.pc == pc && each.history == history; });
  return found == all.end() ? nullptr : &*found;
}

NoSync::Instance* NoSync::next(unsigned w, std::uint64_t pc) {
  Instance* const found = find(w, pc);
  return found != nullptr && found->shared && (found->passed & warp_bit(w)) == 0 ? found : nullptr;
}

bool NoSync::written(const Tb& tb, const Instance& instance) {
  for (unsigned i = 0; i < instance.results; ++i) {
    if (tb.unwritten[instance.tag[i]]) return false;
  }
  return true;
}

// Lets warps skip instructions whose shared result is written, and lets warps wait whose shared result is not written
// yet.
void NoSync::choose(gpu::WarpMask eligible) {
  for_each_bit(eligible & ~copying_, [&](unsigned w) {
    if (!shares(w)) return;
    const gpu::StudiedWarp warp = sm_->warp(w);
    const std::uint64_t pc = warp.code_base + 8 * std::uint64_t{warp.pc};
    const Instance* const instance = next(w, pc);
    if (instance == nullptr) return;
    wait_ |= warp_bit(w);
    if (!written(tbs_[warps_[w].tb], *instance)) return;
    out_.skip |= warp_bit(w);
    skipped_at_[w] = pc;
  });
}

// Elects at most one instruction per decode group, because the answer has row tags for one instruction only.
void NoSync::judge(const gpu::DecodeGroup& group) {
  const unsigned w = group.warp;
  if (!group.valid || !shares(w)) return;
  const Tb& tb = tbs_[warps_[w].tb];
  if ((tb.together & ~warp_bit(w)) == 0) return;  // no other warp of the TB can share the result
  const auto taken = [&tb](unsigned tag) { return tb.users[tag] != 0 || tb.unwritten[tag]; };
  bool elected = false;
  for (unsigned s = 0; s < group.count; ++s) {
    const gpu::DecodeSlot& slot = group.slot[s];
    if (slot.mark == 0 || (slot.mark == 1 && !tb.promote)) continue;
    const std::uint64_t pc = group.pc + 8 * s;
    if (elected || next(w, pc) != nullptr) {
      out_.act[s] = gpu::DecodeAct::kSquash;
      return;
    }
    if (find(w, pc) != nullptr || free_rows(slot.ndst, out_.tag, taken) < slot.ndst) {
      out_.act[s] = gpu::DecodeAct::kPrivate;
      continue;
    }
    out_.act[s] = gpu::DecodeAct::kLead;
    elected = true;
  }
}

const gpu::FetchOut& NoSync::settle(const gpu::FetchIn& in) {
  out_.skip = wait_ = 0;
  std::fill(std::begin(out_.act), std::end(out_.act), gpu::DecodeAct::kPass);
  if (in.pc == nullptr) return out_;
  choose(in.eligible);
  judge(in.decode);
  for (std::size_t i = 0; i < in.issued.size; ++i) {
    const gpu::IssueSlot& slot = in.issued[i];
    const Warp& warp = warps_[slot.warp];
    for (unsigned k = 0; k < slot.nsrc; ++k) {
      const std::int16_t tag = warp.tag[slot.src[k]];
      out_.rename[i].src_row[k] = static_cast<std::int16_t>(tag == kNone ? kNone : tbs_[warp.tb].base + tag);
    }
  }
  return out_;
}

// --- The edge --------------------------------------------------------------------------------------------------------

void NoSync::refer(unsigned w, unsigned slot, std::int16_t tag) {
  Tb& tb = tbs_[warps_[w].tb];
  std::int16_t& mine = warps_[w].tag[slot];
  if (mine != kNone) --tb.users[static_cast<std::size_t>(mine)];
  if (tag != kNone) ++tb.users[static_cast<std::size_t>(tag)];
  mine = tag;
}

// Releases the instance's claim on its rows; warps whose registers are renamed to the rows keep them.
void NoSync::forget(Tb& tb, const Instance& instance) {
  for (unsigned i = 0; instance.shared && i < instance.results; ++i) --tb.users[instance.tag[i]];
}

void NoSync::pass(Tb& tb, unsigned w, Instance& instance) {
  instance.passed |= warp_bit(w);
  if ((tb.together & ~instance.passed) != 0) return;
  forget(tb, instance);
  instance = tb.instances.back();
  tb.instances.pop_back();
}

void NoSync::begin(const gpu::TbStartEvent& event) {
  Tb& tb = tbs_[event.tb];
  tb.promote = event.promote;
  tb.base = event.base;
  tb.together = event.enable ? event.full : 0;
  tb.instances.clear();
  tb.users = {};
  tb.unwritten.reset();
  copying_ &= ~event.warps;
  for_each_bit(event.warps, [&](unsigned w) {
    warps_[w].tb = event.tb;
    warps_[w].history = 0;
    warps_[w].tag.fill(kNone);
  });
}

void NoSync::take_decoded(const gpu::DecodeGroup& group) {
  const unsigned w = group.warp;
  if (!group.valid || !shares(w)) return;
  Tb& tb = tbs_[warps_[w].tb];
  for (unsigned s = 0; s < group.count; ++s) {
    const gpu::DecodeAct act = out_.act[s];
    if (act == gpu::DecodeAct::kSquash) {
      ++statistics_->squashes;
      return;
    }
    if (act == gpu::DecodeAct::kPass) continue;
    const std::uint64_t pc = group.pc + 8 * s;
    if (Instance* const known = find(w, pc); known != nullptr) {
      pass(tb, w, *known);
      continue;
    }
    Instance instance;
    instance.pc = pc;
    instance.history = warps_[w].history;
    instance.passed = warp_bit(w);
    instance.shared = act == gpu::DecodeAct::kLead;
    instance.results = group.slot[s].ndst;
    ++(instance.shared ? statistics_->leads : statistics_->no_rows);
    for (unsigned i = 0; instance.shared && i < instance.results; ++i) {
      instance.slot[i] = group.slot[s].dst[i];
      instance.tag[i] = out_.tag[i];
      ++tb.users[out_.tag[i]];
      tb.unwritten.set(out_.tag[i]);
    }
    tb.instances.push_back(instance);
  }
}

void NoSync::take_issued(const gpu::IssueSlot& slot) {
  for (unsigned i = 0; i < slot.ndst; ++i) {
    refer(slot.warp, slot.dst[i], slot.lead ? static_cast<std::int16_t>(slot.tag[i]) : kNone);
  }
}

// Excludes warps from sharing: they copy their renamed registers back, and receive no shared result any more.
void NoSync::leave(gpu::WarpMask warps) {
  for_each_bit(warps, [&](unsigned w) {
    Tb& tb = tbs_[warps_[w].tb];
    if (!shares(w)) return;
    tb.together &= ~warp_bit(w);
    ++statistics_->leavers;
    const auto& tags = warps_[w].tag;
    if (std::any_of(tags.begin(), tags.end(), [](std::int16_t tag) { return tag != kNone; })) copying_ |= warp_bit(w);
    for (std::size_t i = tb.instances.size(); i-- > 0;) {
      if ((tb.together & ~tb.instances[i].passed) != 0) continue;
      forget(tb, tb.instances[i]);
      tb.instances[i] = tb.instances.back();
      tb.instances.pop_back();
    }
  });
}

// Restarts sharing at a barrier of the whole block, for the warps in `join`.
void NoSync::meet(unsigned t, gpu::WarpMask join) {
  Tb& tb = tbs_[t];
  leave(tb.together & ~join);
  for (const Instance& instance : tb.instances) forget(tb, instance);
  tb.instances.clear();
  for_each_bit(join & ~copying_, [&](unsigned w) {
    if (warps_[w].tb != t) return;
    warps_[w].history = 0;
    tb.together |= warp_bit(w);
  });
}

void NoSync::request_copy() {
  out_.hold = copying_;
  out_.copy.reset();
  if (copying_ == 0) return;
  const auto w = static_cast<unsigned>(__builtin_ctzll(copying_));
  const Warp& warp = warps_[w];
  const auto* const first =
      std::find_if(warp.tag.begin(), warp.tag.end(), [](std::int16_t tag) { return tag != kNone; });
  out_.copy = gpu::CopyRequest{static_cast<std::uint8_t>(w), static_cast<std::uint16_t>(tbs_[warp.tb].base + *first),
                               static_cast<std::uint8_t>(first - warp.tag.begin())};
}

void NoSync::clock(const gpu::FetchIn& in) {
  changed_ = out_.skip != 0 || in.decode.valid || !in.written.empty() || !in.issued.empty() || in.copy_ack ||
             (in.leave | in.exit | in.barrier | in.branch) != 0 || in.start.has_value();
  for_each_bit(out_.skip, [&](unsigned w) {
    Instance& instance = *find(w, skipped_at_[w]);
    for (unsigned i = 0; i < instance.results; ++i) refer(w, instance.slot[i], instance.tag[i]);
    ++statistics_->skips;
    pass(tbs_[warps_[w].tb], w, instance);
  });
  take_decoded(in.decode);
  for (const gpu::IssueSlot& slot : in.issued) take_issued(slot);
  for (const gpu::RowEvent& row : in.written) tbs_[row.tb].unwritten.reset(row.tag);
  if (in.copy_ack) {
    ++statistics_->copies;
    const unsigned w = out_.copy->warp;
    refer(w, out_.copy->slot, kNone);
    const auto& tags = warps_[w].tag;
    if (std::all_of(tags.begin(), tags.end(), [](std::int16_t tag) { return tag == kNone; })) copying_ &= ~warp_bit(w);
  }
  for_each_bit(in.branch, [&](unsigned w) {
    warps_[w].history = base::Hash().add(warps_[w].history).add((in.taken >> w & 1) != 0).value();
  });
  leave(in.leave);
  for (gpu::TbMask left = in.barrier; left != 0; left &= left - 1) {
    meet(static_cast<unsigned>(__builtin_ctzll(left)), in.barrier_join);
  }
  leave(in.exit);
  for_each_bit(in.exit, [&](unsigned w) {
    for (unsigned slot = 0; slot < kSlots; ++slot) refer(w, slot, kNone);
    copying_ &= ~warp_bit(w);
  });
  if (in.start) begin(*in.start);
  request_copy();
}

}  // namespace castor::hookup
