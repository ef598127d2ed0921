#include "platforms/experiments/tables.h"

#include <cstdio>

namespace castor::platforms::experiments {

std::string with_spread(const workloads::Spread& spread, int digits, double scale) {
  if (spread.count == 0) return "";
  std::string out = fixed(spread.mean * scale, digits);
  if (spread.count > 1) out += " ±" + fixed(spread.deviation * scale, digits);
  return out;
}

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
  if (!table.rows.empty()) output.table(table);
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
