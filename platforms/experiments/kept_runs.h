#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// The folder beside an experiment's page. It holds sets of runs, each in a file <set>.csv, and page.json. For each set
/// page.json records the command, the date and the sources; for each picture it records a digest of the displayed data.
/// A set with only a command is planned: its runs have not been stored yet.
class KeptRuns {
 public:
  /// Origin of the runs of a set.
  struct Origin {
    std::vector<std::string> command;  ///< words after "castor experiment"
    std::string date, commit;          ///< empty for a planned set
    Json sources;                      ///< a digest of each part of the sources that can change results
  };

  /// Reads page.json if it exists. Throws InputError if it is invalid.
  explicit KeptRuns(std::string folder);

  /// Returns the names of all sets, including planned ones.
  [[nodiscard]] std::vector<std::string> sets() const;
  /// Returns whether the runs of the set are stored. Throws InputError for an unknown set.
  [[nodiscard]] bool is_kept(const std::string& set) const { return !origin(set).date.empty(); }
  /// Returns the origin of a set. Throws InputError for an unknown set.
  [[nodiscard]] Origin origin(const std::string& set) const;
  /// Returns the runs of one or several sets. If several runs have the same name, only the first is returned. Throws
  /// InputError if a file cannot be read.
  [[nodiscard]] std::vector<Run> runs(const std::vector<std::string>& sets) const;
  [[nodiscard]] std::string file(const std::string& set) const { return folder_ + "/" + set + ".csv"; }
  /// Returns the digest of a picture; "" if there is none.
  [[nodiscard]] std::string picture(const std::string& file) const;

  /// Stores a set. Throws InputError if a file cannot be written.
  void keep(const std::string& set, const std::vector<Run>& runs, const Origin& origin);
  void keep_pictures(const Json& digests);

 private:
  void write() const;
  [[nodiscard]] const Json& entry(const std::string& set) const;

  std::string folder_;
  Json facts_;
};

}  // namespace castor::platforms::experiments
