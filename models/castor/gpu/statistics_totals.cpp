#include "castor/gpu/statistics_totals.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace castor::gpu {
namespace {

using base::Statistic;
using base::StatisticGroup;
using base::StatisticInfo;

// Returns whether a group is named "<prefix><number>", as the groups of units are.
bool is_unit(const std::string& name, const std::string& prefix) {
  return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

std::vector<const StatisticGroup*> units_of(const StatisticGroup& parent, const std::string& prefix) {
  std::vector<const StatisticGroup*> result;
  for (const StatisticGroup* const group : parent.groups()) {
    if (is_unit(group->name(), prefix)) result.push_back(group);
  }
  return result;
}

const StatisticGroup* child(const StatisticGroup& group, std::string_view name) {
  for (const StatisticGroup* const one : group.groups()) {
    if (one->name() == name) return one;
  }
  return nullptr;
}

}  // namespace

std::uint64_t StatisticsTotals::Sum::integer() const {
  std::uint64_t sum = 0;
  for (const Statistic* const term : terms_) sum += term->integer();
  return sum;
}

std::uint64_t StatisticsTotals::Sum::part(std::size_t index) const {
  const bool largest = dynamic_cast<const base::Histogram*>(terms_.front()) != nullptr && index == 2;
  std::uint64_t sum = 0;
  for (const Statistic* const term : terms_) sum = largest ? std::max(sum, term->part(index)) : sum + term->part(index);
  return sum;
}

const StatisticsTotals::Sum& StatisticsTotals::add(StatisticGroup& group, const StatisticInfo& info,
                                                   std::vector<const Statistic*> terms) {
  return sums_.emplace_back(group, info, std::move(terms));
}

// Adds totals of the plain statistics of all units of a type, by name.
void StatisticsTotals::add_units(const StatisticGroup& parent, const std::string& prefix) {
  const auto units = units_of(parent, prefix);
  if (units.empty()) return;
  for (const Statistic* const one : units[0]->statistics()) {
    if (!one->is_integer()) continue;
    std::vector<const Statistic*> terms;
    for (const StatisticGroup* const unit : units) {
      if (const Statistic* const term = unit->find(one->info().name)) terms.push_back(term);
    }
    const Sum& sum = add(group_, one->info(), std::move(terms));
    // A maximum over the whole run has no meaning in a window.
    if (sum.parts() == 0 && std::strcmp(one->info().name, "barriers_per_tb_spread") != 0) {
      series_.emplace_back(one->info().name, &sum);
    }
  }
}

StatisticsTotals::StatisticsTotals(StatisticGroup& parent) : group_(parent, "total") {
  add_units(parent, "sm");
  const auto sms = units_of(parent, "sm");
  for (const auto& [name, unit, meaning] :
       {StatisticInfo{"warp_instructions", "", "instructions issued by warps"},
        StatisticInfo{"lane_instructions", "", "instructions issued by warps, weighted by active lanes"}}) {
    std::vector<const Statistic*> all;
    if (sms.empty() || child(*sms[0], name) == nullptr) continue;
    StatisticGroup& by_class = groups_.emplace_back(group_, std::string(name) + "_by_class");
    for (const Statistic* const one : child(*sms[0], name)->statistics()) {
      std::vector<const Statistic*> terms;
      for (const StatisticGroup* const sm : sms) terms.push_back(child(*sm, name)->find(one->info().name));
      all.insert(all.end(), terms.begin(), terms.end());
      add(by_class, one->info(), std::move(terms));
    }
    series_.emplace_back(name, &add(group_, {name, unit, meaning}, std::move(all)));
  }
  if (!sms.empty() && child(*sms[0], "scheduler0") != nullptr) {
    StatisticGroup& stall = groups_.emplace_back(group_, "stall");
    for (const Statistic* const one : child(*sms[0], "scheduler0")->statistics()) {
      std::vector<const Statistic*> terms;
      for (const StatisticGroup* const sm : sms) {
        for (const StatisticGroup* const scheduler : units_of(*sm, "scheduler")) {
          terms.push_back(scheduler->find(one->info().name));
        }
      }
      series_.emplace_back(std::string("stall.") + one->info().name, &add(stall, one->info(), std::move(terms)));
    }
  }
  add_units(parent, "slice");
  add_units(parent, "channel");
}

}  // namespace castor::gpu
