#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// The folder beside an experiment's page: sets of runs, each in a file <set>.csv, and page.json, which says of each by
/// which command, when and of which sources it was made, and of each picture a digest of what it shows. A set of which
/// page.json has only the command is planned: nobody has kept its runs yet.
class KeptRuns {
 public:
  /// Where a set came from.
  struct Origin {
    std::vector<std::string> command;  ///< words behind "castor experiment"
    std::string date, commit;          ///< empty of a planned set
    Json sources;                      ///< a digest for each part of the sources that can change results
  };

  /// Reads page.json, if it is there. Errors: InputError if it is none.
  explicit KeptRuns(std::string folder);

  /// All sets, planned ones too.
  [[nodiscard]] std::vector<std::string> sets() const;
  /// Errors: as `origin`.
  [[nodiscard]] bool is_kept(const std::string& set) const { return !origin(set).date.empty(); }
  /// Errors: InputError if there is no such set.
  [[nodiscard]] Origin origin(const std::string& set) const;
  /// Runs of one set, or of several: of runs with the same name those of the first one. Errors: InputError.
  [[nodiscard]] std::vector<Run> runs(const std::vector<std::string>& sets) const;
  [[nodiscard]] std::string file(const std::string& set) const { return folder_ + "/" + set + ".csv"; }
  /// "" if there is none.
  [[nodiscard]] std::string picture(const std::string& file) const;

  /// Writes a set. Errors: InputError.
  void keep(const std::string& set, const std::vector<Run>& runs, const Origin& origin);
  void keep_pictures(const Json& digests);

 private:
  void write() const;
  [[nodiscard]] const Json& entry(const std::string& set) const;

  std::string folder_;
  Json facts_;
};

}  // namespace castor::platforms::experiments
