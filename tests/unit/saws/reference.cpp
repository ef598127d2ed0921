#include "unit/saws/reference.h"

#include <algorithm>

namespace castor::saws::reference {

void Lists::launch(bool saws, bool toggling) {
  for (Scheduler& scheduler : schedulers_) scheduler = {};
  toggles_.clear();
  rules_.toggling = toggling;
  saws_ = saws;
}

void Lists::place(unsigned cta, const std::vector<unsigned>& on) {
  for (const unsigned s : on) schedulers_[s].order.push_back(cta);
  if (toggles_.size() <= cta) toggles_.resize(cta + 1, true);
  toggles_[cta] = true;
}

void Lists::lower(Scheduler& scheduler) const {
  if (scheduler.p > rules_.floor) --scheduler.p;
}

void Lists::remove(unsigned cta) {
  for (Scheduler& scheduler : schedulers_) {
    const auto found = std::find(scheduler.order.begin(), scheduler.order.end(), cta);
    if (found == scheduler.order.end()) continue;
    const bool above = static_cast<unsigned>(found - scheduler.order.begin()) < scheduler.p;
    scheduler.order.erase(found);
    if (saws_ && above) lower(scheduler);
  }
}

void Lists::start_saws(const std::vector<std::optional<unsigned>>& greedy) {
  saws_ = true;
  for (std::size_t s = 0; s < schedulers_.size(); ++s) {
    Scheduler& scheduler = schedulers_[s];
    scheduler.p = 1;
    if (rules_.by_age || !greedy[s]) continue;
    const auto found = std::find(scheduler.order.begin(), scheduler.order.end(), *greedy[s]);
    if (found == scheduler.order.end()) continue;
    scheduler.order.erase(found);
    scheduler.order.insert(scheduler.order.begin(), *greedy[s]);
  }
}

bool Lists::hit_promotes(unsigned cta) {
  if (!rules_.toggling) return true;
  const bool promotes = toggles_[cta];
  toggles_[cta] = !promotes;
  return promotes;
}

void Lists::promote(unsigned cta, unsigned from) {
  for (unsigned s = 0; s < schedulers_.size(); ++s) {
    const std::optional<unsigned> place = position(cta, s);
    if (s == from || !place) continue;
    Scheduler& scheduler = schedulers_[s];
    if (*place < scheduler.p) continue;
    if (*place > scheduler.p) {
      scheduler.order.erase(scheduler.order.begin() + *place);
      scheduler.order.insert(scheduler.order.begin() + scheduler.p, cta);
    }
    ++scheduler.p;
  }
}

void Lists::demote(unsigned cta, unsigned on) {
  const std::optional<unsigned> place = position(cta, on);
  if (!place) return;
  Scheduler& scheduler = schedulers_[on];
  scheduler.order.erase(scheduler.order.begin() + *place);
  scheduler.order.push_back(cta);
  if (*place < scheduler.p) lower(scheduler);
}

void Lists::first_hit(unsigned cta, unsigned from, const std::vector<std::optional<unsigned>>& greedy) {
  if (!saws_) start_saws(greedy);
  if (hit_promotes(cta)) message(cta, from, true, false);
}

void Lists::message(unsigned cta, unsigned from, bool hit, bool all_blocked) {
  if (hit) promote(cta, from);
  if (all_blocked || (hit && rules_.demote_at_hit)) demote(cta, from);
}

std::optional<unsigned> Lists::position(unsigned cta, unsigned scheduler) const {
  const std::vector<unsigned>& order = schedulers_[scheduler].order;
  const auto found = std::find(order.begin(), order.end(), cta);
  if (found == order.end()) return std::nullopt;
  return static_cast<unsigned>(found - order.begin());
}

void Picker::launch() {
  std::fill(cta_.begin(), cta_.end(), std::nullopt);
  placed_ = 0;
}

void Picker::place(unsigned cta, const std::vector<unsigned>& warps) {
  for (const unsigned warp : warps) cta_[warp] = Owner{cta, placed_};
  ++placed_;
}

void Picker::free(unsigned cta) {
  for (std::optional<Owner>& owner : cta_) {
    if (owner && owner->cta == cta) owner.reset();
  }
}

std::optional<unsigned> Picker::oldest(const Warps& warps) const {
  std::optional<unsigned> best;
  for (unsigned warp = 0; warp < size(); ++warp) {
    if (!warps.ready[warp]) continue;
    if (!best || cta_[warp]->age < cta_[*best]->age) best = warp;
  }
  return best;
}

void Lrr::launch() {
  Picker::launch();
  last_ = size() - 1;
}

std::optional<unsigned> Lrr::pick(const Warps& warps, unsigned /*number*/) const {
  return next_in_circle(warps, last_, [](unsigned) { return true; });
}

void Lrr::issued(unsigned warp, unsigned /*number*/) { last_ = warp; }

std::optional<unsigned> Oldest::pick(const Warps& warps, unsigned /*number*/) const { return oldest(warps); }

void Oldest::issued(unsigned /*warp*/, unsigned /*number*/) {}

void Gto::launch() {
  Picker::launch();
  std::fill(greedy_.begin(), greedy_.end(), std::nullopt);
}

void Gto::free(unsigned cta) {
  for (unsigned number = 0; number < greedy_.size(); ++number) {
    if (greedy_cta(number) == cta) greedy_[number].reset();
  }
  Picker::free(cta);
}

std::optional<unsigned> Gto::pick(const Warps& warps, unsigned number) const {
  if (greedy_[number] && warps.ready[*greedy_[number]]) return greedy_[number];
  return oldest(warps);
}

void Gto::issued(unsigned warp, unsigned number) { greedy_[number] = warp; }

std::optional<unsigned> Gto::greedy_cta(unsigned number) const {
  if (!greedy_[number] || !owner(*greedy_[number])) return std::nullopt;
  return owner(*greedy_[number])->cta;
}

TwoLevel::TwoLevel(unsigned warps, unsigned group)
    : Picker(warps), group_(group), last_((warps + group - 1) / group, warps - 1) {}

void TwoLevel::launch() {
  Picker::launch();
  active_ = 0;
  std::fill(last_.begin(), last_.end(), size() - 1);
}

std::optional<unsigned> TwoLevel::pick(const Warps& warps, unsigned /*number*/) const {
  const auto from = [&](unsigned group) {
    return next_in_circle(warps, last_[group], [&](unsigned warp) { return warp / group_ == group; });
  };
  if (const auto warp = from(active_)) return warp;
  for (unsigned warp = active_ * group_; warp < std::min(size(), (active_ + 1) * group_); ++warp) {
    if (warps.live[warp] && !warps.waiting[warp]) return std::nullopt;
  }
  for (unsigned step = 1; step < last_.size(); ++step) {
    if (const auto warp = from((active_ + step) % static_cast<unsigned>(last_.size()))) return warp;
  }
  return std::nullopt;
}

void TwoLevel::issued(unsigned warp, unsigned /*number*/) {
  active_ = warp / group_;
  last_[active_] = warp;
}

Catls::Catls(unsigned warps, unsigned min_warps)
    : Picker(warps), min_warps_(min_warps), group_of_(warps), last_(warps, warps - 1) {}

void Catls::launch() {
  Picker::launch();
  active_ = 0;
  std::fill(group_of_.begin(), group_of_.end(), std::nullopt);
  std::fill(last_.begin(), last_.end(), size() - 1);
}

void Catls::place(unsigned cta, const std::vector<unsigned>& warps) {
  Picker::place(cta, warps);
  unsigned group = 0;
  while (std::count(group_of_.begin(), group_of_.end(), std::optional<unsigned>(group)) >= min_warps_) ++group;
  for (const unsigned warp : warps) group_of_[warp] = group;
}

void Catls::free(unsigned cta) {
  for (unsigned warp = 0; warp < size(); ++warp) {
    if (owner(warp) && owner(warp)->cta == cta) group_of_[warp].reset();
  }
  Picker::free(cta);
}

std::optional<unsigned> Catls::pick(const Warps& warps, unsigned /*number*/) const {
  for (unsigned step = 0; step < size(); ++step) {
    const unsigned group = (active_ + step) % size();
    const auto warp = next_in_circle(warps, last_[group], [&](unsigned w) { return group_of_[w] == group; });
    if (warp) return warp;
  }
  return std::nullopt;
}

void Catls::issued(unsigned warp, unsigned /*number*/) {
  active_ = *group_of_[warp];
  last_[active_] = warp;
}

}  // namespace castor::saws::reference
