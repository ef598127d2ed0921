#include "workloads/saws/evaluation.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace castor::workloads::saws {

double cycles(const Sample& sample) { return sample.cycles; }
double l2_misses(const Sample& sample) { return sample.l2_misses; }
double waiting(const Sample& sample) { return sample.wait_p1 + sample.wait_p2; }
double p1_share(const Sample& sample) { return waiting(sample) == 0 ? 0 : sample.wait_p1 / waiting(sample); }
double clearing_rate(const Sample& sample) {
  return sample.resident == 0 ? 0 : 1000 * sample.barriers / sample.resident;
}
double lead(const Sample& sample) { return sample.barriers == 0 ? 0 : sample.ahead / sample.barriers; }
double disagreement(const Sample& sample) {
  return sample.order_pairs == 0 ? 0 : sample.disagreements / sample.order_pairs;
}

bool operator<(const Point& a, const Point& b) { return std::tie(a.machine, a.policy) < std::tie(b.machine, b.policy); }

void Evaluation::add(const std::string& program, const std::string& input, const Point& point, const Sample& sample) {
  runs_[program][point][input] = sample;
}

std::vector<std::string> Evaluation::all_inputs() const {
  std::set<std::string> all;
  for (const auto& [program, points] : runs_) {
    for (const auto& [point, inputs] : points) {
      for (const auto& [input, sample] : inputs) all.insert(input);
    }
  }
  return {all.begin(), all.end()};
}

std::vector<std::string> Evaluation::machines() const {
  std::set<std::string> all;
  for (const auto& [program, points] : runs_) {
    for (const auto& [point, inputs] : points) all.insert(point.machine);
  }
  return {all.begin(), all.end()};
}

Evaluation Evaluation::without(const std::string& input) const {
  Evaluation out = *this;
  for (auto& [program, points] : out.runs_) {
    for (auto& [point, inputs] : points) inputs.erase(input);
  }
  return out;
}

const Evaluation::Inputs& Evaluation::inputs(const std::string& program, const Point& point) const {
  static const Inputs kNone;
  const auto found = runs_.find(program);
  if (found == runs_.end()) return kNone;
  const auto there = found->second.find(point);
  return there == found->second.end() ? kNone : there->second;
}

Evaluation::Programs Evaluation::with_runs(const Programs& programs, const Point& point) const {
  Programs out;
  for (const std::string& program : programs) {
    if (!inputs(program, point).empty()) out.push_back(program);
  }
  return out;
}

bool Evaluation::has_all(const Programs& programs, const Point& point) const {
  return with_runs(programs, point).size() == programs.size();
}

Spread Evaluation::figure(const std::string& program, const Point& point, Figure figure) const {
  std::vector<double> values;
  for (const auto& [input, sample] : inputs(program, point)) values.push_back(figure(sample));
  return arithmetic_spread(values);
}

std::map<std::string, double> Evaluation::ratios(const std::string& program, const Point& of, const Point& base,
                                                 Figure figure) const {
  std::map<std::string, double> out;
  const Inputs& below = inputs(program, base);
  for (const auto& [input, sample] : inputs(program, of)) {
    const auto found = below.find(input);
    if (found == below.end() || figure(found->second) == 0 || figure(sample) == 0) continue;
    out[input] = figure(sample) / figure(found->second);
  }
  return out;
}

Spread Evaluation::ratio(const std::string& program, const Point& of, const Point& base, Figure figure) const {
  std::vector<double> values;
  for (const auto& [input, value] : ratios(program, of, base, figure)) values.push_back(value);
  return geometric_spread(values);
}

Spread Evaluation::mean_ratio(const Programs& programs, const Point& of, const Point& base, Figure figure) const {
  std::vector<double> by_program;
  std::map<std::string, std::vector<double>> by_input;
  for (const std::string& program : programs) {
    const auto found = ratios(program, of, base, figure);
    std::vector<double> values;
    for (const auto& [input, value] : found) {
      values.push_back(value);
      by_input[input].push_back(value);
    }
    if (!values.empty()) by_program.push_back(geometric_spread(values).mean);
  }
  std::vector<double> means;
  means.reserve(by_input.size());
  for (const auto& [input, values] : by_input) means.push_back(geometric_spread(values).mean);
  Spread out = geometric_spread(by_program);
  out.deviation = arithmetic_spread(means).deviation;
  if (out.count != 0) out.count = means.size();
  return out;
}

std::optional<double> Evaluation::mean(const Programs& programs, const Point& point, Figure figure) const {
  std::vector<double> means;
  for (const std::string& program : programs) {
    const Spread one = this->figure(program, point, figure);
    if (one.count != 0) means.push_back(one.mean);
  }
  if (means.empty()) return std::nullopt;
  return arithmetic_spread(means).mean;
}

unsigned Evaluation::differences(const std::string& program, const Point& a, const Point& b) const {
  const auto all = [](const Sample& s) {
    return std::array<double, 8>{s.cycles,  s.instructions, s.barriers, s.wait_p1,
                                 s.wait_p2, s.ahead,        s.resident, s.l2_misses};
  };
  unsigned out = 0;
  const Inputs& others = inputs(program, b);
  for (const auto& [input, sample] : inputs(program, a)) {
    const auto found = others.find(input);
    if (found == others.end()) continue;
    if (all(found->second) != all(sample) || found->second.others != sample.others) ++out;
  }
  return out;
}

std::string Evaluation::best_catls(const Programs& programs, const std::string& machine) const {
  std::string best = kCatls;
  for (const char* const other : {"CATLS/4", "CATLS/16"}) {
    const Spread ratio = mean_ratio(programs, {machine, other}, {machine, best}, cycles);
    if (ratio.count != 0 && ratio.mean < 1) best = other;
  }
  return best;
}

}  // namespace castor::workloads::saws
