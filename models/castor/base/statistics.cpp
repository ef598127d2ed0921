#include "castor/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
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
    for (std::size_t i = 0; i < statistic->parts(); ++i) {
      if (statistic->part(i) == 0) continue;
      const std::string part = statistic->part_name(i);
      out += prefix + statistic->info().name + (part.empty() ? '[' + std::to_string(i) + ']' : '.' + part) + ' ' +
             std::to_string(statistic->part(i)) + '\n';
    }
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
    for (std::size_t i = 0; i < statistic->parts(); ++i) hash.add(statistic->part(i));
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

CounterArray::CounterArray(StatisticGroup& group, StatisticInfo info, std::size_t size)
    : Statistic(group, info), values_(size, 0) {}

std::uint64_t CounterArray::integer() const {
  return std::accumulate(values_.begin(), values_.end(), std::uint64_t{0});
}

void CounterArray::reset() { std::fill(values_.begin(), values_.end(), 0); }

Histogram::Histogram(StatisticGroup& group, StatisticInfo info, std::size_t bins)
    : Statistic(group, info), bins_(bins, 0) {
  CASTOR_ASSERT(bins >= 2 && bins <= 65, "a histogram of %zu bins", bins);
}

void Histogram::reset() {
  std::fill(bins_.begin(), bins_.end(), 0);
  count_ = sum_ = largest_ = 0;
}

std::uint64_t Histogram::part(std::size_t index) const {
  const std::uint64_t first[3] = {count_, sum_, largest_};
  return index < 3 ? first[index] : bins_[index - 3];
}

std::string Histogram::part_name(std::size_t index) const {
  static constexpr const char* kFirst[3] = {"count", "sum", "largest"};
  if (index < 3) return kFirst[index];
  return "from_" + std::to_string(index == 3 ? 0 : std::uint64_t{1} << (index - 4));
}

std::uint64_t Total::integer() const {
  std::uint64_t sum = 0;
  for (const StatisticGroup* child : over_.groups()) {
    if (child->name().compare(0, prefix_.size(), prefix_) != 0) continue;
    const Statistic* const statistic = child->find(path_);
    if (statistic != nullptr) sum += statistic->integer();
  }
  return sum;
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
  const bool fresh = names_.insert(statistic->info().name).second;
  CASTOR_ASSERT(fresh, "statistic %s declared twice in %s", statistic->info().name, name_.c_str());
  statistics_.push_back(statistic);
}

void StatisticGroup::remove(const Statistic* statistic) {
  // Most statistics are destroyed in reverse order of declaration.
  const auto at = std::find(statistics_.rbegin(), statistics_.rend(), statistic);
  if (at == statistics_.rend()) return;
  statistics_.erase(std::next(at).base());
  names_.erase(statistic->info().name);
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
    if (statistic.parts() != 0) {
      const bool named = !statistic.part_name(0).empty();
      Json out = named ? Json::object() : Json::array();
      for (std::size_t i = 0; i < statistic.parts(); ++i) {
        if (named) {
          out[statistic.part_name(i)] = statistic.part(i);
        } else {
          out.push_back(statistic.part(i));
        }
      }
      return out;
    }
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
