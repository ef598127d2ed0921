#include "workloads/claim.h"

#include <algorithm>
#include <cstdio>

namespace castor::workloads {
namespace {

// Returns kUnclear for a single run and for a figure without a value, because both comparisons are false then.
Truth judged(const Spread& figure, bool holds, bool fails) {
  if (figure.count < 2) return Truth::kUnclear;
  return holds ? Truth::kHolds : fails ? Truth::kFails : Truth::kUnclear;
}

Truth opposite(Truth truth) {
  return truth == Truth::kHolds ? Truth::kFails : truth == Truth::kFails ? Truth::kHolds : Truth::kUnclear;
}

}  // namespace

Truth above(const Spread& figure, double bound) {
  return judged(figure, figure.mean - figure.deviation > bound, figure.mean + figure.deviation <= bound);
}
Truth at_least(const Spread& figure, double bound) {
  return judged(figure, figure.mean - figure.deviation >= bound, figure.mean + figure.deviation < bound);
}
Truth below(const Spread& figure, double bound) { return opposite(at_least(figure, bound)); }
Truth at_most(const Spread& figure, double bound) { return opposite(above(figure, bound)); }
Truth within(const Spread& figure, double low, double high) {
  return all_of({at_least(figure, low), at_most(figure, high)});
}
Truth certain(bool holds) { return holds ? Truth::kHolds : Truth::kFails; }

Truth all_of(const std::vector<Truth>& statements) { return at_least_of(statements.size(), statements); }
Truth any_of(const std::vector<Truth>& statements) { return at_least_of(1, statements); }
Truth at_least_of(std::size_t count, const std::vector<Truth>& statements) {
  const auto of = [&](Truth truth) {
    return static_cast<std::size_t>(std::count(statements.begin(), statements.end(), truth));
  };
  if (of(Truth::kHolds) >= count) return Truth::kHolds;
  return of(Truth::kHolds) + of(Truth::kUnclear) < count ? Truth::kFails : Truth::kUnclear;
}

const char* text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kConstruction:
      return "by construction";
    case Verdict::kShape:
      return "shape only";
    case Verdict::kNot:
      return "not";
    case Verdict::kNotShown:
      return "not shown";
    default:
      return "not measured";
  }
}

void by_construction(Claim& claim, const std::string& why) { claim.construction = why; }

void make_invariant(Claim& claim) {
  claim.invariant = true;
  by_construction(claim, "an invariant: a run that breaks it has a bug");
}

void conclude(Claim& claim, Truth size, Truth direction, const std::string& reason) {
  if (size == Truth::kHolds) {
    claim.verdict = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    claim.reason = claim.construction;
    return;
  }
  claim.verdict = direction == Truth::kHolds   ? Verdict::kShape
                  : direction == Truth::kFails ? Verdict::kNot
                                               : Verdict::kNotShown;
  claim.reason = reason;
}

void conclude(Claim& claim, Truth truth, const std::string& reason) { conclude(claim, truth, truth, reason); }

std::vector<std::string> broken_invariants(const std::vector<Claim>& claims) {
  std::vector<std::string> out;
  for (const Claim& claim : claims) {
    if (claim.invariant && claim.verdict != Verdict::kConstruction && claim.verdict != Verdict::kOpen) {
      out.push_back(claim.id + ": " + claim.ours);
    }
  }
  return out;
}

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string number(const Spread& figure, int digits, const std::string& unit) {
  return number(figure.mean, digits) + unit + (figure.count > 1 ? " ±" + number(figure.deviation, digits) : "");
}

}  // namespace castor::workloads
