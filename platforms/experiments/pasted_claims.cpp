#include "platforms/experiments/pasted_claims.h"

#include <algorithm>
#include <sstream>

#include "platforms/experiments/tables.h"
#include "workloads/claim.h"

namespace castor::platforms::experiments {
namespace {

using Names = std::vector<std::string>;
// Columns of a table of claims: id, claim, source and rule (the first kFixed), ours, verdict (number kVerdict).
constexpr std::size_t kFixed = 4, kVerdict = 5;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Returns the cells of a table row; none for the table head, the line below it, and lines that are not rows.
Names cells_of(const std::string& line) {
  Names out;
  if (line.rfind("| ", 0) != 0 || line.rfind("| # |", 0) == 0) return out;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) out.push_back(trimmed(cell));
  return out;
}

bool has(const Names& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// Returns the differences between a row and the rule with the same id.
Names compare(const Names& row, const Names& rule, bool constructed) {
  Names out;
  for (std::size_t i = 1; i < kFixed; ++i) {
    if (i < row.size() && row[i] == rule[i]) continue;
    out.push_back("claim " + rule[0] + " is not worded as its rule\n  page: " + (i < row.size() ? row[i] : "") +
                  "\n  rule: " + rule[i]);
  }
  const std::string verdict = kVerdict < row.size() ? row[kVerdict] : "";
  const std::string reproduced = text(workloads::Verdict::kReproduced), own = text(workloads::Verdict::kConstruction);
  if (verdict == (constructed ? reproduced : own)) {
    out.push_back("claim " + rule[0] + (constructed ? " holds" : " does not hold") +
                  " by construction, the page says '" + verdict + "'");
  }
  return out;
}

}  // namespace

std::vector<std::string> pasted_claims_problems(const std::string& content, const Output& reported) {
  Names out, found, verdicts;
  const std::vector<Names>& rules = reported.claims_table().rows;
  std::istringstream in(content);
  for (std::string line; std::getline(in, line);) {
    const Names row = cells_of(line);
    if (row.empty()) continue;
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Names& one) { return one[0] == row[0]; });
    if (rule == rules.end()) {
      out.push_back("no rule has the number " + row[0]);
      continue;
    }
    found.push_back(row[0]);
    verdicts.push_back(kVerdict < row.size() ? row[kVerdict] : "");
    const Names own = compare(row, *rule, has(reported.constructed(), row[0]));
    out.insert(out.end(), own.begin(), own.end());
  }
  if (found.empty()) return out;  // no claims were pasted
  for (const Names& rule : rules) {
    if (!has(found, rule[0])) out.push_back("claim " + rule[0] + " is missing");
  }
  const std::string summary = claims_summary(verdicts);
  if (content.rfind(summary + "\n", 0) != 0) out.push_back("the claims do not begin with: " + summary);
  return out;
}

}  // namespace castor::platforms::experiments
