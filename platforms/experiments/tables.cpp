#include "platforms/experiments/tables.h"

namespace castor::platforms::experiments {

std::string with_spread(const workloads::Spread& spread, int digits, double scale) {
  if (spread.count == 0) return "";
  std::string out = fixed(spread.mean * scale, digits);
  if (spread.count > 1) out += " ±" + fixed(spread.deviation * scale, digits);
  return out;
}

Table claims_table(const std::vector<workloads::Claim>& claims) {
  Table table;
  table.head = {"#", "claim", "source", "ours", "verdict", "reason"};
  for (const workloads::Claim& claim : claims) {
    table.rows.push_back({claim.id, claim.claim, claim.source, claim.ours, text(claim.verdict), claim.reason});
  }
  return table;
}

}  // namespace castor::platforms::experiments
