#include "workloads/darsie/evaluation.h"

#include <utility>

#include "workloads/darsie/programs.h"

namespace castor::workloads::darsie {
namespace {

Figure of_energy(const EnergyTable& table, double (*part)(const Energy&)) {
  return [&table, part](const Sample& sample) -> std::optional<double> {
    const auto energy = energy_of(table, [&](const std::string& name) { return darsie::count(name)(sample); });
    if (!energy) return std::nullopt;
    return part(*energy);
  };
}

}  // namespace

Figure cycles() { return count("cycles"); }
Figure executed() { return count("warp_instructions"); }
Figure arithmetic() { return sum({"class_int", "class_sp", "class_dp", "class_sfu"}); }
Figure shared_loads() { return count("class_load_shared"); }
Figure global_loads() { return count("class_load_global"); }
Figure total_energy(const EnergyTable& table) {
  return of_energy(table, [](const Energy& e) { return e.total(); });
}
Figure dynamic_energy(const EnergyTable& table) {
  return of_energy(table, [](const Energy& e) { return e.dynamic; });
}
Figure overhead_share(const EnergyTable& table) {
  return of_energy(table, [](const Energy& e) { return e.dynamic == 0 ? 0 : e.overhead / e.dynamic; });
}

std::string baseline_of(const std::string& system) {
  const std::size_t end = system.find(' ');
  return kBaseline + (end == std::string::npos ? "" : system.substr(end));
}

std::vector<std::string> beyond_bound(const Evaluation& evaluation, const std::vector<std::string>& skipping) {
  const std::vector<std::pair<const char*, Figure>> classes = {{"all instructions", executed()},
                                                               {"arithmetic", arithmetic()},
                                                               {"shared loads", shared_loads()},
                                                               {"global loads", global_loads()}};
  std::vector<std::string> out;
  for (const Program& program : programs()) {
    const double bound = 1 - 1.0 / program.warps;
    for (const std::string& system : skipping) {
      for (const auto& [what, figure] : classes) {
        const Spread left = evaluation.ratio({program.name}, system, baseline_of(system), figure);
        if (left.count == 0 || 1 - left.mean <= bound + 1e-9) continue;
        out.push_back(program.name + ": " + number(100 * (1 - left.mean), 1) + " % of " + what + " with " + system);
      }
    }
  }
  return out;
}

}  // namespace castor::workloads::darsie
