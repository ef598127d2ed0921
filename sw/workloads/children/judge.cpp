#include "workloads/children/judge.h"

#include <algorithm>

namespace castor::workloads::children {

Programs joined(std::initializer_list<Programs> lists) {
  Programs out;
  for (const Programs& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

bool among(const Programs& programs, const std::string& program) {
  return std::find(programs.begin(), programs.end(), program) != programs.end();
}

Programs roads() { return {"bfs_road", "clr_road", "sssp_road"}; }

bool inert(const std::string& program) { return program == "sssp_flights" || among(roads(), program); }

void list(std::string& text, const std::string& one) { text += (text.empty() ? "" : ", ") + one; }

Spread difference(const Spread& a, const Spread& b) {
  Spread out = a;
  out.mean -= b.mean;
  out.deviation += b.deviation;
  return out;
}

Judge::Judge(const Evaluation& evaluation) : evaluation_(evaluation) {
  for (const std::string& input : evaluation.all_inputs()) without_.push_back(evaluation.without(input));
}

Claim& Judge::begin(const char* id, const char* claim, const char* source, const char* rule) {
  return claims_.emplace_back(Claim{id, claim, source, rule, "", Verdict::kOpen, ""});
}

void Judge::elsewhere(const char* id, const char* claim, const char* source, const char* rule, const char* where) {
  begin(id, claim, source, rule).reason = where;
}

bool Judge::need(Claim& claim, const Programs& programs, const std::vector<std::string>& systems) const {
  std::string missing;
  for (const std::string& system : systems) {
    if (!evaluation_.has_all(programs, system)) list(missing, system);
  }
  if (missing.empty()) return true;
  claim.reason = "no runs of all programs with " + missing;
  return false;
}

bool Judge::need_path(Claim& claim, bool there) {
  if (!there) claim.reason = "no runs of the launch path";
  return there;
}

Spread Judge::spread(const Value& value) const {
  std::vector<double> values;
  values.reserve(without_.size());
  for (const Evaluation& part : without_) values.push_back(value(part));
  return jackknife_spread(value(evaluation_), values);
}

Spread Judge::faster(const Programs& programs, const std::string& of, const char* base) const {
  return spread([&](const Evaluation& e) { return e.ratio(programs, base, of, cycles()).mean; });
}

Spread Judge::more(const Programs& programs, const std::string& of, const Figure& figure, const char* base) const {
  return spread([&](const Evaluation& e) { return 100 * (e.ratio(programs, of, base, figure).mean - 1); });
}

Spread Judge::mean(const Programs& programs, const std::string& system, const Figure& figure, double scale) const {
  return spread([&](const Evaluation& e) { return scale * e.mean(programs, system, figure).value_or(0); });
}

Spread Judge::higher(const Programs& programs, const std::string& of, const std::string& base, const Figure& figure,
                     double scale) const {
  return spread([&](const Evaluation& e) {
    return scale * (e.mean(programs, of, figure).value_or(0) - e.mean(programs, base, figure).value_or(0));
  });
}

Programs Judge::launching(double launches) const {
  Programs out;
  for (const std::string& program : all_) {
    if (evaluation_.figure(program, kCdp, count("launches")).mean > launches) out.push_back(program);
  }
  return out;
}

}  // namespace castor::workloads::children
