#include "tb/lax/cover/rate_points.h"

namespace castor::lax::tb {

RatePoints::RatePoints(const CoverList& list)
    : writes_(list, {{"rate written", 0, [](const Write& w) { return !w.clears && w.good; }},
                     {"rate cleared", 0, [](const Write& w) { return w.clears && w.good; }},
                     {"clearing of a rate refused", 0,
                      [](const Write& w) { return w.clears && !w.good && (w.data >> 30U & 1U) != 0; }}}),
      rates_(list, {{"first rate of a kernel type", has::kPeek, [](const bool& known) { return !known; }},
                    {"rate refreshed", has::kPeek, [](const bool& known) { return known; }}}),
      held_(list, {{"rate held for want of completions", has::kPeek,
                    [](const Window& w) { return w.completed > 0 && w.completed < w.least; }}}),
      saturated_(list, {{"rate at its limit", has::kPeek, [](const U32& rate) { return rate == 0xFFFFFFFF; }}}),
      foreign_(list, {{"window opened by a completion", has::kPeek | has::kLists | has::kTypes,
                       [](const First& f) { return f.completed == 1; }}}),
      peeks_(list.can(has::kPeek)) {}

void RatePoints::see(const Now& now) {
  answer(now);
  if (!peeks_) return;
  if (now.after_reset) begun_.reset();
  const auto entry = [](unsigned type) { return reg::kProfile + 32U * type; };
  if (now.before != nullptr) {
    const Inputs& was = now.before->in;
    if (was.wgc_valid != 0 && !begun_[was.wgc_kid] && was.wgc_kid < now.params.NumKt) {
      foreign_.see({now.look(entry(was.wgc_kid) + 4)});
    }
    if (was.ks_valid != 0) begun_.set(was.ks_kid);
    if (was.wgc_valid != 0) begun_.set(was.wgc_kid);
  }
  if (now.in.ks_valid != 0) begun_.set(now.in.ks_kid);
  const unsigned type = entry(now.probes.kernel_type);
  if (now.main() == MainState::kKMul) rates_.see((now.look(type + 0x18) >> 30U & 1U) != 0);
  // Reads one register per kernel type and update. To save time, stops when no point is missing.
  if (now.main() == MainState::kKOpen && !held_.reached()) {
    held_.see({now.look(type + 4), now.look(reg::kMinGroups)});
  }
  if (now.before != nullptr && now.before->probes.main_state == MainState::kKWb && !saturated_.reached()) {
    saturated_.see(now.look(entry(now.before->probes.kernel_type)));
  }
}

void RatePoints::answer(const Now& now) {
  if (now.before == nullptr || now.out.reg_ack == 0 || now.before->in.reg_we == 0) return;
  const unsigned address = now.before->in.reg_addr, offset = address - reg::kProfile;
  if (address < reg::kProfile || offset >= 32U * now.params.NumKt) return;
  const bool clears = offset % 32 == 0x18;
  if (!clears && offset % 32 != 0) return;
  const Write write{now.out.reg_err == 0, clears, now.before->in.reg_wdata};
  writes_.see(write);
  if (clears && write.good) begun_.reset(offset / 32);
}

}  // namespace castor::lax::tb
