#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "workloads/children/figures.h"
#include "workloads/children/programs.h"
#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::children {

using Programs = Evaluation::Programs;

/// Lists behind each other.
[[nodiscard]] Programs joined(std::initializer_list<Programs> lists);
[[nodiscard]] bool among(const Programs& programs, const std::string& program);
/// Roads: no node has enough neighbours for a launch.
[[nodiscard]] Programs roads();
/// Roads and flights: next to no node has.
[[nodiscard]] bool inert(const std::string& program);
/// "0.97, 1.03": figures behind each other.
void list(std::string& text, const std::string& one);
/// a - b; the deviation of a difference is the sum of both.
[[nodiscard]] Spread difference(const Spread& a, const Spread& b);

/// What a claim's rule is written with. Every figure is a function of the runs, so that leaving out one input after the
/// other says how far it spreads.
class Judge {
 public:
  explicit Judge(const Evaluation& evaluation);

 protected:
  using Value = std::function<double(const Evaluation&)>;

  Claim& begin(const char* id, const char* claim, const char* source, const char* rule);
  /// A claim that runs do not measure.
  void elsewhere(const char* id, const char* claim, const char* source, const char* rule, const char* where);
  /// False, and the claim says so, if one of the programs has no runs on one of the systems.
  bool need(Claim& claim, const Programs& programs, const std::vector<std::string>& systems) const;
  static bool need_path(Claim& claim, bool there);

  [[nodiscard]] Spread spread(const Value& value) const;
  /// base / of of times, geometric mean.
  [[nodiscard]] Spread faster(const Programs& programs, const std::string& of, const char* base = kFlat) const;
  /// of / base - 1 of a figure, %, geometric mean.
  [[nodiscard]] Spread more(const Programs& programs, const std::string& of, const Figure& figure,
                            const char* base = kFlat) const;
  [[nodiscard]] Spread mean(const Programs& programs, const std::string& system, const Figure& figure,
                            double scale = 1) const;
  /// of - base of means.
  [[nodiscard]] Spread higher(const Programs& programs, const std::string& of, const std::string& base,
                              const Figure& figure, double scale) const;
  /// Those with more launches than so many with CDP.
  [[nodiscard]] Programs launching(double launches = 0) const;
  [[nodiscard]] const Evaluation& runs() const { return evaluation_; }
  [[nodiscard]] const Programs& all_programs() const { return all_; }
  [[nodiscard]] std::vector<Claim> take() { return std::move(claims_); }

 private:
  const Evaluation& evaluation_;
  Programs all_ = program_names();
  std::vector<Evaluation> without_;
  std::vector<Claim> claims_;
};

}  // namespace castor::workloads::children
