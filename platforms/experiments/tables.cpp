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

std::string claims_summary(const std::vector<std::string>& verdicts) {
  using workloads::Verdict;
  std::string out;
  for (const Verdict verdict : {Verdict::kReproduced, Verdict::kConstruction, Verdict::kShape, Verdict::kNot,
                                Verdict::kNotShown, Verdict::kOpen}) {
    const auto count = std::count(verdicts.begin(), verdicts.end(), text(verdict));
    if (count == 0) continue;
    const std::string name = verdict == Verdict::kNot ? "not reproduced" : text(verdict);
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return "Claims: " + out + ".";
}

bool report_claims(const std::vector<workloads::Claim>& claims, const std::vector<std::string>& broken,
                   Output& output) {
  Table table;
  table.head = {"#", "claim", "source", "rule", "ours", "verdict", "reason"};
  table.note =
      "±: standard deviation between inputs. A figure within its deviation of a bound neither keeps nor breaks it; an "
      "effect within its own is not shown.";
  std::size_t others = 0;
  std::vector<std::string> verdicts, constructed;
  for (const workloads::Claim& claim : claims) {
    verdicts.emplace_back(text(claim.verdict));
    if (!claim.construction.empty()) constructed.push_back(claim.id);
    // A claim that cannot be judged without more runs is shown if a part of it was measured.
    if (claim.verdict == workloads::Verdict::kOpen && claim.ours.empty() && !output.all_claims()) {
      ++others;
      continue;
    }
    table.rows.push_back(
        {claim.id, claim.claim, claim.source, claim.rule, claim.ours, text(claim.verdict), claim.reason});
  }
  if (!table.rows.empty()) output.claims(table, claims_summary(verdicts), constructed);
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
