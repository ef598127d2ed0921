#include "workloads/claim.h"

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

}  // namespace castor::workloads
