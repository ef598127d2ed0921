#include "castor/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/hash.h"

namespace castor::base {
namespace {

using Json = nlohmann::ordered_json;

std::string number(const Statistic& statistic) {
  if (statistic.is_integer()) return std::to_string(statistic.integer());
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", statistic.real());
  return buffer;
}

void append_text(const StatisticGroup& group, const std::string& prefix, std::string& out) {
  for (const Statistic* statistic : group.statistics()) {
    out += prefix + statistic->info().name + ' ' + number(*statistic);
    if (*statistic->info().unit != '\0') out += std::string(" ") + statistic->info().unit;
    out += std::string("  # ") + statistic->info().meaning + '\n';
  }
  for (const StatisticGroup* child : group.groups()) append_text(*child, prefix + child->name() + '.', out);
}

template <class Leaf>
Json tree(const StatisticGroup& group, const Leaf& leaf) {
  Json out = Json::object();
  for (const Statistic* statistic : group.statistics()) out[statistic->info().name] = leaf(*statistic);
  for (const StatisticGroup* child : group.groups()) out[child->name()] = tree(*child, leaf);
  return out;
}

void append_hash(const StatisticGroup& group, Hash& hash) {
  for (const Statistic* statistic : group.statistics()) {
    if (statistic->is_integer()) hash.add(statistic->info().name).add_byte(0).add(statistic->integer());
  }
  for (const StatisticGroup* child : group.groups()) {
    hash.add(child->name()).add_byte(1);
    append_hash(*child, hash);
    hash.add_byte(2);
  }
}

}  // namespace

Statistic::Statistic(StatisticGroup& group, StatisticInfo info) : group_(group), info_(info) { group_.add(this); }

Statistic::~Statistic() { group_.remove(this); }

Formula::Formula(StatisticGroup& group, StatisticInfo info, std::function<double()> compute)
    : Statistic(group, info), compute_(std::move(compute)) {}

std::uint64_t Formula::integer() const {
  const double value = compute_();
  return value > 0 && value < 0x1p64 ? static_cast<std::uint64_t>(value) : 0;
}

StatisticGroup::StatisticGroup(StatisticGroup& parent, std::string name) : name_(std::move(name)), parent_(&parent) {
  parent.groups_.push_back(this);
}

StatisticGroup::~StatisticGroup() {
  if (parent_ == nullptr) return;
  auto& siblings = parent_->groups_;
  siblings.erase(std::remove(siblings.begin(), siblings.end(), this), siblings.end());
}

void StatisticGroup::add(Statistic* statistic) {
  for (const Statistic* other : statistics_) {
    CASTOR_ASSERT(std::strcmp(other->info().name, statistic->info().name) != 0, "statistic %s declared twice in %s",
                  statistic->info().name, name_.c_str());
  }
  statistics_.push_back(statistic);
}

void StatisticGroup::remove(const Statistic* statistic) {
  statistics_.erase(std::remove(statistics_.begin(), statistics_.end(), statistic), statistics_.end());
}

const Statistic* StatisticGroup::find(const std::string& path) const {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) {
    for (const Statistic* statistic : statistics_) {
      if (path == statistic->info().name) return statistic;
    }
    return nullptr;
  }
  for (const StatisticGroup* child : groups_) {
    if (path.compare(0, dot, child->name()) == 0) return child->find(path.substr(dot + 1));
  }
  return nullptr;
}

void StatisticGroup::reset() {
  for (Statistic* statistic : statistics_) statistic->reset();
  for (StatisticGroup* child : groups_) child->reset();
}

std::string StatisticGroup::text() const {
  std::string out;
  append_text(*this, "", out);
  return out;
}

std::string StatisticGroup::json(int indent) const {
  const auto leaf = [](const Statistic& statistic) -> Json {
    if (statistic.is_integer()) return statistic.integer();
    const double value = statistic.real();
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  return tree(*this, leaf).dump(indent);
}

std::string StatisticGroup::json_legend(int indent) const {
  const auto leaf = [](const Statistic& statistic) -> Json {
    return {{"unit", statistic.info().unit}, {"meaning", statistic.info().meaning}};
  };
  return tree(*this, leaf).dump(indent);
}

std::uint64_t StatisticGroup::hash() const {
  Hash hash;
  append_hash(*this, hash);
  return hash.value();
}

}  // namespace castor::base
