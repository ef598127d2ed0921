#include "workloads/cdp/evaluation.h"

#include <iterator>
#include <utility>

#include "workloads/children/figures.h"

namespace castor::workloads::cdp {

double launch_share(const Evaluation& evaluation, const std::string& program, const std::string& ideal,
                    const std::string& real) {
  return 1 - evaluation.ratio({program}, ideal, real, children::cycles()).mean;
}

std::vector<std::pair<unsigned, double>> slopes(const LaunchPath::BySize& series) {
  std::vector<std::pair<unsigned, double>> out;
  for (auto at = series.begin(); at != series.end(); ++at) {
    const auto next = std::next(at);
    if (next == series.end()) break;
    out.emplace_back(next->first, (next->second.at("cycles") - at->second.at("cycles")) / (next->first - at->first));
  }
  return out;
}

}  // namespace castor::workloads::cdp
