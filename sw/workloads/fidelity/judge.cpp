#include "workloads/fidelity/judge.h"

#include <cmath>
#include <cstdio>

namespace castor::workloads::fidelity {
namespace {

/// Converts a figure from ticks of the machine to clocks of the chip, whose clock() counts `clocks_per_tick` per tick.
double by_clock(double figure, const std::string& unit, double clocks_per_tick) {
  if (unit == "clocks") return figure * clocks_per_tick;
  if (unit == "lanes per clock") return figure / clocks_per_tick;
  return figure;
}

double deviation_of(double ours, const Value& value) {
  if (ours < value.low) return ours / value.low - 1;
  if (ours > value.high) return ours / value.high - 1;
  return 0;
}

Judgement judge(double deviation, Rule rule) {
  // The tolerance makes a deviation that is printed as equal to the bar count as within the bar.
  constexpr double kRounding = 1e-9;
  const double size = std::fabs(deviation), bar = rule == Rule::kEqual ? 0 : kBar;
  if (size <= bar + kRounding) return Judgement::kWithin;
  return size <= kFar + kRounding ? Judgement::kBeyond : Judgement::kFar;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f %%", 100 * share);
  return text;
}

void add(Count& count, const Compared& one) {
  ++count.rows;
  if (one.judgement == Judgement::kWithin) ++count.within;
}

}  // namespace

std::vector<Compared> compare(const Published& published, const Chip& chip,
                              const std::map<std::string, double>& figures) {
  std::vector<Compared> out;
  for (const Row& row : published.rows) {
    Compared one;
    one.row = &row;
    one.value = chip.value_of(row.name);
    one.reason = chip.reason_of(row.name);
    const auto figure = figures.find(row.name);
    if (figure == figures.end()) {
      one.judgement = Judgement::kNotMeasured;
    } else {
      one.ours = by_clock(figure->second, row.unit, chip.clocks_per_tick);
      if (one.value != nullptr) {
        one.deviation = deviation_of(one.ours, *one.value);
        one.judgement = judge(one.deviation, row.rule);
      }
    }
    out.push_back(one);
  }
  return out;
}

Counts count(const std::vector<Compared>& rows) {
  Counts out;
  for (const Compared& one : rows) {
    if (one.value == nullptr || one.judgement == Judgement::kNotMeasured) continue;
    add(out.all, one);
    add(one.value->predicted() ? out.predicted : one.value->set.empty() ? out.follows : out.set, one);
    add(one.value->standing == Standing::kRead ? out.read : out.quoted, one);
    if (one.judgement == Judgement::kFar) ++out.far;
  }
  return out;
}

std::vector<std::string> without_reason(const Chip& chip, const std::vector<Compared>& rows) {
  std::vector<std::string> out;
  for (const Compared& one : rows) {
    if (one.judgement != Judgement::kBeyond && one.judgement != Judgement::kFar) continue;
    const std::string who = chip.machine + ": " + one.row->name + ": " + percent(one.deviation);
    if (one.reason == nullptr) {
      out.push_back(who + " without a reason");
    } else if (one.judgement == Judgement::kFar && one.reason->missing.empty()) {
      out.push_back(who + " without the name of what is missing");
    }
  }
  return out;
}

std::vector<std::string> needless_reasons(const Chip& chip, const std::vector<Compared>& rows) {
  std::vector<std::string> out;
  for (const Compared& one : rows) {
    if (one.judgement == Judgement::kWithin && one.reason != nullptr)
      out.push_back(chip.machine + ": " + one.row->name);
  }
  return out;
}

}  // namespace castor::workloads::fidelity
