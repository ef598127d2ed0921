#include "workloads/claim.h"

#include <cstdio>

namespace castor::workloads {

const char* text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kShape:
      return "shape only";
    case Verdict::kNot:
      return "not";
    default:
      return "not measured";
  }
}

void conclude(Claim& claim, bool good, bool shape, const std::string& reason) {
  claim.verdict = good ? Verdict::kReproduced : shape ? Verdict::kShape : Verdict::kNot;
  if (!good) claim.reason = reason;
}

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace castor::workloads
