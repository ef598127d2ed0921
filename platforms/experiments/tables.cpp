#include "platforms/experiments/tables.h"

#include <algorithm>
#include <cstdio>

namespace castor::platforms::experiments {

std::string with_spread(const workloads::Spread& spread, int digits, double scale) {
  if (spread.count == 0) return "";
  std::string out = fixed(spread.mean * scale, digits);
  if (spread.count > 1) out += " ±" + fixed(spread.deviation * scale, digits);
  return out;
}

namespace {

// "12 reproduced, 3 shape only, 1 not reproduced"; verdicts that no claim has are left out.
std::string count_verdicts(const std::vector<workloads::Claim>& claims) {
  using workloads::Verdict;
  std::string out;
  for (const Verdict verdict :
       {Verdict::kReproduced, Verdict::kShape, Verdict::kNot, Verdict::kNotShown, Verdict::kOpen}) {
    const auto count = std::count_if(claims.begin(), claims.end(),
                                     [verdict](const workloads::Claim& claim) { return claim.verdict == verdict; });
    if (count == 0) continue;
    const std::string name = verdict == Verdict::kNot ? "not reproduced" : text(verdict);
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return out;
}

}  // namespace

bool report_claims(const std::vector<workloads::Claim>& claims, const std::vector<std::string>& broken,
                   Output& output) {
  Table table;
  table.head = {"#", "claim", "source", "rule", "ours", "verdict", "reason"};
  table.note =
      "±: standard deviation between inputs. A figure within its deviation of a bound neither keeps nor breaks it; an "
      "effect within its own is not shown.";
  std::size_t others = 0;
  for (const workloads::Claim& claim : claims) {
    // What came out of a part of a claim is shown, though it takes more runs to judge it.
    if (claim.verdict == workloads::Verdict::kOpen && claim.ours.empty() && !output.all_claims()) {
      ++others;
      continue;
    }
    table.rows.push_back(
        {claim.id, claim.claim, claim.source, claim.rule, claim.ours, text(claim.verdict), claim.reason});
  }
  if (!table.rows.empty()) output.claims(table, "Claims: " + count_verdicts(claims) + ".");
  if (others != 0) {
    output.paragraph(std::to_string(others) + " of " + std::to_string(claims.size()) +
                     " claims are not measured by these runs; --all-claims shows them, and what they need.");
  }
  std::vector<std::string> all = workloads::broken_invariants(claims);
  all.insert(all.end(), broken.begin(), broken.end());
  if (all.empty()) return true;
  output.heading("Broken");
  for (const std::string& one : all) {
    output.paragraph(one);
    std::fprintf(stderr, "broken: %s\n", one.c_str());
  }
  return false;
}

}  // namespace castor::platforms::experiments
