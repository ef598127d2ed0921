#include "ptx/names.h"

namespace castor::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Names::open_scope() {
  const auto number = static_cast<std::uint32_t>(parents_.size());
  parents_.push_back(scope());
  open_.push_back({number, entries_.size(), families_.size()});
}

void Names::close_scope() {
  const Open closed = open_.back();
  open_.pop_back();
  while (entries_.size() > closed.entries) {
    const Entry& entry = entries_.back();
    if (entry.hidden != 0) {
      by_name_[entry.name] = entry.hidden - 1;
    } else {
      by_name_.erase(entry.name);
    }
    entries_.pop_back();
  }
  while (families_.size() > closed.families) {
    const Family& family = families_.back();
    if (family.hidden != 0) {
      by_prefix_[family.prefix] = family.hidden - 1;
    } else {
      by_prefix_.erase(family.prefix);
    }
    families_.pop_back();
  }
}

bool Names::declare(std::string_view name, LocalName meaning) {
  const auto index = static_cast<std::uint32_t>(entries_.size());
  const auto [known, fresh] = by_name_.try_emplace(name, index);
  std::uint32_t hidden = 0;
  if (!fresh) {
    if (entries_[known->second].depth == depth()) return false;
    hidden = known->second + 1;
    known->second = index;
  }
  entries_.push_back({name, meaning, depth(), hidden});
  return true;
}

LocalName Names::make_register(std::string_view name, const RegisterShape& shape) {
  static constexpr const char* kElements[] = {".x", ".y", ".z", ".w"};
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  if (shape.elements == 1) {
    function_.registers.push_back({std::string(name), shape.type});
    return {LocalName::Kind::kRegister, first, 1};
  }
  for (unsigned i = 0; i < shape.elements; ++i)
    function_.registers.push_back({std::string(name) + kElements[i], shape.type});
  return {LocalName::Kind::kVector, first, shape.elements, shape.wide};
}

bool Names::declare_family(std::string_view prefix, std::uint32_t count, const RegisterShape& shape) {
  const auto index = static_cast<std::uint32_t>(families_.size());
  const auto [known, fresh] = by_prefix_.try_emplace(prefix, index);
  std::uint32_t hidden = 0;
  if (!fresh) {
    if (families_[known->second].depth == depth()) return false;
    hidden = known->second + 1;
    known->second = index;
  }
  if (is_digit(prefix.back())) digit_prefixes_ = true;
  families_.push_back({prefix, count, shape, depth(), hidden, {}});
  return true;
}

Names::Family* Names::family_of(std::string_view name, std::uint32_t& number) {
  Family* best = nullptr;
  std::uint64_t value = 0;
  std::uint64_t weight = 1;
  for (std::size_t split = name.size(); split > 1 && weight <= 10'000'000 && is_digit(name[split - 1]); weight *= 10) {
    --split;
    value += weight * static_cast<std::uint64_t>(name[split] - '0');
    const bool canonical = name[split] != '0' || split + 1 == name.size();
    const bool more_digits = is_digit(name[split - 1]);
    if (!canonical || (more_digits && !digit_prefixes_)) continue;
    const auto found = by_prefix_.find(name.substr(0, split));
    if (found == by_prefix_.end()) continue;
    // An inner family hides an outer family of the same prefix only for the register numbers that the inner family has.
    for (std::uint32_t at = found->second + 1; at != 0; at = families_[at - 1].hidden) {
      Family& family = families_[at - 1];
      if (value >= family.count) continue;
      if (best == nullptr || family.depth > best->depth) {
        best = &family;
        number = static_cast<std::uint32_t>(value);
      }
      break;
    }
  }
  return best;
}

Names::Lookup Names::find(std::string_view name, LocalName& meaning) {
  const auto exact = by_name_.find(name);
  std::uint32_t number = 0;
  Family* const family = is_digit(name.back()) ? family_of(name, number) : nullptr;
  if (exact != by_name_.end()) {
    const Entry& entry = entries_[exact->second];
    if (family == nullptr || entry.depth > family->depth) {
      meaning = entry.meaning;
      return Lookup::kFound;
    }
    if (entry.depth == family->depth) return Lookup::kAmbiguous;
  }
  if (family == nullptr) return Lookup::kUnknown;
  if (number >= family->members.size()) family->members.resize(number + 1, 0);
  std::uint32_t& member = family->members[number];
  if (member == 0) member = make_register(name, family->shape).index + 1;
  const bool vector = family->shape.elements != 1;
  meaning = {vector ? LocalName::Kind::kVector : LocalName::Kind::kRegister, member - 1, family->shape.elements,
             family->shape.wide};
  return Lookup::kFound;
}

std::string Names::unique_variable_name(std::string_view name) {
  const std::uint32_t times = variable_names_[name]++;
  // Names in PTX text never contain a dot, so the new name is unique.
  return times == 0 ? std::string(name) : std::string(name) + "." + std::to_string(times);
}

}  // namespace castor::ptx
