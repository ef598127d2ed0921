#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// The set of runs of a marker that names no set.
inline constexpr const char* kMainSet = "results";

/// A part of a page that an experiment fills, from its marker to the line <!-- end -->. Markers are lines of their own:
///
///     <!-- runs -->                   the stored runs and their origin
///     <!-- table: TITLE -->           a table of the runs in results.csv; HEADING > TITLE where titles repeat
///     <!-- table large: TITLE -->     a table of the runs in large.csv
///     <!-- claims results+large -->   claims with verdicts, of the runs of both files
struct PagePart {
  enum class Kind { kRuns, kTable, kClaims };
  Kind kind = Kind::kRuns;
  std::vector<std::string> sets = {kMainSet};  ///< names of files of runs, without .csv
  std::string title;                           ///< title of the table
  std::string marker;                          ///< text of the marker in the page
  int line = 0;                                ///< line number of the marker, from 1
  std::string content;                         ///< content without blank lines at both ends
};

/// A result page in Markdown: prose, which is kept unchanged, and parts that the experiment fills.
class Page {
 public:
  /// `name`: file name for messages. Throws InputError if a part has no end, or if a marker is invalid.
  Page(const std::string& text, const std::string& name);

  [[nodiscard]] const std::vector<PagePart>& parts() const { return parts_; }
  /// Sets the content of a part; blank lines at both ends are removed.
  void fill(std::size_t part, const std::string& content);
  [[nodiscard]] std::string text() const;
  /// Returns whether the prose contains the text.
  [[nodiscard]] bool mentions(const std::string& text) const;

 private:
  std::vector<std::string> prose_;  ///< prose before, between and after the parts
  std::vector<PagePart> parts_;
};

/// The first line in which two texts differ; "" after the end of a text.
struct DifferingLines {
  std::string a, b;
};
[[nodiscard]] DifferingLines first_difference(const std::string& a, const std::string& b);

}  // namespace castor::platforms::experiments
