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

/// Returns the concatenation of the lists.
[[nodiscard]] Programs joined(std::initializer_list<Programs> lists);
/// Returns whether `program` is in the list.
[[nodiscard]] bool among(const Programs& programs, const std::string& program);
/// Returns the programs whose input is a road network: no node has enough neighbours for a launch.
[[nodiscard]] Programs roads();
/// Returns true for road and flight networks, whose programs launch (almost) no children.
[[nodiscard]] bool inert(const std::string& program);
/// Appends `one` to a list in `text`, as in "0.97, 1.03".
void list(std::string& text, const std::string& one);
/// Returns a - b. Its deviation is the sum of both deviations, an upper bound.
[[nodiscard]] Spread difference(const Spread& a, const Spread& b);

/// Base class of the claims' rules. Every figure is a function of the runs; the spread of a figure is its jackknife
/// spread, for which each input is left out once.
class Judge {
 public:
  explicit Judge(const Evaluation& evaluation);

 protected:
  using Value = std::function<double(const Evaluation&)>;

  Claim& begin(const char* id, const char* claim, const char* source, const char* rule);
  /// Adds a claim that these runs do not measure. `where`: the reason, or the place where it is measured.
  void elsewhere(const char* id, const char* claim, const char* source, const char* rule, const char* where);
  /// Returns true if all programs have runs on all systems. Otherwise writes the reason into the claim.
  bool need(Claim& claim, const Programs& programs, const std::vector<std::string>& systems) const;
  static bool need_path(Claim& claim, bool there);

  /// Returns a figure of all runs with its jackknife spread, for which each input is left out once.
  [[nodiscard]] Spread spread(const Value& value) const;
  /// Geometric mean over programs of time of `base` / time of `of`.
  [[nodiscard]] Spread faster(const Programs& programs, const std::string& of, const char* base = kFlat) const;
  /// Geometric mean over programs of a figure of `of` / the figure of `base`, minus 1, in %.
  [[nodiscard]] Spread more(const Programs& programs, const std::string& of, const Figure& figure,
                            const char* base = kFlat) const;
  /// Arithmetic mean over programs of a figure on a system, times `scale`.
  [[nodiscard]] Spread mean(const Programs& programs, const std::string& system, const Figure& figure,
                            double scale = 1) const;
  /// Mean of a figure of `of` minus the mean of the figure of `base`, times `scale`.
  [[nodiscard]] Spread higher(const Programs& programs, const std::string& of, const std::string& base,
                              const Figure& figure, double scale) const;
  /// Returns the programs with more than `launches` launches under CDP.
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
