#include "workloads/samples.h"

#include <set>

namespace castor::workloads {

Figure count(const std::string& name) {
  return [name](const Sample& sample) -> std::optional<double> {
    const auto found = sample.find(name);
    if (found == sample.end()) return std::nullopt;
    return found->second;
  };
}

Figure sum(const std::vector<std::string>& names) {
  return [names](const Sample& sample) -> std::optional<double> {
    double all = 0;
    for (const std::string& name : names) {
      const auto found = sample.find(name);
      if (found == sample.end()) return std::nullopt;
      all += found->second;
    }
    return all;
  };
}

Figure quotient(const Figure& of, const Figure& over) {
  return [of, over](const Sample& sample) -> std::optional<double> {
    const auto above = of(sample), below = over(sample);
    if (!above || !below || *below == 0) return std::nullopt;
    return *above / *below;
  };
}

void Evaluation::add(const std::string& program, const std::string& input, const std::string& system,
                     const Sample& sample) {
  runs_[program][system][input] = sample;
}

std::vector<std::string> Evaluation::all_inputs() const {
  std::set<std::string> all;
  for (const auto& [program, systems] : runs_) {
    for (const auto& [system, inputs] : systems) {
      for (const auto& [input, sample] : inputs) all.insert(input);
    }
  }
  return {all.begin(), all.end()};
}

std::vector<std::string> Evaluation::all_systems() const {
  std::set<std::string> all;
  for (const auto& [program, systems] : runs_) {
    for (const auto& [system, inputs] : systems) all.insert(system);
  }
  return {all.begin(), all.end()};
}

Evaluation Evaluation::without(const std::string& input) const {
  Evaluation out = *this;
  for (auto& [program, systems] : out.runs_) {
    for (auto& [system, inputs] : systems) inputs.erase(input);
  }
  return out;
}

const Evaluation::Inputs& Evaluation::inputs(const std::string& program, const std::string& system) const {
  static const Inputs kNone;
  const auto found = runs_.find(program);
  if (found == runs_.end()) return kNone;
  const auto there = found->second.find(system);
  return there == found->second.end() ? kNone : there->second;
}

Evaluation::Programs Evaluation::with_runs(const Programs& programs, const std::string& system) const {
  Programs out;
  for (const std::string& program : programs) {
    if (!inputs(program, system).empty()) out.push_back(program);
  }
  return out;
}

bool Evaluation::has_all(const Programs& programs, const std::string& system) const {
  return with_runs(programs, system).size() == programs.size();
}

Spread Evaluation::figure(const std::string& program, const std::string& system, const Figure& figure) const {
  std::vector<double> values;
  for (const auto& [input, sample] : inputs(program, system)) {
    if (const auto value = figure(sample)) values.push_back(*value);
  }
  return arithmetic_spread(values);
}

Spread Evaluation::ratio(const Programs& programs, const std::string& of, const std::string& base,
                         const Figure& figure) const {
  std::vector<double> by_program;
  std::map<std::string, std::vector<double>> by_input;
  for (const std::string& program : programs) {
    std::vector<double> values;
    const Inputs& below = inputs(program, base);
    for (const auto& [input, sample] : inputs(program, of)) {
      const auto found = below.find(input);
      if (found == below.end()) continue;
      const auto own = figure(sample), other = figure(found->second);
      if (!own || !other || *own <= 0 || *other <= 0) continue;
      values.push_back(*own / *other);
      by_input[input].push_back(values.back());
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

std::optional<double> Evaluation::mean(const Programs& programs, const std::string& system,
                                       const Figure& figure) const {
  std::vector<double> means;
  for (const std::string& program : programs) {
    const Spread one = this->figure(program, system, figure);
    if (one.count != 0) means.push_back(one.mean);
  }
  if (means.empty()) return std::nullopt;
  return arithmetic_spread(means).mean;
}

}  // namespace castor::workloads
