#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// The set of runs of a marker that names none.
inline constexpr const char* kMainSet = "results";

/// A part of a page that an experiment fills, from its marker to the line <!-- end -->. Markers are lines of their own:
///
///     <!-- runs -->                   which runs are kept, and where they came from
///     <!-- table: TITLE -->           a table of the runs in results.csv; HEADING > TITLE where titles repeat
///     <!-- table large: TITLE -->     of those in large.csv
///     <!-- claims results+large -->   claims with verdicts, of the runs of both files
struct PagePart {
  enum class Kind { kRuns, kTable, kClaims };
  Kind kind = Kind::kRuns;
  std::vector<std::string> sets = {kMainSet};  ///< names of files of runs, without .csv
  std::string title;                           ///< of a table
  std::string marker;                          ///< as it stands in the page
  int line = 0;                                ///< where it stands, from 1
  std::string content;                         ///< without blank lines at both ends
};

/// A page in Markdown: prose, which stays as it is, and parts.
class Page {
 public:
  /// `name`: of the file, for errors. Errors: InputError if a part has no end, or a marker cannot be read.
  Page(const std::string& text, const std::string& name);

  [[nodiscard]] const std::vector<PagePart>& parts() const { return parts_; }
  /// Blank lines at both ends are taken off.
  void fill(std::size_t part, const std::string& content);
  [[nodiscard]] std::string text() const;
  /// Whether the prose has this text.
  [[nodiscard]] bool mentions(const std::string& text) const;

 private:
  std::vector<std::string> prose_;  ///< before, between and behind the parts
  std::vector<PagePart> parts_;
};

/// The first line in which two texts differ, of each; "" behind its end.
struct DifferingLines {
  std::string a, b;
};
[[nodiscard]] DifferingLines first_difference(const std::string& a, const std::string& b);

}  // namespace castor::platforms::experiments
