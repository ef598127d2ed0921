#include "castor/gpu/front_end/governors.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {

Governors::Governors(std::vector<SmGovernor*> governors, const HookMount& place, const std::vector<SmUnit*>& sms,
                     const Ledger& ledger, const HookEvents& events)
    : governors_(std::move(governors)),
      sms_(sms),
      ledger_(ledger),
      events_(events),
      checks_(!place.machine.run.sleep),
      patience_(place.machine.watchdog.cycles),
      entries_(place.machine.table.entries) {
  if (governors_.empty()) return;
  said_.resize(governors_.size());
  pulses_.resize(sms_.size());
  loads_.resize(sms_.size());
  in_.pulse = {pulses_.data(), pulses_.size()};
  in_.load = {loads_.data(), loads_.size()};
  allowed_.resize(sms_.size() * entries_);
  combined_ = {entries_, allowed_.data()};
  for (std::size_t i = 0; i < governors_.size(); ++i) {
    mounted_.emplace_back(*governors_[i], "governor" + std::to_string(i), place);
  }
}

void Governors::idle(Cycle cycles) {
  for (SmGovernor* const governor : governors_) governor->idle(cycles);
}

void Governors::begin(Cycle now) {
  moving_ = false;
  if (governors_.empty()) return;
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    if (pulses_wanted_) pulses_[sm] = sms_[sm]->pulse(now);
    loads_[sm] = ledger_.load(sm, now);
    moving_ = moving_ || loads_[sm].in_flight;
  }
}

void Governors::settle(Cycle now) {
  if (governors_.empty()) return;
  in_.now = now;
  open_ = clock_enable_ = kAllSms;
  quota_ = nullptr;
  uncore_enable_ = true;
  bool pulses = false;
  for (std::size_t i = 0; i < governors_.size(); ++i) {
    const GovernOut& out = governors_[i]->settle(in_);
    said_[i] = out;
    mounted_[i].take(out.reg, now);
    pulses = pulses || out.pulses;
    open_ &= out.open;
    clock_enable_ &= out.clock_enable;
    uncore_enable_ = uncore_enable_ && out.uncore_enable;
    if (out.quota != nullptr) combine(*out.quota, i, now);
  }
  if (pulses != pulses_wanted_) want_pulses(pulses, now);
}

// Has the SMs measure their activity from the next cycle on, or no more.
void Governors::want_pulses(bool wanted, Cycle now) {
  pulses_wanted_ = wanted;
  std::fill(pulses_.begin(), pulses_.end(), SmPulse{});
  for (SmUnit* const sm : sms_) sm->read_pulses(wanted, now + 1);
}

void Governors::combine(const Quota& quota, std::size_t i, Cycle now) {
  CASTOR_HOOK_CHECK(*governors_[i], now, quota.entries == entries_,
                    "quota table of %u entries, the kernel table has %u", quota.entries, entries_);
  if (quota_ == nullptr) {
    quota_ = &quota;
    return;
  }
  for (std::size_t entry = 0; entry < allowed_.size(); ++entry) {
    allowed_[entry] = std::min(quota_->allowed[entry], quota.allowed[entry]);
  }
  quota_ = &combined_;
}

void Governors::show(const DispatchState& state) {
  in_.fits_head = state.fits_head & ledger_.all();
  in_.bound_wait = state.bound_wait;
  in_.ready = state.ready;
  dispatch_waits_ = state.waiting;
}

void Governors::clock(bool coming, Cycle now) {
  in_.now = now;
  in_.waiting = dispatch_waits_ || coming;
  for (std::size_t i = 0; i < governors_.size(); ++i) {
    in_.ev = events_.with(mounted_[i].access());
    if (checks_) {
      const GovernOut& again = governors_[i]->settle(in_);
      const GovernOut& first = said_[i];
      CASTOR_HOOK_CHECK(*governors_[i], now,
                        again.open == first.open && again.clock_enable == first.clock_enable &&
                            again.uncore_enable == first.uncore_enable && again.quota == first.quota &&
                            again.pulses == first.pulses,
                        "governor%zu changes an output after settle: outputs may depend on its state only", i);
    }
    governors_[i]->clock(in_);
  }
}

// Detects governors that keep all SMs closed while no SM holds a TB and TBs wait. Only the governors can end this
// state. The assertion fails if the state lasts for the watchdog's number of cycles.
void Governors::check_open(Cycle now) {
  const SmMask& all = ledger_.all();
  if ((open_ & all).any() || ledger_.resident_total() != 0 || ledger_.watched().empty()) {
    closed_since_ = kForever;
    return;
  }
  if (closed_since_ == kForever) closed_since_ = now;
  const Cycle closed = now - closed_since_;
  if (closed < patience_) return;
  std::string who = "governors together";
  const SmGovernor* closes = governors_.front();
  for (std::size_t i = 0; i < governors_.size(); ++i) {
    if ((said_[i].open & all).any()) continue;
    who = "governor" + std::to_string(i);
    closes = governors_[i];
  }
  CASTOR_HOOK_CHECK(*closes, now, closed < patience_,
                    "%s: all SMs have been closed for %llu cycles while none holds a TB and TBs wait", who.c_str(),
                    static_cast<unsigned long long>(closed));
}

bool Governors::stirred() const {
  return moving_ || std::any_of(mounted_.begin(), mounted_.end(),
                                [](const MountedHook& hook) { return hook.access().has_value(); });
}

bool Governors::inert() const {
  return std::all_of(governors_.begin(), governors_.end(),
                     [](const SmGovernor* governor) { return governor->inert(); });
}

Cycle Governors::next(Cycle now) const {
  if (governors_.empty()) return kForever;
  // A pulse may have changed by SMs that ticked before the front end in this cycle. SMs that tick after it wake it.
  for (unsigned sm = 0; pulses_wanted_ && sm < sms_.size(); ++sm) {
    if (sms_[sm]->pulse(now + 1) != pulses_[sm]) return now + 1;
  }
  Cycle next = closed_since_ == kForever ? kForever : closed_since_ + patience_;
  for (const SmGovernor* const governor : governors_) next = std::min(next, next_edge_of(*governor, now));
  return next;
}

void Governors::add_waves(Waves& waves, const std::string& scope) const {
  for (SmGovernor* const governor : governors_) governor->add_waves(waves, scope);
}

}  // namespace castor::gpu
